/*
 * director_trial: runs the calls of a scenario on the directed store, and has the jury judge what was seen.
 *
 *     TRY(director_trial_run(&trial, &scenario, &options, err));
 *     ... director_trial_verdict(&trial), trial.counts, trial.jury, trial.serializable ...
 *     director_trial_close(&trial);
 *
 * Calls are those of the simulated run: the same for the same seed. Which session's next transaction is executed, and
 * which versions are read, is drawn from the seed, too, or said by a file (predict/director/choices.h). A transaction
 * that the level refuses is tried again when it is its session's turn, up to workload.attempts.
 *
 * The jury judges the history at the level: as it is, if the order of execution explains all reads; else as the reads
 * and writes of its statements, of rows that these did not return, too. Beside that it is asked whether what was seen
 * is serializable: that it is not is no violation.
 */
#ifndef TRIAL_RUN_DIRECTOR_TRIAL_H
#define TRIAL_RUN_DIRECTOR_TRIAL_H

#include "predict/director/choices.h"
#include "predict/director/directed.h"
#include "trial/run/jury.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"

struct director_trial_options {
    const char *director; /* the name of a mode, or a file of choices */
    const char *producer; /* of the history's first line */
    bool wants_witnesses;
    const atomic_bool *stop;         /* may be NULL; what is not judged by then is unknown */
    const char *unfinished, *memory; /* as in struct jury_options */
    const struct progress *progress;
};

struct director_trial {
    const struct scenario *scenario; /* the caller's */
    struct director_trial_options options;
    enum level level;
    bool by_file;
    enum director_mode mode; /* unless it is by a file */
    struct arena arena;
    struct program program;
    struct calls calls;
    struct listed_turns turns; /* of calls that are listed */
    struct directed *store;
    struct choices wanted, made; /* of the file; and what was chosen */
    struct script script;
    struct director_state state;
    struct choice_recorder recorder;

    struct directed_counts counts;
    uint64_t committed, aborted,
        refused;    /* refused: attempts, beside those that failed by themselves */
    int64_t ran_ns; /* how long executing them took; no part of the result */
    struct finding findings[INVARIANT_COUNT_MAX + 1];
    uint32_t finding_count;
    char unasked[200];  /* as in struct simulation */
    char too_long[300]; /* likewise */
    struct history history;
    struct history items; /* the same, without statements */
    bool has_history, has_items, is_judged;
    struct jury jury;
    struct check serializable; /* of a checker that was asked for that */
    bool has_serializable;
};

/* Closed by director_trial_close(), also after a failure. */
MUST_USE enum status director_trial_run(struct director_trial *, const struct scenario *,
                                        const struct director_trial_options *, struct error *);
void director_trial_close(struct director_trial *);

enum verdict director_trial_verdict(const struct director_trial *);
/* What was judged: the history, or its items. */
const struct history *director_trial_judged(const struct director_trial *);

/* The log of the calls. */
MUST_USE enum status director_trial_call_log(struct director_trial *, struct buffer *,
                                             struct error *);

#endif
