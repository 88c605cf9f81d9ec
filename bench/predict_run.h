/*
 * predict_run: a run of a program that was observed, what is predicted from it, and what comes of it when it is
 * executed. And runs in which chance chooses what is read.
 */
#ifndef BENCH_PREDICT_RUN_H
#define BENCH_PREDICT_RUN_H

#include "predict/prediction.h"
#include "predict/validate.h"
#include "trial/run/director_trial.h"

#define PREDICT_SMALL 12 /* transactions, of three sessions */
#define PREDICT_LARGE 24
#define PREDICT_SEEDS 10

/* Of which program, and how much of it. */
struct predict_work {
    const char *program; /* the name of a scenario of scenarios/predict */
    uint32_t transactions, sessions;
    uint64_t seed;
};

struct observed_run {
    struct scenario scenario;
    struct director_trial trial; /* with the director `latest` */
    struct buffer log_text;
    struct call_log log;
    struct predict_calls calls;
    struct arena arena;
    struct dataflow trace;
};

/* Closed by observed_run_close(), also after a failure. */
MUST_USE enum status observed_run_make(struct observed_run *, const struct predict_work *,
                                       struct error *);
void observed_run_close(struct observed_run *);

enum predict_engine { PREDICT_NATIVE, PREDICT_Z3 };

struct predict_task {
    enum level level;
    enum predict_strategy strategy;
    enum predict_engine engine;
    uint32_t window;
    double seconds_max; /* of wall time; 0: no limit */
    bool validates;
};

/* Of processors, of this process and of Z3's. */
struct predicted {
    enum prediction_kind kind; /* what the engine found, and the checkers confirmed */
    bool is_validated;         /* it was executed */
    enum validation_kind validation;
    char reason[400]; /* why it is unknown, or was not reproduced */
    uint64_t literals;
    double generate_seconds,
        solve_seconds; /* the engine's own share; executions of `semantic` count as generating */
};

MUST_USE enum status predict_from(const struct observed_run *, const struct predict_task *,
                                  struct predicted *, struct error *);

/* A run with the director `random`. Closed by director_trial_close() and scenario_close(), also after a failure. */
MUST_USE enum status directed_by_chance(struct scenario *, struct director_trial *,
                                        const struct predict_work *, enum level, struct error *);

#endif
