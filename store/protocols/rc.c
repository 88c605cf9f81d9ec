/*
 * rc: read committed, as databases with versions do it: a snapshot per statement.
 *
 *     T   S1 ── reads ──  S2 ── reads ── ... ── prepare ── C
 *
 * Invariant.
 *   (statement)  What a statement reads is the newest version with C <= S of that statement,
 *                on every shard; S < C(T).
 *   (update)     What a statement read in order to write it, or locked, is still
 *                the newest when T commits.
 *
 * Why that is read committed. Reads return versions of committed transactions only, and
 * the last that each has made of a row. Version orders, reads and writes all agree with
 * the order of C: T reads from U only if C(U) <= S < C(T), and overwrites U only if
 * C(U) < C(T). So there is no cycle of dependencies. Anti-dependencies may go either way:
 * two statements of T may see different states, and what a client has read and then
 * computed may be out of date when it is written.
 *
 * The second half of the invariant is no part of the level. It stands for the row locks of a
 * real database: an UPDATE that says v = v + 1 loses nothing. Where such a database would look at
 * the row again, this one aborts.
 *
 * Writes that do not read need nobody's leave: undecided or not, versions stand in
 * the order of C, and a statement waits for whoever may still commit below its snapshot: if it
 * asks by a condition, for those whose row matches, or who would hide a row that it finds there.
 * That is the version at S, though a later one may have committed above (shard_conflict.c).
 * The certificate exports C, and S for each operation.
 */
#include "store/protocols/si_private.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

/* Rows that one of the two wants unchanged, and the other writes. */
#define UNDECIDED_WAYS (CONFLICT_READ_WRITE | CONFLICT_WRITE_READ)

static uint64_t rc_prepares(struct txn *txn)
{
    return txn->written;
}

static enum served rc_admit(struct replica *replica, struct waiting_ask *waiting, struct vote *vote)
{
    return replica_admit_by_age(replica, &waiting->ask.prepare, UNDECIDED_WAYS, vote);
}

static void rc_validate(struct shard *shard, const struct prepare *prepare, uint64_t term,
                        struct vote *vote)
{
    (void)term;
    si_raise_vote(prepare, vote);
    if (shard_conflict(shard, prepare, UNDECIDED_WAYS)) {
        vote->refusal = REFUSED_UNDECIDED;
    } else if (!shard_keys_are_current(shard, prepare)) {
        SOMETIMES(shard->sometimes, FIRST_COMMITTER_WON);
        vote->refusal = REFUSED_CONFLICT;
    }
}

const struct protocol protocol_rc = {
    .name = "rc",
    .summary = "read committed: a snapshot per statement, and no update lost within a statement",
    .level = LEVEL_READ_COMMITTED,
    .on_raft = true,
    .exports_snapshot = true,
    .snapshot_per_statement = true,
    .keeps = KEEPS_READS_FOR_WRITE,
    .begin = si_take_snapshot,
    .statement = si_take_snapshot,
    .is_alone = true,
    .prepares = rc_prepares,
    .serve_read = si_serve_read,
    .admit = rc_admit,
    .validate = rc_validate,
};
