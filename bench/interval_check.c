/* The checker on histories in memory, from beginning to end: by wall time, the least of some rounds. */
#include <stdio.h>

#include "bench/bench.h"
#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "tests/checkers/interval/truth.h"

struct check_row {
    const char *name, *profile;
    enum truth_workload workload;
    uint32_t sessions, keys;
};

static const struct check_row rows[] = {
    { "blindw-rw", "postgresql/serializable", TRUTH_BLINDW_RW, 16, 1000 },
    { "blindw-rw, 100,000 keys", "postgresql/serializable", TRUTH_BLINDW_RW, 16, 100000 },
    { "blindw-rw, 64 sessions", "postgresql/serializable", TRUTH_BLINDW_RW, 64, 1000 },
    { "blindw-rw, snapshot", "postgresql/snapshot", TRUTH_BLINDW_RW, 16, 1000 },
    { "reads to write, deletes", "postgresql/serializable", TRUTH_MIXED, 16, 1000 },
    { "blindw-rw, locks of reads", "innodb/serializable", TRUTH_BLINDW_RW, 16, 1000 },
};

#define TRANSACTIONS 200000

/* The least of some rounds; below 0: it failed. */
static double check_seconds(const struct history *h, const struct profile *profile)
{
    struct check_options options = { .level = profile->level, .profile = profile };
    double least = -1;

    for (int i = 0; i < BENCH_ROUNDS; i++) {
        struct error err = { 0 };
        struct check check;
        double from = bench_seconds(), took;
        bool is_valid = checker_run(checker_find(TEXT("interval")), h, &options, &check, &err) ==
                            STATUS_OK &&
                        check.verdict == VERDICT_VALID;

        took = bench_seconds() - from;
        check_close(&check);
        if (!is_valid)
            return -1;
        if (least < 0 || took < least)
            least = took;
    }
    return least;
}

static void measure(const void *context)
{
    const struct check_row *row = context;
    const struct profile *profile = profile_find(text_of(row->profile));
    struct truth_options options = truth_options(profile);
    struct error err = { 0 };
    struct history history;
    double seconds;

    options.workload = row->workload;
    options.sessions = row->sessions;
    options.keys = row->keys;
    options.transactions = TRANSACTIONS;
    if (truth_history(&options, &history, &err) != STATUS_OK) {
        printf("  %-32s not measured: %s\n", row->name, err.text);
        return;
    }
    seconds = check_seconds(&history, profile);
    printf("  %-32s %9zu %9.1f %9.1f\n", row->name, (size_t)history.op_count, seconds * 1e3,
           seconds * 1e9 / (double)history.op_count);
    history_close(&history);
}

void bench_interval_check(void)
{
    printf("  %-32s %9s %9s %9s\n", "", "ops", "ms", "ns/op");
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        bench_in_child(measure, &rows[i]);
}
