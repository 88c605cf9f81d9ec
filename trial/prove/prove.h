/*
 * prove: runs the scenarios of all bugs and all clean scenarios, and has all checkers judge them.
 *
 *     TRY(prove_open(&prove, &options, err));
 *     TRY(prove_run(&prove, err));
 *     ... prove.matrix, prove.mutations ...
 *     prove_close(&prove);
 *
 * A bug that a checker must find and has not found gets up to ten times as many seeds.
 */
#ifndef TRIAL_PROVE_PROVE_H
#define TRIAL_PROVE_PROVE_H

#include <stdatomic.h>

#include "base/array.h"
#include "base/error.h"
#include "history/history.h"
#include "history/progress.h"
#include "trial/prove/matrix.h"
#include "trial/prove/mutations.h"
#include "trial/sweep/plan.h"
#include "trial/sweep/sweep_work.h"
#include "trial/sweep/workers.h"

struct prove_options {
    const char *bug;     /* this one alone; NULL: all of them */
    uint64_t seeds;      /* of each bug, at first */
    uint64_t clean_runs; /* at least, of all clean scenarios together */
    bool mutates;        /* also changes recorded small histories */
    unsigned worker_count;
    const atomic_bool *stop; /* true: no more runs, and those at work are given up; may be NULL */
    const struct progress *progress;
};

/* Runs and mutants that the machine failed. */
struct prove_not_judged {
    uint64_t count;
    char first[SCENARIO_PATH_SIZE + 600]; /* which, and why */
};

/* The subjects of the plan are the rows of the matrix, and behind them the clean scenarios. */
struct prove {
    struct prove_options options;
    struct plan plan;
    struct matrix matrix;
    struct mutations mutations;
    struct workers workers;
    struct sweep_work work;
    ARRAY(uint64_t) jobs; /* by the number that the workers have for them */
    size_t handed;        /* jobs that the workers have */
    uint64_t done;
    struct prove_not_judged not_judged;
    uint64_t clean_seeds;
};

/* Reads the scenarios. Closed by prove_close(), whatever the status. */
MUST_USE enum status prove_open(struct prove *, const struct prove_options *, struct error *);
MUST_USE enum status prove_run(struct prove *, struct error *);
void prove_close(struct prove *);

/* The first mutant that came to this end with the checker, if there is one; then it must be closed. */
MUST_USE enum status prove_mutant_history(const struct prove *, unsigned checker, enum mutant_end,
                                          struct history *, bool *is_made, struct error *);

#endif
