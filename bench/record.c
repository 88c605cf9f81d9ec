/*
 * What recording costs: the same load on a real database bare, with logs, and with the database's own
 * order, one after the other, five times. The ratio of each round is of its own bare load.
 *
 * And what it costs to judge recorded histories, as figures 9 and 10 of "Bringing Order to Practical
 * Validation of Database Isolation Levels" have it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "checkers/checker.h"
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
    compare_recordings("postgres", "bank");
}

/* --- Figures 9 and 10 ------------------------------------------------------------------------- */

/* Milliseconds of the processor in the best of the rounds; less than 0: it cannot be judged. */
static double judge(const struct history *history, const char *checker)
{
    struct check_options options = { .level = LEVEL_SERIALIZABLE };
    double best = -1;

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_cpu_seconds(), took;
        struct check check;
        struct error err;

        if (checker_run(checker_find(text_of(checker)), history, &options, &check, &err) !=
            STATUS_OK)
            printf("%s: %s\n", checker, err.text);
        else if (check.verdict != VERDICT_VALID)
            printf("%s says %s\n", checker, checker_verdict_name(check.verdict));
        took = 1000 * (bench_cpu_seconds() - from);
        best = best < 0 || took < best ? took : best;
        check_close(&check);
    }
    return best;
}

static void set_parameter(struct builtin_options *options, const char *name, const char *value)
{
    struct error err;

    if (builtin_set(options, text_of(name), text_of(value), &err) != STATUS_OK)
        printf("%s\n", err.text);
}

/* Transactions of five operations on PostgreSQL at serializable, and what a checker takes for them. */
static void judge_recording(const struct builtin_options *workload, bool certifies,
                            const char *checker, uint64_t transactions)
{
    struct record_plan plan = {
        .database = database_find(TEXT("postgres")),
        .how = { .isolation = LEVEL_SERIALIZABLE, .clients = 16, .certifies = certifies },
        .workload = workload,
        .transactions = transactions,
    };
    struct recorded_run run;
    struct error err;

    if (record_plan_settle(&plan, &err) != STATUS_OK) {
        printf("%s\n", err.text);
        return;
    }
    if (record_run(&run, &plan, &err) == STATUS_OK)
        printf("%-12s %7" PRIu64 " committed  %-11s %9.2f ms    run %.2f s, order recovered in %.2f s\n",
               workload->workload->name, run.committed, checker, judge(&run.history, checker),
               (double)run.ran_ns * 1e-9, (double)run.recovered_ns * 1e-9);
    else
        printf("%s\n", err.text);
    record_run_close(&run);
}

static struct builtin_options five_operations(const char *workload, const char *keys)
{
    struct builtin_options options = builtin_defaults(workload_find(text_of(workload)));

    set_parameter(&options, "operations_min", "5");
    set_parameter(&options, "operations_max", "5");
    set_parameter(&options, "keys", keys);
    set_parameter(&options, "choice", "uniform");
    return options;
}

/* Elle needs lists, whose order it reads from the elements: so does infer. */
static void figure_9(void)
{
    static const uint64_t sizes[] = { 10000, 25000, 50000, 100000 };

    printf("figure 9: items, 1000 keys, five operations\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct builtin_options items = five_operations("rw-register", "1000");
        struct builtin_options lists = five_operations("list-append", "1000");

        judge_recording(&items, true, "certificate", sizes[i]);
        judge_recording(&lists, false, "infer", sizes[i]);
    }
}

static void figure_10(void)
{
    static const char *const shares[] = { "10", "50", "90" };

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct builtin_options rows = five_operations("predicate", "100");

        printf("figure 10: rows, 100 keys, five operations, %s%% of them by predicate\n", shares[i]);
        set_parameter(&rows, "range_percent", shares[i]);
        for (uint64_t size = 500; size <= 2500; size += 500)
            judge_recording(&rows, true, "certificate", size);
    }
}

void bench_record_figures(void)
{
    figure_9();
    figure_10();
}
