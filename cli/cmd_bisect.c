#include "cli/cmd_bisect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/thread.h"
#include "base/wall_clock.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_bisect.h"

struct bisect_values {
    const char *scenario, *out, *seeds, *timeout;
    struct option_number seed, jobs;
    struct option_texts sets;
    bool when, force, json;
};

#define AT(field) offsetof(struct bisect_values, field)

static const struct option bisect_rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a TOML file, as in scenarios/; - is standard input"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX,
               "seed of the run that fails (default: the scenario's)"),
    TEXT_ROW("seeds", "A..B", AT(seeds), "take the first of these seeds whose run fails"),
    FLAG_ROW("when", AT(when),
             "only find the moment after which the failure becomes likely: the\n"
             "run is kept up to each of many moments, and drawn anew after it"),
    JOBS_ROW(AT(jobs), WORKERS_MAX, "number of processes (default: number of cores)"),
    TEXT_ROW("out", "DIR", AT(out),
             "write capsule.toml, story.txt and story.svg into this folder,\n"
             "which must be new or empty (default: the current folder)"),
    FLAG_ROW("force", AT(force),
             "let --out replace the files of an earlier call; other files stay"),
    TEXTS_ROW("set", "key=value", AT(sets), "change a setting first, as with `ordeal run`"),
    TIMEOUT_ROW(AT(timeout), "all runs included;\n"
                             "the capsule is then as small as it is"),
    JSON_ROW(AT(json)),
};

static unsigned job_count(const struct bisect_values *values)
{
    unsigned count = values->jobs.given ? (unsigned)values->jobs.value : thread_core_count();

    return count > WORKERS_MAX ? WORKERS_MAX : count;
}

/* "scenarios/bank.toml --seed 7 --set cluster.bugs=…": what the capsule is made of. */
static void print_source(const struct bisect_values *values, uint64_t seed, struct buffer *out)
{
    buffer_print(out, "%s --seed %" PRIu64, values->scenario, seed);
    for (size_t i = 0; i < values->sets.count; i++)
        buffer_print(out, " --set %s", values->sets.at[i]);
    buffer_byte(out, '\0');
}

/* What is left of the run, from the failure that was found to the files. */
static enum status write_capsule(const struct bisect_values *values, const struct shrink *shrink,
                                 const char *source, struct bisect_report *report,
                                 struct error *err)
{
    struct folder_draft draft;
    enum status status;

    report->out = values->out;
    if (!values->out)
        return report_bisect_write(report, shrink, source, ".", err);
    TRY(folder_draft_open(&draft, values->out, err));
    status = report_bisect_write(report, shrink, source, draft.at, err);
    if (status == STATUS_OK)
        status = folder_draft_commit(&draft, values->force, err);
    folder_draft_close(&draft);
    return status;
}

static enum status make_capsule(const struct bisect_values *values, struct bisect_search *search,
                                struct bisect_report *report, struct limits *limits,
                                const struct progress *progress, struct error *err)
{
    struct shrink shrink = { 0 };
    struct buffer source = { 0 };
    enum status status =
        shrink_run(&shrink, &search->origin, job_count(values), search->stop, progress, err);

    if (shrink.not_judged.count > 0) {
        shrink.not_judged.count += search->not_judged.count;
        search->not_judged = shrink.not_judged;
    }
    limits_settle(limits);
    print_source(values, search->scenario->seed, &source);
    if (status == STATUS_OK)
        status = write_capsule(values, &shrink, source.at ? source.at : "", report, err);
    buffer_close(&source);
    shrink_close(&shrink);
    return status;
}

static enum status work(const struct bisect_values *values, struct bisect_search *search,
                        struct limits *limits, enum exit_code *code, struct error *err)
{
    struct bisect_report report = { .path = values->scenario, .search = search };
    int64_t began_ns = wall_clock_ns();
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct buffer out = { 0 };
    enum status status;

    search->stop = interrupt_notice(false);
    progress_bar_begin(&bar, "runs", "");
    status = bisect_search(search, job_count(values), &progress, err);
    if (status == STATUS_OK && search->found && values->when)
        status = bisect_when(search, job_count(values), &report.when, &progress, err);
    else if (status == STATUS_OK && search->found)
        status = make_capsule(values, search, &report, limits, &progress, err);
    progress_bar_end(&bar);
    if (status != STATUS_OK && err->status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, values->scenario);
    TRY(status);
    limits_settle(limits);
    report.wall_ns = wall_clock_ns() - began_ns;
    report.has_when = values->when;
    report.interrupted = limits_ended_by(limits);
    if (values->json)
        report_bisect_print_json(&report, &out);
    else
        report_bisect_print(&report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    *code = command_exit_noticed(search->found ? EXIT_VALID : EXIT_UNDECIDED);
    return status;
}

/* One seed, or those of "A..B", or the scenario's. */
static enum status open_search(struct bisect_search *search, struct scenario *scenario,
                               const struct bisect_values *values, struct error *err)
{
    uint64_t first = values->seed.given ? (uint64_t)values->seed.value : scenario->seed;
    uint64_t last = first;

    if (values->seeds)
        TRY(scenario_read_seeds(values->seeds, &first, &last, err));
    bisect_search_open(search, scenario, first, last);
    return STATUS_OK;
}

static enum status cmd_bisect_run(const void *given, struct limits *limits,
                                  enum exit_code *code, struct error *err)
{
    const struct bisect_values *values = given;
    struct scenario *scenario;
    struct bisect_search search = { 0 };
    enum status status;

    if (values->seed.given && values->seeds)
        return error_set(err, STATUS_BAD_INPUT, "--seed and --seeds do not go together");
    if (values->out && !values->when)
        TRY(folder_claim(values->out, values->force, err)); /* better known before all runs */
    scenario = calloc(1, sizeof *scenario);
    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = scenario_load(scenario, values->scenario, values->sets.at, values->sets.count, err);
    if (status == STATUS_OK && scenario->database.kind)
        status = error_set(err, STATUS_BAD_INPUT,
                           "a run on a real database cannot be repeated, and so not be bisected");
    if (status == STATUS_OK)
        status = open_search(&search, scenario, values, err);
    if (status == STATUS_OK)
        status = work(values, &search, limits, code, err);
    bisect_search_close(&search);
    scenario_close(scenario);
    free(scenario);
    return status;
}

const struct command command_bisect = {
    .summary = "makes a failing run as small as possible, and writes it down",
    .description =
        "Records every transaction and every fault of the run, and leaves out as many of them as\n"
        "possible while the run still fails in the same way: the same checker finds the same\n"
        "anomaly at the same level. The rest is written to capsule.toml, a scenario that needs no\n"
        "generator and that `ordeal run` takes like any other; story.txt describes what happens\n"
        "in it, and story.svg draws it. See docs/bisect.md.\n"
        "Exits with 0 if there is a capsule, 2 if the scenario or the call is wrong, and 3 if no\n"
        "run fails.\n",
    .example = "  ordeal bisect scenarios/bugs/no-timestamp-cache.toml --seed 3 --out out\n"
               "  git bisect run ordeal run --git-bisect out/capsule.toml\n",
    .options = { "bisect", bisect_rows, ROW_COUNT(bisect_rows), sizeof(struct bisect_values) },
    .run = cmd_bisect_run,
    .unfinished = "not finished",
};
