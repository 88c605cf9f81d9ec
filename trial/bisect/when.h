/*
 * when: finds the moment of a run after which its failure becomes likely.
 *
 *     0 s       2 of 16   ██
 *     1.2 s     1 of 16   █
 *     2.4 s    15 of 16   ███████████████
 *
 * The run is repeated unchanged up to a moment. After it, latencies, losses, time-outs, pauses and
 * faults are drawn anew, several times; the clients' requests stay. Where the share of failing runs
 * jumps, something has happened that the failure needs. The moments are first spread evenly; later
 * ones halve the interval of the largest jump.
 */
#ifndef TRIAL_BISECT_WHEN_H
#define TRIAL_BISECT_WHEN_H

#include "base/json_writer.h"
#include "trial/bisect/search.h"

#define MOMENTS_MAX 40

struct bisect_moment {
    int64_t at_ns;
    uint32_t failed, tried;
};

struct bisect_moments {
    uint32_t count;
    struct bisect_moment at[MOMENTS_MAX]; /* by rising time */
    uint32_t jump; /* between this one and the next */
};

/* What is there at a stop means nothing. */
MUST_USE enum status bisect_when(struct bisect_search *, unsigned job_count,
                                 struct bisect_moments *, const struct progress *, struct error *);
void bisect_when_print(const struct bisect_moments *, struct buffer *);
/* "when":{...} */
void bisect_when_answer(const struct bisect_moments *, struct json_writer *);

#endif
