/*
 * fuzz_run: bytes as the choices of a scenario of valid keys and wild values, which is run and judged. It ends,
 * leaves the same trace twice, and its outcome reads back as the same line; and no checker finds an anomaly in
 * what a store without bugs did inside the fault model.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/trial/run/outcome_line.h"
#include "tests/trial/scenario/wild_scenario.h"
#include "trial/run/run.h"
#include "trial/scenario/scenario.h"

#define MILLISECOND INT64_C(1000000)
#define EVENTS_MAX INT64_C(30000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t at_most(int64_t value, int64_t most)
{
    return value > most ? most : value;
}

/* So that a run takes milliseconds: few of all, and a budget for timers that never rest. */
static void bound(struct scenario *scenario)
{
    struct scenario_workload *workload = &scenario->workload;

    workload->duration_ns = at_most(workload->duration_ns, 1000 * MILLISECOND);
    workload->settle_ns = at_most(workload->settle_ns, 10000 * MILLISECOND);
    workload->sessions = (uint32_t)at_most(workload->sessions, 8);
    workload->client.transactions = (uint64_t)at_most((int64_t)workload->client.transactions, 20);
    scenario->limits.events = (uint64_t)at_most(scenario->limits.events ? (int64_t)scenario->limits.events : EVENTS_MAX,
                                                EVENTS_MAX);
}

static bool is_clean(const struct scenario *scenario)
{
    if (scenario->check.level_plus_1 != 0 || scenario->clocks.options.offset_ns_max > 0 ||
        scenario->clocks.options.drift_ppm_max > 0)
        return false;
    for (size_t i = 0; i < BUG_COUNT; i++)
        if (scenario->cluster.bugs.on[i])
            return false;
    for (uint32_t i = 0; i < scenario->nemesis_count; i++)
        if (scenario->nemeses[i].outside || scenario->nemeses[i].kind == NEMESIS_CLOCK)
            return false;
    return true;
}

/* The outcome as a line; empty: the scenario cannot be run, and it is said why. */
static void run_once(const struct scenario *scenario, struct buffer *line, bool *is_accused)
{
    struct run_options options = { .flags = TRIAL_HISTORY };
    struct trial trial;
    struct error err = { 0 };

    if (trial_run(&trial, scenario, &options, &err) == STATUS_OK && outcome_line_of(&trial, line, &err)) {
        for (uint32_t i = 0; i < trial.jury.juror_count; i++)
            *is_accused = *is_accused || trial.jury.jurors[i].check.verdict == VERDICT_INVALID;
    } else {
        assert(err.text[0] != '\0');
    }
    trial_close(&trial);
}

static void check_that_it_reads_back(const struct buffer *line)
{
    struct buffer again = { 0 };
    struct error err = { 0 };
    bool is_read = outcome_line_again((struct text){ line->at, line->count }, &again, &err);

    assert(is_read);
    assert(text_equal((struct text){ line->at, line->count }, (struct text){ again.at, again.count }));
    buffer_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    struct buffer text = { 0 }, once = { 0 }, twice = { 0 };
    struct error err = { 0 };
    struct dice dice;
    bool is_accused = false, is_good;

    dice_of_bytes(&dice, data, size);
    wild_scenario(&dice, &text);
    if (getenv("FUZZ_SHOW"))
        printf("%.*s\n", (int)text.count, text.at);
    if (scenario_read(&scenario, "wild", (struct text){ text.at, text.count }, NULL, 0, &err) == STATUS_OK) {
        bound(&scenario);
        run_once(&scenario, &once, &is_accused);
        run_once(&scenario, &twice, &is_accused);
        is_good = text_equal((struct text){ once.at, once.count }, (struct text){ twice.at, twice.count }) &&
                  !(is_accused && is_clean(&scenario));
        if (!is_good)
            printf("%.*s\n%.*s\n%.*s\n", (int)text.count, text.at, (int)once.count, once.at, (int)twice.count,
                   twice.at);
        fflush(stdout);
        assert(is_good);
        if (once.count > 0)
            check_that_it_reads_back(&once);
    } else {
        if (getenv("FUZZ_SHOW"))
            printf("%s\n", err.text);
        assert(err.text[0] != '\0');
    }
    scenario_close(&scenario);
    buffer_close(&text);
    buffer_close(&once);
    buffer_close(&twice);
    return 0;
}
