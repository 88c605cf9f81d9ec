#include "cli/trial.h"

#include <stdio.h>
#include <stdlib.h>

#include "checkers/interval/profile.h"

enum status trial_simulate(struct trial *trial, const struct scenario *scenario,
                           const struct trace_options *trace, struct progress_bar *bar,
                           struct error *err)
{
    *trial = (struct trial){ .scenario = scenario };
    trial->simulation = calloc(1, sizeof *trial->simulation);
    if (!trial->simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    return simulation_run(trial->simulation, scenario, trace, bar, err);
}

/* The one of the simulated store's protocol; NULL: there is none. */
static const struct profile *find_profile(const char *protocol)
{
    char name[64];

    snprintf(name, sizeof name, "ordeal/%s", protocol);
    return profile_find(text_of(name));
}

enum status trial_judge(struct trial *trial, unsigned flags, struct error *err)
{
    const struct jury_wishes *wishes = &trial->scenario->check;
    bool nobody_judges = wishes->is_listed && wishes->checkers == 0;
    const struct protocol *protocol = trial->scenario->cluster.protocol;
    struct history history;

    if (!trial->simulation->store || (nobody_judges && !(flags & TRIAL_HISTORY)))
        return STATUS_OK;
    TRY(simulation_history(trial->simulation, &history, err));
    trial->is_judged = true;
    return jury_judge(&trial->jury, &history, wishes, store_protocol_facts(protocol).level,
                      find_profile(store_protocol_facts(protocol).name),
                      flags & TRIAL_WITNESS ? CHECK_WITNESS : 0, err);
}

enum status trial_run(struct trial *trial, const struct scenario *scenario, unsigned flags,
                      struct error *err)
{
    struct trace_options trace = { 0 };

    TRY(trial_simulate(trial, scenario, &trace, NULL, err));
    return trial_judge(trial, flags, err);
}

void trial_close(struct trial *trial)
{
    jury_close(&trial->jury);
    if (trial->simulation)
        simulation_close(trial->simulation);
    free(trial->simulation);
    *trial = (struct trial){ 0 };
}

enum verdict trial_verdict(const struct trial *trial)
{
    enum verdict verdict = trial->simulation->verdict;

    if (verdict != VERDICT_VALID || !trial->is_judged)
        return verdict;
    return jury_verdict(&trial->jury, &trial->scenario->check);
}
