/*
 * 2pl: strict two-phase locking (Eswaran et al. 1976), with predicate locks.
 *
 *     T   locks and reads, locks and writes ── t0 ── prepare, CHECK ── outcome ── unlocks
 *                                last grant ┘  └ the commit starts
 *
 * Before it reads T locks what it reads, keys and predicates, shared; before it writes a
 * key it locks it exclusively, with the row as it will be (store/shard/locks.h). Locks are in the
 * memory of shards' leaders, and good for the leader's term.
 *
 * Invariant. At the moment t0(T), after its last grant and before its outcome, a committed
 * T holds all its locks; and what it has written it holds until its outcome is applied.
 *
 * Why that is strictly serializable. Let a lock of U and one of T on some shard exclude each
 * other, U's granted first. Then T's is granted once U has let go of it, so after t0(U), and
 * t0(T) is later still. If U wrote there, it lets go only when its outcome has been applied
 * where T reads, and T sees it; if T writes there, U has read before. So all conflicts go
 * the way of t0, which is the certificate's place: the number of the simulator's event, that
 * nobody in the store ever looks at. And t0 lies between the client's first request and the
 * last reply. (Hybrid clocks would not do: they may show less at the later one.)
 *
 * Why T holds all its locks at t0, though locks are lost with leaders. On each shard that T
 * has touched it is asked, after t0, whether the leader that has granted T's locks has them
 * still, and still led at t0:
 *   - Where T writes, the prepare names the term of the grants. The leader of that term
 *     proposes it if T's locks are there, and it counts only if its entry is of that term.
 *     If an entry of a term is committed, every later leader has it. So whoever led later
 *     was elected after it was proposed, after t0, and what he has granted came later.
 *   - Where T only reads, the leader of that term looks, and begins a round of its group
 *     after t0: a majority had not gone to a later term yet.
 * If T's locks on a shard were granted in different terms, one of them is not the one that
 * is asked for, and it fails. All that T has at a leader goes at once: whether it is there
 * is one question.
 *
 * What must hold from t0 to the outcome. Shared locks need not: T locks nothing any more,
 * and who writes there now has a later t0. Exclusive ones must, as what T has written is not
 * there to be seen yet. A new leader has no locks in its memory, but it has the prepared in
 * its log, all of them by the time it is ready: each holds its writes exclusively until its
 * outcome is applied. So prepares need not say what was read.
 *
 * Who has locks and is not heard of is asked after at his coordinator, which releases what
 * it does not know (any more). If nobody answers for long he has lost all his locks. His
 * number is remembered, and what he asks is refused, until he is below the horizon: else a
 * prepare that comes late might find locks that were granted anew, to a read that came late.
 * Who has promised to commit keeps his.
 *
 * Deadlocks: store/coordinator/coordinator.c. Whoever waits sends a probe to all that it waits
 * for, those before it in line included: at once, as it may have closed a circle, and again
 * and again, as messages may be lost. Who is prepared waits for nobody.
 */
#include "store/shard/locks.h"
#include "store/protocol_private.h"
#include "store/server_private.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

/* In ticks of the replica, which are REPLICA_TICK_NS. */
#define PROBE_EVERY_TICKS 4
#define MISSED_TICKS 10 /* asked after, and again as often */
#define SILENT_TICKS 60

struct twopl_leader {
    struct shard_locks locks;
    uint64_t ticks, probes;
};

/* A probe on its way from one who waits. */
struct lock_probe {
    struct replica *replica;
    struct ask ask;
};

/* --- At the coordinator ----------------------------------------------------------------------- */

static enum txn_next twopl_read(struct txn *txn)
{
    return txn->terms_differ ? NEXT_ABORT : NEXT_GO_ON;
}

/* Shards that have granted it something. Others it has only asked: it is being ended. */
static uint64_t locked_shards(const struct txn *txn)
{
    uint64_t shards = 0;

    for (uint32_t shard = 0; shard < txn->coordinator->catalog->shard_count; shard++)
        if (txn->terms[shard] != 0)
            shards |= UINT64_C(1) << shard;
    return shards;
}

/* The commit starts: this is t0. */
static uint64_t twopl_prepares(struct txn *txn)
{
    txn->place = (struct stamp){ (int64_t)coordinator_event_number(txn), 0, txn->id };
    return txn->written;
}

static uint64_t twopl_checks(struct txn *txn)
{
    return locked_shards(txn);
}

/* --- Holders ---------------------------------------------------------------------------------- */

static struct twopl_leader *leader_of(struct replica *replica)
{
    return replica->leader_state;
}

/* NULL: it had locks and has lost them, or this was asked before what was asked last. */
static struct lock_holder *holder_of(struct replica *replica, const struct ask *ask)
{
    struct twopl_leader *leader = leader_of(replica);
    struct lock_holder *holder = locks_find(&leader->locks, ask->txn);

    if (!holder)
        holder = locks_add_holder(&leader->locks, ask->txn, ask->begin, ask->from);
    if (holder->is_dead)
        SOMETIMES(replica->shard.sometimes, DEAD_HOLDER_REFUSED);
    if (holder->is_dead || ask->number < holder->number)
        return NULL;
    if (ask->number > holder->number) {
        holder->number = ask->number;
        holder->heard_tick = leader->ticks;
    }
    return holder;
}

/* What is prepared holds what it writes; nobody else is known. */
static void twopl_lead(struct replica *replica)
{
    struct shard *shard = &replica->shard;
    struct twopl_leader *leader = leader_of(replica);

    if (!leader) {
        replica->leader_state = leader = pool_take(replica->pool, sizeof *leader);
        locks_open(&leader->locks, shard, replica->pool);
    }
    locks_reset(&leader->locks);
    for (uint32_t i = 0; i < shard->prepared.count; i++) {
        const struct prepare *p = &shard->prepared.at[i]->prepare;
        struct lock_holder *holder =
            locks_add_holder(&leader->locks, p->txn, p->begin, p->coordinator);

        holder->is_promised = true;
        for (uint32_t j = 0; j < p->change_count; j++)
            locks_want_change(&leader->locks, holder, &p->changes[j]);
        locks_grant(&leader->locks, holder);
    }
}

static bool has_writes(const struct lock_holder *holder)
{
    for (uint32_t i = 0; i < holder->locks.count; i++)
        if (holder->locks.at[i]->mode == LOCK_EXCLUSIVE)
            return true;
    return false;
}

static void lose_locks(struct replica *replica, struct lock_holder *holder)
{
    locks_release(&leader_of(replica)->locks, holder);
    holder->is_dead = true;
    replica_changed(replica);
}

/*
 * Of one that was to write and has no outcome the number is kept: if its coordinator forgot it in
 * a crash, reads and the prepare may yet come, late, and must not find new locks.
 */
static void twopl_over(struct replica *replica, uint64_t txn)
{
    struct shard_locks *locks = &leader_of(replica)->locks;
    struct lock_holder *holder = locks_find(locks, txn);

    if (!holder || holder->is_dead)
        return;
    if (has_writes(holder) && !shard_find_outcome(&replica->shard, txn)) {
        lose_locks(replica, holder);
        return;
    }
    locks_remove_holder(locks, holder);
    replica_changed(replica);
}

/* --- Probes ----------------------------------------------------------------------------------- */

static void send_probe(void *context, const struct lock_holder *blocker)
{
    struct lock_probe *probe = context;

    if (blocker->is_promised)
        return;
    probe->ask.txn = blocker->txn;
    probe->ask.begin = blocker->begin;
    replica_probe(probe->replica, blocker->coordinator, &probe->ask);
}

static void probe_for(struct replica *replica, struct lock_holder *holder)
{
    struct twopl_leader *leader = leader_of(replica);
    struct lock_probe probe = {
        .replica = replica,
        .ask = { .kind = ASK_PROBE,
                 .number = holder->number,
                 .scope = SCOPE_NONE,
                 .serial = ((uint64_t)replica->shard.number + 1) << 40 | ++leader->probes,
                 .path = &holder->begin,
                 .path_count = 1 },
    };

    locks_blockers(&leader->locks, holder, send_probe, &probe);
}

/* --- Locking ---------------------------------------------------------------------------------- */

static enum served wait_for_locks(struct replica *replica, struct lock_holder *holder,
                                  const struct waiting_ask *waiting)
{
    struct twopl_leader *leader = leader_of(replica);
    bool waited = holder->arrival != 0;

    if (locks_try(&leader->locks, holder, waiting->arrival)) {
        holder->heard_tick = leader->ticks;
        return SERVED;
    }
    if (!waited) {
        SOMETIMES(replica->shard.sometimes, LOCK_WAITED);
        holder->probed_tick = leader->ticks;
        probe_for(replica, holder);
    }
    return SERVE_LATER;
}

static bool is_left_unlocked(const struct replica *replica, const struct ask *ask)
{
    return !ask->first_table && ask->lock == ROW_LOCK_UPDATE &&
           replica->shard.bugs->on[BUG_JOIN_FOR_UPDATE_MISSES_A_LOCK];
}

/* To lock the rows that a scope finds. */
struct lock_finding {
    struct shard_locks *locks;
    struct lock_holder *holder;
    enum lock_mode mode;
};

static void want_found(void *context, uint32_t key, const struct stored_version *version)
{
    const struct lock_finding *f = context;

    (void)version;
    locks_want_key(f->locks, f->holder, key, f->mode);
}

/* The predicate covers what it finds, unless that is wanted for writing. */
static void want_scope(struct replica *replica, const struct ask *ask, const struct lock_finding *f)
{
    const struct shard *shard = &replica->shard;
    bool locks_found = f->mode == LOCK_UPDATE;

    if (shard->bugs->on[BUG_NO_PREDICATE_LOCKS])
        locks_found = true;
    else
        locks_want_scope(f->locks, f->holder, ask->scope);
    if (locks_found)
        shard_scan(shard, ask->scope, stamp_never(), want_found, (void *)f);
}

static void want_read(struct replica *replica, const struct ask *ask, struct lock_holder *holder)
{
    struct lock_finding f = { .locks = &leader_of(replica)->locks, .holder = holder };

    f.mode = ask->for_write || ask->lock == ROW_LOCK_UPDATE ? LOCK_UPDATE : LOCK_SHARED;
    for (uint32_t i = 0; i < ask->key_count; i++)
        locks_want_key(f.locks, holder, ask->keys[i], f.mode);
    if (ask->scope != SCOPE_NONE)
        want_scope(replica, ask, &f);
}

static void end_statement(struct replica *replica, struct lock_holder *holder)
{
    if (!replica->shard.bugs->on[BUG_READ_LOCKS_RELEASED_EARLY])
        return;
    locks_release_shared(&leader_of(replica)->locks, holder);
    replica_changed(replica);
}

static enum served twopl_serve_read(struct replica *replica, struct waiting_ask *waiting,
                                    struct shard_answer *answer)
{
    const struct ask *ask = &waiting->ask;
    struct lock_holder *holder = holder_of(replica, ask);

    if (!holder) {
        answer->refusal = REFUSED_LOCKS_GONE;
        return SERVED;
    }
    if (locks_is_vain(&leader_of(replica)->locks, holder))
        return SERVE_LATER;
    if (!is_left_unlocked(replica, ask))
        want_read(replica, ask, holder);
    if (wait_for_locks(replica, holder, waiting) != SERVED)
        return SERVE_LATER;
    replica_read_rows(replica, ask, stamp_never(), answer);
    end_statement(replica, holder);
    return SERVED;
}

/* The row is that already. */
static bool is_no_op(const struct shard *shard, const struct row_change *change)
{
    const struct stored_version *newest = versions_newest(&shard->versions, change->key);

    return !change->is_removed && version_is_row(newest) &&
           text_equal(version_row(newest), change->row);
}

static enum served twopl_serve_lock(struct replica *replica, struct waiting_ask *waiting,
                                    struct shard_answer *answer)
{
    const struct prepare *writes = &waiting->ask.prepare;
    struct lock_holder *holder = holder_of(replica, &waiting->ask);
    struct shard_locks *locks = &leader_of(replica)->locks;

    if (!holder) {
        answer->refusal = REFUSED_LOCKS_GONE;
        return SERVED;
    }
    for (uint32_t i = 0; i < writes->change_count; i++) {
        const struct row_change *change = &writes->changes[i];

        if (replica->shard.bugs->on[BUG_NO_LOCK_FOR_NO_OP_UPDATE] &&
            is_no_op(&replica->shard, change))
            locks_release_key(locks, holder, change->key);
        else
            locks_want_change(locks, holder, change);
    }
    return wait_for_locks(replica, holder, waiting);
}

/* --- Committing ------------------------------------------------------------------------------- */

/* Whether it matters that a transaction's locks were granted by somebody else, or are gone. */
static bool minds_locks(const struct shard *shard)
{
    return !shard->bugs->on[BUG_LOCKS_LOST_ON_LEADER_CHANGE];
}

/* All that was granted in that term is there. NULL: it is not. */
static struct lock_holder *find_locked(struct replica *replica, const struct prepare *prepare)
{
    struct lock_holder *holder = locks_find(&leader_of(replica)->locks, prepare->txn);

    return holder && !holder->is_dead && prepare->term == replica->term ? holder : NULL;
}

static enum served twopl_admit(struct replica *replica, struct waiting_ask *waiting,
                               struct vote *vote)
{
    struct lock_holder *holder = find_locked(replica, &waiting->ask.prepare);

    if (holder) {
        holder->is_promised = true;
    } else if (minds_locks(&replica->shard)) {
        SOMETIMES(replica->shard.sometimes, LOCKS_GONE);
        vote->refusal = REFUSED_LOCKS_GONE;
    }
    return SERVED;
}

static enum served twopl_serve_check(struct replica *replica, struct waiting_ask *waiting,
                                     struct vote *vote)
{
    if (!find_locked(replica, &waiting->ask.prepare)) {
        SOMETIMES(replica->shard.sometimes, LOCKS_GONE);
        vote->refusal = REFUSED_LOCKS_GONE;
        return SERVED;
    }
    return waiting->is_confirmed ? SERVED : SERVE_AFTER_ROUND;
}

static void twopl_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                           struct vote *vote)
{
    if (prepare->term == term || !minds_locks(shard))
        return;
    SOMETIMES(shard->sometimes, LOCKS_GONE);
    vote->refusal = REFUSED_LOCKS_GONE;
}

static void twopl_conclude(const struct prepare *prepare, const struct vote *merged,
                           struct decision *decision)
{
    (void)merged;
    decision->place = prepare->place;
}

/* --- Deadlocks, and who is not heard of any more ---------------------------------------------- */

static bool has_passed(const struct lock_holder *holder, const struct ask *probe)
{
    for (uint32_t i = 0; i < holder->passed.count; i++)
        if (holder->passed.at[i].serial == probe->serial &&
            stamp_equal(holder->passed.at[i].begin, probe->path[0]))
            return true;
    return false;
}

/* Further, to those that it waits for; once, by however many ways the probe comes along. */
static void twopl_probe(struct replica *replica, const struct ask *ask)
{
    struct twopl_leader *leader = leader_of(replica);
    struct lock_holder *holder = locks_find(&leader->locks, ask->txn);
    struct lock_probe probe = { .replica = replica, .ask = *ask };

    if (holder && ask->path_count == 0)
        holder->heard_tick = leader->ticks; /* it is still there */
    if (!holder || holder->wanted == 0 || ask->path_count == 0)
        return;
    if (holder->passed_tick != leader->ticks)
        holder->passed.count = 0;
    holder->passed_tick = leader->ticks;
    if (has_passed(holder, ask))
        return;
    pool_push(replica->pool, &holder->passed, ((struct passed_probe){ ask->path[0], ask->serial }));
    locks_blockers(&leader->locks, holder, send_probe, &probe);
}

static uint64_t silent_ticks(const struct twopl_leader *leader, const struct lock_holder *holder)
{
    return holder->is_promised || holder->is_dead ? 0 : leader->ticks - holder->heard_tick;
}

/* Whoever coordinated it and has forgotten it releases it. */
static void ask_after(struct replica *replica, const struct lock_holder *holder)
{
    struct ask ask = { .kind = ASK_PROBE,
                       .txn = holder->txn,
                       .begin = holder->begin,
                       .scope = SCOPE_NONE };

    replica_probe(replica, holder->coordinator, &ask);
}

static bool is_probe_due(const struct twopl_leader *leader, const struct lock_holder *holder)
{
    return holder->wanted > 0 && leader->ticks - holder->probed_tick >= PROBE_EVERY_TICKS;
}

static bool is_forfeited_early(struct replica *replica, uint64_t silent)
{
    return silent > 1 &&
           BUGGIFY(replica->shard.sometimes, replica->server->node, LOCKS_FORFEITED);
}

/*
 * Nothing can come of it any more: a prepare of who began below the horizon is refused as it is applied,
 * without any outcome that would tell so, be it promised or not.
 */
static bool is_past(const struct replica *replica, const struct lock_holder *holder)
{
    return (holder->is_dead || holder->is_promised) &&
           shard_is_too_old(&replica->shard, holder->begin) &&
           !shard_find_prepared(&replica->shard, holder->txn);
}

/* From the last, as those that are past are removed. */
static void twopl_tick(struct replica *replica)
{
    struct twopl_leader *leader = leader_of(replica);

    leader->ticks++;
    for (uint32_t i = leader->locks.holders.count; i-- > 0;) {
        struct lock_holder *holder = leader->locks.holders.at[i];
        uint64_t silent = silent_ticks(leader, holder);

        if (silent > 0 && silent % MISSED_TICKS == 0)
            ask_after(replica, holder);
        if (silent > SILENT_TICKS || is_forfeited_early(replica, silent)) {
            SOMETIMES(replica->shard.sometimes, LOCKS_FORFEITED);
            lose_locks(replica, holder);
        } else if (is_past(replica, holder)) {
            locks_remove_holder(&leader->locks, holder);
            replica_changed(replica);
        } else if (is_probe_due(leader, holder)) {
            holder->probed_tick = leader->ticks;
            probe_for(replica, holder);
        }
    }
}

const struct protocol protocol_2pl = {
    .name = "2pl",
    .summary = "strict two-phase locking, with predicate locks",
    .level = LEVEL_STRICT_SERIALIZABLE,
    .on_raft = true,
    .keeps = KEEPS_NO_READS,
    .read = twopl_read,
    .locks_writes = true,
    .is_alone = true,
    .prepares = twopl_prepares,
    .checks = twopl_checks,
    .lead = twopl_lead,
    .serve_read = twopl_serve_read,
    .serve_lock = twopl_serve_lock,
    .serve_check = twopl_serve_check,
    .admit = twopl_admit,
    .over = twopl_over,
    .probe = twopl_probe,
    .tick = twopl_tick,
    .validate = twopl_validate,
    .conclude = twopl_conclude,
};
