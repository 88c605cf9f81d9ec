#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "trial/run/simulation.h"

#define SCENARIO "scenarios/list-append.toml"
#define SMALL_RUNS 200

static void give_up(const struct error *err)
{
    fprintf(stderr, "bench: %s: %s\n", SCENARIO, err->text);
    exit(2);
}

static void load(struct scenario *scenario, const char *protocol, const char *transactions)
{
    char set_protocol[64], set_transactions[64];
    const char *sets[] = { set_protocol, set_transactions };
    struct error err = { 0 };

    snprintf(set_protocol, sizeof set_protocol, "cluster.protocol=%s", protocol);
    snprintf(set_transactions, sizeof set_transactions, "workload.transactions=%s", transactions);
    if (scenario_load(scenario, SCENARIO, sets, 2, &err) != STATUS_OK)
        give_up(&err);
}

/* Seconds of a run, with its history; its events. */
static double run_once(const struct scenario *scenario, double *events)
{
    struct simulation *simulation = malloc(sizeof *simulation);
    struct trace_options trace = { 0 };
    struct history history;
    struct error err = { 0 };
    double from = bench_seconds();

    if (!simulation || simulation_run(simulation, scenario, &(struct run_options){ .trace = trace }, &err) != STATUS_OK ||
        simulation_history(simulation, &history, &err) != STATUS_OK)
        give_up(&err);
    from = bench_seconds() - from;
    *events += (double)simulation->world.counts.events;
    history_close(&history);
    simulation_close(simulation);
    free(simulation);
    return from;
}

static void measure_one(const char *protocol)
{
    struct scenario *scenario = malloc(sizeof *scenario);
    double seconds[BENCH_ROUNDS], events = 0;
    char what[64];

    if (!scenario)
        exit(2);
    load(scenario, protocol, "10000");
    for (int round = 0; round < BENCH_ROUNDS; round++)
        seconds[round] = run_once(scenario, &events);
    snprintf(what, sizeof what, "store, list-append, %s, with history", protocol);
    bench_print_rate(what, events / BENCH_ROUNDS, "events", seconds);
    free(scenario);
}

/* As a sweep has them: each from nothing, with its own seed. */
static void measure_small(const char *protocol)
{
    struct scenario *scenario = malloc(sizeof *scenario);
    double seconds[BENCH_ROUNDS], events = 0;
    char what[64];

    if (!scenario)
        exit(2);
    load(scenario, protocol, "30");
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        seconds[round] = 0;
        for (int i = 0; i < SMALL_RUNS; i++) {
            scenario->seed = (uint64_t)i;
            seconds[round] += run_once(scenario, &events);
        }
    }
    snprintf(what, sizeof what, "store, small runs of %.0f events, %s",
             events / SMALL_RUNS / BENCH_ROUNDS, protocol);
    bench_print_time(what, SMALL_RUNS, seconds);
    free(scenario);
}

void bench_store(void)
{
    for (const char *const *name = store_protocol_names(); *name; name++)
        if (store_protocol_facts(store_protocol(text_of(*name))).on_raft)
            measure_one(*name);
    measure_small("ssi");
}
