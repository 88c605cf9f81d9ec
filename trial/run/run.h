/*
 * run: runs a scenario and has the jury judge it. The result is a struct trial.
 *
 *     trial_run(&trial, &scenario, NULL, &err);
 *     ... trial_verdict(&trial), trial.simulation->findings, trial.jury.jurors ...
 *     trial_close(&trial);
 *
 * Nothing is printed. The result is a function of the scenario, which has the seed, and of nothing
 * that ran before in the same process.
 */
#ifndef TRIAL_RUN_RUN_H
#define TRIAL_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "checkers/interval/profile.h"
#include "history/history.h"
#include "history/progress.h"
#include "trial/run/call_audit.h"
#include "trial/run/jury.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"

enum trial_flag {
    TRIAL_HISTORY = 1, /* makes the history even if nobody is to judge it */
    TRIAL_WITNESS = 2, /* has the checkers put their witnesses together */
};

struct trial {
    const struct scenario *scenario; /* the caller's */
    struct simulation *simulation;   /* on the heap: nemeses are called back by address */
    struct profile profile;          /* the store's, where this run does not get all it promises */
    struct run_options options;
    struct history history;
    const struct profile *offered; /* the store's, as the jury got it; NULL: none */
    struct jury jury;
    bool is_judged; /* there is a history */
    struct call_audit audit;
    bool is_audited;
};

/* Both in one. Closed by trial_close(), whatever the status. The options may be NULL. */
MUST_USE enum status trial_run(struct trial *, const struct scenario *, const struct run_options *,
                               struct error *);

/* The run alone; closed likewise. */
MUST_USE enum status trial_simulate(struct trial *, const struct scenario *,
                                    const struct run_options *, struct error *);
/* And then the audit and the jury, unless there is no store or nobody is to judge. */
MUST_USE enum status trial_judge(struct trial *, struct error *);
void trial_close(struct trial *);

/* What a run of the scenario is judged by: the level that it asks for, or what is promised. */
enum level trial_level(const struct scenario *, enum level promised);
enum verdict trial_verdict(const struct trial *);

/*
 * Prints the command line that repeats a run, quoted for a shell, without the end of the line:
 * "ordeal run 'my file.toml' --seed 7 --set cluster.nodes=3".
 */
void run_echo(const char *path, uint64_t seed, const char *const *sets, size_t set_count,
              struct buffer *);
/* A word, in quotation marks if it needs them. */
void run_echo_word(const char *word, struct buffer *);

/*
 * Finds the first event in which two runs differ, for --twice.
 *
 * Checkpoints of the two traces give a window of events. Both runs are then repeated to look into that
 * window.
 */

struct difference {
    bool found;
    uint64_t event;              /* the number of the event, from 0 */
    struct buffer first, second; /* it, as a person reads it, in the one and the other run */
};

/* `first` has run already; the second run is of `again`, the same scenario unless in tests. */
MUST_USE enum status run_find_difference(struct difference *, const struct simulation *first,
                                         const struct scenario *, const struct scenario *again,
                                         const struct progress *, struct error *);
void run_close_difference(struct difference *);

#endif
