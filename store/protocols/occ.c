/*
 * occ: optimistic concurrency control, validated backwards (Kung and Robinson 1981).
 *
 *     T   reads whatever is newest ──────── prepare at P1, P2: still the newest? ── C = max P
 *
 * A transaction runs on what it finds, remembers what it found, and asks each shard at the end
 * whether that is still so. Shards where it only read are asked, too.
 *
 * Invariant. For every committed T and every shard: at its place in the order of C, T's reads
 * return what the transactions before it have written. So the order of C is serial: that
 * is the level, and C is the certificate's place.
 *
 * Why it holds. A prepare is an entry of the shard's log and is validated as it is applied. So
 * of two transactions that conflict on a shard (one reads, by key or predicate, what the other
 * writes, or both write it) one is validated there first, U say, and T finds that
 *   - U is undecided: T is refused. So they are never undecided together.
 *   - U has aborted: it is as if it had never been.
 *   - U has committed. Decisions raise the shard's floor, even where a transaction only read,
 *     so that C(T) >= P(T) > C(U). If U wrote what T had read before, then T's version is
 *     no longer the newest, or behind the entry that T's predicate had seen there is a version
 *     that matches it, by the row before or after: T is refused. So T has read what U wrote.
 * Thus conflicts on all shards go the way of C, and what T read is there from the version's C to
 * beyond C(T). It need not be the order of real time: C may come from a clock that is behind.
 *
 * What counts against T is never collected before T is validated: reads are served below the
 * ceiling and wait for undecided writers, so that who overwrites them commits above T's begin; and
 * a prepare of who began below the horizon is refused.
 *
 * Waiting comes before proposing and is a courtesy: an older transaction waits for a younger
 * one that is undecided.
 */
#include "store/protocols/si_private.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

#define ALL_WAYS (CONFLICT_WRITE_WRITE | CONFLICT_READ_WRITE | CONFLICT_WRITE_READ)

/* --- At the coordinator ----------------------------------------------------------------------- */

static uint64_t occ_prepares(struct txn *txn)
{
    return txn->touched | txn->written;
}

/* --- The validation --------------------------------------------------------------------------- */

/* Versions of the log's entries behind this one count against who has looked at `seen`. */
static uint64_t counted_from(const struct shard *shard, uint64_t seen)
{
    if (shard->bugs->on[BUG_VALIDATES_AGAINST_LAST_COMMIT_ONLY] && shard->last_commit > seen)
        return shard->last_commit - 1;
    return seen;
}

static bool key_is_current(const struct shard *shard, const struct seen_key *seen)
{
    const struct stored_version *newest = versions_newest(&shard->versions, seen->key);

    if (!newest)
        return seen->writer == 0;
    return (newest->writer == seen->writer && stamp_equal(newest->at, seen->at)) ||
           newest->index <= counted_from(shard, 0);
}

static bool scope_is_current(const struct shard *shard, const struct seen_scope *seen)
{
    struct seen_scope counted = { seen->scope, counted_from(shard, seen->index) };
    struct prepare prepare = { .scopes = &counted, .scope_count = 1 };

    return shard_scopes_are_current(shard, &prepare);
}

static bool reads_are_current(const struct shard *shard, const struct prepare *prepare)
{
    bool written_only = shard->bugs->on[BUG_VALIDATES_WRITES_ONLY];
    bool with_scopes = !written_only && !shard->bugs->on[BUG_VALIDATION_SKIPS_PREDICATES];

    for (uint32_t i = 0; i < prepare->key_count; i++)
        if (!key_is_current(shard, &prepare->keys[i]) &&
            (!written_only || shard_change_of(prepare, prepare->keys[i].key)))
            return false;
    for (uint32_t i = 0; with_scopes && i < prepare->scope_count; i++)
        if (!scope_is_current(shard, &prepare->scopes[i]))
            return false;
    return true;
}

/* Ways in which an undecided transaction is in the way. */
static unsigned undecided_ways(const struct shard *shard)
{
    return shard->bugs->on[BUG_UNDECIDED_PREPARE_IGNORED] ? 0 : ALL_WAYS;
}

static void look(struct shard *shard, const struct prepare *prepare, struct vote *vote)
{
    if (shard_conflict(shard, prepare, undecided_ways(shard))) {
        vote->refusal = REFUSED_UNDECIDED;
    } else if (!reads_are_current(shard, prepare)) {
        SOMETIMES(shard->sometimes, VALIDATION_FAILED);
        vote->refusal = REFUSED_CONFLICT;
    }
}

enum occ_stage { STAGE_PROPOSED, STAGE_APPLIED };

/* When it counts. Only the order of the log makes looking and being seen one step. */
static enum occ_stage validation_stage(const struct shard *shard)
{
    return shard->bugs->on[BUG_VALIDATION_NOT_ATOMIC] ? STAGE_PROPOSED : STAGE_APPLIED;
}

/* --- At a shard's leader ---------------------------------------------------------------------- */

static enum served occ_serve_read(struct replica *replica, struct waiting_ask *waiting,
                                  struct shard_answer *answer)
{
    if (!replica_may_read(replica, waiting->ask.at))
        return SERVE_LATER;
    if (replica_undecided_writer(replica, &waiting->ask, stamp_never()))
        return SERVE_LATER;
    replica_read_rows(replica, &waiting->ask, stamp_never(), answer);
    return SERVED;
}

static enum served occ_admit(struct replica *replica, struct waiting_ask *waiting,
                             struct vote *vote)
{
    const struct prepare *prepare = &waiting->ask.prepare;

    if (validation_stage(&replica->shard) == STAGE_PROPOSED) {
        look(&replica->shard, prepare, vote);
        return SERVED;
    }
    return replica_admit_by_age(replica, prepare, undecided_ways(&replica->shard), vote);
}

/* --- As the log is applied -------------------------------------------------------------------- */

static void occ_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                         struct vote *vote)
{
    (void)term;
    if (validation_stage(shard) == STAGE_APPLIED)
        look(shard, prepare, vote);
}

const struct protocol protocol_occ = {
    .name = "occ",
    .summary = "optimistic: reads are validated when the transaction wants to commit",
    .level = LEVEL_SERIALIZABLE,
    .on_raft = true,
    .begin = si_take_snapshot,     /* nothing is read at it; it says how old the reads */
    .statement = si_take_snapshot, /* may be, so that none is below the horizon */
    .is_alone = true,
    .prepares = occ_prepares,
    .serve_read = occ_serve_read,
    .admit = occ_admit,
    .validate = occ_validate,
};
