/*
 * The cells of the paper's figure 13: 10,000 transactions of eight operations by twenty clients,
 * three mixes, with and without sessions and version order; at three numbers of keys, as the
 * paper does not say how many it had; then what it has not: snapshot isolation, ten
 * times the size, and growth.
 *
 * Every history is disguised, so that no number tells the order in which it was made.
 */
#include <stdio.h>

#include "bench/bench.h"
#include "bench/table.h"
#include "tests/programs/generator/anonymize.h"

#define PAPER "King Cobra on a p3.2xlarge with a V100"

static const struct anonymize_options bare = { .seed = 1 };
static const struct anonymize_options with_sessions = { .sessions = true, .seed = 1 };
static const struct anonymize_options with_orders = { .version_orders = true, .seed = 1 };
static const struct anonymize_options with_both = { .sessions = true, .version_orders = true,
                                                   .seed = 1 };

#define ROW(what, mix, txns, key_count, at, kept, ...)                                             \
    { .work = mix ", " #key_count " keys, " what, .checker = "blackbox",                           \
      .workload = "cobra-" mix, .transactions = txns, .keys = key_count, .level = LEVEL_##at,      \
      .disguise = &kept, __VA_ARGS__ }

#define SESSIONS(mix, keys, ...)                                                                   \
    ROW("sessions", mix, 10000, keys, SESSION_SERIALIZABLE, with_sessions, __VA_ARGS__)
#define ORDERS(mix, keys, ...)                                                                     \
    ROW("90% of the order", mix, 10000, keys, SERIALIZABLE, with_orders,                           \
        .version_order = { 9, 10 }, __VA_ARGS__)
#define BOTH(mix, keys, ...)                                                                       \
    ROW("both", mix, 10000, keys, SESSION_SERIALIZABLE, with_both, .version_order = { 9, 10 },     \
        __VA_ARGS__)
#define NEITHER(mix, keys, ...)                                                                    \
    ROW("neither", mix, 10000, keys, SERIALIZABLE, bare, .threads = 2, __VA_ARGS__)

/* Searching is for two threads; what needs none is for one. */
static const struct bench_row figure_13[] = {
    SESSIONS("rmw", 10000, .threads = 1),
    SESSIONS("rw", 10000, .threads = 1),
    SESSIONS("heavy", 10000, .threads = 1),
    SESSIONS("rmw", 1000, .threads = 1),
    SESSIONS("rw", 1000, .threads = 1),
    SESSIONS("heavy", 1000, .threads = 1),
    SESSIONS("rmw", 100, .threads = 1),
    SESSIONS("rw", 100, .threads = 1),
    SESSIONS("heavy", 100, .threads = 1),
    ORDERS("rmw", 10000, .threads = 1),
    ORDERS("rw", 10000, .paper_seconds = 15),
    ORDERS("heavy", 10000, .paper_seconds = 34),
    ORDERS("rmw", 1000, .threads = 1),
    ORDERS("rw", 1000, .threads = 1),
    ORDERS("heavy", 1000, .threads = 1),
    ORDERS("rmw", 100, .threads = 1),
    ORDERS("rw", 100, .threads = 1),
    ORDERS("heavy", 100, .threads = 1),
    BOTH("rmw", 10000, .threads = 1),
    BOTH("rw", 10000, .threads = 1),
    BOTH("heavy", 10000, .threads = 1),
    BOTH("heavy", 1000, .threads = 1),
    BOTH("heavy", 100, .threads = 1),
    NEITHER("rmw", 10000, .paper_seconds = 0),
    NEITHER("rw", 10000, .paper_seconds = 300, .paper_gave_up = true),
    NEITHER("heavy", 10000, .paper_seconds = 300, .paper_gave_up = true),
    NEITHER("rmw", 1000, .paper_seconds = 0),
    NEITHER("rw", 1000, .paper_seconds = 0),
    NEITHER("heavy", 1000, .paper_seconds = 0),
    NEITHER("rmw", 100, .paper_seconds = 0),
    NEITHER("rw", 100, .paper_seconds = 0),
    NEITHER("heavy", 100, .paper_seconds = 0),
};

#define SNAPSHOT(mix, keys)                                                                        \
    ROW("snapshot, sessions", mix, 10000, keys, SESSION_SNAPSHOT, with_sessions, .threads = 1),    \
        ROW("snapshot, neither", mix, 10000, keys, SNAPSHOT, bare, .threads = 2)

static const struct bench_row snapshot[] = {
    SNAPSHOT("rmw", 10000), SNAPSHOT("rmw", 1000),   SNAPSHOT("rmw", 100),
    SNAPSHOT("rw", 10000),  SNAPSHOT("rw", 1000),    SNAPSHOT("rw", 100),
    SNAPSHOT("heavy", 10000), SNAPSHOT("heavy", 1000), SNAPSHOT("heavy", 100),
};

#define GROWTH(txns, keys)                                                                         \
    ROW("sessions, " #txns, "heavy", txns, keys, SESSION_SERIALIZABLE, with_sessions, .threads = 1)
#define GROWTH_OF_NEITHER(txns, keys)                                                              \
    ROW("neither, " #txns, "heavy", txns, keys, SERIALIZABLE, bare, .threads = 2)

/* As they are made, without ts and times: statements cannot be disguised. */
#define STATEMENTS(percent, txns)                                                                  \
    { .work = #percent "% predicates, " #txns, .checker = "blackbox", .workload = "predicate-mix", \
      .predicates_percent = percent, .transactions = txns, .level = LEVEL_SERIALIZABLE,            \
      .version_order = { 0, 1 }, .threads = 1 }

static const struct bench_row statements[] = {
    STATEMENTS(10, 2500), STATEMENTS(50, 2500), STATEMENTS(90, 2500), STATEMENTS(50, 10000),
};

/* As many keys as transactions. */
static const struct bench_row growth[] = {
    GROWTH(1000, 1000),
    GROWTH(10000, 10000),
    GROWTH(100000, 100000),
    GROWTH(1000000, 1000000),
    GROWTH(100000, 10000),
    ROW("sessions, 100000", "rw", 100000, 100000, SESSION_SERIALIZABLE, with_sessions,
        .threads = 1),
    GROWTH_OF_NEITHER(1000, 1000),
    GROWTH_OF_NEITHER(10000, 10000),
    GROWTH_OF_NEITHER(100000, 100000),
};

#define PRINT_TABLE(rows) bench_table(PAPER, rows, sizeof rows / sizeof *rows)

void bench_blackbox(void)
{
    PRINT_TABLE(figure_13);
    PRINT_TABLE(snapshot);
}

void bench_blackbox_predicates(void)
{
    PRINT_TABLE(statements);
}

void bench_blackbox_growth(void)
{
    PRINT_TABLE(growth);
}
