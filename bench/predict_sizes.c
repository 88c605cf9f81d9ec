/*
 * Predictions from larger runs than IsoPredict was measured on: a hundred transactions, a thousand in windows, and
 * many sessions that only read. Beside each stands what it is to be done in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/predict_run.h"

#define PATIENCE_SECONDS 60

struct size_row {
    struct predict_work work;
    enum level level;
    enum predict_strategy strategy;
    double goal_seconds;
};

static enum status measure(const struct size_row *row, struct observed_run *run, struct error *err)
{
    struct predict_task task = { .level = row->level,
                                 .strategy = row->strategy,
                                 .seconds_max = PATIENCE_SECONDS,
                                 .validates = true };
    double from = bench_cpu_seconds(), observed;
    struct predicted p;

    TRY(observed_run_make(run, &row->work, err));
    observed = bench_cpu_seconds() - from;
    from = bench_cpu_seconds();
    TRY(predict_from(run, &task, &p, err));
    printf("| %-9s | %4u | %2u | %-14s | %-14s | %6u | %-9s | %s | %8.0f | %8.3f | %8.3f | %8.3f | "
           "%8.3f | %5.1f | %s |\n",
           row->work.program, row->work.transactions, row->work.sessions, level_name(row->level),
           predict_strategy_name(row->strategy), run->trace.event_count,
           p.kind == PREDICTION_FOUND  ? "predicted"
           : p.kind == PREDICTION_NONE ? "none"
                                       : "unknown",
           p.is_validated ? validation_name(p.validation) : "–", (double)p.literals, observed,
           p.generate_seconds, p.solve_seconds, bench_cpu_seconds() - from, row->goal_seconds,
           p.reason);
    return STATUS_OK;
}

static void print_size(const void *context)
{
    struct observed_run *run = calloc(1, sizeof *run);
    const struct size_row *row = context;
    struct error err;

    if (!run) {
        printf("no memory for a run\n");
        return;
    }
    if (measure(row, run, &err) != STATUS_OK)
        printf("| %s | %s\n", row->work.program, err.text);
    observed_run_close(run);
    free(run);
}

void bench_predict_sizes(void)
{
    static const struct size_row rows[] = {
        { { "smallbank", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 2 },
        { { "smallbank", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 2 },
        { { "smallbank", 100, 10, 1 }, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT, 2 },
        { { "wikipedia", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 2 },
        { { "wikipedia", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 2 },
        { { "wikipedia", 100, 10, 1 }, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT, 2 },
        { { "tpcc", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 2 },
        { { "tpcc", 100, 10, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 2 },
        { { "tpcc", 100, 10, 1 }, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT, 2 },
        { { "smallbank", 1000, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 10 },
        { { "smallbank", 1000, 10, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 10 },
        { { "wikipedia", 1000, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 10 },
        { { "wikipedia", 1000, 10, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 10 },
        { { "smallbank", 1000, 10, 1 }, LEVEL_SNAPSHOT, STRATEGY_APPROX_RELAXED, 10 },
        { { "voter", 1000, 10, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 10 },
        { { "voter", 50, 50, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 0.1 },
        { { "voter", 50, 50, 1 }, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 0.1 },
        { { "voter", 200, 50, 1 }, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 0.1 },
    };

    printf("| program | transactions | sessions | level | strategy | events | prediction | "
           "executed | literals "
           "| observe, s | generate | solve | with checks | goal | |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_in_child(print_size, &rows[i]);
}
