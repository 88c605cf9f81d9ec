/*
 * tally: adds up the outcomes of a sweep.
 *
 * The tally has sums, and the first run of each signature. Outcomes may be added in any order. A run
 * that was not judged counts only as long as nobody has judged it. So the
 * number of workers, kills in between, and the division into shards do not matter.
 */
#ifndef TRIAL_SWEEP_TALLY_H
#define TRIAL_SWEEP_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/map.h"
#include "trial/run/outcome.h"
#include "trial/sweep/plan.h"

/* How many runs asked for something, and in how many it took effect. */
struct felt {
    uint64_t runs, felt;
};

/* Of one scenario. */
struct subject_tally {
    uint64_t runs, failed, undecided;
    uint64_t too_long; /* of those that are undecided */
    uint64_t barren; /* runs in which nothing committed */
    uint64_t committed, aborted, unknown; /* transactions */
    struct felt nemeses[NEMESIS_COUNT_MAX];
    struct felt faults[FAULT_KIND_COUNT];
    struct felt swarm; /* nemeses that it drew */
    uint64_t sometimes[SOMETIMES_COUNT];
    char *doubt; /* of its first undecided run: why; or NULL */
    uint64_t doubt_job;
};

/* The failures of one scenario that have one signature. */
struct group {
    size_t subject;
    char *signature;
    char *explanation; /* of the first */
    uint64_t job;      /* the first */
    struct swarm_draws draws; /* of the first, in a guided sweep */
    size_t place;      /* among the failures of that run */
    ARRAY(uint64_t) seeds; /* as they came; sorted by tally_sort() */
};

/* What a run drew from other seeds than its own, kept of those that failed. */
struct run_draws {
    uint64_t job;
    struct swarm_draws draws;
};

/* A run that the machine failed. */
struct run_not_judged {
    uint64_t job;
    char *why;
    struct swarm_draws draws;
};

/* One run, for reports that list all. */
struct run_entry {
    uint64_t job;
    enum verdict verdict;
};

struct tally {
    const struct plan *plan;
    struct subject_tally *subjects; /* as many as the plan has */
    ARRAY(struct group) groups;
    ARRAY(struct run_entry) entries;
    ARRAY(struct run_draws) draws;
    ARRAY(struct run_not_judged) not_judged; /* final after tally_sort(): those that nobody judged */
    uint8_t *reached;    /* by feature: whether a run had it; NULL: the sweep is not guided */
    uint64_t reached_count;
    struct map done;     /* job to the beginning of its trace */
    uint64_t failed_job; /* the first that failed; UINT64_MAX: none */
};

/* The plan must outlive it. Closed by tally_close(), whatever the status. */
MUST_USE enum status tally_init(struct tally *, const struct plan *, struct error *);
void tally_close(struct tally *);
/* What this run drew from other seeds, if it failed or was not judged; else NULL. */
const struct swarm_draws *tally_draws(const struct tally *, uint64_t job);
/* Forgets all runs. */
MUST_USE enum status tally_clear(struct tally *, struct error *);

/* Adding a job once more adds nothing, unless its outcome is another: that is a failure then. */
MUST_USE enum status tally_add(struct tally *, uint64_t job, const struct run_outcome *,
                               struct error *);
bool tally_has(const struct tally *, uint64_t job);
/* Groups by scenario and first run, seeds and entries rising. */
void tally_sort(struct tally *);

uint64_t tally_failed(const struct tally *);

/* What was asked for and never took effect, by number from 0: false behind the last. */
bool tally_unfelt(const struct tally *, size_t subject, size_t index, struct buffer *what);
/* Whether a scenario ran, and in none of its runs anything committed. */
bool tally_is_barren(const struct tally *, size_t subject);
/* Whether some scenario of the sweep could take this rare path; and how often it was taken. */
bool tally_has_path(const struct tally *, enum rare_path);
uint64_t tally_path(const struct tally *, enum rare_path);

/* Invalid if a run failed; unknown if nothing was shown; else valid. */
enum verdict tally_verdict(const struct tally *);

#endif
