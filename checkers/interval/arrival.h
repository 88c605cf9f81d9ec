/*
 * arrival: a transaction on its way into the mirror.
 *
 *     TRY(arrival_make(&own, m, &trace, block->at, &arrival, err));   by any thread, in any order
 *     TRY(arrival_take(m, &arrival, err));                            in turn
 *
 * Made is what follows from the trace and the profile alone: which of its operations matter to
 * others, within which times it looks and commits, when it can be judged. Of the mirror only the
 * profile and the clock error are read, so that arrivals can be made by several threads ahead of
 * their turn (ahead.h). What others did comes in when one is taken.
 *
 * Accesses of several transactions stand in one block, which goes with the last of them.
 */
#ifndef CHECKERS_INTERVAL_ARRIVAL_H
#define CHECKERS_INTERVAL_ARRIVAL_H

#include "checkers/interval/mirror_private.h"

struct access_block {
    size_t txn_count; /* whose accesses stand here */
    struct access at[];
};

struct arrival {
    struct live live;
    struct times view; /* of the transaction, if it has one */
    int64_t invoked, judged_at;
    size_t op_count;
    bool misreads_itself; /* that is told in turn only: mirror_add() takes the trace instead */
};

/* Room for the accesses of some transactions. */
MUST_USE enum status access_block_init(struct access_block **, size_t access_count,
                                       size_t txn_count, struct error *);
/* One of its transactions goes. */
void access_block_leave(struct access_block *);

/*
 * A trace without statements: there is an access for an operation at the most. The block is the
 * caller's to set.
 */
MUST_USE enum status arrival_make(struct own_writes *, const struct mirror *, const struct trace *,
                                  struct access *accesses, struct arrival *, struct error *);
/* Any trace, in turn: what can be said of it at once is said, and rows are taken over. */
MUST_USE enum status arrival_make_in_turn(struct mirror *, const struct trace *, struct arrival *,
                                          struct error *);
/* The mirror has the accesses from now on. */
MUST_USE enum status arrival_take(struct mirror *, const struct arrival *, struct error *);

/* Within which times a transaction commits, by its clients' times alone. */
struct times arrival_commit_times(const struct mirror *, const struct trace *);

/* Whether it reads as of an instant that is not its transaction's. */
static inline bool access_has_own_view(const struct mirror *m, const struct access *a)
{
    return a->kind != TRACE_WRITE && profile_reads_apart(&m->profile, a->is_locking);
}

#endif
