/*
 * shrink: makes a failing case smaller, step by step, while it fails in the same way.
 *
 * Each step has a list of candidates in a fixed order, and takes the first that still fails. Workers
 * try several at a time; results behind the first hit are dropped. So the result does not depend on
 * the number of workers.
 *
 * A candidate that does not fail is tried again with other seeds, because latencies and time-outs are
 * still random. The number of tries depends on the length of the run in events. The case takes over
 * the seed that failed.
 */
#ifndef TRIAL_BISECT_SHRINK_H
#define TRIAL_BISECT_SHRINK_H

#include "base/map.h"
#include "history/progress.h"
#include "trial/bisect/case_private.h"
#include "trial/bisect/bisect.h"
#include "trial/sweep/workers.h"

struct shrink {
    const struct bisect_origin *origin;
    struct bisect_case best;
    uint64_t events;  /* of the best case's run */
    struct workers workers;
    unsigned job_count;
    uint32_t start;    /* how often it started over */
    uint64_t first_events; /* of the whole run */
    unsigned patience; /* how many times as many tries as usual */
    uint64_t runs;     /* so far */
    struct bisect_not_judged not_judged; /* taken as tries that do not fail */
    uint64_t spent, spent_max; /* events, so far and in all */
    const atomic_bool *stop;   /* true: this is small enough; may be NULL */
    struct map known;  /* by a case's hash: how many tries did not fail */
    struct scenario *room; /* a worker's */
    struct arena arena;    /* likewise */
    const struct progress *progress;
};

/* Starts with all that the origin recorded. Closed by shrink_close(), whatever the status. */
MUST_USE enum status shrink_run(struct shrink *, const struct bisect_origin *, unsigned job_count,
                                const atomic_bool *stop, const struct progress *, struct error *);
void shrink_close(struct shrink *);

bool shrink_are_alike(const char *signature, const char *target);
/* Whether one of the signatures is the target's. */
bool shrink_is_alike(const struct signatures *, const char *target);

#endif
