#include "cli/cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cmd_record.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_run.h"
#include "cli/run_director.h"
#include "history/io/sink.h"
#include "sim/trace.h"
#include "trial/run/run.h"
#include "trial/scenario/scenario.h"

/*
 * Writes the trace of a run to a file.
 *
 * Lines are written in large pieces. A failure to write is kept until trace_file_finish(), because the
 * run cannot stop for it.
 */

struct trace_file {
    struct sink sink;
    struct buffer lines;
    struct error failure; /* STATUS_OK: none so far */
};

#define PIECE_BYTES ((size_t)256 << 10)

static void write_lines(struct trace_file *file)
{
    if (file->failure.status == STATUS_OK &&
        buffer_status(&file->lines, &file->failure) == STATUS_OK)
        file->failure.status =
            sink_write(&file->sink, file->lines.at, file->lines.count, &file->failure);
    buffer_clear(&file->lines);
}

static void take_line(void *context, struct text line)
{
    struct trace_file *file = context;

    buffer_text(&file->lines, line);
    buffer_byte(&file->lines, '\n');
    if (file->lines.count >= PIECE_BYTES)
        write_lines(file);
}

/* `path` must outlive it. Sets the options so that the trace's lines come here. */
static enum status trace_file_open(struct trace_file *file, const char *path,
                            struct trace_options *options, struct error *err)
{
    *file = (struct trace_file){ 0 };
    TRY(sink_open(&file->sink, path, err));
    options->line = take_line;
    options->line_context = file;
    return STATUS_OK;
}

static enum status trace_file_finish(struct trace_file *file, struct error *err)
{
    write_lines(file);
    if (file->failure.status != STATUS_OK) {
        *err = file->failure;
        return err->status;
    }
    return sink_commit(&file->sink, err);
}

static void trace_file_close(struct trace_file *file)
{
    buffer_close(&file->lines);
    sink_close(&file->sink);
}

struct run_values {
    const char *scenario, *out, *trace, *audit_log, *timeout, *director;
    struct option_number seed;
    struct option_texts sets;
    bool twice, git_bisect, force, json;
};

#define AT(field) offsetof(struct run_values, field)

static const struct option run_rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a TOML file, as in scenarios/; - is standard input"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX,
               "seed, instead of the scenario's own; 0 to 2^53-1"),
    TEXT_ROW("out", "DIR", AT(out),
             "write scenario.toml (with every setting, and this seed),\n"
             "run.json and, of a store, history.jsonl and the witness of\n"
             "each checker into this folder, which must be new or empty"),
    FLAG_ROW("force", AT(force), "let --out replace the files of an earlier run; other files stay"),
    TEXTS_ROW("set", "key=value", AT(sets),
              "change a setting: cluster.nodes=7, nemesis.0.every=1s; a TOML\n"
              "value, or else a bare string; may be given several times"),
    FLAG_ROW("twice", AT(twice), "run twice, and name the first event that differs"),
    TIMEOUT_ROW(AT(timeout), "judging included;\n"
                             "without a verdict by then the run is not judged"),
    TEXT_ROW("trace", "FILE", AT(trace),
             "write every event as a line of text; - is standard output"),
    TEXT_ROW("audit-log", "FILE", AT(audit_log),
             "of a workload that calls the functions of a program, or of a\n"
             "schedule: write calls or statements and their answers to\n"
             "FILE, for ordeal audit; - is standard output"),
    TEXT_ROW("director", "MODE|FILE", AT(director),
             "run the calls of a program on a store of one copy in which a\n"
             "director chooses what each read returns, among all that\n"
             "check.level allows: latest, oldest, random, biased, or as the\n"
             "choices in FILE say (docs/director.md)"),
    FLAG_ROW("git-bisect", AT(git_bisect),
             "exit with 125 instead of 2 and 3, as `git bisect run` requires"),
    JSON_ROW(AT(json)),
};

/* With what its swarm drew in the place of the swarm. */
static enum status print_resolved(const struct scenario *scenario, struct buffer *out,
                                  struct error *err)
{
    struct scenario *frozen = malloc(sizeof *frozen);

    if (!frozen)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    *frozen = *scenario;
    simulation_freeze_swarm(frozen);
    scenario_print(frozen, out);
    free(frozen);
    return buffer_status(out, err);
}

static enum status write_files(const void *context, const char *folder, struct error *err)
{
    const struct run_report *report = context;
    struct buffer bytes = { 0 };
    enum status status;

    TRY(print_resolved(report->scenario, &bytes, err));
    status = folder_write(folder, "scenario.toml", &bytes, err);
    buffer_clear(&bytes);
    report_run_print_json(report, &bytes);
    if (status == STATUS_OK)
        status = folder_write(folder, "run.json", &bytes, err);
    buffer_close(&bytes);
    if (status == STATUS_OK && report->trial->is_judged)
        status = folder_write_judged(folder, &report->trial->history, &report->trial->jury, err);
    return status;
}

static enum status say(const struct run_report *report, bool json, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    if (json)
        report_run_print_json(report, &out);
    else
        report_run_print(report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status write_audit_log(struct simulation *simulation, const char *path,
                                   struct error *err)
{
    struct buffer log = { 0 };
    enum status status = simulation_call_log(simulation, &log, err);

    if (status == STATUS_OK)
        status = output_write(path, &log, err);
    buffer_close(&log);
    return status;
}

static enum status run_once(struct trial *trial, const struct scenario *scenario,
                            const char *trace_path, struct run_options *options, struct error *err)
{
    struct trace_file file;
    enum status status;

    if (!trace_path)
        return trial_simulate(trial, scenario, options, err);
    TRY(trace_file_open(&file, trace_path, &options->trace, err));
    status = trial_simulate(trial, scenario, options, err);
    if (status == STATUS_OK)
        status = trace_file_finish(&file, err);
    trace_file_close(&file);
    return status;
}

static enum status load(const struct run_values *values, struct scenario *scenario,
                        struct error *err)
{
    TRY(scenario_load(scenario, values->scenario, values->sets.at, values->sets.count, err));
    if (values->seed.given)
        TRY(scenario_take_seed(scenario, (uint64_t)values->seed.value, err));
    if (!values->audit_log || scenario->workload.kind == WORKLOAD_PROGRAM ||
        scenario->workload.kind == WORKLOAD_SCHEDULE)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "--audit-log needs calls of a program or a schedule: the clients of this workload "
                     "send no SQL that a log could have");
}

/*
 * Everything between a loaded scenario and a finished report. A history that nobody
 * is to judge is made only for the folder, and so are witnesses.
 */
static enum status cmd_run_judge(const struct run_values *values, const struct run_report *report,
                                 struct trial *trial, struct difference *difference,
                                 struct limits *limits, struct error *err)
{
    const struct scenario *scenario = report->scenario;
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct run_options options = { .progress = &progress,
                                   .memory = limits->memory,
                                   .notes_calls = values->audit_log != NULL,
                                   .flags = values->out ? TRIAL_HISTORY | TRIAL_WITNESS : 0,
                                   .stop = limits_stop(limits),
                                   .unfinished = limits->reason };
    enum status status;

    progress_bar_begin(&bar, "running", "s");
    status = run_once(trial, scenario, values->trace, &options, err);
    if (status == STATUS_OK && values->twice && !trial->simulation->world.was_stopped)
        status = run_find_difference(difference, trial->simulation, scenario, scenario, &progress, err);
    progress_bar_end(&bar);
    if (status == STATUS_OK)
        status = trial_judge(trial, err);
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, values->scenario);
    TRY(status);
    limits_settle(limits);
    if (values->out)
        TRY(folder_answer(values->out, values->force, write_files, report, err));
    if (values->audit_log)
        TRY(write_audit_log(trial->simulation, values->audit_log, err));
    return say(report, values->json, err);
}

/* On a real database. */
static enum status record_scenario(const struct run_values *values,
                                   const struct scenario *scenario, struct limits *limits,
                                   enum exit_code *code, struct error *err)
{
    struct record_answer answer = {
        .scenario = scenario,
        .out = values->out,
        .audit_log = values->audit_log,
        .force = values->force,
        .json = values->json,
    };
    struct record_trial trial;
    enum status status;

    if (values->twice || values->trace)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s is for the simulated world: a recording has no trace and cannot be repeated",
                         values->twice ? "--twice" : "--trace");
    status = record_trial_of_scenario(&trial, scenario, err);
    if (status == STATUS_OK)
        status = cmd_record_trial(&trial, &answer, limits, code, err);
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, values->scenario);
    return status;
}

/* On the directed store. */
static enum status direct_scenario(const struct run_values *values,
                                   const struct scenario *scenario, struct limits *limits,
                                   enum exit_code *code, struct error *err)
{
    struct run_director_wishes wishes = {
        .scenario = scenario,
        .path = values->scenario,
        .director = values->director,
        .sets = values->sets.at,
        .set_count = values->sets.count,
        .out = values->out,
        .audit_log = values->audit_log,
        .force = values->force,
        .twice = values->twice,
        .json = values->json,
    };

    if (values->trace)
        return error_set(err, STATUS_BAD_INPUT,
                         "--trace is for the simulated world: the directed store has no events");
    return run_director(&wishes, limits, code, err);
}

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static enum status cmd_run_scenario(const void *given, struct limits *limits,
                                    enum exit_code *code, struct error *err)
{
    const struct run_values *values = given;
    struct scenario *scenario; /* too large for a stack */
    struct trial trial = { 0 };
    struct difference difference = { 0 };
    struct run_report report = {
        .trial = &trial,
        .difference = values->twice ? &difference : NULL,
        .path = values->scenario,
        .out = values->out,
        .sets = values->sets.at,
        .set_count = values->sets.count,
    };
    enum status status;

    if (values->json && is_standard_output(values->trace))
        return error_set(err, STATUS_BAD_INPUT, "--trace - and --json both want standard output");
    if (values->json && is_standard_output(values->audit_log))
        return error_set(err, STATUS_BAD_INPUT, "--audit-log - and --json both want standard output");
    if (values->out)
        TRY(folder_claim(values->out, values->force, err)); /* better known before the run */
    report.scenario = scenario = calloc(1, sizeof *scenario);
    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = load(values, scenario, err);
    if (status == STATUS_OK && values->director)
        status = direct_scenario(values, scenario, limits, code, err);
    else if (status == STATUS_OK && scenario->database.kind)
        status = record_scenario(values, scenario, limits, code, err);
    else if (status == STATUS_OK)
        status = cmd_run_judge(values, &report, &trial, &difference, limits, err);
    if (status == STATUS_OK && !scenario->database.kind && !values->director)
        *code = command_exit_of_verdict(report_run_verdict(&report));
    run_close_difference(&difference);
    trial_close(&trial);
    scenario_close(scenario);
    free(scenario);
    return status;
}

const struct command command_run = {
    .summary = "runs a scenario once and judges the run",
    .description =
        "The run is a function of the scenario, the seed and the version of the program: with the\n"
        "same three it leaves the same trace. When all clients are done, or after the scenario's\n"
        "duration, all faults are healed and the sessions read everything back. A node that does\n"
        "not recover then is stuck. After that the replicas must be equal, the invariants of the\n"
        "workload and the scenario must hold, and clients must have been told what the store did.\n"
        "Exits with 0 if the run is valid, 1 if it is invalid or --twice finds a difference, 2 if\n"
        "the scenario or the call is wrong, and 3 if the run is inconclusive: nothing committed,\n"
        "no checker could judge the whole history, or a required checker did not judge.\n",
    .example = "  ordeal run scenarios/bank-under-partition.toml --seed 7\n"
               "  ordeal run scenarios/smallbank.toml --set cluster.protocol=si --out out\n"
               "  ordeal run scenarios/smallbank.toml --set check.level=causal --director random\n",
    .options = { "run", run_rows, ROW_COUNT(run_rows), sizeof(struct run_values) },
    .run = cmd_run_scenario,
};
