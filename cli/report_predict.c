#include "cli/report_predict.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "cli/folder.h"
#include "cli/prediction_drawing.h"
#include "cli/prediction_schedule.h"
#include "history/format.h"
#include "predict/prediction_witness.h"
#include "trial/run/run.h"

enum predict_file_number {
    FILE_HISTORY,
    FILE_WITNESS,
    FILE_TEXT,
    FILE_DRAWING,
    FILE_EXECUTED,
    FILE_CHOICES,
    FILE_SCHEDULE,
    FILE_CELLS,
    FILE_COUNT
};

static const struct predict_file {
    const char *what, *name;
} predict_files[] = {
    [FILE_HISTORY] = { "predicted", "predicted.jsonl" },
    [FILE_WITNESS] = { "witness", "witness.json" },
    [FILE_TEXT] = { "text", "prediction.txt" },
    [FILE_DRAWING] = { "drawing", "prediction.svg" },
    [FILE_EXECUTED] = { "validated", "validated.jsonl" },
    [FILE_CHOICES] = { "choices", "choices.jsonl" },
    [FILE_SCHEDULE] = { "schedule", "schedule.toml" },
    [FILE_CELLS] = { "cells", "cells.jsonl" },
};

static struct scheduled_prediction scheduled_of(const struct predict_report *r)
{
    return (struct scheduled_prediction){ r->calls, r->observed, r->prediction, r->options->level, r->program };
}

/* What a program did when it was executed again cannot be checked against what was observed: it has no witness. */
static bool has_file(const struct predict_report *r, enum predict_file_number file)
{
    struct scheduled_prediction scheduled = scheduled_of(r);

    if (file == FILE_SCHEDULE)
        return r->validation && prediction_has_schedule(&scheduled);
    if (r->prediction->kind != PREDICTION_FOUND)
        return file == FILE_WITNESS && r->none && r->none->is_proven;
    if (file == FILE_EXECUTED || file == FILE_CHOICES)
        return r->validation != NULL;
    if (file == FILE_CELLS)
        return r->is_of_cells;
    return file != FILE_WITNESS || r->options->strategy != STRATEGY_SEMANTIC;
}

static struct told_prediction told_of(const struct predict_report *r)
{
    return (struct told_prediction){ .observed = r->observed,
                                     .prediction = r->prediction,
                                     .confirmation = r->confirmation,
                                     .options = r->options };
}

static bool is_found(const struct predict_report *r)
{
    return r->prediction->kind == PREDICTION_FOUND;
}

static const char *kind_name(enum prediction_kind kind)
{
    static const char *const names[] = { "predicted", "none", "unknown" };

    return names[kind];
}

bool report_predict_has_files(const struct predict_report *r)
{
    return is_found(r) || has_file(r, FILE_WITNESS);
}

/* --- For people ---------------------------------------------------------------------------------- */

static void print_observed(const struct predict_report *r, struct buffer *out)
{
    buffer_text(out, TEXT("observed   "));
    quantity_print_count(out, r->whole->txn_count);
    buffer_text(out, TEXT(" transactions, "));
    quantity_print_count(out, r->whole->session_count);
    buffer_text(out, TEXT(" sessions, "));
    quantity_print_count(out, r->whole->event_count);
    buffer_text(out, TEXT(" reads and writes  "));
    quantity_print_rounded(out, r->parse_ns);
    buffer_byte(out, '\n');
    if (r->whole->unjudged > 0) {
        buffer_text(out, TEXT("unjudged   "));
        quantity_print_count(out, r->whole->unjudged);
        buffer_text(out, TEXT(" statements of which nobody knows which rows they saw\n"));
    }
    if (r->whole->guessed > 0) {
        buffer_text(out, TEXT("guessed    "));
        quantity_print_count(out, r->whole->guessed);
        buffer_text(
            out,
            TEXT(
                " reads of a value that several transactions wrote: taken from the last before\n"));
    }
}

static void print_outcome(const struct predict_report *r, struct buffer *out)
{
    const struct predict_options *o = r->options;

    buffer_print(out, "%-9s  %s, %s", kind_name(r->prediction->kind), level_name(o->level),
                 predict_strategy_name(o->strategy));
    if (r->prediction->kind == PREDICTION_UNKNOWN) {
        buffer_print(out, ": %s\n", r->prediction->reason);
        return;
    }
    buffer_text(out, TEXT("  "));
    quantity_print_rounded(out, r->ns);
    if (r->validation)
        buffer_print(out, "  %s", validation_name(r->validation->kind));
    buffer_byte(out, '\n');
    if (r->validation && r->validation->kind == VALIDATION_DIVERGED)
        buffer_print(out, "           executed, it is another one, and not serializable either: %s\n",
                     r->validation->reason);
    if (r->prediction->kind == PREDICTION_NONE && !strategy_is_relaxed(o->strategy))
        buffer_print(out, "           --strategy approx-relaxed also looks at what comes behind "
                          "the first read that "
                          "is another\n");
}

enum status report_predict_print(const struct predict_report *r, struct buffer *out,
                                 struct error *err)
{
    struct told_prediction told = told_of(r);

    print_observed(r, out);
    print_outcome(r, out);
    if (is_found(r)) {
        buffer_byte(out, '\n');
        prediction_story_print(&told, out);
    }
    if (r->none && r->none->is_proven) {
        buffer_text(out, TEXT("proof      "));
        quantity_print_count(out, r->none->lemmas);
        buffer_text(out, TEXT(" lemmas, "));
        quantity_print_count(out, r->none->steps);
        buffer_text(out, TEXT(" steps\n"));
    } else if (r->none) {
        buffer_print(out, "proof      none: %s\n", r->none->reason);
    }
    if (r->folder && report_predict_has_files(r)) {
        buffer_text(out, is_found(r) ? TEXT("\nwritten   ") : TEXT("written   "));
        for (enum predict_file_number i = 0; i < FILE_COUNT; i++)
            if (has_file(r, i))
                buffer_print(out, " %s/%s", r->folder, predict_files[i].name);
        buffer_byte(out, '\n');
        if (r->validation && r->scenario) {
            buffer_text(out, TEXT("again      ordeal run "));
            run_echo_word(r->scenario, out);
            buffer_print(out, " --set check.level=%s --director %s/%s\n", level_name(r->options->level), r->folder,
                         predict_files[FILE_CHOICES].name);
        }
        if (has_file(r, FILE_SCHEDULE))
            buffer_print(out, "store      ordeal run %s/%s\n", r->folder, predict_files[FILE_SCHEDULE].name);
    }
    return buffer_status(out, err);
}

/* --- For programs ---------------------------------------------------------------------------------- */

static void answer_writer(const struct dataflow *t, const char *name, uint32_t writer,
                          struct json_writer *json)
{
    if (writer == DATAFLOW_INITIAL)
        json_writer_null(json, name);
    else
        json_writer_int64(json, name, told_txn_id(t, writer));
}

static void answer_boundary_txn(const struct predict_report *r, uint32_t session,
                                struct json_writer *json)
{
    const struct dataflow *t = r->observed;
    struct told_prediction told = told_of(r);
    uint32_t txn = r->prediction->boundary[session];

    json_writer_int64(json, "txn", told_txn_id(t, txn));
    json_writer_number(json, "included", r->prediction->included[session]);
    json_writer_open(json, "reads", '[');
    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++) {
        if (!told_is_changed(&told, e))
            continue;
        json_writer_open(json, NULL, '{');
        json_writer_string(json, "key", told_key(t, t->events[e].key));
        answer_writer(t, "from", r->prediction->writer[e], json);
        answer_writer(t, "observed", t->events[e].writer, json);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

/* Where each session ends. */
static void answer_boundary(const struct predict_report *r, struct json_writer *json)
{
    json_writer_open(json, "boundary", '[');
    for (uint32_t s = 0; is_found(r) && s < r->observed->session_count; s++) {
        json_writer_open(json, NULL, '{');
        json_writer_int64(json, "session", told_session_id(r->observed, s));
        json_writer_number(json, "full", r->prediction->full[s]);
        if (r->prediction->boundary[s] != DATAFLOW_NONE)
            answer_boundary_txn(r, s, json);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_cycle(const struct predict_report *r, struct json_writer *json)
{
    const struct confirmation *c = r->confirmation;

    json_writer_open(json, "cycle", '[');
    for (uint32_t i = 0; is_found(r) && i < c->cycle.count; i++) {
        const struct cycle_edge *edge = &c->cycle.edges[i];

        json_writer_open(json, NULL, '{');
        json_writer_int64(json, "from", told_txn_id(&c->trace, edge->from));
        json_writer_int64(json, "to", told_txn_id(&c->trace, edge->to));
        json_writer_text(json, "edge", cycle_edge_name(edge->kind));
        if (edge->kind != CYCLE_SO)
            json_writer_string(json, "key", told_key(&c->trace, edge->key));
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_story(const struct predict_report *r, struct json_writer *json)
{
    struct told_prediction told = told_of(r);
    struct buffer story = { 0 };

    if (!is_found(r)) {
        json_writer_null(json, "story");
        return;
    }
    prediction_story_tell(&told, &story);
    if (story.out_of_memory)
        json->out->out_of_memory = true;
    else
        json_writer_string(json, "story", (struct text){ story.at, story.count });
    buffer_close(&story);
}

static void answer_files(const struct predict_report *r, struct json_writer *json)
{
    json_writer_open(json, "files", '{');
    for (enum predict_file_number i = 0; r->folder && i < FILE_COUNT; i++) {
        struct buffer path = { 0 };

        if (!has_file(r, i))
            continue;

        buffer_print(&path, "%s/%s", r->folder, predict_files[i].name);
        if (path.out_of_memory)
            json->out->out_of_memory = true;
        else
            json_writer_string(json, predict_files[i].what, (struct text){ path.at, path.count });
        buffer_close(&path);
    }
    json_writer_close(json, '}');
}

void report_predict_members(const struct predict_report *r, struct json_writer *json)
{
    const struct predict_counts *counts = &r->prediction->counts;

    json_writer_text(json, "prediction", kind_name(r->prediction->kind));
    json_writer_text(json, "level", level_name(r->options->level));
    json_writer_text(json, "strategy", predict_strategy_name(r->options->strategy));
    json_writer_number(json, "transactions", r->whole->txn_count);
    json_writer_number(json, "sessions", r->whole->session_count);
    json_writer_number(json, "events", r->whole->event_count);
    json_writer_text(json, "reason", r->prediction->reason[0] ? r->prediction->reason : NULL);
    json_writer_number(json, "unjudged", r->whole->unjudged);
    json_writer_number(json, "guessed", r->whole->guessed);
    json_writer_text(json, "validated", r->validation ? validation_name(r->validation->kind) : NULL);
    json_writer_text(json, "divergence",
                     r->validation && r->validation->differences > 0 ? r->validation->reason : NULL);
    answer_boundary(r, json);
    answer_cycle(r, json);
    answer_story(r, json);
    if (r->none && r->none->is_proven) {
        json_writer_open(json, "proof", '{');
        json_writer_number(json, "lemmas", r->none->lemmas);
        json_writer_number(json, "steps", r->none->steps);
        json_writer_close(json, '}');
    } else {
        json_writer_null(json, "proof");
    }
    json_writer_text(json, "engine", r->engine);
    json_writer_number(json, "iterations", counts->iterations);
    json_writer_number(json, "lemmas", counts->lemmas);
    json_writer_number(json, "variables", counts->variables);
    json_writer_number(json, "literals", counts->literals);
    json_writer_seconds(json, "generate_seconds", counts->generate_ns);
    json_writer_seconds(json, "solve_seconds", counts->solve_ns);
    json_writer_seconds(json, "parse_seconds", r->parse_ns);
    json_writer_seconds(json, "seconds", r->ns);
    answer_files(r, json);
}

/* --- Files ------------------------------------------------------------------------------------------- */

static enum status write_history(const struct history *history, enum predict_file_number file, const char *folder,
                                 struct error *err)
{
    struct buffer path = { 0 };
    enum status status;

    buffer_print(&path, "%s/%s", folder, predict_files[file].name);
    buffer_byte(&path, '\0');
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = format_write_history(history, FORMAT_JSONL, path.at, NULL, err);
    buffer_close(&path);
    return status;
}

static enum status write_schedule(const struct predict_report *r, const char *folder, struct error *err)
{
    struct scheduled_prediction scheduled = scheduled_of(r);
    char *whole = realpath(r->program, NULL);
    struct buffer text = { 0 };
    enum status status;

    if (whole)
        scheduled.program = whole;
    status = prediction_write_schedule(&scheduled, &text, err);
    if (status == STATUS_OK)
        status = folder_write(folder, predict_files[FILE_SCHEDULE].name, &text, err);
    buffer_close(&text);
    free(whole);
    return status;
}

/* What was executed, and what its director chose. */
static enum status write_execution(const struct predict_report *r, const char *folder, struct error *err)
{
    struct buffer choices = { 0 };
    enum status status;

    TRY(write_history(&r->validation->history, FILE_EXECUTED, folder, err));
    choices_write(&r->validation->choices, &choices);
    status = buffer_status(&choices, err);
    if (status == STATUS_OK)
        status = folder_write(folder, predict_files[FILE_CHOICES].name, &choices, err);
    buffer_close(&choices);
    if (status == STATUS_OK && has_file(r, FILE_SCHEDULE))
        status = write_schedule(r, folder, err);
    return status;
}

static enum status write_prediction(const struct predict_report *r, const char *folder, struct error *err)
{
    struct told_prediction told = told_of(r);
    struct buffer witness = { 0 }, text = { 0 }, drawing = { 0 };
    enum status status = write_history(&r->confirmation->history, FILE_HISTORY, folder, err);

    if (status == STATUS_OK && r->is_of_cells)
        status = write_history(r->observed->history, FILE_CELLS, folder, err);
    if (status == STATUS_OK && r->validation)
        status = write_execution(r, folder, err);
    if (status == STATUS_OK && has_file(r, FILE_WITNESS))
        status = prediction_write_witness(r->prediction, r->observed, r->options, r->confirmation,
                                          &witness, err);
    if (status == STATUS_OK && has_file(r, FILE_WITNESS))
        status = folder_write(folder, predict_files[FILE_WITNESS].name, &witness, err);
    if (status == STATUS_OK) {
        prediction_story_print(&told, &text);
        status = buffer_status(&text, err);
    }
    if (status == STATUS_OK)
        status = folder_write(folder, predict_files[FILE_TEXT].name, &text, err);
    if (status == STATUS_OK)
        status = prediction_draw(&told, &drawing, err);
    if (status == STATUS_OK)
        status = folder_write(folder, predict_files[FILE_DRAWING].name, &drawing, err);
    buffer_close(&witness);
    buffer_close(&text);
    buffer_close(&drawing);
    return status;
}

enum status report_predict_write(const struct predict_report *r, const char *folder,
                                 struct error *err)
{
    return is_found(r) ? write_prediction(r, folder, err)
                       : folder_write(folder, predict_files[FILE_WITNESS].name, &r->none->witness, err);
}
