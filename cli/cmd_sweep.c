#include "cli/cmd_sweep.h"

#include "base/quantity.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_sweep.h"
#include "trial/sweep/sweep.h"

struct sweep_values {
    const char *scenario, *seeds, *out, *time_budget, *shard, *junit, *timeout;
    struct option_number workers;
    struct option_texts merge, sets;
    bool resume, until_failure, guided, no_sync, json;
};

#define AT(field) offsetof(struct sweep_values, field)

static const struct option sweep_rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a TOML file, or a folder of them", .optional = true),
    TEXT_ROW("seeds", "A..B", AT(seeds),
             "the seeds from A to B, both included; each is 0 to 2^53-1"),
    JOBS_ROW(AT(workers), WORKERS_MAX,
             "number of processes (default: number of cores; 1 with\n"
             "a real database)"),
    TEXTS_ROW("set", "key=value", AT(sets), "change a setting of every scenario, as with run"),
    TEXT_ROW("out", "DIR", AT(out),
             "keep a journal of all runs in this folder, and write sweep.json"),
    FLAG_ROW("resume", AT(resume), "continue the journal of --out, if there is one"),
    FLAG_ROW("no-sync", AT(no_sync),
             "do not wait until the journal is on the disk: it then survives a\n"
             "kill, but not a power cut"),
    FLAG_ROW("until-failure", AT(until_failure), "stop at the first run that fails"),
    FLAG_ROW("guided", AT(guided),
             "derive the draws of runs from earlier runs that reached rare states"),
    TEXT_ROW("time-budget", "S", AT(time_budget),
             "start no run after so many seconds, or 5m, 2h; one that still runs a\n"
             "second later is not judged, and --resume tries it again"),
    TIMEOUT_ROW(AT(timeout), "of each run; one\n"
                             "that takes longer is not judged, and --resume tries it again"),
    TEXT_ROW("shard", "I/N", AT(shard),
             "run only every N-th job: I is 1 to N (0 is the same as N)"),
    { .name = "merge",
      .argument = "DIR...",
      .kind = OPTION_LIST,
      .offset = AT(merge),
      .help = "run nothing; merge the journals of these folders" },
    TEXT_ROW("junit", "FILE", AT(junit), "write JUnit's XML, for build servers"),
    JSON_ROW(AT(json)),
};

/* --- Reports ---------------------------------------------------------------------------------- */

static enum status write_reports(const struct sweep_values *values,
                                 const struct sweep_report *report, struct error *err)
{
    struct buffer out = { 0 };
    enum status status = STATUS_OK;

    if (values->junit) {
        report_sweep_print_junit(report, &out);
        status = output_write_file(values->junit, &out, err);
    }
    buffer_clear(&out);
    report_sweep_print_json(report, &out);
    if (status == STATUS_OK && values->out)
        status = folder_write(values->out, "sweep.json", &out, err);
    if (!values->json) {
        buffer_clear(&out);
        report_sweep_print(report, &out);
    }
    if (status == STATUS_OK)
        status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status report(const struct sweep_values *values, const struct sweep *sweep,
                          enum exit_code *code, struct error *err)
{
    struct sweep_report report = { .plan = &sweep->plan, .tally = &sweep->tally,
                                   .wall_ns = sweep->wall_ns,
                                   .interrupted = interrupt_signal() ? interrupt_name() : NULL,
                                   .journal = values->out,
                                   .damaged = sweep->damaged,
                                   .tried_again = sweep->tried_again };

    TRY(write_reports(values, &report, err));
    *code = command_exit_of_verdict(tally_verdict(&sweep->tally));
    if (values->merge.count > 0 && report_sweep_missing(&report) > 0)
        *code = command_exit_combine(*code, EXIT_UNDECIDED);
    *code = command_exit_noticed(*code);
    return STATUS_OK;
}

/* --- Sweeping --------------------------------------------------------------------------------- */

static enum status read_budget(const char *text, int64_t *budget_ns, struct error *err)
{
    int64_t seconds;

    if (!text)
        return STATUS_OK;
    if (quantity_to_integer(text_of(text), &seconds) && seconds > 0 && seconds < 1000000000)
        *budget_ns = seconds * 1000000000;
    else if (!quantity_to_duration(text_of(text), budget_ns) || *budget_ns <= 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "--time-budget takes a number of seconds above zero, or 5m, not '%s'",
                         text);
    return STATUS_OK;
}

/* A file that cannot be written is better known before hours of runs than after them. */
static enum status try_junit(const struct sweep_values *values, struct error *err)
{
    const struct buffer nothing = { 0 };

    return values->junit ? output_write_file(values->junit, &nothing, err) : STATUS_OK;
}

static enum status check_sweep(const struct sweep_values *values, struct error *err)
{
    if (!values->scenario || !values->seeds)
        return error_set(err, STATUS_BAD_INPUT, "sweep needs %s; see: ordeal help sweep",
                         values->scenario ? "--seeds A..B" : "SCENARIO");
    if (values->resume && !values->out)
        return error_set(err, STATUS_BAD_INPUT, "--resume needs the --out DIR to go on with");
    if (values->no_sync && !values->out)
        return error_set(err, STATUS_BAD_INPUT, "--no-sync is of the journal, which needs --out DIR");
    return STATUS_OK;
}

static void say(void *bar, const struct buffer *line)
{
    progress_bar_say(bar, line);
}

static enum status run_shown(struct sweep *sweep, struct progress_bar *bar, struct error *err)
{
    enum status status;

    sweep->options.stop = interrupt_notice(false);
    progress_bar_begin(bar, "sweeping", "runs");
    status = sweep_run(sweep, err);
    progress_bar_end(bar);
    return status;
}

static enum status sweep_scenarios(const struct sweep_values *values, struct sweep *sweep,
                                   struct buffer *late, struct error *err)
{
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct sweep_options options = {
        .path = values->scenario,
        .sets = values->sets.at,
        .set_count = values->sets.count,
        .seeds = values->seeds,
        .shard = values->shard,
        .until_failure = values->until_failure,
        .is_guided = values->guided,
        .no_sync = values->no_sync,
        .worker_count = values->workers.given ? (unsigned)values->workers.value : 0,
        .progress = &progress,
        .say = say,
        .context = &bar,
    };

    TRY(check_sweep(values, err));
    TRY(read_budget(values->time_budget, &options.budget_ns, err));
    TRY(limits_read(values->timeout, &options.run_ns, err));
    if (values->timeout)
        limits_print(values->timeout, late);
    buffer_byte(late, '\0');
    TRY(buffer_status(late, err));
    options.late = late->at;
    TRY(sweep_open(sweep, &options, err));
    TRY(try_junit(values, err));
    if (values->out) {
        TRY(folder_make(values->out, err));
        TRY(sweep_open_journal(sweep, values->out, values->resume, err));
    }
    return run_shown(sweep, &bar, err);
}

/* --- Merging ---------------------------------------------------------------------------------- */

/* All that SCENARIO and the flags could say stands in the journals. */
static enum status check_merge(const struct sweep_values *values, struct error *err)
{
    if (values->scenario || values->seeds || values->sets.count > 0 || values->shard ||
        values->resume || values->no_sync || values->until_failure || values->guided || values->time_budget ||
        values->timeout ||
        values->workers.given)
        return error_set(err, STATUS_BAD_INPUT,
                         "--merge takes the sweep from its journals: beside it stand only --out, "
                         "--junit and --json");
    return STATUS_OK;
}

static enum status merge_shards(const struct sweep_values *values, struct sweep *sweep,
                                struct error *err)
{
    TRY(check_merge(values, err));
    TRY(sweep_merge(sweep, values->merge.at, values->merge.count, err));
    return values->out ? folder_make(values->out, err) : STATUS_OK;
}

static enum status cmd_sweep_run(const void *given, struct limits *limits,
                                 enum exit_code *code, struct error *err)
{
    const struct sweep_values *values = given;
    struct sweep sweep = { 0 };
    struct buffer late = { 0 };
    enum status status = values->merge.count > 0 ? merge_shards(values, &sweep, err)
                                                 : sweep_scenarios(values, &sweep, &late, err);

    (void)limits; /* each run has its own */
    if (status == STATUS_OK)
        status = report(values, &sweep, code, err);
    sweep_close(&sweep);
    buffer_close(&late);
    return status;
}

const struct command command_sweep = {
    .summary = "runs many seeds of a scenario, and groups the failures",
    .description =
        "Each run is done by a separate process and judged as by run. A failure is repeated in a\n"
        "new process before it is reported. Failures with the same checker, level, anomaly and\n"
        "shape of the proof are one group.\n"
        "A run that the machine fails (its process is killed, or memory runs out) is tried again\n"
        "up to three times in a new process, and then reported as not judged.\n"
        "SIGINT and SIGTERM end a sweep with the report of the runs that it has, and 130 or 143.\n"
        "With --out a sweep can be killed at any moment and continued with --resume, which also\n"
        "tries again what was not judged. Shards of a\n"
        "sweep can run anywhere and be merged in any order, with the result of a single sweep.\n"
        "Exits with 0 if every run is valid, 1 if one is invalid, 2 if the call is wrong, and 3\n"
        "if the sweep is inconclusive: nothing committed in any run of a scenario, a fault that\n"
        "it asks for never took effect, no checker could judge some run, or the machine failed\n"
        "some run.\n",
    .example = "  ordeal sweep scenarios/swarm.toml --seeds 1..1000 --out out/swarm\n"
               "  ordeal sweep --merge out/shard-1 out/shard-2\n",
    .options = { "sweep", sweep_rows, ROW_COUNT(sweep_rows), sizeof(struct sweep_values) },
    .run = cmd_sweep_run,
    .has_parts = true,
};
