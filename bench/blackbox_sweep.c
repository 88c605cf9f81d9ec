/*
 * The paper's figure 14: what it takes by how much of the version order is given, without
 * sessions. One line for each share, in columns; tools/plot-sweep.awk makes
 * docs/version-order.svg of them.
 */
#include <stdio.h>

#include "base/timeout.h"
#include "bench/bench.h"
#include "checkers/checker.h"
#include "programs/generator/generate.h"
#include "tests/programs/generator/anonymize.h"

#define MIXES 3
#define STEPS 10 /* of the share, from nothing to all */
#define KEYS 1000
#define PATIENCE_NS INT64_C(60000000000)

static const char *const mixes[MIXES] = { "cobra-rmw", "cobra-rw", "cobra-heavy" };

static enum status make(const char *workload, struct history *history, struct error *err)
{
    struct generate_options options = generate_defaults(workload_find(text_of(workload)));
    struct anonymize_options how = { .version_orders = true, .seed = 1 };
    struct history generated;
    struct planted planted;
    enum status status;

    options.keys = KEYS;
    options.level = LEVEL_SERIALIZABLE;
    TRY(generate(&options, &generated, &planted, err));
    status = anonymize_history(&generated, &how, history, err);
    history_close(&generated);
    return status;
}

static enum status check(const struct history *history, unsigned step, double *seconds,
                         enum verdict *verdict, struct error *err)
{
    struct check_options options = { .level = LEVEL_SERIALIZABLE,
                                     .threads = 2,
                                     .version_order = { step, STEPS },
                                     .seed = step };
    struct timeout timeout;
    struct check it;
    enum status status;

    TRY(timeout_begin(&timeout, PATIENCE_NS, err));
    options.stop = timeout_stop(&timeout);
    *seconds = bench_seconds();
    status = checker_run(checker_find(TEXT("blackbox")), history, &options, &it, err);
    *seconds = bench_seconds() - *seconds;
    *verdict = it.verdict;
    check_close(&it);
    timeout_end(&timeout);
    return status;
}

/* The best of a few. */
static enum status print_cell(const struct history *history, unsigned step, struct error *err)
{
    static const char marks[] = { [VERDICT_VALID] = ' ',
                                  [VERDICT_INVALID] = '!',
                                  [VERDICT_UNKNOWN] = '?' };
    double best = 0, seconds = 0, sum = 0;
    enum verdict verdict = VERDICT_UNKNOWN;

    for (int round = 0; round < BENCH_ROUNDS && sum < 1; round++) {
        TRY(check(history, step, &seconds, &verdict, err));
        best = round == 0 || seconds < best ? seconds : best;
        sum += seconds;
    }
    printf(" %9.4f%c", best, marks[verdict]);
    fflush(stdout);
    return STATUS_OK;
}

static enum status sweep(const struct history histories[MIXES], struct error *err)
{
    printf("  share       rmw         rw         heavy      seconds; ?: unknown\n");
    for (unsigned step = 0; step <= STEPS; step++) {
        printf("  %4u%%", 100 * step / STEPS);
        for (int mix = 0; mix < MIXES; mix++)
            TRY(print_cell(&histories[mix], step, err));
        printf("\n");
    }
    return STATUS_OK;
}

void bench_blackbox_sweep(void)
{
    struct history histories[MIXES];
    struct error err = { 0 };
    enum status status = STATUS_OK;
    int made = 0;

    while (made < MIXES && status == STATUS_OK) {
        status = make(mixes[made], &histories[made], &err);
        made += status == STATUS_OK;
    }
    printf("  10,000 transactions, %d keys, serializable, no sessions, two threads\n", KEYS);
    if (status == STATUS_OK)
        status = sweep(histories, &err);
    if (status != STATUS_OK)
        printf("  not measured: %s\n", err.text);
    while (made > 0)
        history_close(&histories[--made]);
}
