#include "store/coordinator/client_sessions.h"

#include <assert.h>

#include "store/cluster_private.h"
#include "store/server_private.h"

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
