#include "cli/cmd_explore.h"

#include <stdlib.h>

#include "base/quantity.h"
#include "base/thread.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_explore.h"
#include "trial/explore/schedules.h"
#include "trial/run/run.h"
#include "trial/run/signature.h"

#define TRANSACTIONS 3 /* unless given */
#define POSTPONED 1
#define DURATION_MAX_NS (INT64_C(3600) * 1000000000)

struct explore_values {
    const char *scenario, *level, *window, *down, *within, *out, *timeout;
    struct option_number seed, transactions, postponed, crashes, workers;
    struct option_texts sets;
    bool store, until_failure, force, json;
};

#define AT(field) offsetof(struct explore_values, field)

static const struct option explore_rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a TOML file, as in scenarios/; - is standard input"),
    TEXT_ROW("level", "L", AT(level),
             "isolation level that histories must have (default: that of [check],\n"
             "or what the protocol promises)",
             .choices = level_names),
    FLAG_ROW("store", AT(store), "explore the schedules of messages on the simulated store"),
    NUMBER_ROW("transactions", "N", AT(transactions), 1, 1000,
               "number of transactions, drawn as a run draws them (default: 3)"),
    NUMBER_ROW("postponed", "K", AT(postponed), 0, STEERING_MAX,
               "with --store: at most so many messages arrive late (default: 1)"),
    NUMBER_ROW("crashes", "F", AT(crashes), 0, STEERING_MAX,
               "with --store: at most so many times a node crashes (default: 0)"),
    TEXT_ROW("window", "D", AT(window),
             "with --store: by how much a late message is late, as in 50ms\n"
             "(default: that of [explore], or 20ms)"),
    TEXT_ROW("down", "D", AT(down),
             "with --store: time after which a crashed node restarts\n"
             "(default: that of [explore], or 100ms)"),
    TEXT_ROW("within", "D", AT(within),
             "with --store: deviate only so long after every shard has a leader\n"
             "(default: until clients have done all they had to do)"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX,
               "seed, instead of the scenario's own; 0 to 2^53-1"),
    TEXTS_ROW("set", "key=value", AT(sets), "change a setting, as with run"),
    JOBS_ROW(AT(workers), WORKERS_MAX, "number of processes (default: number of cores)"),
    FLAG_ROW("until-failure", AT(until_failure), "stop at the first violation"),
    TEXT_ROW("out", "DIR", AT(out),
             "write explore.json and the scenario, the history and the witnesses of\n"
             "the first violation into this folder, which must be new or empty"),
    FLAG_ROW("force", AT(force), "let --out replace the files of an earlier call; other files stay"),
    TIMEOUT_ROW(AT(timeout), "after which\n"
                             "the exploration ends, incomplete"),
    JSON_ROW(AT(json)),
};

struct explore_call {
    const struct explore_values *values;
    struct scenario *scenario;
    struct schedules_options options;
    struct schedules_result result;
    struct explore_store_report report;
    struct buffer left_out;
};

/* --- What is asked for ------------------------------------------------------------------------ */

static enum status read_duration(const char *flag, const char *text, int64_t *ns, struct error *err)
{
    if (!text)
        return STATUS_OK;
    if (!quantity_to_duration(text_of(text), ns) || *ns <= 0 || *ns > DURATION_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT, "--%s takes a duration from 1ns to 1h such as 20ms, not '%s'", flag,
                         text);
    return STATUS_OK;
}

static enum status check_scenario(const struct explore_values *values, const struct scenario *scenario,
                                  struct error *err)
{
    if (scenario->database.kind)
        return error_set(err, STATUS_BAD_INPUT, "a real database cannot be explored: nobody steers its messages");
    if (scenario->workload.kind == WORKLOAD_PING)
        return error_set(err, STATUS_BAD_INPUT, "a ping has no transactions to explore");
    if (!values->transactions.given)
        return STATUS_OK;
    if (scenario->workload.is_listed || scenario->workload.kind == WORKLOAD_SCHEDULE)
        return error_set(err, STATUS_BAD_INPUT, "--transactions: the scenario lists what its sessions do");
    return STATUS_OK;
}

static enum status load(struct explore_call *call, struct error *err)
{
    const struct explore_values *values = call->values;
    struct scenario *scenario = call->scenario;
    enum level level;

    TRY(scenario_load(scenario, values->scenario, values->sets.at, values->sets.count, err));
    if (values->seed.given)
        TRY(scenario_take_seed(scenario, (uint64_t)values->seed.value, err));
    if (check_scenario(values, scenario, err) != STATUS_OK) {
        error_set_file(err, values->scenario);
        return err->status;
    }
    if (values->level && level_of_text(text_of(values->level), &level))
        scenario->check.level_plus_1 = (uint32_t)level + 1;
    call->report.level = trial_level(scenario, store_protocol_facts(scenario->cluster.protocol).level);
    scenario->explore.postponed.count = scenario->explore.crashed.count = 0;
    TRY(read_duration("window", values->window, &scenario->explore.window_ns, err));
    TRY(read_duration("down", values->down, &scenario->explore.down_ns, err));
    TRY(read_duration("within", values->within, &call->options.within_ns, err));
    explore_store_fix(scenario, values->transactions.given ? (uint64_t)values->transactions.value : TRANSACTIONS,
                      &call->left_out);
    buffer_byte(&call->left_out, '\0');
    return buffer_status(&call->left_out, err);
}

/* --- What is written -------------------------------------------------------------------------- */

/* The first violation once more, with its history and witnesses. One that killed its run has none. */
static enum status write_again(const struct explore_call *call, const char *folder, struct error *err)
{
    struct trial trial = { 0 };
    struct run_options options = { .flags = TRIAL_HISTORY | TRIAL_WITNESS };
    enum status status = trial_run(&trial, call->scenario, &options, err);

    if (status == STATUS_OK && trial.is_judged)
        status = folder_write_judged(folder, &trial.history, &trial.jury, err);
    trial_close(&trial);
    return status;
}

static bool killed_its_run(const struct schedules_failure *failure)
{
    struct text anomaly = signature_parts(text_of(failure->signature)).anomaly;

    return text_equal(anomaly, TEXT("crash"));
}

static enum status write_files(const void *context, const char *folder, struct error *err)
{
    const struct explore_call *call = context;
    const struct schedules_result *result = &call->result;
    struct buffer bytes = { 0 };
    enum status status;

    report_explore_store_print_json(&call->report, &bytes);
    status = folder_write(folder, "explore.json", &bytes, err);
    buffer_clear(&bytes);
    if (status == STATUS_OK && result->failures.count > 0) {
        schedule_put(call->scenario, &result->failures.at[0].first);
        scenario_print(call->scenario, &bytes);
        status = folder_write(folder, "scenario.toml", &bytes, err);
    }
    buffer_close(&bytes);
    if (status == STATUS_OK && result->failures.count > 0 && !killed_its_run(&result->failures.at[0]))
        status = write_again(call, folder, err);
    return status;
}

static enum status say(const struct explore_call *call, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    if (call->values->json)
        report_explore_store_print_json(&call->report, &out);
    else
        report_explore_store_print(&call->report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

/* --- Exploring -------------------------------------------------------------------------------- */

static enum status explore_store(struct explore_call *call, struct limits *limits, struct error *err)
{
    const struct explore_values *values = call->values;
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    enum status status;

    TRY(load(call, err));
    call->options.scenario = call->scenario;
    call->options.postponed_max = values->postponed.given ? (uint32_t)values->postponed.value : POSTPONED;
    call->options.crashes_max = (uint32_t)values->crashes.value;
    call->options.until_failure = values->until_failure;
    call->options.worker_count = values->workers.given ? (unsigned)values->workers.value : thread_core_count();
    call->options.progress = &progress;
    call->options.stop = interrupt_notice(false);
    progress_bar_begin(&bar, "exploring", "runs");
    status = schedules_explore(&call->result, &call->options, err);
    progress_bar_end(&bar);
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, values->scenario);
    TRY(status);
    call->report.result = &call->result;
    call->report.options = &call->options;
    call->report.left_out = call->left_out.at;
    call->report.interrupted = limits_ended_by(limits);
    call->report.out = values->out;
    return STATUS_OK;
}

static enum status explore(struct explore_call *call, struct limits *limits, enum exit_code *code, struct error *err)
{
    const struct explore_values *values = call->values;

    if (!values->store)
        return error_set(err, STATUS_BAD_INPUT, "explore needs --store; see: ordeal help explore");
    if (values->out)
        TRY(folder_claim(values->out, values->force, err)); /* better known before */
    TRY(explore_store(call, limits, err));
    limits_settle(limits);
    if (values->out)
        TRY(folder_answer(values->out, values->force, write_files, call, err));
    TRY(say(call, err));
    *code = command_exit_noticed(command_exit_of_verdict(report_explore_store_verdict(&call->report)));
    return STATUS_OK;
}

static enum status cmd_explore_run(const void *given, struct limits *limits, enum exit_code *code, struct error *err)
{
    struct explore_call call = { .values = given };
    enum status status;

    call.scenario = calloc(1, sizeof *call.scenario);
    if (!call.scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = explore(&call, limits, code, err);
    schedules_close(&call.result);
    buffer_close(&call.left_out);
    scenario_close(call.scenario);
    free(call.scenario);
    return status;
}

const struct command command_explore = {
    .summary = "runs all that can happen in a small scenario, within a bound",
    .description =
        "With --store a few transactions of a scenario are run on the simulated store under every\n"
        "schedule within a bound, instead of drawn ones: messages take the same time, except for at\n"
        "most K of them that arrive late, and nodes crash at most F times, at every event of a run\n"
        "in turn. Each history is judged as by run. A violation comes with its schedule; --out\n"
        "writes a scenario that repeats it.\n"
        "Exits with 0 if all schedules were run and none is a violation, 1 if one is, 2 if the call\n"
        "is wrong, and 3 if not all were run or judged and no violation was found.\n",
    .example = "  ordeal explore scenarios/bugs/upgrade-race.toml --store --transactions 2\n"
               "  ordeal explore scenarios/smallbank.toml --store --postponed 2 --out out\n",
    .options = { "explore", explore_rows, ROW_COUNT(explore_rows), sizeof(struct explore_values) },
    .run = cmd_explore_run,
    .unfinished = "not finished",
};
