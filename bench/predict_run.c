#include "bench/predict_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/timeout.h"
#include "bench/bench.h"
#include "history/io/source.h"
#include "predict/confirm.h"
#include "predict/semantic.h"
#include "predict/z3/z3.h"

#define SET_BYTES 80

static enum status load(struct scenario *scenario, const struct predict_work *work,
                        const char *level, struct error *err)
{
    char path[200], transactions[SET_BYTES], sessions[SET_BYTES], check[SET_BYTES];
    const char *sets[] = { transactions, sessions, check };

    snprintf(path, sizeof path, "scenarios/predict/%s.toml", work->program);
    snprintf(transactions, sizeof transactions, "workload.transactions=%u", work->transactions);
    snprintf(sessions, sizeof sessions, "workload.sessions=%u", work->sessions);
    snprintf(check, sizeof check, "check.level=%s", level);
    TRY(scenario_load(scenario, path, sets, sizeof sets / sizeof *sets, err));
    return scenario_take_seed(scenario, work->seed, err);
}

/* --- Observing ------------------------------------------------------------------------------------------- */

static enum status read_calls(struct observed_run *run, struct error *err)
{
    struct source source;
    enum status status;

    TRY(director_trial_call_log(&run->trial, &run->log_text, err));
    TRY(source_open_memory(&source, "the log", run->log_text.at, run->log_text.count, err));
    status = call_log_read(&run->log, &source, err);
    source_close(&source);
    TRY(status);
    return predict_calls_init(&run->calls, &run->trial.program, &run->log, err);
}

enum status observed_run_make(struct observed_run *run, const struct predict_work *work,
                              struct error *err)
{
    static const struct director_trial_options options = { .director = "latest", .producer = "" };

    memset(run, 0, sizeof *run);
    TRY(arena_init(&run->arena, ARENA_UNLIMITED, err));
    TRY(load(&run->scenario, work, "serializable", err));
    TRY(director_trial_run(&run->trial, &run->scenario, &options, err));
    TRY(read_calls(run, err));
    return dataflow_of_history(&run->trace, &run->trial.history, &run->arena, err);
}

void observed_run_close(struct observed_run *run)
{
    predict_calls_close(&run->calls);
    call_log_close(&run->log);
    buffer_close(&run->log_text);
    director_trial_close(&run->trial);
    scenario_close(&run->scenario);
    arena_close(&run->arena);
}

/* --- Predicting ------------------------------------------------------------------------------------------- */

/* A prediction that goes on. */
struct attempt {
    const struct observed_run *run;
    const struct predict_task *task;
    struct predict_options options;
    struct arena arena;
    struct dataflow trace; /* the observed one, or that of semantic's execution */
    struct prediction prediction;
    struct semantic_result semantic;
    struct confirmation confirmation;
    struct validation validation;
};

static double cpu_seconds(void)
{
    struct rusage children;

    getrusage(RUSAGE_CHILDREN, &children);
    return bench_cpu_seconds() + (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e-6;
}

static enum status search(struct attempt *a, struct error *err)
{
    const struct observed_run *run = a->run;

    if (a->task->strategy == STRATEGY_SEMANTIC) {
        TRY(predict_semantic(&run->calls, &run->trace, &a->options, &a->arena, &a->semantic, err));
        a->prediction = a->semantic.prediction;
        if (a->prediction.kind == PREDICTION_FOUND)
            a->trace = a->semantic.executed;
        return STATUS_OK;
    }
    if (a->task->engine == PREDICT_Z3)
        return predict_z3(&run->trace, &a->options, &a->arena, &a->prediction, err);
    return predict_native(&run->trace, &a->options, &a->arena, &a->prediction, err);
}

/* The engines' clocks say how the time of the processors is divided. */
static enum status time_search(struct attempt *a, struct predicted *p, struct error *err)
{
    double from = bench_seconds(), cpu_from = cpu_seconds(), took, cpu;

    TRY(search(a, err));
    took = bench_seconds() - from;
    cpu = cpu_seconds() - cpu_from;
    p->solve_seconds = took > 0 ? cpu * (double)a->prediction.counts.solve_ns * 1e-9 / took : 0;
    p->generate_seconds = cpu - p->solve_seconds;
    p->literals = a->prediction.counts.literals;
    return STATUS_OK;
}

static enum status confirm(struct attempt *a, struct predicted *p, struct error *err)
{
    p->kind = a->prediction.kind;
    snprintf(p->reason, sizeof p->reason, "%s", a->prediction.reason);
    if (p->kind == PREDICTION_FOUND) {
        TRY(prediction_confirm(&a->prediction, &a->trace, &a->options, &a->arena, &a->confirmation,
                               err));
        if (!a->confirmation.is_confirmed) {
            p->kind = PREDICTION_UNKNOWN;
            snprintf(p->reason, sizeof p->reason, "not confirmed: %s", a->confirmation.reason);
        }
    }
    if (p->kind == PREDICTION_NONE && a->trace.unjudged > 0)
        p->kind = PREDICTION_UNKNOWN;
    return STATUS_OK;
}

static enum status execute(struct attempt *a, struct predicted *p, struct error *err)
{
    const struct validation *v = a->semantic.is_validated ? &a->semantic.validation : NULL;

    if (p->kind != PREDICTION_FOUND || !a->task->validates)
        return STATUS_OK;
    if (!v) {
        TRY(validate(&a->run->calls, &a->run->trace, &a->prediction, &a->options, &a->arena,
                     &a->validation, err));
        v = &a->validation;
    }
    p->is_validated = true;
    p->validation = v->kind;
    if (v->kind == VALIDATION_NOT_REPRODUCED)
        snprintf(p->reason, sizeof p->reason, "not reproduced: %s", v->reason);
    return STATUS_OK;
}

static enum status attempt(struct attempt *a, struct predicted *p, struct error *err)
{
    struct timeout timeout;
    enum status status;

    TRY(arena_init(&a->arena, ARENA_UNLIMITED, err));
    TRY(timeout_begin(&timeout, (int64_t)(a->task->seconds_max * 1e9), err));
    a->options.stop = timeout_stop(&timeout);
    status = time_search(a, p, err);
    if (timeout_is_over(&timeout) && a->prediction.kind == PREDICTION_UNKNOWN)
        snprintf(a->prediction.reason, sizeof a->prediction.reason, "no answer in %g s",
                 a->task->seconds_max);
    timeout_end(&timeout);
    a->options.stop = NULL;
    if (status == STATUS_OK)
        status = confirm(a, p, err);
    return status == STATUS_OK ? execute(a, p, err) : status;
}

enum status predict_from(const struct observed_run *run, const struct predict_task *task,
                         struct predicted *p, struct error *err)
{
    struct attempt a = {
        .run = run,
        .task = task,
        .options = { .level = task->level, .strategy = task->strategy, .window = task->window },
        .trace = run->trace,
    };
    enum status status;

    *p = (struct predicted){ .kind = PREDICTION_UNKNOWN };
    status = attempt(&a, p, err);
    confirmation_close(&a.confirmation);
    validation_close(&a.validation);
    semantic_close(&a.semantic);
    arena_close(&a.arena);
    return status;
}

/* --- Chance --------------------------------------------------------------------------------------------------- */

enum status directed_by_chance(struct scenario *scenario, struct director_trial *trial,
                               const struct predict_work *work, enum level level, struct error *err)
{
    static const struct director_trial_options options = { .director = "random", .producer = "" };

    memset(scenario, 0, sizeof *scenario);
    memset(trial, 0, sizeof *trial);
    TRY(load(scenario, work, level_name(level), err));
    return director_trial_run(trial, scenario, &options, err);
}
