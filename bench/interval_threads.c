/*
 * The checker on histories in memory, by one thread and by several: of these some make transactions
 * ready, and sieve out by keys what times alone settle (checkers/interval/sieve.h). By wall time, as
 * that is what threads are for; so on a busy machine several may be slower than one.
 */
#include <stdio.h>

#include "bench/bench.h"
#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "tests/checkers/truth.h"

struct threads_row {
    const char *name, *profile;
    enum truth_workload workload;
    uint32_t sessions, keys;
};

static const struct threads_row rows[] = {
    { "blindw-rw", "postgresql/serializable", TRUTH_BLINDW_RW, 16, 1000 },
    { "blindw-rw, 100,000 keys", "postgresql/serializable", TRUTH_BLINDW_RW, 16, 100000 },
    { "blindw-rw, 64 sessions", "postgresql/serializable", TRUTH_BLINDW_RW, 64, 1000 },
    { "blindw-rw, snapshot", "postgresql/snapshot", TRUTH_BLINDW_RW, 16, 1000 },
    { "reads to write, deletes", "postgresql/serializable", TRUTH_MIXED, 16, 1000 },
    { "blindw-rw, locks of reads", "innodb/serializable", TRUTH_BLINDW_RW, 16, 1000 },
};

#define TRANSACTIONS 200000

/* The least of some rounds; below 0: it failed. */
static double check_seconds(const struct history *h, const struct profile *profile,
                            unsigned threads)
{
    struct check_options options = { .level = profile->level,
                                     .profile = profile,
                                     .threads = threads };
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
    const struct threads_row *row = context;
    const struct profile *profile = profile_find(text_of(row->profile));
    struct truth_options options = truth_options(profile);
    struct error err = { 0 };
    struct history history;
    double one, two;

    options.workload = row->workload;
    options.sessions = row->sessions;
    options.keys = row->keys;
    options.transactions = TRANSACTIONS;
    if (truth_history(&options, &history, &err) != STATUS_OK) {
        printf("  %-32s not measured: %s\n", row->name, err.text);
        return;
    }
    one = check_seconds(&history, profile, 1);
    two = check_seconds(&history, profile, 2);
    printf("  %-32s %9zu %9.1f %9.1f %9.2f\n", row->name, (size_t)history.op_count, one * 1e3,
           two * 1e3, one / two);
    history_close(&history);
}

void bench_interval_threads(void)
{
    printf(" one thread and two, in wall time\n  %-32s %9s %9s %9s %9s\n", "", "ops", "one ms",
           "two ms", "ratio");
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        bench_in_child(measure, &rows[i]);
}
