/*
 * Clients, their transactions, and what they are told.
 *
 * What a client's request means follows from its seat (store/coordinator/client_sessions.h), which also
 * keeps the reply. The transaction itself lives until it is over for everybody;
 * that may be long after its client has gone.
 */
#include "store/coordinator/coordinator.h"

#include <assert.h>
#include <string.h>

#include "store/coordinator/coordinator_private.h"

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
    seats_open(&c->seats, server);
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

/* --- Replies ---------------------------------------------------------------------------------- */

void txn_reply(struct txn *txn, struct client_reply *reply)
{
    seats_reply(&txn->coordinator->seats, txn->client, txn->id, reply);
}

/* The client wants no more of it. What may have been prepared goes on to its end. */
static void abandon(struct coordinator *c, uint64_t id)
{
    struct txn *txn = coordinator_find(c, id);

    if (txn && txn->private->participants == 0 && txn->phase != TXN_DONE)
        txn_abort(txn, REFUSED_ABORTED);
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

static void on_next(struct coordinator *c, uint32_t client, const struct client_request *request)
{
    struct txn *txn = coordinator_find(c, request->txn);

    if (txn && txn->phase == TXN_IDLE)
        serve(txn, request);
    else
        seats_say_over(&c->seats, client);
}

static void on_again(struct coordinator *c, uint32_t client, const struct client_request *request)
{
    struct txn *txn = coordinator_find(c, request->txn);

    if (txn)
        txn->heard_ns = server_monotonic_ns(c->server);
    seats_repeat(&c->seats, client);
}

static struct client_request read_request(struct coordinator *c, struct text bytes)
{
    struct reader reader = reader_of(bytes);
    struct client_request request;
    bool is_sound = client_request_get(&reader, &request, &c->server->scratch);

    assert(is_sound);
    return request;
}

void coordinator_request(struct coordinator *c, uint32_t client, struct text bytes)
{
    struct client_request request = read_request(c, bytes);
    struct seat *seat = seats_of(&c->seats, client);
    uint64_t before = seat->txn;

    server_hear(c->server, request.seen);
    switch (seat_hear(seat, &request)) {
    case SEAT_LATE:
        SOMETIMES(c->sometimes, REQUEST_LATE);
        return;
    case SEAT_AGAIN:
        on_again(c, client, &request);
        return;
    case SEAT_GOES_ON:
        on_next(c, client, &request);
        return;
    case SEAT_BEGINS:
        abandon(c, before);
        serve(start(c, client, &request), &request);
        return;
    case SEAT_UNKNOWN:
        abandon(c, before);
        seats_say_over(&c->seats, client);
        return;
    case SEAT_ENDS:
        abandon(c, before);
        return;
    }
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
