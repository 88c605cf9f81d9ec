/*
 * search: finds the first seed whose run fails, and records that run.
 *
 * Workers try the seeds. The failing run is then repeated in this process with a recording of all that
 * it draws.
 */
#ifndef TRIAL_BISECT_SEARCH_H
#define TRIAL_BISECT_SEARCH_H

#include <stdatomic.h>

#include "history/progress.h"
#include "trial/bisect/case_private.h"
#include "trial/sweep/workers.h"

/* Tries that the machine failed: nothing is known about them. */
struct bisect_not_judged {
    uint64_t count;
    char first[600]; /* why */
};

static inline bool bisect_is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

void bisect_note_not_judged(struct bisect_not_judged *, const struct work *);

struct bisect_search {
    struct scenario *scenario; /* the caller's: its seed becomes that of the failure */
    uint64_t first_seed, last_seed;
    uint64_t runs;
    bool found;
    struct bisect_not_judged not_judged;
    const atomic_bool *stop; /* true: end with what is there; may be NULL */
    struct bisect_origin origin;
    char explanation[400];
    int64_t end_ns; /* of the failing run */
};

/* Closed by bisect_search_close(). */
void bisect_search_open(struct bisect_search *, struct scenario *, uint64_t first_seed,
                        uint64_t last_seed);
void bisect_search_close(struct bisect_search *);
MUST_USE enum status bisect_search(struct bisect_search *, unsigned job_count,
                                   const struct progress *, struct error *);

#endif
