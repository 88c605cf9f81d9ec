#include "cli/cmd_explore.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/thread.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_explore.h"
#include "history/format.h"
#include "trial/explore/histories.h"
#include "trial/explore/schedules.h"
#include "trial/run/run.h"
#include "trial/run/signature.h"

#define TRANSACTIONS 3 /* unless given */
#define POSTPONED 1
#define DURATION_MAX_NS (INT64_C(3600) * 1000000000)

struct explore_values {
    const char *scenario, *level, *window, *down, *apart, *within, *out, *timeout;
    struct option_number seed, transactions, postponed, crashes, isolations, workers;
    struct option_texts sets;
    bool store, serializable, until_failure, force, json;
};

#define AT(field) offsetof(struct explore_values, field)

static const struct option explore_rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a TOML file, as in scenarios/; - is standard input"),
    TEXT_ROW("level", "L", AT(level),
             "explore the histories at this isolation level; with --store, the one that\n"
             "they must have (default: that of [check], or what the protocol promises)",
             .choices = level_names),
    FLAG_ROW("store", AT(store),
             "explore the schedules of messages on the simulated store, instead of\n"
             "all histories"),
    NUMBER_ROW("transactions", "N", AT(transactions), 1, 1000,
               "number of transactions, drawn as a run draws them (default: 3);\n"
               "without --store at most 32"),
    FLAG_ROW("serializable", AT(serializable),
             "without --store: a history that is not serializable is a violation"),
    NUMBER_ROW("postponed", "K", AT(postponed), 0, STEERING_MAX,
               "with --store: at most so many messages arrive late (default: 1)"),
    NUMBER_ROW("crashes", "F", AT(crashes), 0, STEERING_MAX,
               "with --store: at most so many times a node crashes (default: 0)"),
    NUMBER_ROW("isolations", "P", AT(isolations), 0, STEERING_MAX,
               "with --store: at most so many times a node is cut off from the others\n"
               "(default: 0)"),
    TEXT_ROW("window", "D", AT(window),
             "with --store: by how much a late message is late, as in 50ms\n"
             "(default: that of [explore], or 20ms)"),
    TEXT_ROW("down", "D", AT(down),
             "with --store: time after which a crashed node restarts\n"
             "(default: that of [explore], or 100ms)"),
    TEXT_ROW("apart", "D", AT(apart),
             "with --store: time for which a node is cut off\n"
             "(default: that of [explore], or 200ms)"),
    TEXT_ROW("within", "D", AT(within),
             "with --store: deviate only so long after every shard has a leader\n"
             "(default: until clients have done all they had to do)"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX,
               "seed, instead of the scenario's own; 0 to 2^53-1"),
    TEXTS_ROW("set", "key=value", AT(sets), "change a setting, as with run"),
    JOBS_ROW(AT(workers), WORKERS_MAX, "number of processes (default: number of cores)"),
    FLAG_ROW("until-failure", AT(until_failure), "stop at the first violation"),
    TEXT_ROW("out", "DIR", AT(out),
             "write explore.json and, of the first violation, its history into this\n"
             "folder, which must be new or empty, and the scenario that repeats it;\n"
             "without --store its story, too, and what its reads chose"),
    FLAG_ROW("force", AT(force),
             "let --out replace the files of an earlier call; other files stay"),
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
    /* Without --store: */
    struct histories_options history_options;
    struct histories_result history_result;
    struct explore_histories_report history_report;
};

/* --- What is asked for ------------------------------------------------------------------------ */

static enum status read_duration(const char *flag, const char *text, int64_t *ns, struct error *err)
{
    if (!text)
        return STATUS_OK;
    if (!quantity_to_duration(text_of(text), ns) || *ns <= 0 || *ns > DURATION_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT,
                         "--%s takes a duration from 1ns to 1h such as 20ms, not '%s'", flag, text);
    return STATUS_OK;
}

static enum status check_scenario(const struct explore_values *values,
                                  const struct scenario *scenario, struct error *err)
{
    const char *inability = values->store ? NULL : histories_inability(scenario);

    if (values->store && scenario->database.kind)
        inability = "a real database cannot be explored: nobody steers its messages";
    else if (scenario->workload.kind == WORKLOAD_PING)
        inability = "a ping has no transactions to explore";
    if (inability)
        return error_set(err, STATUS_BAD_INPUT, "%s", inability);
    if (!values->transactions.given)
        return STATUS_OK;
    if (scenario->workload.is_listed || scenario->workload.kind == WORKLOAD_SCHEDULE)
        return error_set(err, STATUS_BAD_INPUT,
                         "--transactions: the scenario lists what its sessions do");
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
    return STATUS_OK;
}

static enum status load_store(struct explore_call *call, struct error *err)
{
    const struct explore_values *values = call->values;
    struct scenario *scenario = call->scenario;

    TRY(load(call, err));
    call->report.level =
        trial_level(scenario, store_protocol_facts(scenario->cluster.protocol).level);
    memset(scenario->explore.events, 0, sizeof scenario->explore.events);
    TRY(read_duration("window", values->window, &scenario->explore.window_ns, err));
    TRY(read_duration("down", values->down, &scenario->explore.down_ns, err));
    TRY(read_duration("apart", values->apart, &scenario->explore.apart_ns, err));
    TRY(read_duration("within", values->within, &call->options.within_ns, err));
    explore_store_fix(
        scenario, values->transactions.given ? (uint64_t)values->transactions.value : TRANSACTIONS,
        &call->left_out);
    buffer_byte(&call->left_out, '\0');
    return buffer_status(&call->left_out, err);
}

/* --- What is written -------------------------------------------------------------------------- */

/* The first violation once more, with its history and witnesses. One that killed its run has none. */
static enum status write_again(const struct explore_call *call, const char *folder,
                               struct error *err)
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
    if (status == STATUS_OK && result->failures.count > 0 &&
        !killed_its_run(&result->failures.at[0]))
        status = write_again(call, folder, err);
    return status;
}

static enum status say(const struct explore_call *call, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    if (call->values->store && call->values->json)
        report_explore_store_print_json(&call->report, &out);
    else if (call->values->store)
        report_explore_store_print(&call->report, &out);
    else if (call->values->json)
        report_explore_histories_print_json(&call->history_report, &out);
    else
        report_explore_histories_print(&call->history_report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

/* --- Exploring -------------------------------------------------------------------------------- */

static enum status explore_store(struct explore_call *call, struct limits *limits,
                                 struct error *err)
{
    const struct explore_values *values = call->values;
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    enum status status;

    TRY(load_store(call, err));
    call->options.scenario = call->scenario;
    call->options.max[STEERING_POSTPONE] =
        values->postponed.given ? (uint32_t)values->postponed.value : POSTPONED;
    call->options.max[STEERING_CRASH] = (uint32_t)values->crashes.value;
    call->options.max[STEERING_ISOLATE] = (uint32_t)values->isolations.value;
    call->options.until_failure = values->until_failure;
    call->options.worker_count =
        values->workers.given ? (unsigned)values->workers.value : thread_core_count();
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

/* --- Histories -------------------------------------------------------------------------------- */

static enum status write_history_files(const void *context, const char *folder, struct error *err)
{
    const struct explore_call *call = context;
    const struct histories_result *result = &call->history_result;
    struct buffer bytes = { 0 }, path = { 0 };
    enum status status;

    report_explore_histories_print_json(&call->history_report, &bytes);
    status = folder_write(folder, "explore.json", &bytes, err);
    buffer_close(&bytes);
    if (status != STATUS_OK || !result->has_history)
        return status;
    histories_fix(call->scenario, &call->history_options);
    scenario_print(call->scenario, &bytes);
    status = buffer_status(&bytes, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "scenario.toml", &bytes, err);
    buffer_close(&bytes);
    TRY(status);
    TRY(folder_write(folder, "story.txt", &result->story, err));
    TRY(folder_write(folder, "choices.jsonl", &result->choices, err));
    buffer_print(&path, "%s/history.jsonl", folder);
    buffer_byte(&path, '\0');
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = format_write_history(&result->history, FORMAT_JSONL, path.at, NULL, err);
    buffer_close(&path);
    return status;
}

/* What is asked for with --store alone. */
static enum status check_flags(const struct explore_values *values, struct error *err)
{
    const char *wrong = values->postponed.given    ? "postponed"
                        : values->crashes.given    ? "crashes"
                        : values->isolations.given ? "isolations"
                        : values->window           ? "window"
                        : values->down             ? "down"
                        : values->apart            ? "apart"
                        : values->within           ? "within"
                        : values->workers.given    ? "j"
                                                   : NULL;

    if (values->store && values->serializable)
        return error_set(
            err, STATUS_BAD_INPUT,
            "--serializable is of histories; with --store, --level says what they must have");
    if (!values->store && wrong)
        return error_set(err, STATUS_BAD_INPUT, "%s%s needs --store: histories have no schedule",
                         wrong[1] ? "--" : "-", wrong);
    if (!values->store && values->transactions.value > EXPLORE_TXNS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "--transactions: at most %d without --store",
                         EXPLORE_TXNS_MAX);
    return STATUS_OK;
}

static enum status set_histories(struct explore_call *call, struct error *err)
{
    const struct explore_values *values = call->values;
    const struct scenario *scenario = call->scenario;
    enum level level = trial_level(scenario, LEVEL_COUNT);

    if (level == LEVEL_COUNT)
        return error_set(err, STATUS_BAD_INPUT,
                         "explore needs --level, or a scenario whose [check] has one");
    if (!(directed_levels() & LEVEL_BIT(level)))
        return error_set(err, STATUS_BAD_INPUT,
                         "histories at %s cannot be explored, only at read-committed, read-atomic, "
                         "causal, prefix, "
                         "snapshot and serializable",
                         level_name(level));
    call->history_options = (struct histories_options){
        .scenario = scenario,
        .level = level,
        .transactions =
            values->transactions.given ? (uint32_t)values->transactions.value : TRANSACTIONS,
        .wants_serializable = values->serializable,
        .until_failure = values->until_failure,
        .stop = interrupt_notice(false),
    };
    return STATUS_OK;
}

static enum status explore_histories(struct explore_call *call, struct limits *limits,
                                     struct error *err)
{
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    enum status status;

    TRY(load(call, err));
    TRY(set_histories(call, err));
    call->history_options.progress = &progress;
    progress_bar_begin(&bar, "exploring", "histories");
    status = histories_explore(&call->history_result, &call->history_options, err);
    progress_bar_end(&bar);
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, call->values->scenario);
    TRY(status);
    call->history_report =
        (struct explore_histories_report){ .result = &call->history_result,
                                           .options = &call->history_options,
                                           .interrupted = limits_ended_by(limits),
                                           .out = call->values->out };
    return STATUS_OK;
}

/* --- The subcommand --------------------------------------------------------------------------- */

static enum verdict verdict_of(const struct explore_call *call)
{
    return call->values->store ? report_explore_store_verdict(&call->report)
                               : report_explore_histories_verdict(&call->history_report);
}

static enum status explore_scenario(struct explore_call *call, struct limits *limits,
                                    enum exit_code *code, struct error *err)
{
    const struct explore_values *values = call->values;

    TRY(check_flags(values, err));
    if (values->out)
        TRY(folder_claim(values->out, values->force, err)); /* better known before */
    TRY(values->store ? explore_store(call, limits, err) : explore_histories(call, limits, err));
    limits_settle(limits);
    if (values->out)
        TRY(folder_answer(values->out, values->force,
                          values->store ? write_files : write_history_files, call, err));
    TRY(say(call, err));
    *code = command_exit_noticed(command_exit_of_verdict(verdict_of(call)));
    return STATUS_OK;
}

static enum status cmd_explore_run(const void *given, struct limits *limits, enum exit_code *code,
                                   struct error *err)
{
    struct explore_call call = { .values = given };
    enum status status;

    call.scenario = calloc(1, sizeof *call.scenario);
    if (!call.scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = explore_scenario(&call, limits, code, err);
    schedules_close(&call.result);
    histories_close(&call.history_result);
    buffer_close(&call.left_out);
    scenario_close(call.scenario);
    free(call.scenario);
    return status;
}

const struct command command_explore = {
    .summary = "explores all that can happen in a small scenario",
    .description =
        "Visits every history that a few calls of a program can have at an isolation level, each\n"
        "once: who reads from whom. Each is asked for the invariants of the program and the\n"
        "scenario, and whether it is serializable.\n"
        "With --store a few transactions of a scenario are run on the simulated store under every\n"
        "schedule within a bound, instead of drawn ones: messages take the same time, except for "
        "at\n"
        "most K of them that arrive late, and nodes crash at most F times, at every event of a "
        "run\n"
        "in turn. Each history is judged as by run. A violation comes with its schedule; --out\n"
        "writes a scenario that repeats it.\n"
        "Exits with 0 if all were explored and none is a violation, 1 if one is, 2 if the call is\n"
        "wrong, and 3 if not all were explored or judged and no violation was found.\n",
    .example = "  ordeal explore scenarios/smallbank.toml --level causal --transactions 3\n"
               "  ordeal explore scenarios/bugs/upgrade-race.toml --store --transactions 2\n"
               "  ordeal explore scenarios/smallbank.toml --store --postponed 2 --out out\n",
    .options = { "explore", explore_rows, ROW_COUNT(explore_rows), sizeof(struct explore_values) },
    .run = cmd_explore_run,
    .unfinished = "not finished",
};
