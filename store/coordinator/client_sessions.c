#include "store/coordinator/client_sessions.h"

#include <assert.h>

#include "store/cluster_private.h"
#include "store/server_private.h"

void seats_open(struct seats *seats, struct server *server)
{
    *seats = (struct seats){ .server = server, .pool = &server->pool };
}

struct seat *seats_of(struct seats *seats, uint32_t client)
{
    uint32_t first = seats->server->world->options.node_count;
    uint32_t index = client - first;

    assert(client >= first);
    while (seats->list.count <= index)
        vector_push(seats->pool, &seats->list, ((struct seat){ .reply = { .pool = seats->pool } }));
    return &seats->list.at[index];
}

static void take(struct seat *seat, const struct client_request *request)
{
    seat->txn = request->txn;
    seat->over = REPLY_GONE;
    seat->refusal = REFUSED_NOT;
}

static enum seat_news hear_in_order(struct seat *seat, const struct client_request *request)
{
    if (request->txn > seat->txn) {
        take(seat, request);
        return request->number == 1 && !request->is_repeat ? SEAT_BEGINS : SEAT_UNKNOWN;
    }
    return SEAT_GOES_ON;
}

enum seat_news seat_hear(struct seat *seat, const struct client_request *request)
{
    enum seat_news news;

    if (request->txn < seat->txn ||
        (request->txn == seat->txn && request->number < seat->request))
        return SEAT_LATE;
    if (request->kind == CLIENT_ABORT) {
        if (request->txn > seat->txn)
            take(seat, request);
        seat->request = request->number;
        seat->is_answered = true;
        writer_reset(&seat->reply);
        return SEAT_ENDS;
    }
    if (request->txn == seat->txn && request->number == seat->request)
        return SEAT_AGAIN;
    news = hear_in_order(seat, request);
    seat->request = request->number;
    seat->is_answered = false;
    return news;
}

static void say(struct seats *seats, uint32_t client, struct seat *seat,
                struct client_reply *reply)
{
    reply->txn = seat->txn;
    reply->number = seat->request;
    writer_reset(&seat->reply);
    put_byte(&seat->reply, MESSAGE_REPLY);
    client_reply_put(&seat->reply, reply);
    seat->is_answered = true;
    server_send_bytes(seats->server, client, writer_text(&seat->reply));
}

void seats_reply(struct seats *seats, uint32_t client, uint64_t txn, struct client_reply *reply)
{
    struct seat *seat = seats_of(seats, client);
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

void seats_say_over(struct seats *seats, uint32_t client)
{
    struct seat *seat = seats_of(seats, client);
    struct client_reply reply = { .kind = seat->over, .refusal = seat->refusal };

    say(seats, client, seat, &reply);
}

void seats_repeat(struct seats *seats, uint32_t client)
{
    const struct seat *seat = seats_of(seats, client);

    if (!seat->is_answered || seat->reply.count == 0)
        return;
    SOMETIMES(&seats->server->cluster->sometimes, REPLY_REPEATED);
    server_send_bytes(seats->server, client, writer_text(&seat->reply));
}
