/*
 * stamp: a point in the order of transactions, and the hybrid clock it comes from.
 *
 * A stamp is (wall, logical, transaction), compared left to right. Those of
 * transactions are unique by their last part, which is never 0; a stamp that
 * nobody commits at, such as a snapshot, has 0 there, so that a snapshot taken
 * at (w, l) is below every transaction at (w, l).
 *
 * A hybrid clock (Kulkarni et al. 2014) gives stamps above all that it has given and
 * heard of, near its node's wall clock. It is memory: a crash forgets it.
 */
#ifndef STORE_STAMP_PRIVATE_H
#define STORE_STAMP_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

struct stamp {
    int64_t wall_ns;
    uint32_t logical;
    uint64_t txn;
};

struct stamp_clock {
    int64_t wall_ns;
    uint32_t logical;
};

static inline int stamp_compare(struct stamp a, struct stamp b)
{
    if (a.wall_ns != b.wall_ns)
        return a.wall_ns < b.wall_ns ? -1 : 1;
    if (a.logical != b.logical)
        return a.logical < b.logical ? -1 : 1;
    return (a.txn > b.txn) - (a.txn < b.txn);
}

static inline bool stamp_less(struct stamp a, struct stamp b)
{
    return stamp_compare(a, b) < 0;
}

static inline bool stamp_equal(struct stamp a, struct stamp b)
{
    return stamp_compare(a, b) == 0;
}

static inline struct stamp stamp_max(struct stamp a, struct stamp b)
{
    return stamp_less(a, b) ? b : a;
}

static inline struct stamp stamp_min(struct stamp a, struct stamp b)
{
    return stamp_less(b, a) ? b : a;
}

/* Zero: before all. Nothing is ever written there. */
static inline bool stamp_is_zero(struct stamp a)
{
    return a.wall_ns == 0 && a.logical == 0 && a.txn == 0;
}

/* After all: stands for "none" where a minimum is taken. */
static inline struct stamp stamp_never(void)
{
    return (struct stamp){ INT64_MAX, UINT32_MAX, UINT64_MAX };
}

/* The transaction's first stamp that is above everything at that stamp's (wall, logical). */
struct stamp stamp_after(struct stamp, uint64_t txn);

/* Later by so much wall time, with logical and transaction 0. */
struct stamp stamp_plus(struct stamp, int64_t by_ns);

/* Above all given and heard so far; the node's wall clock shows `wall_ns`. */
struct stamp stamp_clock_now(struct stamp_clock *, int64_t wall_ns, uint64_t txn);
/* Nothing given from now on is at or below it. */
void stamp_clock_forward(struct stamp_clock *, struct stamp);
/* The last it gave or heard. */
struct stamp stamp_clock_last(const struct stamp_clock *);

#endif
