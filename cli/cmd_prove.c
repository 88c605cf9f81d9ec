#include "cli/cmd_prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/wall_clock.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_prove.h"
#include "history/format.h"
#include "trial/prove/prove.h"

#define SEEDS 100  /* of a bug, unless given */
#define CLEAN 1000 /* clean runs, at least, unless given */

struct prove_values {
    const char *bug, *out, *timeout;
    struct option_number seeds, clean, workers;
    bool mutate, force, json;
};

#define AT(field) offsetof(struct prove_values, field)

static const struct option prove_rows[] = {
    TEXT_ROW("bug", "B", AT(bug), "run this bug alone, and its scenario without it",
             .choices = bug_names),
    NUMBER_ROW("seeds", "N", AT(seeds), 1, 1000000,
               "number of seeds for each bug (default: 100); up to ten times as\n"
               "many while a checker that must find the bug has not"),
    NUMBER_ROW("clean", "N", AT(clean), 0, 100000000, "number of clean runs (default: 1000)"),
    FLAG_ROW("mutate", AT(mutate),
             "also change recorded small histories, eight for each seed, and\n"
             "show what each checker misses"),
    JOBS_ROW(AT(workers), WORKERS_MAX, "number of processes (default: number of cores)"),
    TEXT_ROW("out", "DIR", AT(out),
             "write prove.json and the page matrix.md into this folder, which\n"
             "must be new or empty"),
    FLAG_ROW("force", AT(force),
             "let --out replace the files of an earlier call; other files stay"),
    TIMEOUT_ROW(AT(timeout), "all runs included"),
    JSON_ROW(AT(json)),
};

struct prove_call {
    const struct prove_values *values;
    struct prove prove;
    struct prove_report report;
};

static void print_command(const struct prove_values *values, struct buffer *out)
{
    buffer_text(out, TEXT("ordeal prove"));
    if (values->bug)
        buffer_print(out, " --bug %s", values->bug);
    if (values->seeds.given)
        buffer_print(out, " --seeds %" PRId64, values->seeds.value);
    if (values->clean.given)
        buffer_print(out, " --clean %" PRId64, values->clean.value);
    if (values->mutate)
        buffer_text(out, TEXT(" --mutate"));
    buffer_text(out, TEXT(" --out DIR"));
    buffer_byte(out, '\0');
}

/* The first that a checker missed or accused, to be looked at. */
static enum status write_mutant(const struct prove *prove, unsigned checker, enum mutant_end end,
                                const char *folder, struct error *err)
{
    struct buffer path = { 0 };
    struct history history;
    bool is_made;
    enum status status;

    TRY(prove_mutant_history(prove, checker, end, &history, &is_made, err));
    if (!is_made)
        return STATUS_OK;
    buffer_print(&path, "%s/%s-%s.jsonl", folder, end == MUTANT_MISSED ? "missed" : "accused",
                 checkers_all()[checker]->name);
    buffer_byte(&path, '\0');
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = format_write_history(&history, FORMAT_JSONL, path.at, NULL, err);
    history_close(&history);
    buffer_close(&path);
    return status;
}

static enum status write_mutants(const struct prove *prove, const char *folder,
                                 struct error *err)
{
    for (unsigned i = 0; checkers_all()[i] && i < JURY_MAX; i++) {
        if (mutations_count(&prove->mutations, i, MUTANT_MISSED) > 0)
            TRY(write_mutant(prove, i, MUTANT_MISSED, folder, err));
        if (mutations_count(&prove->mutations, i, MUTANT_ACCUSED) > 0)
            TRY(write_mutant(prove, i, MUTANT_ACCUSED, folder, err));
    }
    return STATUS_OK;
}

static enum status write_files(const struct prove_call *call, const struct buffer *json,
                               const char *folder, struct error *err)
{
    struct prove_report report = call->report;
    struct buffer page = { 0 }, command = { 0 };
    enum status status;

    print_command(call->values, &command);
    report.command = command.at;
    status = buffer_status(&command, err);
    if (status == STATUS_OK)
        status = report_prove_page(&report, &page, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "prove.json", json, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "matrix.md", &page, err);
    if (status == STATUS_OK && call->values->mutate)
        status = write_mutants(&call->prove, folder, err);
    buffer_close(&page);
    buffer_close(&command);
    return status;
}

static enum status write_folder(const struct prove_call *call, const struct buffer *json,
                                struct error *err)
{
    struct folder_draft draft;
    enum status status;

    TRY(folder_draft_open(&draft, call->values->out, err));
    status = write_files(call, json, draft.at, err);
    if (status == STATUS_OK)
        status = folder_draft_commit(&draft, call->values->force, err);
    folder_draft_close(&draft);
    return status;
}

static enum status say(const struct prove_call *call, struct error *err)
{
    struct buffer json = { 0 }, text = { 0 };
    enum status status = report_prove_print_json(&call->report, &json, err);

    if (status == STATUS_OK && call->values->out)
        status = write_folder(call, &json, err);
    if (status == STATUS_OK && !call->values->json)
        status = report_prove_print(&call->report, &text, err);
    if (status == STATUS_OK)
        status = output_print(call->values->json ? &json : &text, err);
    buffer_close(&json);
    buffer_close(&text);
    return status;
}

static enum status run_shown(struct prove *prove, struct progress_bar *bar, struct error *err)
{
    enum status status;

    progress_bar_begin(bar, "proving", "runs");
    prove->options.stop = interrupt_notice(false);
    status = prove_run(prove, err);
    progress_bar_end(bar);
    return status;
}

static enum status prove_all(struct prove_call *call, struct limits *limits, enum exit_code *code,
                             struct error *err)
{
    const struct prove_values *values = call->values;
    int64_t began_ns = wall_clock_ns();
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct prove_options options = {
        .bug = values->bug,
        .seeds = values->seeds.given ? (uint64_t)values->seeds.value : SEEDS,
        .mutates = values->mutate,
        .worker_count =
            values->workers.given ? (unsigned)values->workers.value : thread_core_count(),
        .progress = &progress,
    };

    options.clean_runs = values->clean.given ? (uint64_t)values->clean.value
                         : values->bug       ? options.seeds
                                             : CLEAN;
    TRY(prove_open(&call->prove, &options, err));
    if (values->out)
        TRY(folder_claim(values->out, values->force, err)); /* better known before */
    TRY(run_shown(&call->prove, &bar, err));
    call->report = (struct prove_report){ .matrix = &call->prove.matrix,
                                          .mutations = values->mutate ? &call->prove.mutations : NULL,
                                          .not_judged = &call->prove.not_judged,
                                          .interrupted = limits_ended_by(limits),
                                          .seeds = options.seeds,
                                          .wall_ns = wall_clock_ns() - began_ns };
    limits_settle(limits);
    TRY(say(call, err));
    *code = command_exit_noticed(command_exit_of_verdict(report_prove_verdict(&call->report)));
    return STATUS_OK;
}

static enum status cmd_prove_run(const void *given, struct limits *limits,
                                 enum exit_code *code, struct error *err)
{
    struct prove_call call = { .values = given };
    enum status status = prove_all(&call, limits, code, err);

    prove_close(&call.prove);
    return status;
}

const struct command command_prove = {
    .summary = "shows which checker finds which bug, and that none finds a bug in a clean run",
    .description =
        "Runs the scenario of every bug in the catalogue over many seeds, and every clean\n"
        "scenario, and has all checkers judge all runs. The table says in how many of a hundred\n"
        "runs each checker found the bug, how many seeds the best of them needs (median and\n"
        "ninetieth percentile), and which anomaly was found.\n"
        "Exits with 1 if a checker missed a bug that the catalogue expects it to find, or found\n"
        "something in a clean run, and with 3 if no checker found some bug because this program\n"
        "lacks those that must find it, or if the machine failed some run (its process was\n"
        "killed, or memory ran out, four times). SIGINT and SIGTERM end it with what it has, and\n"
        "130 or 143.\n",
    .example = "  ordeal prove --bug upgrade-race\n"
               "  ordeal prove --seeds 200 --out out/matrix\n",
    .options = { "prove", prove_rows, ROW_COUNT(prove_rows), sizeof(struct prove_values) },
    .run = cmd_prove_run,
    .unfinished = "not finished",
};
