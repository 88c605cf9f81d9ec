/*
 * etcd: etcd on trial, one node of our own or three, by its JSON gateway.
 *
 * etcd has no transactions that go on; clients build them, as its own library does. The first read
 * fixes a revision, and the others read as of it; writes are kept back. The commit is one
 * transaction of etcd's own: if nothing that was read has changed since, put what was written.
 *
 *     strict-serializable   the first read is linearizable
 *     serializable          it is what etcd calls serializable: the client's own node answers alone,
 *                           and may lag behind
 *     snapshot              linearizable; the commit compares only what it writes
 */
#include "record/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "record/http_cluster.h"
#include "record/key_values.h"

#define LOAD_ROWS 100 /* etcd's own limit for a transaction is 128 */

struct etcd_session {
    struct key_values kv; /* first */
    const struct http_cluster *cluster;
    struct http *http;
    const char *url;
    struct buffer body, text;
    bool reads_here; /* of its own node, which may lag behind */
};

/* --- Servers ---------------------------------------------------------------------------------- */

static void print_words(const struct http_cluster *c, unsigned node, struct buffer *words)
{
    const char *at = c->server.addresses[node];
    unsigned peer = c->peer_ports[node];

    buffer_print(words, "--name=n%u%c--data-dir=node-%u%c", node, '\0', node, '\0');
    buffer_print(words, "--listen-client-urls=%s%c--advertise-client-urls=%s%c", c->urls[node],
                 '\0', c->urls[node], '\0');
    buffer_print(words, "--listen-peer-urls=http://%s:%u%c", at, peer, '\0');
    buffer_print(words, "--initial-advertise-peer-urls=http://%s:%u%c", at, peer, '\0');
    buffer_print(words, "--heartbeat-interval=50%c--election-timeout=500%c--log-level=error%c",
                 '\0', '\0', '\0');
    for (size_t i = 0; i < c->options.setting_count; i++)
        buffer_print(words, "--%s%c", c->options.settings[i], '\0');
    buffer_print(words, "--initial-cluster=");
    for (unsigned i = 0; i < c->node_count; i++)
        buffer_print(words, "%sn%u=http://%s:%u", i ? "," : "", i, c->server.addresses[i],
                     c->peer_ports[i]);
    buffer_byte(words, '\0');
}

static const struct http_program program = {
    .title = "etcd",
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
    return http_cluster_open(server, sizeof(struct http_cluster), &program, options, version, err);
}

/* --- Words of the gateway --------------------------------------------------------------------- */

/* "name":"...": bytes are in base64 there. */
static void put_bytes(struct buffer *body, const char *name, struct text bytes)
{
    buffer_print(body, "\"%s\":\"", name);
    base64_print(body, bytes);
    buffer_byte(body, '"');
}

/* One key, or all of them if it is NULL: "/" and "0" follow each other. */
static void put_keys(struct etcd_session *s, const uint64_t *key)
{
    char name[120];
    int length = snprintf(name, sizeof name, "%s/", s->kv.table->name);

    if (key)
        snprintf(name + length, sizeof name - (size_t)length, "%020" PRIu64, *key);
    put_bytes(&s->body, "key", text_of(name));
    if (key)
        return;
    name[length - 1] = '0';
    buffer_byte(&s->body, ',');
    put_bytes(&s->body, "range_end", text_of(name));
}

static enum status take_pair(struct etcd_session *s, const cJSON *pair, struct error *err)
{
    size_t prefix = strlen(s->kv.table->name) + 1, at;
    bool is_read;

    buffer_clear(&s->text);
    is_read = base64_decode(&s->text, text_of(http_string(pair, "key")));
    buffer_byte(&s->text, '\0');
    at = s->text.count;
    is_read &= base64_decode(&s->text, text_of(http_string(pair, "value")));
    TRY(buffer_status(&s->text, err));
    if (!is_read || at <= prefix)
        return error_set(err, STATUS_IO, "etcd: a key or its value is no base64");
    return key_values_found(&s->kv, strtoull(s->text.at + prefix, NULL, 10),
                            (struct text){ s->text.at + at, s->text.count - at }, err);
}

/* --- Sessions --------------------------------------------------------------------------------- */

/* Reads one key, or all. Nothing has happened if it fails. */
static enum status range(void *session, const uint64_t *key, struct error *err)
{
    struct etcd_session *s = session;
    enum status status = STATUS_OK;
    const cJSON *pair;
    cJSON *json;

    buffer_clear(&s->body);
    buffer_byte(&s->body, '{');
    put_keys(s, key);
    if (s->kv.revision > 0)
        buffer_print(&s->body, ",\"revision\":\"%" PRId64 "\"", s->kv.revision);
    buffer_print(&s->body, ",\"serializable\":%s}", s->reads_here ? "true" : "false");
    TRY(http_ask(s->http, s->url, "/v3/kv/range", &s->body, &json, err));
    if (s->kv.revision == 0)
        s->kv.revision = atoll(http_string(cJSON_GetObjectItem(json, "header"), "revision"));
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(json, "kvs")) if (status == STATUS_OK) status =
        take_pair(s, pair, err);
    cJSON_Delete(json);
    return status;
}

/* That it has not changed since it was read. */
static void put_compare(struct etcd_session *s, const uint64_t *key)
{
    if (s->body.count > 0 && s->body.at[s->body.count - 1] == '}')
        buffer_byte(&s->body, ',');
    buffer_print(&s->body,
                 "{\"target\":\"MOD\",\"result\":\"LESS\",\"mod_revision\":\"%" PRId64 "\",",
                 s->kv.revision + 1);
    put_keys(s, key);
    buffer_byte(&s->body, '}');
}

/* What it read, or at snapshot what it writes; all keys are one comparison. False: it writes nothing. */
static bool put_txn(struct etcd_session *s)
{
    bool all = s->cluster->options.isolation != LEVEL_SNAPSHOT, writes = false;

    buffer_clear(&s->body);
    buffer_print(&s->body, "{\"compare\":[");
    if (all && s->kv.has_read_all)
        put_compare(s, NULL);
    for (size_t i = 0; i < s->kv.entries.count && !(all && s->kv.has_read_all); i++) {
        const struct key_value *entry = &s->kv.entries.at[i];

        if (all ? entry->is_read : entry->is_written && s->kv.revision > 0)
            put_compare(s, &entry->key);
    }
    buffer_print(&s->body, "],\"success\":[");
    for (size_t i = 0; i < s->kv.entries.count; i++) {
        const struct key_value *entry = &s->kv.entries.at[i];

        if (!entry->is_written)
            continue;
        buffer_print(&s->body, "%s{\"request_put\":{", writes ? "," : "");
        put_keys(s, &entry->key);
        buffer_byte(&s->body, ',');
        put_bytes(&s->body, "value", key_values_text(&s->kv, entry));
        buffer_print(&s->body, "}}");
        writes = true;
    }
    buffer_print(&s->body, "]}");
    return writes;
}

static enum status commit(void *session, struct database_answer *answer, struct error *err)
{
    struct etcd_session *s = session;
    struct error lost;
    cJSON *json;

    if (!put_txn(s))
        return STATUS_OK;
    TRY(buffer_status(&s->body, err));
    if (http_ask(s->http, s->url, "/v3/kv/txn", &s->body, &json, &lost) != STATUS_OK)
        answer->end = STEPS_LOST;
    else if (!cJSON_IsTrue(cJSON_GetObjectItem(json, "succeeded")))
        database_answer_refuse(answer, "CHANGED");
    cJSON_Delete(json);
    return STATUS_OK;
}

static enum status etcd_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct http_cluster *c = server;
    struct etcd_session *s;

    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->cluster = c;
    s->kv = (struct key_values){ .table = &c->options.table, .read = range, .commit = commit };
    s->url = http_cluster_url(c, client);
    s->reads_here = c->options.isolation == LEVEL_SERIALIZABLE && client != c->options.clients;
    return http_cluster_connect(c, client, &s->http, err);
}

static void etcd_close(void *session)
{
    struct etcd_session *s = session;

    if (!s)
        return;
    http_close(s->http);
    buffer_close(&s->body);
    buffer_close(&s->text);
    key_values_close(&s->kv);
    free(s);
}

/* --- The keys --------------------------------------------------------------------------------- */

static enum status etcd_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct http_cluster *c = server;
    void *session = NULL;
    enum status status = etcd_open(&session, server, c->options.clients, err);

    if (status == STATUS_OK)
        status = key_values_check_none(session, err);
    c->has_table = status == STATUS_OK;
    if (status == STATUS_OK)
        status = key_values_load(session, builtin, LOAD_ROWS, err);
    etcd_close(session);
    return status;
}

static void etcd_stop(void *server)
{
    struct http_cluster *c = server;
    struct etcd_session *s;
    void *session = NULL;
    struct error err;
    cJSON *json;

    if (!c)
        return;
    if (c->options.connect && c->has_table &&
        etcd_open(&session, server, c->options.clients, &err) == STATUS_OK) {
        s = session;
        buffer_byte(&s->body, '{');
        put_keys(s, NULL);
        buffer_byte(&s->body, '}');
        (void)!http_ask(s->http, s->url, "/v3/kv/deleterange", &s->body, &json, &err);
        cJSON_Delete(json);
    }
    etcd_close(session);
    http_cluster_close(c);
    free(c);
}

const struct database database_etcd = {
    .name = "etcd",
    .title = "etcd",
    .package = "etcd-server",
    .gives = "strict-serializable, serializable (the client's own node), snapshot; every workload",
    .modes = http_cluster_modes,
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
    .steps = key_values_steps,
    .close = etcd_close,
};
