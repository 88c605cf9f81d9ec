/*
 * What the steps of a bisection are made of: see trial/bisect/bisect_shrink.h.
 */
#ifndef TRIAL_BISECT_BISECT_SHRINK_PRIVATE_H
#define TRIAL_BISECT_BISECT_SHRINK_PRIVATE_H

#include "trial/bisect/bisect_shrink.h"

#define MS INT64_C(1000000)
#define EVENTS_OF_A_RUN 700 /* what its beginning and its end cost */

/* Makes candidate `number` of the best case; it may come out the same. */
typedef enum status make_candidate(struct shrink *, const void *context, size_t number,
                                   struct bisect_case *, struct error *);

/*
 * Tries candidates 0 to `count`; the first that fails becomes the best, and *hit its number.
 * None: *hit is the count.
 */
MUST_USE enum status shrink_try(struct shrink *, make_candidate *, const void *context,
                                size_t count, uint32_t tries, size_t *hit, struct error *);
/* By how long a run is, and how patient we are. */
uint32_t shrink_tries(const struct shrink *);
/* Steps, not seconds: everybody gets the same result. */
bool shrink_is_spent(const struct shrink *);
/* The first try has the case's own seed, the others any, the same for every candidate. */
uint64_t shrink_seed_of_try(uint64_t seed, uint32_t number);

/* A schedule that is cut short fails in a way of its own: its steps are not done. */
static inline bool shrink_may_cut_time(const struct shrink *shrink)
{
    return shrink->origin->scenario->workload.kind != WORKLOAD_SCHEDULE;
}

/* Settings: fewer shards, replicas and nodes; less that goes wrong by itself. */
MUST_USE enum status shrink_settings(struct shrink *, struct error *);
/* With all the duration that the origin had: what begins is to come to its end. */
MUST_USE enum status shrink_let_finish(struct shrink *, struct error *);
/* Times and numbers that read well. */
MUST_USE enum status shrink_present(struct shrink *, struct error *);

#endif
