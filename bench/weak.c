/*
 * The weak levels, beside what the published checkers took on histories of this shape: ten
 * operations a transaction, half of them reads, fifty sessions, a tenth as many keys as
 * transactions.
 *
 * "As made": transactions are numbered as they committed, and a causal store's replicas lag;
 * "shuffled": numbers and the order in the file say nothing beyond the sessions' own order, so that
 * a checker must find an order by itself.
 */
#include "bench/bench.h"
#include "bench/table.h"
#include "tests/programs/generator/anonymize.h"

static const char peers[] = "Plume at 100k, AWDIT at 1M, on a machine like this one";

static const struct anonymize_options shuffled = { .sessions = true, .seed = 1 };

#define ROW(what, txns, at, ...)                                                                   \
    { .work = what, .checker = "weak", .workload = "cobra-rw", .transactions = txns,               \
      .keys = txns / 10, .sessions = 50, .operations = 10, .level = LEVEL_##at, __VA_ARGS__ }
#define ROWS(name, txns, at, ...)                                                                  \
    ROW(name ", " #txns ", as made", txns, at, .is_large = true, __VA_ARGS__),                     \
        ROW(name ", " #txns ", shuffled", txns, at, .is_large = true, .disguise = &shuffled,       \
            __VA_ARGS__)

static const struct bench_row rows[] = {
    ROWS("read committed", 100000, READ_COMMITTED, .paper_seconds = 29),
    ROWS("read atomic", 100000, READ_ATOMIC, .paper_seconds = 0),
    ROWS("causal", 100000, CAUSAL, .paper_seconds = 33),
};

static const struct bench_row large_rows[] = {
    ROWS("read committed", 1000000, READ_COMMITTED, .paper_seconds = 6.1),
    ROWS("read atomic", 1000000, READ_ATOMIC, .paper_seconds = 10.7),
    ROWS("causal", 1000000, CAUSAL, .paper_seconds = 41),
    ROWS("read committed", 10000000, READ_COMMITTED, .paper_seconds = 0),
    ROWS("read atomic", 10000000, READ_ATOMIC, .paper_seconds = 0),
    ROWS("causal", 10000000, CAUSAL, .paper_seconds = 0),
};

void bench_weak(void)
{
    bench_table(peers, rows, sizeof rows / sizeof *rows);
}

void bench_weak_large(void)
{
    bench_table(peers, large_rows, sizeof large_rows / sizeof *large_rows);
}
