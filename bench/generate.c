#include "bench/bench.h"

#include <stdio.h>

#include "programs/generator/generate.h"

#define TXN_COUNT 500000

static enum status measure(const struct workload *workload, struct error *err)
{
    struct generate_options options = generate_defaults(workload);
    double seconds[BENCH_ROUNDS];

    options.transactions = TXN_COUNT;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        struct planted planted;
        struct history history;
        TRY(generate(&options, &history, &planted, err));
        seconds[round] = bench_seconds() - from;
        history_close(&history);
    }
    bench_print_rate(workload->name, TXN_COUNT, "transactions", seconds);
    return STATUS_OK;
}

void bench_generate(void)
{
    static const char *const names[] = { "rw-mix", "predicate-mix", "cobra-heavy", "list-append" };
    struct error err = { 0 };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (measure(workload_find(text_of(names[i])), &err) != STATUS_OK)
            printf("  not measured: %s\n", err.text);
}
