#include "record/record_plan.h"

#include <string.h>

static enum status check_isolation(const struct record_plan *plan, struct error *err)
{
    const struct database *database = plan->database;
    enum level isolation = plan->how.isolation;
    struct buffer known = { 0 };

    if (isolation < LEVEL_COUNT && (database->levels & LEVEL_BIT(isolation)))
        return STATUS_OK;
    for (unsigned i = 0; i < LEVEL_COUNT; i++)
        if (database->levels & LEVEL_BIT(i))
            buffer_print(&known, "%s%s", known.count ? ", " : "", level_name((enum level)i));
    (void)!error_set(err, STATUS_BAD_INPUT,
                     "%s cannot be asked for %s, only for %.*s; `isolation` says which, if it is "
                     "not the level to check",
                     database->title, level_name(isolation), (int)known.count, known.at);
    buffer_close(&known);
    return err->status;
}

static enum status settle_topology(struct record_plan *plan, struct error *err)
{
    const struct database *database = plan->database;
    const char *mode = plan->how.mode;

    if (!mode)
        return STATUS_OK;
    for (size_t i = 0; database->modes && database->modes[i]; i++)
        if (strcmp(database->modes[i], mode) == 0)
            return STATUS_OK;
    if (database->modes || strcmp(mode, "single") != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s has no topology '%.80s'; see `ordeal record recipes`", database->title,
                         mode);
    plan->how.mode = NULL;
    return STATUS_OK;
}

static enum status check_settings(const struct record_plan *plan, struct error *err)
{
    if (plan->how.setting_count > 0 && plan->how.connect)
        return error_set(err, STATUS_BAD_INPUT,
                         "settings are for servers that ordeal has started: not with --connect");
    if (plan->how.setting_count > 0 && !plan->database->has_settings)
        return error_set(err, STATUS_BAD_INPUT, "%s has no settings", plan->database->title);
    for (size_t i = 0; i < plan->how.setting_count; i++)
        if (!strchr(plan->how.settings[i], '='))
            return error_set(err, STATUS_BAD_INPUT, "a setting is key=value, not '%.80s'",
                             plan->how.settings[i]);
    return STATUS_OK;
}

static enum status check_certificate(const struct record_plan *plan, struct error *err)
{
    if (!plan->how.certifies)
        return STATUS_OK;
    if (!plan->database->certifies)
        return error_set(err, STATUS_BAD_INPUT,
                         "the order of %s cannot be recovered: no --certificate",
                         plan->database->title);
    if (plan->how.isolation == LEVEL_READ_COMMITTED && !plan->database->certifies_statements)
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs one snapshot for each transaction of %s: not at "
                         "read-committed",
                         plan->database->title);
    return STATUS_OK;
}

static enum status check_faults(struct record_plan *plan, struct error *err)
{
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++) {
        const struct fault_facts *facts = &fault_facts[kind];

        if (plan->faults[kind].every_ns == 0)
            continue;
        if (plan->how.connect)
            return error_set(
                err, STATUS_BAD_INPUT,
                "faults are for servers that ordeal has started: --%s not with --connect",
                facts->name);
        if (!(plan->database->faults & DATABASE_FAULT_BIT(kind)))
            return error_set(err, STATUS_BAD_INPUT, "%s %s: no --%s", plan->database->title,
                             facts->denial, facts->name);
        plan->how.faults |= DATABASE_FAULT_BIT(kind);
    }
    return STATUS_OK;
}

static enum status check_program(const struct record_plan *plan, struct error *err)
{
    if (!plan->database->script || !plan->database->query)
        return error_set(err, STATUS_BAD_INPUT, "%s has no functions in PL/pgSQL: no program",
                         plan->database->title);
    if (plan->how.connect)
        return error_set(err, STATUS_BAD_INPUT,
                         "a program's tables and functions keep their names, so it runs only on a "
                         "server that ordeal has started: not with --connect");
    return STATUS_OK;
}

static enum status check_workload(const struct record_plan *plan, struct error *err)
{
    const struct workload *workload;

    if (!plan->workload)
        return check_program(plan, err);
    workload = plan->workload->workload;
    if (plan->invariant_count > 0 && (!plan->database->query || !workload->table))
        return error_set(err, STATUS_BAD_INPUT,
                         "an invariant is SQL over rows, and %s with the workload %s has none",
                         plan->database->title, workload->name);
    if (plan->database->takes_whole && !builtin_workload_is_planned(workload))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s takes a transaction as one request, and what %s asks for depends on "
                         "answers: it can run list-append or rw-register",
                         plan->database->title, workload->name);
    return STATUS_OK;
}

enum status record_plan_settle(struct record_plan *plan, struct error *err)
{
    TRY(check_isolation(plan, err));
    TRY(settle_topology(plan, err));
    if (!plan->database->has_server &&
        (plan->how.connect || (plan->how.binaries && !plan->database->has_library)))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s has no server: --connect and --binaries mean nothing",
                         plan->database->title);
    if (plan->how.connect && plan->how.binaries)
        return error_set(err, STATUS_BAD_INPUT,
                         "a server is started from its programs, or runs already: --binaries not "
                         "with --connect");
    TRY(check_settings(plan, err));
    TRY(check_faults(plan, err));
    TRY(check_workload(plan, err));
    return check_certificate(plan, err);
}

const char *record_plan_topology(const struct record_plan *plan)
{
    return plan->how.mode          ? plan->how.mode
           : plan->database->modes ? plan->database->modes[0]
                                   : "single";
}
