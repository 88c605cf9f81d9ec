/*
 * record_trial: records a real database and has the jury judge what its clients saw.
 *
 *     trial.plan = ...;  or  TRY(record_trial_of_scenario(&trial, &scenario, err));
 *     TRY(record_trial_settle(&trial, err));
 *     TRY(record_trial_run(&trial, &options, err));
 *     ... record_trial_verdict(&trial), trial.recording, trial.jury ...
 *     record_trial_close(&trial);
 *
 * Unlike a simulated run, it cannot be repeated.
 */
#ifndef TRIAL_RUN_RECORD_TRIAL_H
#define TRIAL_RUN_RECORD_TRIAL_H

#include "checkers/interval/online/watcher.h"
#include "record/record.h"
#include "trial/run/jury.h"
#include "trial/scenario/profile_file.h"
#include "trial/scenario/scenario.h"

/* Texts are the caller's; it must not move once it is settled. */
struct record_trial {
    struct record_plan plan;
    struct builtin_options workload;
    enum level level;             /* that is checked */
    struct check_wishes wishes;   /* who is asked; all zero: all that can judge */
    struct given_profile profile; /* of the database at the level that clients ask for */
    bool has_profile;
    const char *settings[DATABASE_SETTINGS_MAX]; /* of a scenario's plan */
    struct program_call calls[CALLS_MAX];        /* likewise, or of --call */
    struct text arguments[CALLS_MAX][CALL_ARGUMENTS_MAX];
    uint32_t nemesis_count; /* of the scenario */
    enum database_fault nemesis_faults[NEMESIS_COUNT_MAX];

    bool watches; /* interval judges while it runs, and ends the load at its first finding */

    struct recorded_run recording;
    struct jury jury;
    struct watcher watcher;
    bool is_watching;
    int64_t began_ns; /* of the wall clock */
    int64_t found_ns; /* when the watcher found something, from the beginning; 0: it did not */
};

struct record_trial_options {
    bool wants_witnesses;
    int64_t limit_ns;                /* of all; 0: none */
    const char *unfinished, *memory; /* as in struct jury_options */
    const atomic_bool *stop;         /* ends the load; what was recorded is judged */
    const atomic_bool *time_is_over; /* then it is not; or NULL */
    const struct progress *progress;
    void (*tell)(void *context, const struct jury *so_far); /* as in struct jury_options */
    void *context;
};

/* The scenario must outlive it. */
MUST_USE enum status record_trial_of_scenario(struct record_trial *, const struct scenario *,
                                              struct error *);
/* Puts in what was left open, and refuses what the database cannot be asked for. */
MUST_USE enum status record_trial_settle(struct record_trial *, struct error *);
MUST_USE enum status record_trial_run(struct record_trial *, const struct record_trial_options *,
                                      struct error *);
/*
 * A recording that is valid and was to have faults, and whose database has felt none of them, becomes
 * unknown: it is no trial of what was asked for. Of many, such as those of a sweep, each may be so.
 */
void record_trial_doubt_unfelt(struct record_trial *);
void record_trial_close(struct record_trial *);

/* Faults of this kind were asked for, and the database has felt none. */
bool record_trial_is_unfelt(const struct record_trial *, enum database_fault);
/* How often the scenario's nemesis took effect. */
uint64_t record_trial_felt(const struct record_trial *, uint32_t nemesis);
/* The recording found something itself, or who watched it did. */
bool record_trial_has_found(const struct record_trial *);
/* The jury's verdict, unless that is so. */
enum verdict record_trial_verdict(const struct record_trial *);

#endif
