/*
 * bisect_shrink: makes a failing case smaller, step by step, as long as it fails alike.
 *
 * Every step is a list of candidates in a fixed order, of which the first that
 * still fails is taken; workers try several at a time, and what is behind the first is
 * forgotten. So the result does not depend on how many workers there are.
 *
 * A candidate that does not fail may get a few more tries with other seeds: what
 * remains random are the latencies and the time-outs. How many depends on how long a
 * run is, in events. The seed that failed is the case's from then on.
 */
#ifndef TRIAL_BISECT_SHRINK_H
#define TRIAL_BISECT_SHRINK_H

#include "base/map.h"
#include "history/progress.h"
#include "trial/bisect/case_private.h"
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
    uint64_t spent, spent_max; /* events, so far and in all */
    struct map known;  /* by a case's hash: how many tries did not fail */
    struct scenario *room; /* a worker's */
    struct arena arena;    /* likewise */
    const struct progress *progress;
};

/* Starts with all that the origin recorded. Closed by shrink_close(), whatever the status. */
MUST_USE enum status shrink_run(struct shrink *, const struct bisect_origin *, unsigned job_count,
                                const struct progress *, struct error *);
void shrink_close(struct shrink *);

bool shrink_are_alike(const char *signature, const char *target);
/* Whether one of the signatures is the target's. */
bool shrink_is_alike(const struct signatures *, const char *target);

#endif
