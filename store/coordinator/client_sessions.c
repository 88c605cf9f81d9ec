#include "store/coordinator/client_sessions.h"

#include <assert.h>

#include "store/cluster_private.h"
#include "store/server_private.h"

void client_sessions_open(struct client_sessions *seats, struct server *server)
{
    *seats = (struct client_sessions){ .server = server, .pool = &server->pool };
}

struct client_session *client_sessions_find(struct client_sessions *seats, uint32_t client)
{
    uint32_t first = seats->server->world->options.node_count;
    uint32_t index = client - first;

    assert(client >= first);
    while (seats->list.count <= index)
        pool_push(seats->pool, &seats->list,
                  ((struct client_session){ .reply = { .pool = seats->pool } }));
    return &seats->list.at[index];
}

static void take(struct client_session *seat, const struct client_request *request)
{
    seat->txn = request->txn;
    seat->over = REPLY_GONE;
    seat->refusal = REFUSED_NOT;
}

static enum session_news hear_in_order(struct client_session *seat,
                                       const struct client_request *request)
{
    if (request->txn > seat->txn) {
        take(seat, request);
        return request->number == 1 && !request->is_repeat ? SEAT_BEGINS : SEAT_UNKNOWN;
    }
    return SEAT_GOES_ON;
}

enum session_news client_session_hear(struct client_session *seat,
                                      const struct client_request *request)
{
    enum session_news news;

    if (request->txn < seat->txn ||
        (request->txn == seat->txn && request->number < seat->request))
        return SEAT_LATE;
    if (request->kind == CLIENT_ABORT) {
        if (request->txn > seat->txn)
            take(seat, request);
        seat->request = request->number;
        seat->is_answered = true;
        wire_writer_reset(&seat->reply);
        return SEAT_ENDS;
    }
    if (request->txn == seat->txn && request->number == seat->request)
        return SEAT_AGAIN;
    news = hear_in_order(seat, request);
    seat->request = request->number;
    seat->is_answered = false;
    return news;
}

static void say(struct client_sessions *seats, uint32_t client, struct client_session *seat,
                struct client_reply *reply)
{
    reply->txn = seat->txn;
    reply->number = seat->request;
    wire_writer_reset(&seat->reply);
    wire_put_byte(&seat->reply, MESSAGE_REPLY);
    client_reply_put(&seat->reply, reply);
    seat->is_answered = true;
    server_send_bytes(seats->server, client, wire_writer_text(&seat->reply));
}

void client_sessions_reply(struct client_sessions *seats, uint32_t client, uint64_t txn,
                           struct client_reply *reply)
{
    struct client_session *seat = client_sessions_find(seats, client);
    struct server *server = seats->server;

    if (seat->txn != txn)
        return; /* its client has gone on to another */
    if (reply->kind != REPLY_DONE) {
        seat->over = reply->kind;
        seat->refusal = reply->refusal;
    }
    if (!seat->is_answered)
        say(seats, client, seat, reply);
    if (BUGGIFY(&server->cluster->sometimes, server->node, CRASH_AT_REPLY))
        buggify_crash(&server->cluster->buggify, server->node, server->world->now_ns);
}

void client_sessions_say_over(struct client_sessions *seats, uint32_t client)
{
    struct client_session *seat = client_sessions_find(seats, client);
    struct client_reply reply = { .kind = seat->over, .refusal = seat->refusal };

    say(seats, client, seat, &reply);
}

void client_sessions_repeat(struct client_sessions *seats, uint32_t client)
{
    const struct client_session *seat = client_sessions_find(seats, client);

    if (!seat->is_answered || seat->reply.count == 0)
        return;
    SOMETIMES(&seats->server->cluster->sometimes, REPLY_REPEATED);
    server_send_bytes(seats->server, client, wire_writer_text(&seat->reply));
}
