#include "bench/bench.h"

#include "bench/table.h"

/*
 * The workloads and sizes of "Bringing Order to Practical Validation of Database
 * Isolation Levels", sections 8.2 and 8.3: items with 1000 keys, predicates with
 * 100, five operations a transaction. Its figures are of Enne, which has the
 * store's order as `order` does, and of Emme, which has its versions as
 * `certificate` does. The paper does not say which share of predicates its
 * figures for 2,500 transactions have: they stand beside the half.
 *
 * In the rows "by the graph" no order explains all edges at once, so that
 * `certificate` must look for cycles.
 */
#define ENNE .checker = "order", .level = LEVEL_SERIALIZABLE
#define EMME .checker = "certificate", .level = LEVEL_SERIALIZABLE
#define GRAPH EMME, .twist = BENCH_WITHOUT_A_PLACE
#define ITEMS(n) .workload = "rw-mix", .transactions = (n)
#define PREDICATES(percent, n)                                                                     \
    .workload = "predicate-mix", .predicates_percent = (percent), .transactions = (n)

static const char machine[] = "Enne and Emme on a 6-core Ryzen 1600";

static const struct bench_row rows[] = {
    { ENNE, .work = "items, 100k", ITEMS(100000), .paper_seconds = 1.7 },
    { ENNE, .work = "items, 1M", ITEMS(1000000) },
    { ENNE, .work = "10% predicates, 2,500", PREDICATES(10, 2500) },
    { ENNE, .work = "50% predicates, 2,500", PREDICATES(50, 2500), .paper_seconds = 0.6 },
    { ENNE, .work = "90% predicates, 2,500", PREDICATES(90, 2500) },
    { ENNE, .work = "50% predicates, 100k", PREDICATES(50, 100000) },
    { EMME, .work = "items, 100k, by the order", ITEMS(100000), .paper_seconds = 98.3 },
    { EMME, .work = "items, 1M, by the order", ITEMS(1000000) },
    { GRAPH, .work = "items, 100k, by the graph", ITEMS(100000), .paper_seconds = 98.3 },
    { GRAPH, .work = "items, 1M, by the graph", ITEMS(1000000) },
    { EMME, .work = "10% predicates, 2,500, by the order", PREDICATES(10, 2500) },
    { EMME, .work = "50% predicates, 2,500, by the order", PREDICATES(50, 2500),
      .paper_seconds = 76.2 },
    { EMME, .work = "90% predicates, 2,500, by the order", PREDICATES(90, 2500) },
    { EMME, .work = "50% predicates, 100k, by the order", PREDICATES(50, 100000) },
    { GRAPH, .work = "10% predicates, 2,500, by the graph", PREDICATES(10, 2500) },
    { GRAPH, .work = "50% predicates, 2,500, by the graph", PREDICATES(50, 2500),
      .paper_seconds = 76.2 },
    { GRAPH, .work = "90% predicates, 2,500, by the graph", PREDICATES(90, 2500) },
    { GRAPH, .work = "50% predicates, 100k, by the graph", PREDICATES(50, 100000) },
};

static const struct bench_row large_rows[] = {
    { ENNE, .work = "items, 100k", ITEMS(100000), .is_large = true },
    { ENNE, .work = "items, 1M", ITEMS(1000000), .is_large = true },
    { ENNE, .work = "items, 10M", ITEMS(10000000), .is_large = true },
    { EMME, .work = "items, 100k, by the order", ITEMS(100000), .is_large = true },
    { EMME, .work = "items, 1M, by the order", ITEMS(1000000), .is_large = true },
    { EMME, .work = "items, 10M, by the order", ITEMS(10000000), .is_large = true },
    { GRAPH, .work = "items, 100k, by the graph", ITEMS(100000), .is_large = true },
    { GRAPH, .work = "items, 1M, by the graph", ITEMS(1000000), .is_large = true },
    { GRAPH, .work = "items, 10M, by the graph", ITEMS(10000000), .is_large = true },
};

void bench_checkers(void)
{
    bench_table(machine, rows, sizeof rows / sizeof *rows);
}

void bench_checkers_large(void)
{
    bench_table(machine, large_rows, sizeof large_rows / sizeof *large_rows);
}
