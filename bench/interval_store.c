/*
 * The simulated store's own throughput, beside that of the model on the very history (Leopard,
 * figure 11), given as columns and as text; and of the dependencies in it those that overlap
 * (figure 12), where the store's profile says of times what can be counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/interval_text.h"
#include "trial/run/simulation.h"

struct store_row {
    const char *scenario, *protocol, *transactions;
};

static const struct store_row rows[] = {
    { "list-append", "mvto", "20000" }, { "list-append", "2pl", "20000" },
    { "list-append", "ssi", "20000" },  { "smallbank", "2pl", "20000" },
    { "smallbank", "ssi", "20000" },    { "tpcc", "2pl", "5000" },
    { "tpcc", "ssi", "5000" },
};

struct store_figures {
    double run_seconds, check_seconds;
    enum verdict verdict;
    uint64_t txns, ops;
    struct text_figures watched;
};

static enum status load(const struct store_row *row, struct scenario *scenario, struct error *err)
{
    char path[100], protocol[40], transactions[60];
    const char *sets[] = { protocol, transactions };

    snprintf(path, sizeof path, "scenarios/%s.toml", row->scenario);
    snprintf(protocol, sizeof protocol, "cluster.protocol=%s", row->protocol);
    snprintf(transactions, sizeof transactions, "workload.transactions=%s", row->transactions);
    return scenario_load(scenario, path, sets, 2, err);
}

static enum status simulate(const struct store_row *row, struct history *history,
                            struct store_figures *f, struct error *err)
{
    struct scenario *scenario = malloc(sizeof *scenario);
    struct simulation *simulation = malloc(sizeof *simulation);
    struct trace_options trace = { 0 };
    enum status status;
    double from;

    if (!scenario || !simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a simulation");
    TRY(load(row, scenario, err));
    from = bench_cpu_seconds();
    status = simulation_run(simulation, scenario, &(struct run_options){ .trace = trace }, err);
    if (status == STATUS_OK)
        status = simulation_history(simulation, history, err);
    f->run_seconds = bench_cpu_seconds() - from;
    simulation_close(simulation);
    free(simulation);
    free(scenario);
    return status;
}

static enum status check(const struct history *history, const struct profile *profile,
                         struct store_figures *f, struct error *err)
{
    struct check_options options = { .level = profile->level, .profile = profile };
    double from = bench_cpu_seconds();
    struct check check;

    TRY(checker_run(checker_find(TEXT("interval")), history, &options, &check, err));
    f->check_seconds = bench_cpu_seconds() - from;
    f->verdict = check.verdict;
    check_close(&check);
    return STATUS_OK;
}

static void print(const struct store_figures *f)
{
    static const char *const words[] = { "", "   found INVALID", "   UNKNOWN" };
    double ops = (double)f->ops, ratio = f->run_seconds / f->check_seconds;
    const struct text_figures *w = &f->watched;

    printf(" %9.1f %9.1f %9.1f %8.1f %9.1f %8.1f", (double)f->txns / f->run_seconds / 1e3,
           ops / f->run_seconds / 1e3, ops / f->check_seconds / 1e3, ratio, ops / w->seconds / 1e3,
           f->run_seconds / w->seconds);
    if (w->overlapping > 0)
        printf(" %9.3f %9.3f", 100 * (double)w->overlapping / (double)w->dependencies,
               100 * (double)w->deduced / (double)w->overlapping);
    printf("%s\n", words[f->verdict]);
}

static void measure(const void *context)
{
    const struct store_row *row = context;
    struct store_figures figures = { 0 };
    struct history history = { 0 };
    struct error err = { 0 };
    const struct profile *profile;
    char name[40];

    snprintf(name, sizeof name, "ordeal/%s", row->protocol);
    profile = profile_find(text_of(name));
    if (!profile || simulate(row, &history, &figures, &err) != STATUS_OK ||
        check(&history, profile, &figures, &err) != STATUS_OK ||
        text_measure(&history, profile, &figures.watched, &err) != STATUS_OK) {
        printf(" not measured: %s\n", err.text);
        return;
    }
    figures.txns = history.txn_count;
    figures.ops = history.op_count;
    print(&figures);
    history_close(&history);
}

void bench_interval_store(void)
{
    printf(" the simulated store, and the mirror on its history; thousands a second, of one core\n"
           "  %-40s %9s %9s %9s %8s %9s %8s %9s %9s\n",
           "", "txns run", "ops run", "checked", "ratio", "watched", "ratio", "beta %",
           "deduced %");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[60];

        snprintf(what, sizeof what, "%s, %s", rows[i].scenario, rows[i].protocol);
        printf("  %-40s", what);
        bench_in_child(measure, &rows[i]);
    }
}
