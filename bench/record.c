/*
 * What recording costs: the same load on a real database bare, with logs, and with the database's own
 * order, one after the other, five times. The ratio of each round is of its own bare load.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "record/record.h"

#define FOR_NS INT64_C(1500000000)

enum recording { BARE, LOGGED, CERTIFIED, RECORDING_COUNT };

/* Commits in a second; 0: there is no such server. */
static double measure(const char *database, const char *workload, enum recording how, uint64_t seed)
{
    struct builtin_options options = builtin_defaults(workload_find(text_of(workload)));
    struct record_plan plan = {
        .database = database_find(text_of(database)),
        .how = { .isolation = LEVEL_SERIALIZABLE, .clients = 16, .certifies = how == CERTIFIED },
        .workload = &options,
        .seed = seed,
        .for_ns = FOR_NS,
        .is_bare = how == BARE,
    };
    struct recorded_run run;
    struct error err;
    double rate = 0;

    if (record_plan_settle(&plan, &err) != STATUS_OK)
        return 0;
    if (record_run(&run, &plan, &err) == STATUS_OK)
        rate = (double)run.committed * 1e9 / (double)run.ran_ns;
    else
        printf("%s: %s\n", database, err.text);
    record_run_close(&run);
    return rate;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double rates[BENCH_ROUNDS])
{
    double sorted[BENCH_ROUNDS];

    for (int i = 0; i < BENCH_ROUNDS; i++)
        sorted[i] = rates[i];
    qsort(sorted, BENCH_ROUNDS, sizeof *sorted, compare);
    return sorted[BENCH_ROUNDS / 2];
}

static void compare_recordings(const char *database, const char *workload)
{
    double rates[RECORDING_COUNT][BENCH_ROUNDS], ratios[RECORDING_COUNT][BENCH_ROUNDS];

    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (int how = 0; how < RECORDING_COUNT; how++) {
            rates[how][round] = measure(database, workload, (enum recording)how, (uint64_t)round);
            if (rates[how][round] == 0)
                return;
            ratios[how][round] = rates[how][round] / rates[BARE][round];
        }
    printf("%-9s %-12s bare %.0f commits/s, logged %.0f (%.0f%% of it), with its own order %.0f "
           "(%.0f%%)\n",
           database, workload, median(rates[BARE]), median(rates[LOGGED]),
           100 * median(ratios[LOGGED]), median(rates[CERTIFIED]), 100 * median(ratios[CERTIFIED]));
}

void bench_record(void)
{
    compare_recordings("postgres", "list-append");
}
