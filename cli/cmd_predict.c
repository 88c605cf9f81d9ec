#include "cli/cmd_predict.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/wall_clock.h"
#include "cli/amendments.h"
#include "cli/folder.h"
#include "cli/predict_program.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_predict.h"
#include "history/format.h"
#include "predict/cells.h"
#include "predict/semantic.h"
#include "predict/z3/z3.h"

struct predict_values {
    const char *history, *program, *level, *strategy, *format, *encoding, *engine, *timeout, *out;
    struct option_number window;
    struct amendments amendments;
    bool validate, force, json;
};

#define AT(field) offsetof(struct predict_values, field)

static const char *const *predict_level_names(void)
{
    static const char *names[LEVEL_COUNT + 1];
    size_t count = 0;

    for (enum level level = 0; level < LEVEL_COUNT; level++)
        if (predict_levels() & LEVEL_BIT(level))
            names[count++] = level_name(level);
    names[count] = NULL;
    return names;
}

static const char *const *predict_strategy_names(void)
{
    static const char *names[STRATEGY_COUNT + 1];

    for (enum predict_strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        names[strategy] = predict_strategy_name(strategy);
    names[STRATEGY_COUNT] = NULL;
    return names;
}

static const char *const engine_words[] = { "native", "z3", NULL };
static const char *const encoding_words[] = { "rows", "cells", NULL };

static const char *const *engine_names(void)
{
    return engine_words;
}

static const char *const *encoding_names(void)
{
    return encoding_words;
}

static const struct option predict_rows[] = {
    OPERAND_ROW("HISTORY", AT(history),
                "the history that was observed, in any format, also compressed; - is\n"
                "standard input. Or, with --program, a log of calls"),
    TEXT_ROW("program", "SCENARIO|FILE.sql", AT(program),
             "the program whose transactions these are: for --validate and\n"
             "--strategy semantic. FILE.sql or SCENARIO, if HISTORY is a log of calls,\n"
             "which are then executed one after another; or SCENARIO, if HISTORY is\n"
             "of `ordeal run SCENARIO --director latest`"),
    TEXT_ROW("level", "L", AT(level), "isolation level at which to predict",
             .choices = predict_level_names, .required = true),
    TEXT_ROW("strategy", "S", AT(strategy),
             "what to take of a transaction that reads from another writer than\n"
             "observed (default: exact-strict). exact-strict and approx-strict cut it\n"
             "behind that read, because what it does then depends on what it read;\n"
             "approx-relaxed takes all of it as it was, which finds more, but may\n"
             "find what cannot happen; semantic executes it again",
             .choices = predict_strategy_names),
    TEXT_ROW("format", "F", AT(format),
             "format of the history (default: recognised by its content)", .choices = format_names),
    AMENDMENT_ROWS(AT(amendments)),
    TEXT_ROW("encoding", "rows|cells", AT(encoding),
             "take rows of tables as keys (default), or, to compare, each column of\n"
             "them, and which rows there are",
             .choices = encoding_names),
    TEXT_ROW("engine", "native|z3", AT(engine),
             "search engine (default: native). z3 asks the solver Z3, with the\n"
             "formulas of the paper",
             .choices = engine_names),
    FLAG_ROW("validate", AT(validate),
             "execute what was predicted with --program, and say whether it happens"),
    NUMBER_ROW("window", "N", AT(window), 1, INT32_MAX,
               "look at N transactions at a time (default: at up to 200 together, and of\n"
               "more at 60 at a time)"),
    TIMEOUT_ROW(AT(timeout), "reading\n"
                             "included; without an answer by then it is unknown"),
    TEXT_ROW("out", "DIR", AT(out),
             "write what was predicted, its witness for ordeal verify, a text and a\n"
             "drawing into this folder, which must be new or empty; or the proof that\n"
             "there is none"),
    FLAG_ROW("force", AT(force),
             "let --out replace the files of an earlier call; other files stay"),
    JSON_ROW(AT(json)),
};

/* A prediction that goes on, and what would be said of it. */
struct predict_work {
    const struct predict_values *values;
    struct limits *limits;
    struct predict_options options;
    enum format format;
    struct history history;
    struct arena arena;
    struct dataflow trace;
    struct prediction prediction;
    struct confirmation confirmation;
    struct predict_program program; /* where there is one */
    bool has_program, is_scenario; /* is_scenario: the history is of a run of --program */
    struct validation executed; /* of --validate */
    struct semantic_result semantic;
    const struct validation *validation; /* one of the two, or NULL */
    struct none_proof none;
    bool wants_none; /* it was tried to prove that there is none */
    int64_t parse_ns, ns;
};

/* --- What is asked ------------------------------------------------------------------------------- */

static bool is_word(const char *given, const char *word)
{
    return given && text_equal(text_of(given), text_of(word));
}

/* What needs a program, and what is chosen without one. */
static enum status check_values(const struct predict_values *values, enum predict_strategy strategy,
                                struct error *err)
{
    if (strategy == STRATEGY_SEMANTIC && !values->program)
        return error_set(err, STATUS_BAD_INPUT, "--strategy semantic needs --program");
    if (values->validate && !values->program)
        return error_set(err, STATUS_BAD_INPUT, "--validate needs --program");
    if (values->force && !values->out)
        return error_set(err, STATUS_BAD_INPUT, "--force is for --out");
    if (is_word(values->engine, "z3") && strategy == STRATEGY_SEMANTIC)
        return error_set(err, STATUS_BAD_INPUT, "--strategy semantic is for --engine native");
    if (is_word(values->engine, "z3") && values->window.given)
        return error_set(err, STATUS_BAD_INPUT, "--window is for --engine native");
    if (predict_program_is_log(values->history) && !values->program)
        return error_set(err, STATUS_BAD_INPUT, "a log of calls needs --program FILE.sql, which says what they do");
    if (is_word(values->encoding, "cells") && values->program)
        return error_set(err, STATUS_BAD_INPUT, "--encoding cells is not for --program, which reads and writes rows");
    return STATUS_OK;
}

static enum status set_options(struct predict_work *call, struct error *err)
{
    const struct predict_values *values = call->values;
    struct predict_options *options = &call->options;
    bool is_known = level_of_text(text_of(values->level), &options->level);

    options->strategy = STRATEGY_EXACT_STRICT;
    if (values->strategy)
        is_known &= predict_strategy_of_text(text_of(values->strategy), &options->strategy);
    assert(is_known);
    (void)is_known;
    options->window = values->window.given ? (uint32_t)values->window.value : 0;
    options->stop = limits_stop(call->limits);
    call->format = FORMAT_ANY;
    if (values->format)
        (void)format_of_text(text_of(values->format), &call->format);
    return check_values(values, options->strategy, err);
}

/* --- The answer ------------------------------------------------------------------------------------ */

static struct predict_report report_of(const struct predict_work *call)
{
    bool is_told = call->semantic.executed.history && call->prediction.kind == PREDICTION_FOUND;

    return (struct predict_report){ .observed = is_told ? &call->semantic.executed : &call->trace,
                                    .whole = &call->trace,
                                    .prediction = &call->prediction,
                                    .confirmation = &call->confirmation,
                                    .options = &call->options,
                                    .engine = is_word(call->values->engine, "z3") ? "z3" : "native",
                                    .is_of_cells = is_word(call->values->encoding, "cells"),
                                    .validation = call->validation,
                                    .none = call->wants_none ? &call->none : NULL,
                                    .folder = call->values->out,
                                    .scenario = call->is_scenario ? call->values->program : NULL,
                                    .calls = call->has_program ? &call->program.calls : NULL,
                                    .program = call->program.path,
                                    .parse_ns = call->parse_ns,
                                    .ns = call->ns };
}

static enum status print_report(const struct predict_work *call, struct buffer *out,
                                struct error *err)
{
    struct predict_report report = report_of(call);
    struct json_writer json = { .out = out };

    if (!call->values->json)
        return report_predict_print(&report, out, err);
    json_writer_open(&json, NULL, '{');
    report_predict_members(&report, &json);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    return buffer_status(out, err);
}

static enum exit_code code_of(enum prediction_kind kind)
{
    return kind == PREDICTION_FOUND  ? EXIT_VIOLATION
           : kind == PREDICTION_NONE ? EXIT_VALID
                                     : EXIT_UNDECIDED;
}

/* What is said if nothing else is known when the time is over. */
static void publish(const struct predict_work *call)
{
    struct predict_work so_far = *call;
    struct buffer out = { 0 };
    struct error ignored = { 0 };

    so_far.prediction.kind = PREDICTION_UNKNOWN;
    snprintf(so_far.prediction.reason, sizeof so_far.prediction.reason, "%s", call->limits->reason);
    if (print_report(&so_far, &out, &ignored) == STATUS_OK)
        limits_publish(call->limits, &out, EXIT_UNDECIDED);
    buffer_close(&out);
}

static enum status write_files(const void *report, const char *folder, struct error *err)
{
    return report_predict_write(report, folder, err);
}

static enum status answer(const struct predict_work *call, struct error *err)
{
    struct predict_report report = report_of(call);
    struct buffer out = { 0 };
    enum status status = print_report(call, &out, err);

    limits_settle(call->limits);
    if (status == STATUS_OK && call->values->out && report_predict_has_files(&report))
        status = folder_answer(call->values->out, call->values->force, write_files, &report, err);
    if (status == STATUS_OK)
        status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

/* --- The work --------------------------------------------------------------------------------------- */

/* The calls of the log, executed one after another: what they do is what was observed. */
static enum status observe_calls(struct predict_work *call, struct error *err)
{
    history_close(&call->history);
    TRY(predict_calls_observe(&call->program.calls, &call->history, err));
    return dataflow_of_history(&call->trace, &call->history, &call->arena, err);
}

static enum status read_log(struct predict_work *call, struct error *err)
{
    call->has_program = true;
    TRY(predict_program_read(&call->program, call->values->program, call->values->history, err));
    return observe_calls(call, err);
}

static enum status find_calls(struct predict_work *call, struct error *err)
{
    call->has_program = call->is_scenario = true;
    return predict_program_run(&call->program, call->values->program, &call->trace, call->options.stop, err);
}

/* What was observed is from now on the history of its cells. */
static enum status encode_cells(struct predict_work *call, struct error *err)
{
    struct history rows = call->history;
    enum status status = dataflow_of_cells(&call->trace, &rows, &call->history, &call->arena, err);

    history_close(&rows);
    return status;
}

static enum status read_observed(struct predict_work *call, struct error *err)
{
    int64_t began_ns = wall_clock_ns();
    enum status status;

    if (call->values->program && predict_program_is_log(call->values->history)) {
        status = read_log(call, err);
    } else {
        TRY(format_read_history(call->values->history, call->format, call->options.progress, &call->history, err));
        status = amendments_apply(&call->values->amendments, &call->history, err);
        if (status == STATUS_OK && is_word(call->values->encoding, "cells"))
            status = encode_cells(call, err);
        else if (status == STATUS_OK)
            status = dataflow_of_history(&call->trace, &call->history, &call->arena, err);
        if (status == STATUS_OK && call->values->program)
            status = find_calls(call, err);
    }
    call->parse_ns = wall_clock_ns() - began_ns;
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, call->values->history);
    return status;
}

static void call_unknown(struct predict_work *call, const char *why)
{
    struct prediction *p = &call->prediction;

    p->kind = PREDICTION_UNKNOWN;
    snprintf(p->reason, sizeof p->reason, "%s", why);
}

/* Nothing is told that the checkers do not confirm; and where statements are unjudged, none may be some. */
static enum status confirm(struct predict_work *call, struct error *err)
{
    struct prediction *p = &call->prediction;

    if (p->kind == PREDICTION_FOUND) {
        const struct dataflow *of =
            call->options.strategy == STRATEGY_SEMANTIC ? &call->semantic.executed : &call->trace;

        TRY(prediction_confirm(p, of, &call->options, &call->arena, &call->confirmation, err));
        if (!call->confirmation.is_confirmed)
            call_unknown(call, call->confirmation.reason);
    }
    if (p->kind == PREDICTION_NONE && call->trace.unjudged > 0) {
        p->kind = PREDICTION_UNKNOWN;
        snprintf(p->reason, sizeof p->reason,
                 "none was found, but of %" PRIu64 " statements nobody knows which rows they saw",
                 call->trace.unjudged);
    }
    if (p->kind == PREDICTION_UNKNOWN && limits_is_over(call->limits))
        call_unknown(call, call->limits->reason);
    return STATUS_OK;
}

/* A proof that there is none, where files are wanted. */
static enum status prove_none(struct predict_work *call, struct error *err)
{
    if (call->prediction.kind != PREDICTION_NONE || !call->values->out ||
        call->options.strategy == STRATEGY_SEMANTIC)
        return STATUS_OK;
    call->wants_none = true;
    TRY(none_proof_make(&call->trace, &call->options, &call->arena, &call->none, err));
    if (call->none.is_contradicted)
        call_unknown(call, call->none.reason);
    return STATUS_OK;
}

/* With Z3, what was confirmed is executed then. What turns out to be serializable is no prediction. */
static enum status validate_prediction(struct predict_work *call, struct error *err)
{
    struct prediction *p = &call->prediction;

    if (p->kind != PREDICTION_FOUND || !call->values->validate || call->validation)
        return STATUS_OK;
    TRY(validate(&call->program.calls, &call->trace, p, &call->options, &call->arena, &call->executed, err));
    call->validation = &call->executed;
    if (call->executed.kind == VALIDATION_NOT_REPRODUCED) {
        p->kind = PREDICTION_UNKNOWN;
        snprintf(p->reason, sizeof p->reason, "predicted, and serializable when it is executed: %.200s",
                 call->executed.reason);
    }
    return STATUS_OK;
}

/* The native engine: what is serializable when it is executed is passed over. */
static enum status predict_and_validate(struct predict_work *call, struct error *err)
{
    struct validating validating = { &call->program.calls, &call->trace, &call->options, &call->arena,
                                     &call->executed };
    struct predict_judge judge = { validating_accept, &validating };
    struct predict_options options = call->options;

    options.judge = &judge;
    TRY(predict_native(&call->trace, &options, &call->arena, &call->prediction, err));
    if (call->prediction.kind == PREDICTION_FOUND || call->executed.history.memory)
        call->validation = &call->executed;
    return STATUS_OK;
}

/* The strategy semantic: what is told is the execution. */
static enum status predict_by_execution(struct predict_work *call, struct error *err)
{
    struct semantic_result *r = &call->semantic;

    TRY(predict_semantic(&call->program.calls, &call->trace, &call->options, &call->arena, r, err));
    call->prediction = r->prediction;
    if (r->is_validated)
        call->validation = &r->validation;
    return STATUS_OK;
}

static enum status find_prediction(struct predict_work *call, struct error *err)
{
    if (call->options.strategy == STRATEGY_SEMANTIC)
        return predict_by_execution(call, err);
    if (is_word(call->values->engine, "z3"))
        return predict_z3(&call->trace, &call->options, &call->arena, &call->prediction, err);
    if (call->values->validate)
        return predict_and_validate(call, err);
    return predict_native(&call->trace, &call->options, &call->arena, &call->prediction, err);
}

static enum status predict(struct predict_work *call, struct error *err)
{
    int64_t began_ns = wall_clock_ns();
    uint64_t failures = memory_failures();
    enum status status = find_prediction(call, err);

    if (status == STATUS_OK)
        status = confirm(call, err);
    if (status == STATUS_OK)
        status = validate_prediction(call, err);
    if (status == STATUS_OK)
        status = prove_none(call, err);
    status = memory_confirm(failures, status, err);
    call->ns = wall_clock_ns() - began_ns;
    if (status == STATUS_OVER_LIMIT &&
        (memory_failures() != failures || memory_limit_is_cause(err))) {
        memory_tell_failures(failures);
        call->prediction.kind = PREDICTION_UNKNOWN;
        snprintf(call->prediction.reason, sizeof call->prediction.reason, "out of memory (%s)",
                 call->limits->memory);
        status = STATUS_OK;
    }
    return status;
}

static enum status read_and_predict(struct predict_work *call, struct error *err)
{
    struct progress_bar bar;
    struct progress progress;
    enum status status;

    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    call->options.progress = &progress;
    publish(call);
    status = read_observed(call, err);
    if (status == STATUS_OK) {
        publish(call);
        progress_begin(&progress, "predicting");
        status = predict(call, err);
    }
    progress_bar_end(&bar);
    return status;
}

static enum status run_call(struct predict_work *call, enum exit_code *code, struct error *err)
{
    TRY(set_options(call, err));
    if (call->values->out)
        TRY(folder_claim(call->values->out, call->values->force, err)); /* better known before */
    TRY(arena_init(&call->arena, ARENA_UNLIMITED, err));
    TRY(read_and_predict(call, err));
    *code = code_of(call->prediction.kind);
    return answer(call, err);
}

static enum status cmd_predict_run(const void *given, struct limits *limits, enum exit_code *code,
                                   struct error *err)
{
    struct predict_work call = { .values = given, .limits = limits };
    enum status status = run_call(&call, code, err);

    confirmation_close(&call.confirmation);
    none_proof_close(&call.none);
    validation_close(&call.executed);
    semantic_close(&call.semantic);
    if (call.has_program)
        predict_program_close(&call.program);
    history_close(&call.history);
    arena_close(&call.arena);
    return status;
}

const struct command command_predict = {
    .summary = "predicts what a weaker level could have let the same clients see",
    .description =
        "From one observed history, which is usually serializable, to another one that is not:\n"
        "the same clients, in which some reads come from other transactions, as the level allows\n"
        "it. Each session keeps what it did up to the first such read. What is predicted is\n"
        "confirmed by the checkers before it is told; the witness says all of it, for ordeal\n"
        "verify. Takes items and rows of tables, not lists.\n"
        "Exits with 1 if there is a prediction, 0 if there is none, 2 if the history cannot be\n"
        "read or the call is wrong, and 3 if that is unknown, also because of statements of which\n"
        "nobody knows which rows they saw.\n",
    .example = "  ordeal predict history.jsonl --level causal --out out/prediction\n"
               "  ordeal verify history.jsonl out/prediction/witness.json\n",
    .options = { "predict", predict_rows, ROW_COUNT(predict_rows), sizeof(struct predict_values) },
    .reads_strange_files = true,
    .run = cmd_predict_run,
};
