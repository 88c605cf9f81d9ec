/*
 * The last column of table 7 of the IsoPredict paper: how often the programs fail on a real database at READ
 * COMMITTED. There it is MySQL; here it is PostgreSQL, because the programs are in PL/pgSQL.
 */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/predict_paper.h"
#include "bench/predict_run.h"
#include "record/record.h"

#define RUNS 10 /* of each program; each has a server of its own */
#define CLIENTS 3

struct recorded_count {
    unsigned runs, failed;
    double committed;
};

static enum status record(const struct scenario *scenario, uint32_t transactions, uint64_t seed,
                          struct arena *arena, struct recorded_count *c, struct error *err)
{
    struct record_plan plan = {
        .database = database_find(TEXT("postgres")),
        .how = { .isolation = LEVEL_READ_COMMITTED, .clients = CLIENTS },
        .program = { .path = scenario->workload.program, .load = scenario->workload.load },
        .seed = seed,
        .transactions = transactions,
        .judges_invariant = true,
    };
    struct recorded_run run;
    enum status status;

    TRY(simulation_make_calls(scenario, arena, &plan.program.calls, &plan.program.call_count, err));
    TRY(record_plan_settle(&plan, err));
    status = record_run(&run, &plan, err);
    if (status == STATUS_OK) {
        c->runs++;
        c->failed += run.finding_count > 0;
        c->committed += (double)run.committed;
    }
    record_run_close(&run);
    return status;
}

static enum status record_program(const char *program, uint32_t transactions,
                                  struct recorded_count *c, struct error *err)
{
    struct scenario scenario;
    struct arena arena;
    enum status status;
    char path[200];

    snprintf(path, sizeof path, "scenarios/predict/%s.toml", program);
    TRY(arena_init(&arena, ARENA_UNLIMITED, err));
    status = scenario_load(&scenario, path, NULL, 0, err);
    for (uint64_t seed = 1; status == STATUS_OK && seed <= RUNS; seed++)
        status = record(&scenario, transactions, seed, &arena, c, err);
    scenario_close(&scenario);
    arena_close(&arena);
    return status;
}

void bench_predict_record(void)
{
    static const char *const programs[] = { "smallbank", "voter", "tpcc", "wikipedia" };
    static const uint32_t sizes[] = { PREDICT_SMALL, PREDICT_LARGE };

    printf("| program | transactions | runs | committed | failed | the paper: MySQL "
           "|\n|---|---|---|---|---|---|\n");
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
            struct recorded_count c = { 0 };
            struct error err;

            if (record_program(programs[i], sizes[size], &c, &err) != STATUS_OK) {
                printf("not measured: %s\n", err.text);
                return;
            }
            printf("| %-9s | %2u | %2u | %4.1f | %3u%% | %d%% |\n", programs[i], sizes[size],
                   c.runs, c.committed / c.runs, 100 * c.failed / c.runs,
                   paper_chance(programs[i], size == 1, LEVEL_READ_COMMITTED)->mysql_failed);
            fflush(stdout);
        }
}
