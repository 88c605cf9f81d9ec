#include "bench/bench.h"

#include "bench/table.h"

/*
 * Orders inferred from values, beside Elle's: elle-cli 0.1.7 took these times for 100,000
 * transactions of list-append, with -c serializable, with -c strict-serializable, and where one
 * G2-item is in it, in user time on two cores that had other work, parsing included.
 */
#define LISTS(n) .checker = "infer", .workload = "list-append", .transactions = (n)
#define REGISTERS(n) .checker = "infer", .workload = "rw-mix", .transactions = (n)

static const struct bench_row rows[] = {
    { LISTS(100000), .work = "lists, 100k", .level = LEVEL_SERIALIZABLE, .paper_seconds = 3.3 },
    { LISTS(100000), .work = "lists, 100k, strict", .level = LEVEL_STRICT_SERIALIZABLE,
      .paper_seconds = 4.8 },
    { LISTS(100000), .work = "lists, 100k, a G2-item", .level = LEVEL_SERIALIZABLE,
      .plant = "G2-item", .paper_seconds = 7.4 },
    { LISTS(1000000), .work = "lists, 1M", .level = LEVEL_SERIALIZABLE },
    { REGISTERS(100000), .work = "registers, 100k", .level = LEVEL_SERIALIZABLE },
    { REGISTERS(100000), .work = "registers, 100k, session", .level = LEVEL_SESSION_SERIALIZABLE },
    { REGISTERS(100000), .work = "registers, 100k, strict", .level = LEVEL_STRICT_SERIALIZABLE },
};

static const struct bench_row large_rows[] = {
    { LISTS(100000), .work = "lists, 100k", .level = LEVEL_SERIALIZABLE, .is_large = true },
    { LISTS(1000000), .work = "lists, 1M", .level = LEVEL_SERIALIZABLE, .is_large = true },
    { LISTS(10000000), .work = "lists, 10M", .level = LEVEL_SERIALIZABLE, .is_large = true },
    { REGISTERS(1000000), .work = "registers, 1M", .level = LEVEL_SERIALIZABLE, .is_large = true },
    { REGISTERS(10000000), .work = "registers, 10M", .level = LEVEL_SERIALIZABLE,
      .is_large = true },
};

void bench_infer(void)
{
    bench_table("Elle, on two busy cores, parsing included", rows, sizeof rows / sizeof *rows);
}

void bench_infer_large(void)
{
    bench_table("none", large_rows, sizeof large_rows / sizeof *large_rows);
}
