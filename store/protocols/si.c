/*
 * si: snapshot isolation (Berenson et al. 1995), over shards without a common clock.
 *
 *     T   S ───────── reads at S ───────── prepare at P1, P2 ── C = max P
 *
 * Invariant.
 *   (snapshot)         What T reads is the newest version with C <= S(T), on every shard.
 *   (first committer)  If U and T both commit and write a key, and C(U) < C(T), then
 *                      C(U) <= S(T). And S(T) < C(T).
 * These two are the definition of the level. The certificate exports C and S.
 *
 * Why the snapshot holds, under any skew. A leader that serves S has agreed with its
 * group on a ceiling at or above S, and gives every prepare from then on a stamp
 * P > S; who leads after it starts above the ceiling. What was prepared before, with
 * P <= S, and is undecided makes the read wait. As C >= P, whatever commits later
 * commits above S. So the set of versions with C <= S is final where it is read, and it
 * is the same set on every shard, whenever each of them is asked.
 *
 * Why the first committer wins. Of two undecided transactions one at most writes a key:
 * the older waits, the younger is refused. If U was decided when T was validated, then
 * the newest version shows whether C(U) > S(T); versions of a key stand in the order
 * of C, since prepares get stamps above the floor, which is not below any C applied.
 * If T was decided first, then for the same reason C(U) > C(T). Keys that are absent,
 * or were deleted, are keys like others: a deletion is a version, and those that have
 * been collected are below the horizon, where no snapshot is.
 *
 * A transaction that only reads is over with its last read: nothing to agree on.
 */
#include "store/protocols/si_private.h"

#include <assert.h>
#include <string.h>

#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

/* --- At the coordinator ----------------------------------------------------------------------- */

void si_take_snapshot(struct txn *txn)
{
    struct stamp now = coordinator_now(txn), after = stamp_after(txn->seen, 0);

    now.txn = 0; /* below every transaction that commits at the same moment */
    txn->snapshot = stamp_max(now, after);
}

static uint64_t si_prepares(struct txn *txn)
{
    return txn->written;
}

/* --- At a shard's leader ---------------------------------------------------------------------- */

enum served si_serve_read(struct replica *replica, struct waiting_ask *waiting,
                          struct shard_answer *answer)
{
    const struct bugs *bugs = replica->shard.bugs;
    struct stamp at = bugs->on[BUG_SNAPSHOT_DIFFERS_PER_SHARD] ? replica_now(replica, 0)
                                                               : waiting->ask.at;

    if (!replica_may_read(replica, at))
        return SERVE_LATER;
    /* It may come to be committed at or below the snapshot; what is above cannot. */
    if (!bugs->on[BUG_STALE_VERSION_IN_SNAPSHOT] &&
        replica_undecided_writer(replica, &waiting->ask, at))
        return SERVE_LATER;
    replica_read_rows(replica, &waiting->ask, at, answer);
    answer->at = at;
    return SERVED;
}

static enum served si_admit(struct replica *replica, struct waiting_ask *waiting, struct vote *vote)
{
    return replica_admit_by_age(replica, &waiting->ask.prepare, CONFLICT_WRITE_WRITE, vote);
}

/* --- As the log is applied -------------------------------------------------------------------- */

static bool rows_are_equal(const struct stored_version *a, const struct stored_version *b)
{
    if (!version_is_row(a) || !version_is_row(b))
        return version_is_row(a) == version_is_row(b);
    return a->size == b->size && memcmp(a->row, b->row, a->size) == 0;
}

/* Somebody has written the key since the snapshot was taken. */
static bool is_overwritten(const struct shard *shard, uint32_t key, struct stamp snapshot)
{
    const struct stored_version *newest = versions_newest(&shard->versions, key);

    if (!newest || !stamp_less(snapshot, newest->at))
        return false;
    return !shard->bugs->on[BUG_FIRST_COMMITTER_COMPARES_VALUES] ||
           !rows_are_equal(newest, versions_at(&shard->versions, key, snapshot));
}

void si_raise_vote(const struct prepare *prepare, struct vote *vote)
{
    struct stamp above = prepare->snapshot;

    above.txn = prepare->txn;
    vote->at = stamp_max(vote->at, above);
    assert(stamp_less(prepare->snapshot, vote->at));
}

void si_validate_against(struct shard *shard, const struct prepare *prepare,
                         unsigned undecided_ways, struct vote *vote)
{
    si_raise_vote(prepare, vote);
    if (stamp_less(prepare->snapshot, shard->horizon)) {
        vote->refusal = REFUSED_TOO_OLD;
        return;
    }
    if (shard_conflict(shard, prepare, undecided_ways)) {
        vote->refusal = REFUSED_UNDECIDED;
        return;
    }
    for (uint32_t i = 0; i < prepare->change_count; i++)
        if (is_overwritten(shard, prepare->changes[i].key, prepare->snapshot)) {
            SOMETIMES(shard->sometimes, FIRST_COMMITTER_WON);
            vote->refusal = REFUSED_CONFLICT;
            return;
        }
}

static void si_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                        struct vote *vote)
{
    (void)term;
    si_validate_against(shard, prepare, CONFLICT_WRITE_WRITE, vote);
}

const struct protocol protocol_si = {
    .name = "si",
    .summary = "snapshot isolation: reads from a snapshot, and the first committer wins",
    .level = LEVEL_SNAPSHOT,
    .on_raft = true,
    .exports_snapshot = true,
    .keeps = KEEPS_NO_READS,
    .begin = si_take_snapshot,
    .is_alone = true,
    .prepares = si_prepares,
    .serve_read = si_serve_read,
    .admit = si_admit,
    .validate = si_validate,
};
