#include "store/coordinator/client_request.h"

#include <assert.h>
#include <inttypes.h>

#include "store/cluster_private.h"
#include "store/server_private.h"
#include "store/shard/shard_message.h"

/* --- Requests --------------------------------------------------------------------------------- */

enum read_flag {
    READ_FOR_WRITE = 1,
    READ_FIRST_TABLE = 2,
    READ_BY_SCOPE = 4,
};

static void put_read(struct wire_writer *w, const struct client_request *request)
{
    bool by_scope = request->scope != SCOPE_NONE;

    wire_put_byte(w, (uint8_t)((request->for_write ? READ_FOR_WRITE : 0) |
                               (request->first_table ? READ_FIRST_TABLE : 0) |
                               (by_scope ? READ_BY_SCOPE : 0)));
    wire_put_byte(w, (uint8_t)request->lock);
    if (by_scope) {
        wire_put_number(w, request->scope);
        return;
    }
    shard_put_keys(w, request->keys, request->key_count);
}

static void get_read(struct wire_reader *r, struct client_request *request, struct arena *scratch)
{
    unsigned flags = (unsigned)wire_get_at_most(r, 7);

    request->for_write = flags & READ_FOR_WRITE;
    request->first_table = flags & READ_FIRST_TABLE;
    request->lock = (enum row_lock)wire_get_at_most(r, ROW_LOCK_UPDATE);
    request->scope = SCOPE_NONE;
    if (flags & READ_BY_SCOPE) {
        request->scope = (uint32_t)wire_get_at_most(r, SCOPE_NONE - 1);
        return;
    }
    request->keys = shard_get_keys(r, &request->key_count, scratch);
}

void client_request_put(struct wire_writer *w, const struct client_request *request)
{
    assert(request->kind < CLIENT_REQUEST_KIND_COUNT && request->txn != 0 && request->number > 0);
    wire_put_byte(w, (uint8_t)((unsigned)request->kind << 1 | request->is_repeat));
    wire_put_number(w, request->txn);
    wire_put_number(w, request->number);
    wire_put_stamp(w, request->seen);
    wire_put_text(w, request->session);
    if (request->kind == CLIENT_READ)
        put_read(w, request);
    else if (request->kind == CLIENT_WRITE)
        shard_put_changes(w, request->changes, request->change_count);
}

bool client_request_get(struct wire_reader *r, struct client_request *request,
                        struct arena *scratch)
{
    unsigned head = (unsigned)wire_get_at_most(r, CLIENT_REQUEST_KIND_COUNT * 2 - 1);

    *request = (struct client_request){ .kind = (enum client_request_kind)(head >> 1),
                                        .is_repeat = head & 1,
                                        .scope = SCOPE_NONE };
    request->txn = wire_get_number(r);
    request->number = wire_get_number32(r);
    request->seen = wire_get_stamp(r);
    request->session = wire_get_text(r);
    if (request->kind == CLIENT_READ)
        get_read(r, request, scratch);
    else if (request->kind == CLIENT_WRITE)
        request->changes = shard_get_changes(r, &request->change_count, scratch);
    return wire_reader_is_done(r);
}

struct client_request client_request_of(struct text bytes, struct arena *scratch)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct client_request request;
    bool is_sound = client_request_get(&reader, &request, scratch);

    assert(is_sound);
    return request;
}

void client_request_describe(const struct client_request *request, struct buffer *to)
{
    static const char *const names[CLIENT_REQUEST_KIND_COUNT] = {
        [CLIENT_READ] = "read",
        [CLIENT_WRITE] = "write",
        [CLIENT_COMMIT] = "commit",
        [CLIENT_ABORT] = "abort",
    };

    buffer_print(to, "%s T%" PRIu64 ".%" PRIu32, names[request->kind], request->txn,
                 request->number);
    if (request->is_repeat)
        buffer_text(to, TEXT(" again"));
    if (request->kind == CLIENT_READ && request->scope != SCOPE_NONE)
        buffer_print(to, " scope %" PRIu32, request->scope);
    for (uint32_t i = 0; i < request->key_count; i++)
        buffer_print(to, " k%" PRIu32, request->keys[i]);
    for (uint32_t i = 0; i < request->change_count; i++)
        buffer_print(to, " %sk%" PRIu32, request->changes[i].is_removed ? "-" : "",
                     request->changes[i].key);
}

/* --- Replies ---------------------------------------------------------------------------------- */

void client_reply_put(struct wire_writer *w, const struct client_reply *reply)
{
    assert(reply->kind < CLIENT_REPLY_KIND_COUNT);
    wire_put_byte(w, (uint8_t)reply->kind);
    wire_put_number(w, reply->txn);
    wire_put_number(w, reply->number);
    if (reply->kind != REPLY_DONE) {
        wire_put_byte(w, (uint8_t)reply->refusal);
        return;
    }
    wire_put_stamp(w, reply->at);
    shard_put_rows(w, reply->rows, reply->row_count, STAMP_WHOLE);
    shard_put_seen(w, reply->seen, reply->seen_count, STAMP_WHOLE);
    wire_put_text(w, reply->session);
}

bool client_reply_get(struct wire_reader *r, struct client_reply *reply, struct arena *scratch)
{
    *reply = (struct client_reply){ .kind = (enum client_reply_kind)wire_get_at_most(
                                        r, CLIENT_REPLY_KIND_COUNT - 1) };
    reply->txn = wire_get_number(r);
    reply->number = wire_get_number32(r);
    if (reply->kind != REPLY_DONE) {
        reply->refusal = (enum refusal)wire_get_at_most(r, REFUSAL_COUNT - 1);
        return wire_reader_is_done(r);
    }
    reply->at = wire_get_stamp(r);
    reply->rows = shard_get_rows(r, &reply->row_count, STAMP_WHOLE, scratch);
    reply->seen = shard_get_seen(r, &reply->seen_count, STAMP_WHOLE, scratch);
    reply->session = wire_get_text(r);
    return wire_reader_is_done(r);
}

void client_reply_describe(const struct client_reply *reply, struct buffer *to)
{
    static const char *const names[CLIENT_REPLY_KIND_COUNT] = {
        [REPLY_DONE] = "done",
        [REPLY_ABORTED] = "aborted",
        [REPLY_GONE] = "gone",
        [REPLY_UNKNOWN] = "unknown",
    };

    buffer_print(to, "%s T%" PRIu64 ".%" PRIu32, names[reply->kind], reply->txn, reply->number);
    if (reply->kind == REPLY_ABORTED)
        buffer_print(to, ": %s", shard_refusal_name(reply->refusal));
    if (reply->row_count > 0)
        buffer_print(to, " %" PRIu32 " row%s", reply->row_count, reply->row_count == 1 ? "" : "s");
}

/* --- Sessions --------------------------------------------------------------------------------- */

void client_sessions_open(struct client_sessions *sessions, struct server *server)
{
    *sessions = (struct client_sessions){ .server = server, .pool = &server->pool };
}

struct client_session *client_sessions_find(struct client_sessions *sessions, uint32_t client)
{
    uint32_t first = sessions->server->world->options.node_count;
    uint32_t index = client - first;

    assert(client >= first);
    while (sessions->list.count <= index)
        pool_push(sessions->pool, &sessions->list,
                  ((struct client_session){ .reply = { .pool = sessions->pool } }));
    return &sessions->list.at[index];
}

static void take(struct client_session *session, const struct client_request *request)
{
    session->txn = request->txn;
    session->over = REPLY_GONE;
    session->refusal = REFUSED_NOT;
}

static enum session_news hear_in_order(struct client_session *session,
                                       const struct client_request *request)
{
    if (request->txn > session->txn) {
        take(session, request);
        return request->number == 1 && !request->is_repeat ? SESSION_BEGINS : SESSION_UNKNOWN;
    }
    return SESSION_GOES_ON;
}

enum session_news client_session_hear(struct client_session *session,
                                      const struct client_request *request)
{
    enum session_news news;

    if (request->txn < session->txn ||
        (request->txn == session->txn && request->number < session->request))
        return SESSION_LATE;
    if (request->kind == CLIENT_ABORT) {
        if (request->txn > session->txn)
            take(session, request);
        session->request = request->number;
        session->is_answered = true;
        wire_writer_reset(&session->reply);
        return SESSION_ENDS;
    }
    if (request->txn == session->txn && request->number == session->request)
        return SESSION_AGAIN;
    news = hear_in_order(session, request);
    session->request = request->number;
    session->is_answered = false;
    return news;
}

static void say(struct client_sessions *sessions, uint32_t client, struct client_session *session,
                struct client_reply *reply)
{
    reply->txn = session->txn;
    reply->number = session->request;
    wire_writer_reset(&session->reply);
    wire_put_byte(&session->reply, MESSAGE_REPLY);
    client_reply_put(&session->reply, reply);
    session->is_answered = true;
    server_send_bytes(sessions->server, client, wire_writer_text(&session->reply));
}

void client_sessions_reply(struct client_sessions *sessions, uint32_t client, uint64_t txn,
                           struct client_reply *reply)
{
    struct client_session *session = client_sessions_find(sessions, client);
    struct server *server = sessions->server;

    if (session->txn != txn)
        return; /* its client has gone on to another */
    if (reply->kind != REPLY_DONE) {
        session->over = reply->kind;
        session->refusal = reply->refusal;
    }
    if (!session->is_answered)
        say(sessions, client, session, reply);
    if (BUGGIFY(&server->cluster->sometimes, server->node, CRASH_AT_REPLY))
        buggify_crash(&server->cluster->buggify, server->node, server->world->now_ns);
}

void client_sessions_say_over(struct client_sessions *sessions, uint32_t client)
{
    struct client_session *session = client_sessions_find(sessions, client);
    struct client_reply reply = { .kind = session->over, .refusal = session->refusal };

    say(sessions, client, session, &reply);
}

void client_sessions_repeat(struct client_sessions *sessions, uint32_t client)
{
    const struct client_session *session = client_sessions_find(sessions, client);

    if (!session->is_answered || session->reply.count == 0)
        return;
    SOMETIMES(&sessions->server->cluster->sometimes, REPLY_REPEATED);
    server_send_bytes(sessions->server, client, wire_writer_text(&session->reply));
}
