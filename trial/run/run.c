#include "trial/run/run.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "checkers/interval/profile.h"
#include "history/progress.h"
#include "trial/run/conflict_shapes_private.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"

enum status trial_simulate(struct trial *trial, const struct scenario *scenario,
                           const struct run_options *options, struct error *err)
{
    uint64_t before = memory_failures();

    *trial = (struct trial){ .scenario = scenario };
    if (options)
        trial->options = *options;
    trial->options.notes_calls |= scenario->check.audits;
    trial->simulation = calloc(1, sizeof *trial->simulation);
    if (!trial->simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    /* What clients did without memory for it is not what the seed says. */
    return memory_confirm(before, simulation_run(trial->simulation, scenario, &trial->options, err),
                          err);
}

/* --- What the store promises of times ------------------------------------------------------- */

static bool has_felt(const struct world *world, enum world_fault first, enum world_fault last)
{
    for (int kind = first; kind <= (int)last; kind++)
        if (world->faults[kind] > 0)
            return true;
    return false;
}

/* As far as two clocks may be apart at the end. */
static int64_t greatest_offset(const struct trial *trial)
{
    const struct clock_options *clocks = &trial->scenario->clocks.options;
    int64_t seconds = trial->simulation->world.now_ns / 1000000000 + 1;

    return 2 * (clocks->offset_ns_max + (int64_t)clocks->drift_ppm_max * 1000 * seconds);
}

/*
 * No read misses what was there before it as long as clocks are no farther apart than the store
 * believes. Farther ones are set forward by what nodes hear of each other, while nothing keeps
 * them from hearing it; but who has just jumped nobody has heard of.
 */
static bool reads_are_recent(const struct trial *trial)
{
    const struct world *world = &trial->simulation->world;

    if (has_felt(world, FAULT_CLOCK_STEP, FAULT_CLOCK_FREEZE))
        return false;
    return greatest_offset(trial) <= trial->scenario->clocks.max_offset_ns ||
           !has_felt(world, 0, FAULT_KIND_COUNT - 1);
}

/* The one of the simulated store's protocol; NULL: there is none. */
static const struct profile *find_profile(struct trial *trial, const char *protocol)
{
    const struct profile *found;
    char name[64];

    snprintf(name, sizeof name, "ordeal/%s", protocol);
    found = profile_find(text_of(name));
    if (!found || found->timing != TIMING_KEY || reads_are_recent(trial))
        return found;
    trial->profile = *found;
    trial->profile.timing = TIMING_NONE;
    return &trial->profile;
}

/* --- A trial -------------------------------------------------------------------------------- */

enum level trial_level(const struct scenario *scenario, enum level promised)
{
    if (scenario->check.level_plus_1 > 0)
        return (enum level)(scenario->check.level_plus_1 - 1);
    return promised;
}

static enum status ask_jury(struct trial *trial, struct error *err)
{
    const struct check_wishes *wishes = &trial->scenario->check;
    struct store_protocol_facts protocol = store_protocol_facts(trial->scenario->cluster.protocol);
    enum level level = trial_level(trial->scenario, protocol.level);
    struct jury_options options = {
        .check = { .level = level,
                   .flags = trial->options.flags & TRIAL_WITNESS ? CHECK_WITNESS : 0,
                   .stop = trial->options.stop },
        .unfinished = trial->options.unfinished,
        .rule = JURY_DUE,
        .is_named = wishes->is_listed,
        .may_lack = trial->scenario->swarm.dimensions != 0,
        .named = wishes->checkers,
        .profile = find_profile(trial, protocol.name),
        .memory = trial->options.memory,
    };

    options.due = wishes->is_listed ? wishes->checkers
                                    : jury_due(&protocol, &trial->history, level);
    trial->offered = options.profile;
    return jury_judge(&trial->jury, &trial->history, &options, err);
}

static enum status ask_audit(struct trial *trial, struct error *err)
{
    enum level promised = store_protocol_facts(trial->scenario->cluster.protocol).level;

    trial->is_audited = true;
    return call_audit_run(&trial->audit, trial->simulation, trial_level(trial->scenario, promised),
                          &trial->options, err);
}

enum status trial_judge(struct trial *trial, struct error *err)
{
    const struct check_wishes *wishes = &trial->scenario->check;
    bool nobody_judges = wishes->is_listed && wishes->checkers == 0;

    assert(trial->simulation && !trial->is_judged);
    if (!trial->simulation->store || trial->simulation->too_long[0] != '\0')
        return STATUS_OK;
    if (wishes->audits)
        TRY(ask_audit(trial, err));
    if (nobody_judges && !(trial->options.flags & TRIAL_HISTORY) && !trial->options.coverage)
        return STATUS_OK;
    TRY(simulation_history(trial->simulation, &trial->history, err));
    trial->is_judged = true;
    TRY(ask_jury(trial, err));
    if (!trial->options.coverage)
        return STATUS_OK;
    return conflict_shapes_cover(&trial->history, trial->options.coverage, err);
}

enum status trial_run(struct trial *trial, const struct scenario *scenario,
                      const struct run_options *options, struct error *err)
{
    TRY(trial_simulate(trial, scenario, options, err));
    return trial_judge(trial, err);
}

void trial_close(struct trial *trial)
{
    jury_close(&trial->jury);
    if (trial->is_audited)
        call_audit_close(&trial->audit);
    if (trial->is_judged)
        history_close(&trial->history);
    if (trial->simulation)
        simulation_close(trial->simulation);
    free(trial->simulation);
    *trial = (struct trial){ 0 };
}

enum verdict trial_verdict(const struct trial *trial)
{
    enum verdict verdict = trial->simulation->verdict;

    assert(trial->simulation->finding_count == 0 || verdict == VERDICT_INVALID);
    if (verdict == VERDICT_VALID && trial->is_judged)
        verdict = trial->jury.verdict;
    return trial->is_audited ? call_audit_merge(&trial->audit, verdict) : verdict;
}

void run_echo_word(const char *word, struct buffer *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=.,/:@%";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        buffer_text(out, text_of(word));
        return;
    }
    buffer_byte(out, '\'');
    for (; *word; word++)
        buffer_text(out, *word == '\'' ? TEXT("'\\''") : (struct text){ word, 1 });
    buffer_byte(out, '\'');
}

void run_echo(const char *path, uint64_t seed, const char *const *sets, size_t set_count,
                        struct buffer *out)
{
    buffer_text(out, TEXT("ordeal run "));
    run_echo_word(path, out);
    buffer_print(out, " --seed %" PRIu64, seed);
    for (size_t i = 0; i < set_count; i++) {
        buffer_text(out, TEXT(" --set "));
        run_echo_word(sets[i], out);
    }
}

/* Simulations are large, and the nemeses in them must not move: they live on the heap. */
static enum status new_run(struct simulation **simulation, const struct scenario *scenario,
                           const struct run_options *options, struct error *err)
{
    *simulation = calloc(1, sizeof **simulation);
    if (!*simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    return simulation_run(*simulation, scenario, options, err);
}

static void free_run(struct simulation *simulation)
{
    if (simulation)
        simulation_close(simulation);
    free(simulation);
}

static void print_record(const struct world *world, uint64_t number, struct buffer *out)
{
    const struct trace_record *record = trace_window_record(&world->trace, number);

    if (record)
        trace_print(&world->trace, record, (struct text){ NULL, 0 }, out);
    else
        buffer_text(out, TEXT("ended before"));
}

static void compare_windows(struct difference *difference, const struct simulation *first,
                            const struct simulation *second)
{
    difference->found =
        trace_find_difference(&first->world.trace, &second->world.trace, &difference->event);
    if (!difference->found)
        return;
    print_record(&first->world, difference->event, &difference->first);
    print_record(&second->world, difference->event, &difference->second);
}

static enum status look_closer(struct difference *difference, const struct scenario *scenario,
                               const struct scenario *again, const struct run_options *options,
                               struct error *err)
{
    struct simulation *first = NULL, *second = NULL;
    enum status status = new_run(&first, scenario, options, err);

    if (status == STATUS_OK)
        status = new_run(&second, again, options, err);
    if (status == STATUS_OK)
        compare_windows(difference, first, second);
    free_run(first);
    free_run(second);
    return status;
}

enum status run_find_difference(struct difference *difference, const struct simulation *first,
                            const struct scenario *scenario, const struct scenario *again,
                            const struct progress *progress, struct error *err)
{
    struct simulation *second = NULL;
    struct run_options options = { .progress = progress };
    enum status status = new_run(&second, again, &options, err);
    bool differ =
        status == STATUS_OK && trace_find_window(&first->world.trace, &second->world.trace,
                                                 &options.trace.window_from,
                                                 &options.trace.window_count);

    *difference = (struct difference){ .found = differ };
    free_run(second);
    if (!differ)
        return status;
    difference->event = options.trace.window_from;
    TRY(look_closer(difference, scenario, again, &options, err));
    /* That the two more runs agree makes the first two no less different. */
    difference->found = true;
    return buffer_status(&difference->first, err);
}

void run_close_difference(struct difference *difference)
{
    buffer_close(&difference->first);
    buffer_close(&difference->second);
}
