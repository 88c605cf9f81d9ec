/*
 * Histories that are nearly right: of the simulated store with a bug, or judged at more than it
 * promises, at contention: fifty clients on a hundred keys, eight operations each. That is
 * what users have, and where most verdicts are rejections.
 */
#include <stdio.h>

#include "base/timeout.h"
#include "bench/bench.h"
#include "checkers/checker.h"
#include "trial/run/run.h"
#include "trial/scenario/scenario.h"

#define PATIENCE_NS INT64_C(60000000000)

static const struct {
    const char *protocol, *bug; /* NULL: none */
} stores[] = {
    { "mvto", NULL },
    { "mvto", "no-timestamp-cache" },
    { "mvto", "write-too-old-ignored" },
    { "mvto", "timestamp-tie" },
    { "ssi", "marks-dropped-at-commit" },
    { "ssi", "read-only-always-safe" },
    { "ssi", "stale-version-in-snapshot" },
    { "si", NULL },
    { "2pl", "read-locks-released-early" },
    { "occ", "validates-writes-only" },
};

static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                     LEVEL_SNAPSHOT };

static const char *const words[] = { "valid", "INVALID", "UNKNOWN" };

static enum status read(size_t store, struct scenario *scenario, struct error *err)
{
    char text[1000];

    snprintf(text, sizeof text,
             "name = \"contention\"\nseed = 1\n"
             "[cluster]\nprotocol = \"%s\"\nbugs = [%s%s%s]\n"
             "[workload]\nkind = \"rw-register\"\nkeys = 100\nsessions = 50\n"
             "transactions = 5000\noperations_min = 8\noperations_max = 8\n"
             "choice = \"uniform\"\nwrites_per_key = 0\nduration = \"600s\"\n"
             "[check]\ncheckers = []\n",
             stores[store].protocol, stores[store].bug ? "\"" : "",
             stores[store].bug ? stores[store].bug : "", stores[store].bug ? "\"" : "");
    return scenario_read(scenario, "contention.toml", text_of(text), NULL, 0, err);
}

static enum status judge(const struct history *history, enum level level, struct error *err)
{
    /* As if the store had said nothing. */
    struct check_options options = { .level = level, .threads = 2, .version_order = { 0, 1 } };
    struct timeout timeout;
    struct check check;
    enum status status;
    double from;

    TRY(timeout_begin(&timeout, PATIENCE_NS, err));
    options.stop = timeout_stop(&timeout);
    from = bench_seconds();
    status = checker_run(checker_find(TEXT("blackbox")), history, &options, &check, err);
    if (status == STATUS_OK)
        printf("   %-7s %8.4f s", words[check.verdict], bench_seconds() - from);
    fflush(stdout);
    check_close(&check);
    timeout_end(&timeout);
    return status;
}

static enum status judge_store(size_t store, struct scenario *scenario, struct error *err)
{
    struct trial trial = { 0 };
    enum status status;

    TRY(read(store, scenario, err));
    status = trial_run(&trial, scenario, &(struct run_options){ .flags = TRIAL_HISTORY }, err);
    if (status == STATUS_OK) {
        printf("  %-5s %-28s %6zu", stores[store].protocol,
               stores[store].bug ? stores[store].bug : "", trial.history.txn_count);
        for (size_t i = 0; i < sizeof levels / sizeof *levels && status == STATUS_OK; i++)
            status = judge(&trial.history, levels[i], err);
        printf("\n");
    }
    trial_close(&trial);
    return status;
}

void bench_blackbox_stores(void)
{
    static struct scenario scenario;
    struct error err = { 0 };

    printf("  %-5s %-28s %6s   %-20s   %-20s   %s\n", "store", "bug", "txns", "serializable",
           "session-serializable", "snapshot");
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (judge_store(i, &scenario, &err) != STATUS_OK)
            printf("  not measured: %s\n", err.text);
}
