#include "bench/bench.h"

#include <stdio.h>

#include "checkers/checker.h"
#include "programs/generate.h"

/* Check time alone: the histories are in memory. */
static const struct {
    const char *checker, *workload;
    int64_t txns;
    enum level level;
} rows[] = {
    { "order", "rw-mix", 100000, LEVEL_SERIALIZABLE },
    { "order", "rw-mix", 1000000, LEVEL_SERIALIZABLE },
    { "order", "predicate-mix", 2500, LEVEL_SERIALIZABLE },
    { "order", "predicate-mix", 20000, LEVEL_SERIALIZABLE },
    { "certificate", "rw-mix", 100000, LEVEL_SERIALIZABLE },
    { "certificate", "rw-mix", 100000, LEVEL_SNAPSHOT },
    { "certificate", "predicate-mix", 2500, LEVEL_SERIALIZABLE },
};

static enum status check_once(const struct checker *checker, const struct history *history,
                              enum level level, struct error *err)
{
    struct check_options options = { .level = level };
    struct check check;
    enum status status = checker_run(checker, history, &options, &check, err);

    if (status == STATUS_OK && check.verdict != VERDICT_VALID)
        printf("  the next one was not found valid\n");
    check_close(&check);
    return status;
}

static enum status measure(size_t row, struct error *err)
{
    const struct checker *checker = checker_find(text_of(rows[row].checker));
    struct generate_options options =
        generate_defaults(workload_find(text_of(rows[row].workload)));
    double seconds[BENCH_ROUNDS];
    struct planted planted;
    struct history history;
    enum status status = STATUS_OK;
    char what[100];

    options.transactions = rows[row].txns;
    TRY(generate(&options, &history, &planted, err));
    for (int round = 0; status == STATUS_OK && round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        status = check_once(checker, &history, rows[row].level, err);
        seconds[round] = bench_seconds() - from;
    }
    snprintf(what, sizeof what, "%s, %s, %lld, %s", rows[row].checker, rows[row].workload,
             (long long)rows[row].txns, level_name(rows[row].level));
    if (status == STATUS_OK)
        bench_print_rate(what, (double)rows[row].txns, "transactions", seconds);
    history_close(&history);
    return status;
}

void bench_checkers(void)
{
    struct error err = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (measure(i, &err) != STATUS_OK)
            printf("  not measured: %s\n", err.text);
}
