#include "cli/run_director.h"

#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_director.h"
#include "history/format.h"
#include "trial/run/run.h"

/* --- Files -------------------------------------------------------------------------------------- */

static enum status write_bytes(const char *folder, const char *name, struct buffer *bytes,
                               struct error *err)
{
    enum status status = buffer_status(bytes, err);

    if (status == STATUS_OK)
        status = folder_write(folder, name, bytes, err);
    buffer_clear(bytes);
    return status;
}

static enum status write_small_files(const struct director_report *report, const char *folder,
                                     struct buffer *bytes, struct error *err)
{
    struct director_trial *trial = (struct director_trial *)report->trial;

    scenario_print(trial->scenario, bytes);
    TRY(write_bytes(folder, "scenario.toml", bytes, err));
    report_director_print_json(report, bytes);
    TRY(write_bytes(folder, "run.json", bytes, err));
    choices_write(&trial->made, bytes);
    TRY(write_bytes(folder, "choices.jsonl", bytes, err));
    TRY(director_trial_call_log(trial, bytes, err));
    return write_bytes(folder, "calls.jsonl", bytes, err);
}

/* Witnesses are of the history that was judged. */
static enum status write_files(const void *context, const char *folder, struct error *err)
{
    const struct director_report *report = context;
    const struct director_trial *trial = report->trial;
    struct buffer bytes = { 0 };
    enum status status = write_small_files(report, folder, &bytes, err);

    if (status == STATUS_OK && trial->has_history)
        status = folder_write_judged(folder, &trial->history, &trial->jury, err);
    if (status == STATUS_OK && trial->has_items && director_trial_judged(trial) == &trial->items) {
        buffer_clear(&bytes);
        buffer_print(&bytes, "%s/items.jsonl", folder);
        buffer_byte(&bytes, '\0');
        status = buffer_status(&bytes, err);
        if (status == STATUS_OK)
            status = format_write_history(&trial->items, FORMAT_JSONL, bytes.at, NULL, err);
    }
    buffer_close(&bytes);
    return status;
}

static enum status write_audit_log(struct director_trial *trial, const char *path,
                                   struct error *err)
{
    struct buffer log = { 0 };
    enum status status = director_trial_call_log(trial, &log, err);

    if (status == STATUS_OK)
        status = output_write(path, &log, err);
    buffer_close(&log);
    return status;
}

/* --- The run ------------------------------------------------------------------------------------ */

/* Whether it comes out the same once more. */
static enum status run_again(struct director_report *report, struct error *err)
{
    const struct director_trial *first = report->trial;
    struct director_trial *second = calloc(1, sizeof *second); /* too large for a stack */
    enum status status;

    if (!second)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    status = director_trial_run(second, first->scenario, &first->options, err);
    if (status == STATUS_OK && first->has_history && second->has_history) {
        struct digest a = history_digest(&first->history), b = history_digest(&second->history);

        report->was_twice = true;
        report->differs = memcmp(&a, &b, sizeof a) != 0;
    }
    director_trial_close(second);
    free(second);
    return status;
}

static enum status say(const struct director_report *report, bool json, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    if (json)
        report_director_print_json(report, &out);
    else
        report_director_print(report, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status run_and_answer(const struct run_director_wishes *wishes,
                                  struct director_trial *trial, const char *again,
                                  struct limits *limits, enum exit_code *code, struct error *err)
{
    struct director_report report = { .trial = trial, .again = again, .out = wishes->out };
    struct progress_bar bar;
    struct progress progress = progress_bar_listener(&bar);
    struct director_trial_options options = { .director = wishes->director,
                                              .producer = again,
                                              .wants_witnesses = wishes->out != NULL,
                                              .stop = limits_stop(limits),
                                              .unfinished = limits->reason,
                                              .memory = limits->memory,
                                              .progress = &progress };
    enum status status;

    progress_bar_begin(&bar, "running", "transactions");
    status = director_trial_run(trial, wishes->scenario, &options, err);
    if (status == STATUS_OK && wishes->twice)
        status = run_again(&report, err);
    progress_bar_end(&bar);
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, wishes->path);
    TRY(status);
    limits_settle(limits);
    if (wishes->out)
        TRY(folder_answer(wishes->out, wishes->force, write_files, &report, err));
    if (wishes->audit_log)
        TRY(write_audit_log(trial, wishes->audit_log, err));
    *code = command_exit_of_verdict(report_director_verdict(&report));
    return say(&report, wishes->json, err);
}

enum status run_director(const struct run_director_wishes *wishes, struct limits *limits,
                         enum exit_code *code, struct error *err)
{
    struct director_trial *trial = calloc(1, sizeof *trial); /* too large for a stack */
    struct buffer again = { 0 };
    enum status status;

    if (!trial)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    run_echo(wishes->path, wishes->scenario->seed, wishes->sets, wishes->set_count, &again);
    buffer_text(&again, TEXT(" --director "));
    run_echo_word(wishes->director, &again);
    buffer_byte(&again, '\0');
    status = buffer_status(&again, err);
    if (status == STATUS_OK)
        status = run_and_answer(wishes, trial, again.at, limits, code, err);
    director_trial_close(trial);
    free(trial);
    buffer_close(&again);
    return status;
}
