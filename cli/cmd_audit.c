#include "cli/cmd_audit.h"

#include <assert.h>
#include <stdio.h>

#include "audit/audit.h"
#include "base/array.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread.h"
#include "base/wall_clock.h"
#include "cli/audit_input.h"
#include "cli/audit_tail.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_audit.h"

struct audit_values {
    const char *log, *programs, *initial, *level, *model, *timeout, *witness;
    const char *engine, *heuristics, *encoding;
    struct option_number threads;
    bool allow_unjudged, follow, json;
};

#define FOLLOW_STEP 4096 /* transactions that are audited together, and that are kept open */

#define AT(field) offsetof(struct audit_values, field)

static const char *const *audit_level_names(void)
{
    static const char *names[LEVEL_COUNT + 1];
    size_t count = 0;

    for (enum level level = 0; level < LEVEL_COUNT; level++)
        if (audit_levels() & LEVEL_BIT(level))
            names[count++] = level_name(level);
    names[count] = NULL;
    return names;
}

static const char *const *audit_model_names(void)
{
    static const char *names[AUDIT_MODEL_COUNT + 1];

    for (enum audit_model model = 0; model < AUDIT_MODEL_COUNT; model++)
        names[model] = audit_model_name(model);
    return names;
}

static const char *const *audit_engine_names(void)
{
    static const char *const names[] = { [AUDIT_NATIVE] = "native", [AUDIT_Z3] = "z3", NULL };

    return names;
}

static const char *const *audit_encoding_names(void)
{
    static const char *const names[] = { "chains", "elements", NULL };

    return names;
}

static const struct option audit_rows[] = {
    OPERAND_ROW("LOG", AT(log),
                "the log of calls, also compressed; - is standard input. Or a file with\n"
                "a history of statements on tables"),
    TEXT_ROW("programs", "FILE.sql", AT(programs),
             "the tables, and the functions that the log calls"),
    TEXT_ROW("initial", "FILE.jsonl", AT(initial),
             "take the initial rows from FILE.jsonl, instead of those that the log\n"
             "names; unknown: nobody knows them"),
    TEXT_ROW("level", "L", AT(level), "isolation level that was promised",
             .choices = audit_level_names, .required = true),
    TEXT_ROW("rc-model", "M", AT(model),
             "at read-committed: the weakest model that will do: locking,\n"
             "statement or paper (default: locking)",
             .choices = audit_model_names),
    TIMEOUT_ROW(AT(timeout), "reading\n"
                             "included; without a verdict by then it is unknown"),
    TEXT_ROW("engine", "native|z3", AT(engine),
             "search engine (default: native). z3 asks the solver Z3, in the order\n"
             "of commits, and knows less of SQL",
             .choices = audit_engine_names),
    TEXT_ROW("heuristics", "DIGITS", AT(heuristics),
             "of --engine z3: which of its heuristics are on: 1 to look for rows by\n"
             "their keys, 2 to try new states first, 3 to find constants, 4 to try\n"
             "stronger levels first, or none (default: 1234)"),
    TEXT_ROW("encoding", "chains|elements", AT(encoding),
             "of --engine z3: a term for each value, or, to compare, a variable for\n"
             "each cell after each commit (default: chains)",
             .choices = audit_encoding_names),
    JOBS_ROW(AT(threads), THREAD_COUNT_MAX,
             "of --engine native: number of threads (default: 1). Where the first way\n"
             "to look finds nothing, others have been tried meanwhile; each takes\n"
             "as much memory as the first. It never changes the verdict"),
    FLAG_ROW("allow-unjudged", AT(allow_unjudged),
             "call a log valid although some answers are missing (default: unknown)"),
    TEXT_ROW("witness", "FILE", AT(witness),
             "write the witness to FILE, for ordeal verify; - is standard output"),
    FLAG_ROW("follow", AT(follow),
             "audit the log while it grows, and forget what is settled. A pipe ends\n"
             "when its writer closes it; a file ends when no process has it open for\n"
             "writing and it has not grown for two seconds"),
    JSON_ROW(AT(json)),
};

/* An audit that goes on, and what would be said of it. */
struct audit_call {
    const struct audit_values *values;
    struct limits *limits;
    struct audit_input input;
    struct program program;
    struct audit_options options;
    struct audit_verdict verdict;
    struct audit_follow follow;
    int64_t parse_ns, ns;
};

/* "134": the heuristics with these numbers. */
static enum status set_heuristics(const char *digits, unsigned *heuristics, struct error *err)
{
    *heuristics = 0;
    if (text_equal(text_of(digits), TEXT("none")))
        return STATUS_OK;
    for (; *digits; digits++) {
        if (*digits < '1' || *digits > '4')
            return error_set(err, STATUS_BAD_INPUT, "--heuristics has the digits 1 to 4, or is none");
        *heuristics |= 1u << (*digits - '1');
    }
    return STATUS_OK;
}

static enum status set_engine(const struct audit_values *values, struct audit_options *options, struct error *err)
{
    bool is_z3 = values->engine && text_equal(text_of(values->engine), TEXT("z3"));

    options->engine = is_z3 ? AUDIT_Z3 : AUDIT_NATIVE;
    options->z3.heuristics = AUDIT_Z3_HEURISTICS;
    if (!is_z3 && (values->heuristics || values->encoding))
        return error_set(err, STATUS_BAD_INPUT, "--heuristics and --encoding are for --engine z3");
    if (is_z3 && values->threads.given)
        return error_set(err, STATUS_BAD_INPUT, "-j is for --engine native");
    if (is_z3 && values->follow)
        return error_set(err, STATUS_BAD_INPUT, "--follow is for --engine native");
    if (values->heuristics)
        TRY(set_heuristics(values->heuristics, &options->z3.heuristics, err));
    options->z3.is_by_elements = values->encoding && text_equal(text_of(values->encoding), TEXT("elements"));
    return STATUS_OK;
}

static enum status set_options(const struct audit_values *values, struct audit_call *call,
                               struct error *err)
{
    struct audit_options *options = &call->options;
    bool is_known = level_of_text(text_of(values->level), &options->level);

    if (values->model)
        is_known &= audit_model_of_text(text_of(values->model), &options->model);
    assert(is_known);
    (void)is_known;
    if (values->model && options->level != LEVEL_READ_COMMITTED)
        return error_set(err, STATUS_BAD_INPUT, "--rc-model is for --level read-committed");
    TRY(set_engine(values, options, err));
    options->allows_unjudged = values->allow_unjudged;
    if (values->follow && values->initial)
        return error_set(err, STATUS_BAD_INPUT,
                         "--initial is not for --follow: the first line of the log has its rows");
    options->wants_witness = values->witness != NULL;
    options->threads = values->threads.given ? (unsigned)values->threads.value : 1;
    options->stop = limits_stop(call->limits);
    return STATUS_OK;
}

static void print_report(const struct audit_call *call, struct buffer *out)
{
    bool follows = call->values->follow;
    struct audit_report report = {
        .log = follows ? &call->follow.log : &call->input.log,
        .txns = follows ? audit_follow_txns(&call->follow) : call->input.log.txns.count,
        .is_followed = follows,
        .verdict = &call->verdict,
        .level = call->options.level,
        .parse_ns = call->parse_ns,
        .ns = call->ns,
    };
    struct json_writer json = { .out = out };

    if (!call->values->json) {
        report_audit_print(&report, out);
        return;
    }
    json_writer_open(&json, NULL, '{');
    report_audit_members(&report, &json);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

/* What is said if nothing else is known when the time is over. */
static void publish(const struct audit_call *call)
{
    struct audit_call so_far = *call;
    struct buffer out = { 0 };

    so_far.verdict.verdict = VERDICT_UNKNOWN;
    so_far.ns = 0;
    snprintf(so_far.verdict.reason, sizeof so_far.verdict.reason, "%s", call->limits->reason);
    print_report(&so_far, &out);
    limits_publish(call->limits, &out, EXIT_UNDECIDED);
    buffer_close(&out);
}

static enum status read_all(struct audit_call *call, const struct progress *progress,
                            struct error *err)
{
    int64_t began_ns = wall_clock_ns();

    TRY(audit_input_read(&call->input, progress, err));
    TRY(audit_input_load(&call->input, &call->program, err));
    call->parse_ns = wall_clock_ns() - began_ns;
    return STATUS_OK;
}

/* Where memory is short, nothing is known. */
static enum status tell_shortage(struct audit_call *call, const struct error *why)
{
    struct audit_verdict *v = &call->verdict;

    audit_verdict_close(v);
    *v = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    snprintf(v->reason, sizeof v->reason, "out of memory (%s): %.300s", call->limits->memory,
             why->text);
    return STATUS_OK;
}

static enum status follow_log(struct audit_call *call, struct error *err)
{
    struct audit_follow_options options = { .audit = call->options,
                                            .name = call->values->log,
                                            .step = FOLLOW_STEP };

    TRY(audit_input_read_programs(&call->input, err));
    options.programs = (struct text){ call->input.source.at ? call->input.source.at : "",
                                      call->input.source.count };
    audit_follow_init(&call->follow, &options);
    return audit_tail_run(&call->follow, call->values->log, call->limits, call->options.progress,
                          &call->verdict, err);
}

static enum status judge(struct audit_call *call, struct error *err)
{
    int64_t began_ns = wall_clock_ns();
    uint64_t failures = memory_failures();
    enum status status = call->values->follow
                             ? follow_log(call, err)
                             : audit_run(&call->input.log, &call->program, &call->options,
                                         &call->verdict, err);

    status = memory_confirm(failures, status, err);
    call->ns = wall_clock_ns() - began_ns;
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, call->values->log);
    if (status == STATUS_OVER_LIMIT &&
        (memory_failures() != failures || memory_limit_is_cause(err))) {
        memory_tell_failures(failures);
        status = tell_shortage(call, err);
    } else if (status == STATUS_OK && call->verdict.verdict == VERDICT_UNKNOWN &&
               call->options.engine == AUDIT_NATIVE && limits_is_over(call->limits)) {
        snprintf(call->verdict.reason, sizeof call->verdict.reason, "%s", call->limits->reason);
    }
    return status;
}

static enum status write_witness(const struct audit_call *call, struct error *err)
{
    const char *path = call->values->witness;

    if (!path || call->verdict.verdict == VERDICT_UNKNOWN)
        return STATUS_OK;
    if (call->verdict.witness.count == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the audit has no witness for this verdict: %s is not written", path);
    return output_write(path, &call->verdict.witness, err);
}

static enum status answer(const struct audit_call *call, struct error *err)
{
    struct buffer out = { 0 };
    enum status status;

    print_report(call, &out);
    limits_settle(call->limits);
    status = output_print(&out, err);
    buffer_close(&out);
    if (status == STATUS_OK)
        status = write_witness(call, err);
    return status;
}

static enum status read_and_judge(struct audit_call *call, struct error *err)
{
    struct progress_bar bar;
    struct progress progress;
    enum status status;

    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    call->options.progress = &progress;
    publish(call);
    status = call->values->follow ? STATUS_OK : read_all(call, &progress, err);
    if (status == STATUS_OK) {
        publish(call);
        progress_begin(&progress, "auditing");
        status = judge(call, err);
    }
    progress_bar_end(&bar);
    return status;
}

static enum status cmd_audit_run(const void *given, struct limits *limits, enum exit_code *code,
                                 struct error *err)
{
    const struct audit_values *values = given;
    struct audit_call call = {
        .values = values,
        .limits = limits,
        .input = { .path = values->log, .programs = values->programs, .initial = values->initial },
    };
    enum status status = set_options(values, &call, err);

    if (status == STATUS_OK)
        status = read_and_judge(&call, err);
    if (status == STATUS_OK) {
        *code = command_exit_of_verdict(call.verdict.verdict);
        status = answer(&call, err);
    }
    audit_verdict_close(&call.verdict);
    audit_follow_close(&call.follow);
    program_close(&call.program);
    audit_input_close(&call.input);
    return status;
}

const struct command command_audit = {
    .summary = "asks whether the answers of a log of SQL are right",
    .description =
        "The log has the calls of a program's functions, or statements, and what clients were\n"
        "answered; it has neither reads nor writes. The audit looks for an execution that is\n"
        "right in SQL and at the isolation level and gives exactly these answers. The log is\n"
        "valid if there is one, and the witness says which, for ordeal verify. It is invalid if\n"
        "there is none: then an answer is shown that nothing explains, with what each state\n"
        "would have answered. `ordeal run --audit-log` and `ordeal record --program` write logs.\n"
        "Exits with 0 if the log is valid, 1 if it is invalid, 2 if it cannot be read or the call\n"
        "is wrong, and 3 if the verdict is unknown.\n",
    .example =
        "  ordeal run scenarios/smallbank.toml --audit-log log.jsonl\n"
        "  ordeal audit log.jsonl --programs scenarios/programs/smallbank.sql --level serializable\n",
    .options = { "audit", audit_rows, ROW_COUNT(audit_rows), sizeof(struct audit_values) },
    .reads_strange_files = true,
    .run = cmd_audit_run,
};
