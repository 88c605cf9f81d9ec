/*
 * etcd: etcd on trial, one node of our own or three, by its JSON gateway.
 *
 *     single        one node (the default)
 *     cluster       three nodes; clients are spread over them
 *
 * etcd has no transactions that go on; clients build them, as its own library does. The first read
 * fixes a revision, and the others read as of it; writes are kept back. The commit is one
 * transaction of etcd's own: if nothing that was read has changed since, put what was written.
 *
 *     strict-serializable   the first read is linearizable
 *     serializable          it is what etcd calls serializable: the client's own node answers alone,
 *                           and may lag behind
 *     snapshot              linearizable; the commit compares only what it writes
 *
 * What is deleted becomes an empty value, so that a changed revision tells of it.
 */
#include "record/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/wall_clock.h"
#include "record/http_cluster.h"

#define LOAD_ROWS 100 /* etcd's own limit for a transaction is 128 */
#define KEY_DIGITS 20

static const char *const modes[] = { "single", "cluster", NULL };

struct etcd {
    struct http_cluster cluster; /* first: see http_cluster_fault() */
    struct database_options options;
    bool has_keys;
};

/* A key that the transaction has to do with. Its text: "5", "5,1" with a tag, "5,6,7"; empty: none. */
struct etcd_entry {
    uint64_t key;
    size_t at, length;
    bool is_read, is_written;
};

struct etcd_session {
    struct etcd *server;
    struct http *http;
    const char *url;
    struct buffer body, texts;
    ARRAY(struct etcd_entry) entries;
    int64_t revision; /* that it reads; 0: it has not read yet */
    bool has_read_all;
    bool reads_here; /* of its own node, which may lag behind */
};

/* --- Servers ---------------------------------------------------------------------------------- */

static void print_words(const struct http_cluster *c, unsigned node, struct buffer *words)
{
    const char *at = c->server.addresses[node];
    unsigned peer = c->peer_ports[node];

    buffer_print(words, "--name=n%u%c--data-dir=node-%u%c", node, '\0', node, '\0');
    buffer_print(words, "--listen-client-urls=%s%c", c->urls[node], '\0');
    buffer_print(words, "--advertise-client-urls=%s%c", c->urls[node], '\0');
    buffer_print(words, "--listen-peer-urls=http://%s:%u%c", at, peer, '\0');
    buffer_print(words, "--initial-advertise-peer-urls=http://%s:%u%c", at, peer, '\0');
    buffer_print(words, "--heartbeat-interval=50%c--election-timeout=500%c", '\0', '\0');
    buffer_print(words, "--log-level=error%c", '\0');
    for (size_t i = 0; i < c->options->setting_count; i++)
        buffer_print(words, "--%s%c", c->options->settings[i], '\0');
    buffer_print(words, "--initial-cluster=");
    for (unsigned i = 0; i < c->node_count; i++)
        buffer_print(words, "%sn%u=http://%s:%u", i ? "," : "", i, c->server.addresses[i],
                     c->peer_ports[i]);
    buffer_byte(words, '\0');
}

static const struct http_program program = {
    .binary = { .title = "etcd server",
                .file = "etcd",
                .advice = "install the package etcd-server" },
    .ready = "/health",
    .version = "/version",
    .version_mark = "\"etcdserver\":\"",
    .starts_together = true,
    .words = print_words,
};

static enum status etcd_start(void **server, const struct database_options *options,
                              struct buffer *version, struct error *err)
{
    struct etcd *e = calloc(1, sizeof *e);
    bool has_three = options->mode && strcmp(options->mode, "cluster") == 0;

    if (!e)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a server");
    *server = e;
    e->options = *options;
    TRY(http_cluster_open(&e->cluster, &program, &e->options, has_three ? 3 : 1, err));
    buffer_print(version, "etcd ");
    return http_cluster_ask_version(&e->cluster, version, err);
}

/* --- Words of the gateway --------------------------------------------------------------------- */

/* "name":"...": bytes are in base64 there. */
static void put_bytes(struct buffer *body, const char *name, struct text bytes)
{
    buffer_print(body, "\"%s\":\"", name);
    base64_print(body, bytes);
    buffer_byte(body, '"');
}

static void put_key(const struct etcd *e, struct buffer *body, uint64_t key)
{
    char name[120];

    snprintf(name, sizeof name, "%s/%0*" PRIu64, e->options.table.name, KEY_DIGITS, key);
    put_bytes(body, "key", text_of(name));
}

/* "/" and "0" follow each other. */
static void put_all_keys(const struct etcd *e, struct buffer *body)
{
    char name[120];

    snprintf(name, sizeof name, "%s/", e->options.table.name);
    put_bytes(body, "key", text_of(name));
    buffer_byte(body, ',');
    name[strlen(name) - 1] = '0';
    put_bytes(body, "range_end", text_of(name));
}

static struct etcd_entry *find_entry(struct etcd_session *s, uint64_t key)
{
    for (size_t i = 0; i < s->entries.count; i++)
        if (s->entries.at[i].key == key)
            return &s->entries.at[i];
    return NULL;
}

static const char *string_in(const cJSON *object, const char *name)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

    return found ? found : "";
}

/* What the transaction knows of a key already is newer. */
static enum status take_entry(struct etcd_session *s, const cJSON *kv, struct error *err)
{
    struct etcd_entry entry = { .is_read = true };
    struct buffer *texts = &s->texts;

    if (!base64_decode(texts, text_of(string_in(kv, "key"))) || texts->count < KEY_DIGITS)
        return error_set(err, STATUS_IO, "etcd: a key is no base64");
    for (size_t i = texts->count - KEY_DIGITS; i < texts->count; i++)
        entry.key = entry.key * 10 + (uint64_t)(texts->at[i] - '0');
    entry.at = texts->count;
    if (!base64_decode(texts, text_of(string_in(kv, "value"))))
        return error_set(err, STATUS_IO, "etcd: a value is no base64");
    entry.length = texts->count - entry.at;
    return find_entry(s, entry.key) ? STATUS_OK : array_push(&s->entries, entry, err);
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status etcd_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct etcd *e = server;
    struct etcd_session *s = calloc(1, sizeof *s);

    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    *session = s;
    s->server = e;
    s->url = http_cluster_url(&e->cluster, client);
    s->reads_here = e->options.isolation == LEVEL_SERIALIZABLE && client != e->options.clients;
    return http_cluster_connect(&e->cluster, client, &s->http, err);
}

static void etcd_close(void *session)
{
    struct etcd_session *s = session;

    if (!s)
        return;
    http_close(s->http);
    buffer_close(&s->body);
    buffer_close(&s->texts);
    array_close(&s->entries);
    free(s);
}

/* NULL, and `err` says why: there was no good answer. */
static cJSON *post(struct etcd_session *s, const char *path, struct error *err)
{
    char url[300];
    cJSON *json;

    snprintf(url, sizeof url, "%s/v3/kv/%s", s->url, path);
    if (buffer_status(&s->body, err) != STATUS_OK ||
        http_post(s->http, url, (struct text){ s->body.at, s->body.count }, err) != STATUS_OK)
        return NULL;
    json = http_status(s->http) == 200 ? http_json(s->http) : NULL;
    if (!json)
        (void)!error_set(err, STATUS_IO, "etcd: %.*s", TEXT_PRINT(http_answer(s->http)));
    return json;
}

/* Reads one key, or all. Nothing has happened if it fails. */
static enum status range(struct etcd_session *s, const uint64_t *key, struct error *err)
{
    enum status status = STATUS_OK;
    const cJSON *kv;
    cJSON *json;

    buffer_clear(&s->body);
    buffer_byte(&s->body, '{');
    if (key)
        put_key(s->server, &s->body, *key);
    else
        put_all_keys(s->server, &s->body);
    if (s->revision > 0)
        buffer_print(&s->body, ",\"revision\":\"%" PRId64 "\"", s->revision);
    buffer_print(&s->body, ",\"serializable\":%s}", s->reads_here ? "true" : "false");
    json = post(s, "range", err);
    if (!json)
        return err->status;
    if (s->revision == 0)
        s->revision = atoll(string_in(cJSON_GetObjectItem(json, "header"), "revision"));
    cJSON_ArrayForEach(kv, cJSON_GetObjectItem(json, "kvs")) if (status == STATUS_OK) status =
        take_entry(s, kv, err);
    cJSON_Delete(json);
    return status;
}

/* The key's entry, which a read makes, or a write that does not read. */
static enum status need_entry(struct etcd_session *s, uint64_t key, bool reads,
                              struct etcd_entry **entry, struct error *err)
{
    struct etcd_entry none = { .key = key, .is_read = reads };

    *entry = find_entry(s, key);
    if (!*entry && reads && !s->has_read_all)
        TRY(range(s, &key, err));
    if (!*entry && !find_entry(s, key))
        TRY(array_push(&s->entries, none, err));
    *entry = find_entry(s, key);
    return STATUS_OK;
}

static struct builtin_row row_of(const struct etcd_session *s, const struct etcd_entry *entry)
{
    struct builtin_row row = { .key = entry->key };
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)entry->length, s->texts.at + entry->at);
    sscanf(text, "%" SCNd64 ",%" SCNd64, &row.value, &row.tag);
    return row;
}

/* `kept` bytes of what it has come first. */
static void write_entry(struct etcd_session *s, struct etcd_entry *entry, size_t kept,
                        const struct builtin_request *r)
{
    size_t at = s->texts.count;
    char *to = buffer_reserve(&s->texts, kept + 1);

    if (to && kept > 0) {
        memcpy(to, s->texts.at + entry->at, kept);
        s->texts.count += kept;
        buffer_byte(&s->texts, ',');
    }
    if (r->kind != BUILTIN_DELETE)
        buffer_int64(&s->texts, r->value);
    if (s->server->options.table.tag_column && r->kind != BUILTIN_DELETE)
        buffer_print(&s->texts, ",%" PRId64, r->tag);
    entry->at = at;
    entry->length = s->texts.count - at;
    entry->is_written = true;
}

static bool is_in_range(const struct builtin_request *r, struct builtin_row row)
{
    int64_t at = r->column == BUILTIN_KEY_COLUMN ? (int64_t)row.key : row.value;

    return r->column == BUILTIN_NO_COLUMN || (r->low <= at && at <= r->high);
}

/* Answers with the rows read, or as they are afterwards, or their keys. */
static enum status take_range(struct etcd_session *s, const struct builtin_request *r,
                              struct database_answer *answer, struct database_step_answer *step,
                              struct error *err)
{
    if (!s->has_read_all)
        TRY(range(s, NULL, err));
    s->has_read_all = true;
    for (size_t i = 0; i < s->entries.count; i++) {
        struct etcd_entry *entry = &s->entries.at[i];
        struct builtin_row row = row_of(s, entry);

        if (entry->length == 0 || !is_in_range(r, row))
            continue;
        if (r->kind != BUILTIN_SELECT)
            write_entry(s, entry, 0, r);
        if (r->kind == BUILTIN_UPDATE)
            row = row_of(s, entry);
        TRY(database_answer_row(answer, step, row, err));
    }
    return buffer_status(&s->texts, err);
}

static enum status request_step(struct etcd_session *s, const struct builtin_request *r,
                                struct database_answer *answer, struct database_step_answer *step,
                                struct error *err)
{
    struct etcd_entry *entry;

    if (r->kind == BUILTIN_SELECT || r->kind == BUILTIN_UPDATE || r->kind == BUILTIN_DELETE)
        return take_range(s, r, answer, step, err);
    TRY(need_entry(s, r->key, r->kind != BUILTIN_WRITE, &entry, err));
    if (r->kind == BUILTIN_INSERT && entry->length > 0) {
        answer->end = STEPS_REFUSED;
        snprintf(answer->code, sizeof answer->code, "EXISTS");
    } else if (r->kind != BUILTIN_READ) {
        write_entry(s, entry, r->kind == BUILTIN_APPEND ? entry->length : 0, r);
    } else if (entry->length > 0 && s->server->options.table.shape == SHAPE_LISTS) {
        return database_answer_list(answer, step,
                                    (struct text){ s->texts.at + entry->at, entry->length }, err);
    } else if (entry->length > 0) {
        return database_answer_row(answer, step, row_of(s, entry), err);
    }
    return buffer_status(&s->texts, err);
}

/* What must not have changed: see above. */
static void put_compares(struct etcd_session *s, struct buffer *body)
{
    bool all = s->server->options.isolation != LEVEL_SNAPSHOT, is_first = true;

    if (all && s->has_read_all) {
        buffer_print(body,
                     "{\"target\":\"MOD\",\"result\":\"LESS\",\"mod_revision\":\"%" PRId64 "\",",
                     s->revision + 1);
        put_all_keys(s->server, body);
        buffer_byte(body, '}');
        return;
    }
    for (size_t i = 0; i < s->entries.count; i++) {
        const struct etcd_entry *entry = &s->entries.at[i];

        if (all ? !entry->is_read : !entry->is_written || s->revision == 0)
            continue;
        buffer_print(body,
                     "%s{\"target\":\"MOD\",\"result\":\"LESS\",\"mod_revision\":\"%" PRId64 "\",",
                     is_first ? "" : ",", s->revision + 1);
        put_key(s->server, body, entry->key);
        buffer_byte(body, '}');
        is_first = false;
    }
}

static enum status commit(struct etcd_session *s, struct database_answer *answer, struct error *err)
{
    bool is_first = true;
    struct error lost;
    cJSON *json;

    buffer_clear(&s->body);
    buffer_print(&s->body, "{\"compare\":[");
    put_compares(s, &s->body);
    buffer_print(&s->body, "],\"success\":[");
    for (size_t i = 0; i < s->entries.count; i++) {
        const struct etcd_entry *entry = &s->entries.at[i];

        if (!entry->is_written)
            continue;
        buffer_print(&s->body, "%s{\"request_put\":{", is_first ? "" : ",");
        put_key(s->server, &s->body, entry->key);
        buffer_byte(&s->body, ',');
        put_bytes(&s->body, "value", (struct text){ s->texts.at + entry->at, entry->length });
        buffer_print(&s->body, "}}");
        is_first = false;
    }
    if (is_first)
        return STATUS_OK; /* it only read */
    buffer_print(&s->body, "]}");
    TRY(buffer_status(&s->body, err));
    json = post(s, "txn", &lost);
    if (!json) {
        answer->end = STEPS_LOST;
    } else if (!cJSON_IsTrue(cJSON_GetObjectItem(json, "succeeded"))) {
        answer->end = STEPS_REFUSED;
        snprintf(answer->code, sizeof answer->code, "CHANGED");
    }
    cJSON_Delete(json);
    return STATUS_OK;
}

static enum status one_step(void *session, const struct database_step *step,
                            struct database_answer *answer, struct database_step_answer *taken,
                            struct error *err)
{
    struct etcd_session *s = session;
    enum status status = STATUS_OK;

    if (step->kind == STEP_BEGIN) {
        s->entries.count = 0;
        buffer_clear(&s->texts);
        s->revision = 0;
        s->has_read_all = false;
    } else if (step->kind == STEP_REQUEST) {
        status = request_step(s, &step->request, answer, taken, err);
    } else if (step->kind == STEP_COMMIT) {
        status = commit(s, answer, err);
    }
    if (status != STATUS_IO)
        return status;
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    answer->end = STEPS_REFUSED; /* a read has failed: nothing was written yet */
    snprintf(answer->code, sizeof answer->code, "UNREACHABLE");
    return STATUS_OK;
}

static enum status etcd_steps(void *session, const struct database_step *steps, uint32_t count,
                              struct database_answer *answer, struct error *err)
{
    return database_each_step(one_step, session, steps, count, answer, err);
}

/* --- The keys --------------------------------------------------------------------------------- */

static enum status etcd_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct etcd *e = server;
    uint64_t count = builtin_initial_count(builtin);
    struct database_answer answer = { .end = STEPS_DONE };
    enum status status;
    void *session = NULL;
    struct etcd_session *s;

    status = etcd_open(&session, server, e->options.clients, err);
    s = session;
    if (status == STATUS_OK)
        status = range(s, NULL, err);
    if (status == STATUS_OK && s->entries.count > 0)
        status = error_set(err, STATUS_BAD_INPUT, "there are keys of %s in it already",
                           e->options.table.name);
    e->has_keys = status == STATUS_OK;
    for (uint64_t from = 0; status == STATUS_OK && from < count; from += LOAD_ROWS) {
        s->entries.count = 0;
        for (uint64_t i = from; status == STATUS_OK && i < count && i < from + LOAD_ROWS; i++) {
            struct builtin_row row = builtin_initial(builtin, i);
            struct builtin_request write = { BUILTIN_WRITE, .key = row.key, .value = row.value,
                                             .tag = row.tag };

            status = request_step(s, &write, &answer, NULL, err);
        }
        if (status == STATUS_OK)
            status = commit(s, &answer, err);
        if (status == STATUS_OK && answer.end != STEPS_DONE)
            status = error_set(err, STATUS_IO, "etcd did not take the first rows");
    }
    etcd_close(session);
    return status;
}

static void etcd_stop(void *server)
{
    struct etcd *e = server;
    struct error err;
    void *session = NULL;

    if (!e)
        return;
    if (e->options.connect && e->has_keys) {
        if (etcd_open(&session, server, e->options.clients, &err) == STATUS_OK) {
            struct etcd_session *s = session;

            buffer_byte(&s->body, '{');
            put_all_keys(e, &s->body);
            buffer_byte(&s->body, '}');
            cJSON_Delete(post(s, "deleterange", &err));
        }
        etcd_close(session);
    }
    http_cluster_close(&e->cluster);
    free(e);
}

const struct database database_etcd = {
    .name = "etcd",
    .title = "etcd",
    .package = "etcd-server",
    .gives = "strict-serializable, serializable (reads of the client's own node), snapshot; every\n"
             "           workload",
    .modes = modes,
    .levels = LEVEL_BIT(LEVEL_SNAPSHOT) | LEVEL_BIT(LEVEL_SERIALIZABLE) |
              LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .faults = OWN_SERVER_FAULTS,
    .start = etcd_start,
    .load = etcd_load,
    .fault = http_cluster_fault,
    .stop = etcd_stop,
    .open = etcd_open,
    .steps = etcd_steps,
    .close = etcd_close,
};
