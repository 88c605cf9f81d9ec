/*
 * Serves the requests of clients, and keeps their transactions.
 *
 * What a client's request means follows from its session (client_request.h), which also
 * keeps the reply. The transaction itself lives until it is over for everybody;
 * that may be long after its client has gone.
 */
#include "store/coordinator/coordinator.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "store/coordinator/commit_private.h"
#include "store/coordinator/coordinator_private.h"
#include "store/coordinator/statement_private.h"

/*
 * Deadlocks, by probes along the edges of the wait-for graph (Chandy, Misra and
 * Haas 1983, with priorities).
 *
 *     T9 waits at a shard for T4 ── probe [9] ──> T4's coordinator: T4 waits, too
 *        T4's shard: T4 waits for T7 ── probe [9 4] ──> T7 ... ── [9 4 7] ──> T9: dies
 *
 * A probe begins at a transaction that waits, and follows what it waits for. It
 * ends where nobody waits, and at a transaction younger than the one that it
 * began at, which sends one of its own instead. So one that comes home began at the
 * youngest of its circle, which dies. Every circle has one youngest, and each wait
 * sends its probe, so exactly one dies of each. A circle that does not hold the
 * beginning is somebody else's.
 *
 * Probes are cheap only as long as few of them do the same: a transaction begins one
 * anew once in a while, and a shard passes each on once.
 */
/*
 * deadlock: detects deadlocks by probes along the edges of the wait-for graph, and aborts one
 * transaction of each cycle.
 */

#define ANEW_NS INT64_C(10000000)

static bool waits_for_shards(const struct txn *txn)
{
    return txn->phase == TXN_READING || txn->phase == TXN_LOCKING;
}

/* The wait that the probe began with still lasts; a number of 0 says nothing of it. */
static bool still_waits(const struct txn *txn, uint32_t number)
{
    for (uint64_t rest = txn->private->open; rest; rest = shards_rest(rest))
        if (number == 0 || txn->asks[shards_first(rest)].number == number)
            return true;
    return false;
}

static bool is_on_path(const struct ask *probe, struct stamp begin)
{
    for (uint32_t i = 0; i < probe->path_count; i++)
        if (stamp_equal(probe->path[i], begin))
            return true;
    return false;
}

/* To the shards where it waits, which know for whom. */
static void send_to_shards(struct txn *txn, struct ask *probe, const struct stamp *path,
                           uint32_t path_count, bool is_own)
{
    struct coordinator *c = txn->coordinator;

    probe->path = path;
    probe->path_count = path_count;
    probe->from = c->server->node;
    probe->begin = txn->begin;
    for (uint64_t rest = txn->private->open; rest; rest = shards_rest(rest)) {
        uint32_t shard = shards_first(rest);

        if (is_own)
            probe->number = txn->asks[shard].number;
        server_send_ask(c->server, c->leaders[shard], shard, probe);
    }
}

static void forward(struct txn *txn, const struct ask *probe)
{
    struct stamp *path = arena_take(&txn->coordinator->server->scratch,
                                    probe->path_count + (size_t)1, sizeof *path);
    struct ask further = *probe;

    SOMETIMES(txn->coordinator->sometimes, PROBE_PASSED_ON);
    memcpy(path, probe->path, probe->path_count * sizeof *path);
    path[probe->path_count] = txn->begin;
    send_to_shards(txn, &further, path, probe->path_count + 1, false);
}

static void begin_anew(struct txn *txn, int64_t now_ns)
{
    struct ask own = { .kind = ASK_PROBE,
                       .txn = txn->id,
                       .scope = SCOPE_NONE,
                       .serial = ++txn->coordinator->probes };

    txn->private->probed_ns = now_ns;
    txn->private->owes_probe = false;
    send_to_shards(txn, &own, &txn->begin, 1, true);
}

/* Begins the probe that it owes, once that is due. */
static void deadlock_probe_late(struct txn *txn, int64_t now_ns)
{
    if (txn->private->owes_probe && now_ns - txn->private->probed_ns >= ANEW_NS &&
        waits_for_shards(txn))
        begin_anew(txn, now_ns);
}

/* At once, or if it did so just now, in a moment. */
static void owe_probe(struct txn *txn)
{
    int64_t now_ns = server_monotonic_ns(txn->coordinator->server);

    txn->private->owes_probe = true;
    if (txn->private->probed_ns == 0)
        begin_anew(txn, now_ns);
    else
        deadlock_probe_late(txn, now_ns);
}

/* With the bug, its client hears that it is aborted, and what it has written is committed. */
static void die(struct txn *txn)
{
    struct client_reply reply = { .kind = REPLY_ABORTED, .refusal = REFUSED_DEADLOCK };

    SOMETIMES(txn->coordinator->sometimes, DEADLOCK_BROKEN);
    if (!txn->coordinator->bugs->on[BUG_VICTIM_WRITES_STAY] || txn_reads_only(txn)) {
        commit_abort(txn, REFUSED_DEADLOCK);
        return;
    }
    coordinator_reply(txn, &reply);
    coordinator_close_asks(txn);
    commit_begin(txn);
}

/* A shard that has locks for it has not heard of it for long. */
static void say_if_there(struct coordinator *c, const struct txn *txn, const struct ask *probe)
{
    struct ask ask = *probe;

    ask.from = c->server->node;
    if (!txn || txn->phase == TXN_DONE)
        ask.kind = ASK_RELEASE;
    server_send_ask(c->server, probe->from, probe->from_shard, &ask);
}

void coordinator_probe(struct coordinator *c, const struct ask *probe)
{
    struct txn *txn = coordinator_find(c, probe->txn);

    if (probe->path_count == 0) {
        say_if_there(c, txn, probe);
        return;
    }
    if (!txn || !waits_for_shards(txn))
        return;
    if (stamp_equal(probe->path[0], txn->begin)) {
        if (still_waits(txn, probe->number))
            die(txn);
    } else if (stamp_less(probe->path[0], txn->begin)) {
        owe_probe(txn);
    } else if (!is_on_path(probe, txn->begin)) {
        forward(txn, probe);
    }
}

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
    client_sessions_open(&c->sessions, server);
    c->leaders = pool_take(c->pool, c->catalog->shard_count * sizeof *c->leaders);
    for (uint32_t shard = 0; shard < c->catalog->shard_count; shard++)
        c->leaders[shard] = cluster_replica_node(cluster, shard, 0);
}

struct stamp coordinator_now(struct txn *txn)
{
    return server_now(txn->coordinator->server, txn->id);
}

uint64_t coordinator_event_number(const struct txn *txn)
{
    return txn->coordinator->server->world->counts.events;
}

/* --- Transactions by id ----------------------------------------------------------------------- */

static uint32_t place_of(const struct coordinator *c, uint64_t id)
{
    uint32_t place;

    BISECT(place, 0, c->txns.count, c->txns.at[place]->id < id);
    return place;
}

struct txn *coordinator_find(const struct coordinator *c, uint64_t id)
{
    uint32_t place = place_of(c, id);

    return place < c->txns.count && c->txns.at[place]->id == id ? c->txns.at[place] : NULL;
}

static void add(struct coordinator *c, struct txn *txn)
{
    uint32_t place = place_of(c, txn->id);

    pool_reserve(c->pool, &c->txns, 1);
    memmove(&c->txns.at[place + 1], &c->txns.at[place],
            (c->txns.count - place) * sizeof *c->txns.at);
    c->txns.at[place] = txn;
    c->txns.count++;
}

static struct txn *coordinator_start(struct coordinator *c, uint32_t client,
                                     const struct client_request *request)
{
    struct txn *txn = pool_take(c->pool, sizeof *txn);

    txn->coordinator = c;
    txn->private = pool_take(c->pool, sizeof *txn->private);
    txn->id = request->txn;
    txn->client = client;
    txn->seen = request->seen;
    txn->begin = coordinator_now(txn);
    add(c, txn);
    if (c->protocol->begin)
        c->protocol->begin(txn);
    return txn;
}

void coordinator_close_txn(struct txn *txn)
{
    struct coordinator *c = txn->coordinator;
    uint32_t place = place_of(c, txn->id);

    assert(txn->open_asks == 0 && c->txns.at[place] == txn);
    array_remove(&c->txns, place);
    coordinator_close_statement(txn);
    pool_give(c->pool, txn->private, sizeof *txn->private);
    pool_give(c->pool, txn, sizeof *txn);
}

/* --- Replies ---------------------------------------------------------------------------------- */

void coordinator_reply(struct txn *txn, struct client_reply *reply)
{
    client_sessions_reply(&txn->coordinator->sessions, txn->client, txn->id, reply);
}

/* The client wants no more of it. What may have been prepared goes on to its end. */
static void abandon(struct coordinator *c, uint64_t id)
{
    struct txn *txn = coordinator_find(c, id);

    if (txn && txn->private->participants == 0 && txn->phase != TXN_DONE)
        commit_abort(txn, REFUSED_ABORTED);
}

/* --- Requests --------------------------------------------------------------------------------- */

static void serve(struct txn *txn, const struct client_request *request)
{
    assert(txn->phase == TXN_IDLE);
    txn->request = request->number;
    txn->heard_ns = server_monotonic_ns(txn->coordinator->server);
    switch (request->kind) {
    case CLIENT_READ:
        coordinator_read(txn, request);
        return;
    case CLIENT_WRITE:
        coordinator_write(txn, request);
        return;
    case CLIENT_COMMIT:
        commit_begin(txn);
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
        client_sessions_say_over(&c->sessions, client);
}

static void on_again(struct coordinator *c, uint32_t client, const struct client_request *request)
{
    struct txn *txn = coordinator_find(c, request->txn);

    if (txn)
        txn->heard_ns = server_monotonic_ns(c->server);
    client_sessions_repeat(&c->sessions, client);
}

void coordinator_request(struct coordinator *c, uint32_t client, struct text bytes)
{
    struct client_request request = client_request_of(bytes, &c->server->scratch);
    struct client_session *session = client_sessions_find(&c->sessions, client);
    uint64_t before = session->txn;

    server_hear(c->server, request.seen);
    switch (client_session_hear(session, &request)) {
    case SESSION_LATE:
        SOMETIMES(c->sometimes, REQUEST_LATE);
        return;
    case SESSION_AGAIN:
        on_again(c, client, &request);
        return;
    case SESSION_GOES_ON:
        on_next(c, client, &request);
        return;
    case SESSION_BEGINS:
        abandon(c, before);
        serve(coordinator_start(c, client, &request), &request);
        return;
    case SESSION_UNKNOWN:
        abandon(c, before);
        client_sessions_say_over(&c->sessions, client);
        return;
    case SESSION_ENDS:
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
            commit_abort(txn, REFUSED_OVERLOADED);
        } else {
            coordinator_retry_asks(txn, now_ns);
            deadlock_probe_late(txn, now_ns);
        }
    }
}

/* --- Asks to shards --------------------------------------------------------------------------- */

/*
 * Asks to shards, sent again and again until they are answered.
 *
 * What is asked follows from the transaction's phase and state alone, so that an
 * ask need not be kept: it is made anew for each sending, with the number that
 * it had. One ask is outstanding at a shard at most; an answer with any other
 * number comes late and changes nothing.
 *
 * To whom: the replica that is thought to lead. One that does not lead names
 * another, who is asked at once, unless hints have gone round in circles; one
 * that knows no leader is left alone for a moment. Where no answer comes, every
 * second try goes to the other replicas in turn; pauses grow then, and have a
 * jitter, so that a shard that comes back is not met by all at once.
 */

#define MS INT64_C(1000000)
#define ASK_DOUBLINGS_MAX 4
#define NO_LEADER_PAUSE_NS (20 * MS)
#define HOPS_MAX 3
#define SILENCE_NS_MAX (4000 * MS)

static uint32_t next_replica(const struct coordinator *c, uint32_t shard, uint32_t node)
{
    const struct cluster *cluster = c->server->cluster;
    uint32_t replicas = cluster->options.replicas;

    for (uint32_t i = 0; i < replicas; i++)
        if (cluster_replica_node(cluster, shard, i) == node)
            return cluster_replica_node(cluster, shard, (i + 1) % replicas);
    return cluster_replica_node(cluster, shard, 0);
}

static uint32_t target_of(const struct coordinator *c, uint32_t shard, const struct shard_ask *ask)
{
    uint32_t replicas = c->server->cluster->options.replicas;

    if (BUGGIFY(c->sometimes, c->server->node, ASK_ASTRAY))
        return next_replica(c, shard, c->leaders[shard]);
    if (ask->tries % 2 == 0)
        return c->leaders[shard];
    return cluster_replica_node(c->server->cluster, shard, ask->tries / 2 % replicas);
}

static void fill(struct txn *txn, uint32_t shard, struct ask *ask)
{
    switch (txn->phase) {
    case TXN_READING:
        ask->kind = ASK_READ;
        coordinator_fill_read(txn, shard, ask);
        return;
    case TXN_LOCKING:
        ask->kind = ASK_LOCK;
        coordinator_fill_lock(txn, shard, ask);
        return;
    case TXN_PREPARING:
        ask->kind = txn->private->participants & shard_bit(shard) ? ASK_PREPARE : ASK_CHECK;
        commit_fill_prepare(txn, shard, ask);
        return;
    case TXN_CHECKING:
        ask->kind = ASK_CHECK;
        commit_fill_prepare(txn, shard, ask);
        return;
    case TXN_DECIDING:
        ask->kind = ASK_DECIDE;
        ask->decision = txn->decision;
        return;
    case TXN_DONE:
        ask->kind = ASK_RELEASE;
        return;
    case TXN_IDLE:
        break;
    }
    assert(!"an idle transaction asks nothing");
}

/* Longer from try to try, and then up to a quarter more. */
static int64_t timeout_ns(const struct coordinator *c, uint32_t tries)
{
    uint32_t doublings = tries < ASK_DOUBLINGS_MAX ? tries : ASK_DOUBLINGS_MAX;
    int64_t timeout_ns = c->server->cluster->options.ask_timeout_ns << doublings;

    if (BUGGIFY(c->sometimes, c->server->node, ASK_IMPATIENT))
        return 1;
    if (tries == 0 || timeout_ns < 4)
        return timeout_ns;
    return timeout_ns + (int64_t)random_below(world_random(c->server->world, c->server->node),
                                              (uint64_t)timeout_ns / 4);
}

/* As if the ask had been lost, or the coordinator had been elsewhere for some time. */
static bool stays_silent(const struct txn *txn, struct shard_ask *open)
{
    const struct coordinator *c = txn->coordinator;
    struct buggify *buggify = c->sometimes->buggify;

    if (txn->phase == TXN_DECIDING && BUGGIFY(c->sometimes, c->server->node, DECISION_LATE)) {
        open->due_ns = server_monotonic_ns(c->server) +
                       buggify_delay_ns(buggify, BUGGIFY_DECISION_LATE, c->server->node,
                                        SILENCE_NS_MAX);
        return true;
    }
    return BUGGIFY(c->sometimes, c->server->node, ASK_LOST);
}

static void send(struct txn *txn, uint32_t shard)
{
    struct coordinator *c = txn->coordinator;
    struct shard_ask *open = &txn->asks[shard];
    struct ask ask = { .txn = txn->id,
                       .number = open->number,
                       .from = c->server->node,
                       .begin = txn->begin,
                       .scope = SCOPE_NONE };

    open->due_ns = server_monotonic_ns(c->server) + timeout_ns(c, open->tries);
    if (stays_silent(txn, open))
        return;
    fill(txn, shard, &ask);
    server_send_ask(c->server, target_of(c, shard, open), shard, &ask);
    if (BUGGIFY(c->sometimes, c->server->node, ASK_TWICE))
        server_send_ask(c->server, target_of(c, shard, open), shard, &ask);
    open->tries++;
}

void coordinator_ask_shards(struct txn *txn, uint64_t shards)
{
    assert(txn->private->open == 0 && txn->open_asks == 0);
    txn->private->open = shards;
    for (uint64_t rest = shards; rest; rest = shards_rest(rest)) {
        uint32_t shard = shards_first(rest);
        txn->asks[shard] =
            (struct shard_ask){ .is_open = true, .number = ++txn->private->last_number };
        txn->open_asks++;
        send(txn, shard);
    }
}

static void close_ask(struct txn *txn, uint32_t shard)
{
    assert(txn->asks[shard].is_open);
    txn->asks[shard].is_open = false;
    txn->private->open &= ~shard_bit(shard);
    txn->open_asks--;
}

void coordinator_close_asks(struct txn *txn)
{
    for (uint64_t rest = txn->private->open; rest; rest = shards_rest(rest))
        close_ask(txn, shards_first(rest));
}

void coordinator_retry_asks(struct txn *txn, int64_t now_ns)
{
    for (uint64_t rest = txn->private->open; rest; rest = shards_rest(rest)) {
        struct shard_ask *ask = &txn->asks[shards_first(rest)];
        if (ask->due_ns > now_ns)
            continue;
        ask->hops = 0;
        send(txn, shards_first(rest));
    }
}

/* Who was asked does not lead. */
static void ask_another(struct txn *txn, uint32_t shard, uint32_t node, uint32_t hint)
{
    struct coordinator *c = txn->coordinator;
    struct shard_ask *ask = &txn->asks[shard];

    if (hint != WORLD_NOBODY && hint != node && ask->hops < HOPS_MAX) {
        c->leaders[shard] = hint;
        ask->hops++;
        ask->tries = 0;
        send(txn, shard);
        return;
    }
    if (ask->hops == HOPS_MAX)
        SOMETIMES(c->sometimes, HINTS_IN_CIRCLES);
    if (c->leaders[shard] == node)
        c->leaders[shard] = next_replica(c, shard, node);
    ask->tries = 0;
    ask->due_ns = server_monotonic_ns(c->server) + NO_LEADER_PAUSE_NS;
}

/*
 * A lock that was granted to a transaction which is over here, or forgotten in a
 * crash: the ask was slow, or the coordinator has lost its memory. Nobody else
 * would ever release it.
 */
static void release_what_came_late(struct coordinator *c, uint32_t node,
                                   const struct shard_answer *answer)
{
    struct ask ask = {
        .kind = ASK_RELEASE, .txn = answer->txn, .from = c->server->node, .scope = SCOPE_NONE
    };

    if (c->protocol->over && (answer->kind == ASK_READ || answer->kind == ASK_LOCK) &&
        answer->refusal == REFUSED_NOT) {
        SOMETIMES(c->sometimes, LATE_LOCK_RELEASED);
        server_send_ask(c->server, node, answer->shard, &ask);
    }
}

static void note_term(struct txn *txn, const struct shard_answer *answer)
{
    uint64_t *term = &txn->terms[answer->shard];

    if (answer->refusal != REFUSED_NOT)
        return;
    if (*term == 0)
        *term = answer->term;
    else if (*term != answer->term) {
        if (txn->coordinator->protocol->over)
            SOMETIMES(txn->coordinator->sometimes, GRANTS_DIFFER);
        txn->terms_differ = true;
    }
}

/* One of the shards has answered; the phase may be another afterwards. */
static void take_in(struct txn *txn, const struct shard_answer *answer)
{
    uint32_t shard = answer->shard;

    switch (txn->phase) {
    case TXN_READING:
        note_term(txn, answer);
        coordinator_on_rows(txn, shard, answer);
        return;
    case TXN_LOCKING:
        note_term(txn, answer);
        if (answer->refusal != REFUSED_NOT)
            commit_abort(txn, answer->refusal);
        else if (txn->open_asks == 0)
            coordinator_locks_are_held(txn);
        return;
    case TXN_PREPARING:
        commit_on_vote(txn, shard, answer);
        return;
    case TXN_CHECKING:
        commit_on_check(txn, answer);
        return;
    case TXN_DECIDING:
        commit_on_decision(txn, answer);
        return;
    case TXN_DONE:
        if (txn->open_asks == 0)
            coordinator_close_txn(txn);
        return;
    case TXN_IDLE:
        break;
    }
    assert(!"an idle transaction has no ask outstanding");
}

/* What must not fail is asked again where the shard had no time for it. */
static bool must_be_repeated(const struct txn *txn, enum refusal refusal)
{
    return refusal == REFUSED_OVERLOADED && (txn->phase == TXN_DECIDING || txn->phase == TXN_DONE);
}

void coordinator_answer(struct coordinator *c, uint32_t node, const struct shard_answer *answer)
{
    struct txn *txn = coordinator_find(c, answer->txn);
    uint32_t shard = answer->shard;

    assert(shard < c->catalog->shard_count);
    if (!txn || txn->phase == TXN_DONE)
        release_what_came_late(c, node, answer);
    if (!txn || !txn->asks[shard].is_open || txn->asks[shard].number != answer->number)
        return;
    if (answer->refusal == REFUSED_NOT_LEADER) {
        ask_another(txn, shard, node, answer->leader);
        return;
    }
    c->leaders[shard] = node;
    if (must_be_repeated(txn, answer->refusal))
        return;
    close_ask(txn, shard);
    take_in(txn, answer);
}
