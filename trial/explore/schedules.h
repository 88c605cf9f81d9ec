/*
 * schedules: runs a small scenario on the simulated store under every schedule within a bound.
 *
 *     baseline                         the run in which every message takes the same time
 *     ├── postpone 212                 deliveries that are out of order, at most `postponed_max` in a run,
 *     │   ├── postpone 230             and crashes, at most `crashes_max`; each behind the one before
 *     │   └── crash 241                (sim/steering.h)
 *     └── crash 212
 *
 * Each schedule is a run of its own from the beginning, and every schedule is run once. They are run in the order of how often
 * they deviate, then of the events, so that the first violation is one of the simplest. What a run lists as its
 * events begins when every shard has a leader and ends when no client has anything left to do.
 *
 * What chance would decide beside the schedule is fixed by explore_store_fix(): transactions are drawn from the seed,
 * as ever, and so are the timeouts of elections and what clients wait before they try again.
 * (Delay-bounded scheduling: Emmi, Qadeer and Rakamaric, POPL 2011.)
 */
#ifndef TRIAL_EXPLORE_SCHEDULES_H
#define TRIAL_EXPLORE_SCHEDULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "history/progress.h"
#include "sim/steering.h"
#include "trial/scenario/scenario.h"
#include "trial/sweep/workers.h"

struct schedules_options {
    const struct scenario *scenario; /* fixed; outlives the result */
    uint32_t postponed_max, crashes_max;
    int64_t within_ns; /* of the events; 0: until clients have done all */
    bool until_failure;
    unsigned worker_count; /* 0: one */
    const struct progress *progress;
    const atomic_bool *stop; /* ends it, incomplete; or NULL */
};

/* Of a run: where it deviates. */
struct schedule {
    struct steering_events postponed, crashed;
};

/* Schedules that fail alike. */
struct schedules_failure {
    char *signature, *explanation;
    uint64_t count;
    struct schedule first;
};

/* Runs with so many deviations of each kind. */
struct schedules_cell {
    uint64_t runs, violations, unjudged;
};

struct schedules_result {
    bool is_complete;
    uint64_t runs, violations; /* of schedules */
    uint64_t unjudged;         /* ran, but no verdict: nothing committed, or a checker gave up */
    char unjudged_why[300];    /* the first of them */
    uint64_t failed;           /* schedules that the machine failed: not run */
    char failed_why[300];
    uint64_t histories;  /* that differ in what clients did and saw */
    uint64_t events_max; /* at which a run could deviate, the most */
    struct schedules_cell cells[STEERING_MAX + 1][STEERING_MAX + 1]; /* postponed, crashed */
    ARRAY(struct schedules_failure) failures; /* in the order in which they were found */
    int64_t wall_ns;
};

/*
 * Makes the scenario one in which only the schedule decides: every message takes the same time, none is lost,
 * duplicated or reordered, a disk takes the same time for the same work, and no fault is drawn. Clocks stay as they are, and so do nemeses whose
 * strikes are listed. A client for each transaction, at most. What was left out goes into `left_out`, in words.
 */
void explore_store_fix(struct scenario *, uint64_t transactions, struct buffer *left_out);

/* Closed by schedules_close(), whatever the status. */
MUST_USE enum status schedules_explore(struct schedules_result *, const struct schedules_options *,
                                       struct error *);
void schedules_close(struct schedules_result *);

/* The scenario, made to follow the schedule. */
void schedule_put(struct scenario *, const struct schedule *);
/* "postpone 212, crash 241" */
void schedule_print(const struct schedule *, struct buffer *);

#endif
