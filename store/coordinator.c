/*
 * Clients, their transactions, and what they are told.
 *
 * A client has one request open at a time, and its transactions' ids rise. So all
 * that must be kept of the talk with it is its newest transaction here, the last
 * request of that, and the reply: the seat. A repeated request gets the reply
 * again, or nothing as long as there is none. The transaction itself lives until
 * it is over for everybody; that may be long after its client has gone.
 *
 * A transaction is at one coordinator or at none: it is started by the first
 * sending of its first request only, which reaches one incarnation of one node.
 */
#include "store/coordinator.h"

#include <assert.h>
#include <string.h>

#include "store/coordinator_private.h"

/* A transaction whose client says nothing for this share of the retention is given up. */
#define SILENCE_DIVISOR 2

void coordinator_open(struct coordinator *c, struct server *server)
{
    struct cluster *cluster = server->cluster;

    *c = (struct coordinator){ .server = server,
                               .protocol = cluster->options.protocol,
                               .catalog = &cluster->catalog,
                               .pool = &server->pool,
                               .bugs = &cluster->options.bugs,
                               .sometimes = &cluster->sometimes,
                               .max_offset_ns = cluster->options.max_offset_ns };
    c->leaders = pool_take(c->pool, c->catalog->shard_count * sizeof *c->leaders);
    for (uint32_t shard = 0; shard < c->catalog->shard_count; shard++)
        c->leaders[shard] = cluster_replica_node(cluster, shard, 0);
}

struct stamp txn_now(struct txn *txn)
{
    return server_now(txn->coordinator->server, txn->id);
}

uint64_t txn_event_number(const struct txn *txn)
{
    return txn->coordinator->server->world->counts.events;
}

bool coordinator_is_idle(const struct coordinator *c)
{
    return c->txns.count == 0;
}

/* --- Transactions by id ----------------------------------------------------------------------- */

static uint32_t place_of(const struct coordinator *c, uint64_t id)
{
    uint32_t low = 0, high = c->txns.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->txns.at[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct txn *coordinator_find(const struct coordinator *c, uint64_t id)
{
    uint32_t place = place_of(c, id);

    return place < c->txns.count && c->txns.at[place]->id == id ? c->txns.at[place] : NULL;
}

static void add(struct coordinator *c, struct txn *txn)
{
    uint32_t place = place_of(c, txn->id);

    vector_reserve(c->pool, &c->txns, 1);
    memmove(&c->txns.at[place + 1], &c->txns.at[place],
            (c->txns.count - place) * sizeof *c->txns.at);
    c->txns.at[place] = txn;
    c->txns.count++;
}

static struct txn *start(struct coordinator *c, uint32_t client,
                         const struct client_request *request)
{
    struct txn *txn = pool_take(c->pool, sizeof *txn);

    txn->coordinator = c;
    txn->private = pool_take(c->pool, sizeof *txn->private);
    txn->id = request->txn;
    txn->client = client;
    txn->seen = request->seen;
    txn->begin = txn_now(txn);
    add(c, txn);
    if (c->protocol->begin)
        c->protocol->begin(txn);
    return txn;
}

void txn_close(struct txn *txn)
{
    struct coordinator *c = txn->coordinator;
    uint32_t place = place_of(c, txn->id);

    assert(txn->open_asks == 0 && c->txns.at[place] == txn);
    vector_remove(&c->txns, place);
    txn_close_statement(txn);
    pool_give(c->pool, txn->private, sizeof *txn->private);
    pool_give(c->pool, txn, sizeof *txn);
}

/* --- Seats ------------------------------------------------------------------------------------ */

static struct seat *seat_of(struct coordinator *c, uint32_t client)
{
    uint32_t first = c->server->world->options.node_count;
    uint32_t index = client - first;

    assert(client >= first);
    while (c->seats.count <= index)
        vector_push(c->pool, &c->seats, ((struct seat){ .reply = { .pool = c->pool } }));
    return &c->seats.at[index];
}

static void say(struct coordinator *c, uint32_t client, struct seat *seat,
                struct client_reply *reply)
{
    reply->txn = seat->txn;
    reply->number = seat->request;
    writer_reset(&seat->reply);
    put_byte(&seat->reply, MESSAGE_REPLY);
    client_reply_put(&seat->reply, reply);
    seat->is_answered = true;
    server_send_bytes(c->server, client, writer_text(&seat->reply));
}

void txn_reply(struct txn *txn, struct client_reply *reply)
{
    struct seat *seat = seat_of(txn->coordinator, txn->client);

    if (seat->txn != txn->id)
        return; /* its client has gone on to another */
    if (reply->kind != REPLY_DONE) {
        seat->over = reply->kind;
        seat->refusal = reply->refusal;
    }
    if (!seat->is_answered)
        say(txn->coordinator, txn->client, seat, reply);
}

/* The client wants no more of it. What may have been prepared goes on to its end. */
static void abandon(struct coordinator *c, uint64_t id)
{
    struct txn *txn = coordinator_find(c, id);

    if (txn && txn->private->participants == 0 && txn->phase != TXN_DONE)
        txn_abort(txn, REFUSED_ABORTED);
}

static void take_seat(struct coordinator *c, struct seat *seat,
                      const struct client_request *request)
{
    uint64_t before = seat->txn;

    seat->txn = request->txn;
    seat->request = request->number;
    seat->is_answered = false;
    seat->over = REPLY_GONE;
    seat->refusal = REFUSED_NOT;
    abandon(c, before);
}

/* --- Requests --------------------------------------------------------------------------------- */

static void serve(struct txn *txn, const struct client_request *request)
{
    assert(txn->phase == TXN_IDLE);
    txn->request = request->number;
    txn->heard_ns = server_monotonic_ns(txn->coordinator->server);
    switch (request->kind) {
    case CLIENT_READ:
        txn_read(txn, request);
        return;
    case CLIENT_WRITE:
        txn_write(txn, request);
        return;
    case CLIENT_COMMIT:
        txn_commit(txn);
        return;
    case CLIENT_ABORT:
    case CLIENT_REQUEST_KIND_COUNT:
        break;
    }
    assert(!"no request of a transaction that goes on");
}

static void say_it_is_over(struct coordinator *c, uint32_t client, struct seat *seat)
{
    struct client_reply reply = { .kind = seat->over, .refusal = seat->refusal };

    say(c, client, seat, &reply);
}

static void on_next(struct coordinator *c, uint32_t client, struct seat *seat,
                    const struct client_request *request)
{
    struct txn *txn = coordinator_find(c, request->txn);

    seat->request = request->number;
    seat->is_answered = false;
    if (txn && txn->phase == TXN_IDLE)
        serve(txn, request);
    else
        say_it_is_over(c, client, seat);
}

static void on_repeated(struct coordinator *c, uint32_t client, struct seat *seat,
                        const struct client_request *request)
{
    struct txn *txn = coordinator_find(c, request->txn);

    if (txn)
        txn->heard_ns = server_monotonic_ns(c->server);
    if (seat->is_answered)
        server_send_bytes(c->server, client, writer_text(&seat->reply));
}

static void on_new(struct coordinator *c, uint32_t client, struct seat *seat,
                   const struct client_request *request)
{
    take_seat(c, seat, request);
    if (request->number == 1 && !request->is_repeat)
        serve(start(c, client, request), request);
    else
        say_it_is_over(c, client, seat);
}

/* What comes later from that transaction will find it over. */
static void on_abort(struct coordinator *c, struct seat *seat, const struct client_request *request)
{
    if (request->txn != seat->txn)
        take_seat(c, seat, request);
    seat->request = request->number;
    seat->is_answered = true;
    writer_reset(&seat->reply);
    abandon(c, request->txn);
}

void coordinator_request(struct coordinator *c, uint32_t client, struct text bytes)
{
    struct reader reader = reader_of(bytes);
    struct client_request request;
    struct seat *seat = seat_of(c, client);
    bool is_sound = client_request_get(&reader, &request, &c->server->scratch);

    assert(is_sound);
    server_hear(c->server, request.seen);
    if (request.txn < seat->txn || (request.txn == seat->txn && request.number < seat->request))
        return; /* the client has gone on since */
    if (request.kind == CLIENT_ABORT)
        on_abort(c, seat, &request);
    else if (request.txn > seat->txn)
        on_new(c, client, seat, &request);
    else if (request.number > seat->request)
        on_next(c, client, seat, &request);
    else
        on_repeated(c, client, seat, &request);
}

/* --- Time ------------------------------------------------------------------------------------- */

static bool is_abandoned(const struct coordinator *c, const struct txn *txn, int64_t now_ns)
{
    int64_t silence_ns = c->server->cluster->options.retention_ns / SILENCE_DIVISOR;

    return txn->private->participants == 0 && txn->phase != TXN_DONE &&
           now_ns - txn->heard_ns > silence_ns;
}

void coordinator_tick(struct coordinator *c)
{
    int64_t now_ns = server_monotonic_ns(c->server);

    /* From the last: an abort may close the one at hand, and moves those behind it. */
    for (uint32_t i = c->txns.count; i-- > 0;) {
        struct txn *txn = c->txns.at[i];
        if (is_abandoned(c, txn, now_ns)) {
            SOMETIMES(c->sometimes, ABANDONED_ABORTED);
            txn_abort(txn, REFUSED_OVERLOADED);
        } else {
            txn_retry_asks(txn, now_ns);
            txn_probe_late(txn, now_ns);
        }
    }
}
