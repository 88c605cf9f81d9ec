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
#include "store/coordinator/deadlock_private.h"


#include "store/coordinator/commit_private.h"
#include "store/coordinator/coordinator_private.h"

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

void deadlock_probe_late(struct txn *txn, int64_t now_ns)
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
