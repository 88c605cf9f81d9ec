#include "trial/run/run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "checkers/interval/profile.h"
#include "trial/run/conflict_shapes_private.h"

enum status trial_simulate(struct trial *trial, const struct scenario *scenario,
                           const struct run_options *options, struct error *err)
{
    *trial = (struct trial){ .scenario = scenario };
    if (options)
        trial->options = *options;
    trial->simulation = calloc(1, sizeof *trial->simulation);
    if (!trial->simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    return simulation_run(trial->simulation, scenario, &trial->options, err);
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
        .check = { .level = level, .flags = trial->options.flags & TRIAL_WITNESS ? CHECK_WITNESS : 0 },
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

enum status trial_judge(struct trial *trial, struct error *err)
{
    const struct check_wishes *wishes = &trial->scenario->check;
    bool nobody_judges = wishes->is_listed && wishes->checkers == 0;

    assert(trial->simulation && !trial->is_judged);
    if (!trial->simulation->store ||
        (nobody_judges && !(trial->options.flags & TRIAL_HISTORY) && !trial->options.coverage))
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
    if (verdict != VERDICT_VALID || !trial->is_judged)
        return verdict;
    return trial->jury.verdict;
}
