/*
 * sweep: runs a scenario, or a folder of them, with many seeds.
 *
 *     plan ──▶ jobs ──▶ workers ──▶ outcomes ──▶ journal, guide, tally
 *
 *     TRY(sweep_open(&sweep, &options, err));
 *     TRY(sweep_open_journal(&sweep, "out", false, err));      to go on after a kill
 *     TRY(sweep_run(&sweep, err));
 *     ... sweep.tally ...
 *
 * The result does not depend on the number of workers, on kills in between, or on the division into
 * shards. Only the time that it took does.
 */
#ifndef TRIAL_SWEEP_SWEEP_H
#define TRIAL_SWEEP_SWEEP_H

#include <stdatomic.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "history/progress.h"
#include "trial/sweep/guide_private.h"
#include "trial/sweep/journal_private.h"
#include "trial/sweep/plan.h"
#include "trial/sweep/sweep_work.h"
#include "trial/sweep/tally.h"
#include "trial/sweep/workers.h"

struct sweep_options {
    const char *path; /* of a scenario, or of a folder of them */
    const char *const *sets;
    size_t set_count;
    const char *seeds; /* "1..100" */
    const char *shard; /* "2/4"; NULL: all of it */
    bool until_failure, is_guided;
    bool no_sync; /* the journal survives a kill, not a power cut */
    int64_t budget_ns; /* 0: none */
    int64_t run_ns;    /* wall time of each run; 0: no limit */
    const char *late;  /* why a run that takes longer is not judged */
    unsigned worker_count; /* 0: one for each core; with a real database one */
    const atomic_bool *stop; /* true: no more runs, and those at work are given up; may be NULL */
    const struct progress *progress;
    /* Called with a line for each new kind of failure; may be NULL. */
    void (*say)(void *context, const struct buffer *line);
    void *context;
};

/* Closed by sweep_close(), whatever the status of what is called before. */
struct sweep {
    struct sweep_options options;
    struct plan plan;
    struct tally tally;
    struct guide guide; /* of a guided sweep */
    struct journal journal;
    struct buffer journal_path;
    const char *folder; /* of the journal; NULL: there is none */
    bool resumes;
    bool has_plan_line; /* the journal has its first line */
    uint64_t damaged;   /* lines of journals that were passed over */
    int64_t began_ns;   /* of our clock */
    int64_t before_ns;  /* that earlier sweeps have spent on the journal */
    int64_t wall_ns;    /* of all of it, when it is over */
    struct workers workers;
    struct sweep_work work;
    ARRAY(uint64_t) jobs; /* by the number that the workers have for them */
    uint64_t next_job;
    uint64_t done, to_do; /* this time */
    uint64_t tried_again; /* tries that the machine failed and that were made again; this time */
};

/* The plan, from scenarios. */
MUST_USE enum status sweep_open(struct sweep *, const struct sweep_options *, struct error *);
/* In a folder that is there. Goes on with a journal that is there, if it may. */
MUST_USE enum status sweep_open_journal(struct sweep *, const char *folder, bool resumes, struct error *);
MUST_USE enum status sweep_run(struct sweep *, struct error *);

/* Instead of all that: what the journals of these folders say, which are shards of one sweep. */
MUST_USE enum status sweep_merge(struct sweep *, const char *const *folders, size_t count, struct error *);

void sweep_close(struct sweep *);

#endif
