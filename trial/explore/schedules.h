/*
 * schedules: runs a small scenario on the simulated store under every schedule within a bound.
 *
 *     baseline                         the run in which every message takes the same time
 *     ├── postpone 212                 a message that is late: each behind the deviation before it,
 *     │   ├── postpone 230             and of each kind at most `max` in a run (sim/steering.h)
 *     │   └── crash 241
 *     ├── crash 212
 *     └── isolate 212
 *
 * Each schedule is a run of its own from the beginning, and every schedule is run once. They are run in the order of
 * how often they deviate, then of the events, so that the first violation is one of the simplest. What a run lists as
 * its events begins when every shard has a leader and ends when no client has anything left to do.
 *
 * What chance would decide beside the schedule is fixed by explore_store_fix(): transactions are drawn from the seed,
 * as ever, and so are the timeouts of elections and what clients wait before they try again. (Delay-bounded
 * scheduling: Emmi, Qadeer and Rakamaric, POPL 2011.)
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

#define SCHEDULES_CELLS_MAX ((STEERING_MAX + 1) * (STEERING_MAX + 1) * (STEERING_MAX + 1))
_Static_assert(STEERING_KIND_COUNT == 3, "a dimension of the cells for each kind");

struct schedules_options {
    const struct scenario *scenario;   /* fixed; outlives the result */
    uint32_t max[STEERING_KIND_COUNT]; /* deviations of each kind, at most STEERING_MAX */
    int64_t within_ns;                 /* of the events; 0: until clients have done all */
    bool until_failure;
    unsigned worker_count; /* 0: one */
    const struct progress *progress;
    const atomic_bool *stop; /* ends it, incomplete; or NULL */
};

/* Of a run: where it deviates. */
struct schedule {
    struct steering_events events[STEERING_KIND_COUNT];
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
    char ended_why[300];                              /* memory ran out: not complete; else empty */
    uint64_t histories;                               /* that differ in what clients did and saw */
    uint64_t events_max;                              /* at which a run could deviate, the most */
    struct schedules_cell cells[SCHEDULES_CELLS_MAX]; /* see schedules_cell() */
    ARRAY(struct schedules_failure) failures;         /* in the order in which they were found */
    int64_t wall_ns;
};

/*
 * Makes the scenario one in which only the schedule decides: every message takes the same time, none is lost,
 * duplicated or reordered, a disk takes the same time for the same work, and no fault is drawn. Clocks stay as they
 * are, and so do nemeses whose strikes are listed. A client for each transaction, at most. What was left out goes
 * into `left_out`, in words.
 */
void explore_store_fix(struct scenario *, uint64_t transactions, struct buffer *left_out);

/* Closed by schedules_close(), whatever the status. */
MUST_USE enum status schedules_explore(struct schedules_result *, const struct schedules_options *,
                                       struct error *);
void schedules_close(struct schedules_result *);

/* Where runs with so many deviations of each kind are counted. */
struct schedules_cell *schedules_cell(struct schedules_result *,
                                      const uint32_t counts[STEERING_KIND_COUNT]);

/* The scenario, made to follow the schedule. */
void schedule_put(struct scenario *, const struct schedule *);
/* "postpone 212, crash 241" */
void schedule_print(const struct schedule *, struct buffer *);

#endif
