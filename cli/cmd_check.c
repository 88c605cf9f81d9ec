#include "cli/cmd_check.h"

#include <assert.h>
#include <stdio.h>

#include "base/array.h"
#include "base/json_writer.h"
#include "base/quantity.h"
#include "base/thread.h"
#include "base/timeout.h"
#include "base/wall_clock.h"
#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "cli/amendments.h"
#include "cli/check_batch.h"
#include "cli/clock_error.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_check.h"
#include "history/format.h"
#include "trial/run/jury.h"
#include "trial/scenario/profile_file.h"
#include "trial/scenario/scenario.h"

struct check_values {
    struct option_texts histories;
    const char *level, *checker, *format, *timeout, *engine, *version_order, *profile,
        *clock_error, *witness, *junit;
    struct option_number threads, seed;
    struct amendments amendments;
    bool first, allow_unjudged, json;
};

/* What the flags say, before anything is read. */
struct check_call {
    const struct check_values *values;
    enum format format;
    struct given_profile profile;
    struct jury_options options;
    struct limits *limits;
    struct check_batch *batch; /* NULL: there is one history */
    struct checked *checked;   /* what is judged at the moment */
    const char *path;
};

/* One history that was judged. */
struct checked {
    struct history history;
    struct jury jury;
    int64_t parse_ns, clock_error_ns;
    int64_t search_ns; /* of the search for that clock error */
};

static const char *const engines[] = { [ENGINE_NATIVE] = "native", [ENGINE_Z3] = "z3", NULL };

static const char *const *engine_names(void)
{
    return engines;
}

#define AT(field) offsetof(struct check_values, field)

static const struct option check_rows[] = {
    OPERANDS_ROW("HISTORY", AT(histories),
                 "a history in any format, also compressed; - is standard input.\n"
                 "Several, or a folder of them, are reported with one line each",
                 .required = true),
    TEXT_ROW("level", "L", AT(level), "isolation level to check (default: serializable)",
             .choices = level_all_names),
    TEXT_ROW("checker", "C", AT(checker),
             "ask this checker alone (default: every checker that can judge the\n"
             "history)",
             .choices = checker_names),
    FLAG_ROW("first", AT(first), "stop at the first checker whose verdict is certain"),
    TEXT_ROW("format", "F", AT(format),
             "format of the history (default: recognised by its content)", .choices = format_names),
    AMENDMENT_ROWS(AT(amendments)),
    TIMEOUT_ROW(AT(timeout), "of each history,\n"
                             "reading included; without a verdict by then it is unknown"),
    JOBS_ROW(AT(threads), THREAD_COUNT_MAX,
             "largest number of threads (default: number of cores). It may\n"
             "change the witness, but never the verdict"),
    TEXT_ROW("engine", "native|z3", AT(engine),
             "search engine, for checkers that have a choice (default: native)",
             .choices = engine_names),
    TEXT_ROW("version-order", "RATIO", AT(version_order),
             "share of each key's version order that checkers may use, from 0\n"
             "to 1; below 1 they do not use ts, snapshot, set and at either"),
    NUMBER_ROW("seed", "N", AT(seed), 0, SEED_MAX, "seed that selects this share (default: 0)"),
    TEXT_ROW("profile", "P", AT(profile),
             "for interval: profile of the recorded database, from `ordeal list\n"
             "profiles` or a FILE.toml; its level is checked"),
    TEXT_ROW("clock-error", "D", AT(clock_error),
             "for interval: largest error of the clients' clocks, as in 2ms"),
    FLAG_ROW("allow-unjudged", AT(allow_unjudged),
             "call a history valid although some statements could not be judged\n"
             "(default: unknown)"),
    TEXT_ROW("witness", "FILE", AT(witness),
             "write the witness to FILE, for ordeal verify; - is standard output"),
    TEXT_ROW("junit", "FILE", AT(junit),
             "write JUnit's XML to FILE, with a test case for each history"),
    JSON_ROW(AT(json)),
};

static void publish(void *context, const struct jury *so_far);

static enum status set_version_order(const char *given, struct ratio *ratio, struct error *err)
{
    if (!random_ratio_of_text(text_of(given), ratio) || ratio->numerator > ratio->denominator)
        return error_set(err, STATUS_BAD_INPUT,
                         "--version-order takes a decimal from 0 to 1, not '%.80s'", given);
    return STATUS_OK;
}

/* A profile is of a level: another one beside it would be passed over in silence. */
static enum status set_profile(const struct check_values *values, struct check_options *options,
                               struct given_profile *given, struct error *err)
{
    if (values->clock_error &&
        (!quantity_to_duration(text_of(values->clock_error), &options->clock_error_ns) ||
         options->clock_error_ns < 0))
        return error_set(err, STATUS_BAD_INPUT, "--clock-error takes a time as in 2ms, not '%.80s'",
                         values->clock_error);
    if (!values->profile)
        return STATUS_OK;
    TRY(profile_load(given, values->profile, err));
    options->profile = &given->profile;
    if (values->level && options->level != options->profile->level)
        return error_set(err, STATUS_BAD_INPUT, "--profile %s is of %s, and not of %s",
                         values->profile, level_name(options->profile->level),
                         level_name(options->level));
    options->level = options->profile->level;
    return STATUS_OK;
}

static void name_checker(struct jury_options *options, const struct checker *checker)
{
    options->is_named = true;
    options->named = jury_bit(checker);
}

static enum status set_options(const struct check_values *values, struct check_call *call,
                               struct error *err)
{
    struct jury_options *options = &call->options;

    call->values = values;
    call->format = FORMAT_ANY;
    options->check = (struct check_options){
        .level = LEVEL_SERIALIZABLE,
        .flags = values->witness ? CHECK_WITNESS : 0,
        .threads = values->threads.given ? (unsigned)values->threads.value : thread_core_count(),
        .engine = ENGINE_NATIVE,
        .seed = (uint64_t)values->seed.value,
        .allows_unjudged = values->allow_unjudged,
    };
    options->stops_first = values->first;
    options->tell = publish;
    options->context = call;
    options->unfinished = call->limits->reason;
    options->memory = call->limits->memory;
    if (values->checker)
        name_checker(options, checker_find(text_of(values->checker)));
    if (values->format)
        (void)format_of_text(text_of(values->format), &call->format);
    if (values->level) {
        bool known = level_of_text(text_of(values->level), &options->check.level);

        assert(known);
        (void)known;
    }
    if (values->engine && text_equal(text_of(values->engine), text_of(engines[ENGINE_Z3])))
        options->check.engine = ENGINE_Z3;
    TRY(set_profile(values, &options->check, &call->profile, err));
    /* How a database works is for one checker: that one is meant. */
    if (values->profile && !options->is_named)
        name_checker(options, checker_find_able(ABLE_PROFILE));
    if (values->version_order)
        TRY(set_version_order(values->version_order, &options->check.version_order, err));
    return STATUS_OK;
}

/* --- One history --------------------------------------------------------------------- */

/* How far the clocks would have to be off is asked of a profile's finding, where there is time. */
static enum status find_clock_error(const struct check_call *call, struct checked *checked,
                                    struct error *err)
{
    const struct check *check = &checked->jury.jurors[0].check;
    struct check_options options = call->options.check;
    int64_t from = wall_clock_ns(), left = limits_left_ns(call->limits);
    struct timeout timeout;
    enum status status;

    if (!call->values->profile || call->values->json)
        return STATUS_OK;
    TRY(timeout_begin(&timeout, left > 0 ? left : JURY_REST_NS, err));
    options.stop = timeout_stop(&timeout);
    status = clock_error_find(check, &checked->history, &options, &checked->clock_error_ns, err);
    timeout_end(&timeout);
    checked->search_ns = wall_clock_ns() - from;
    return status;
}

static struct check_report report_of(const struct check_call *call, const struct checked *checked)
{
    return (struct check_report){ .jury = &checked->jury,
                                  .history = &checked->history,
                                  .parse_ns = checked->parse_ns,
                                  .search_ns = checked->search_ns,
                                  .is_named = call->options.is_named,
                                  .clock_error_ns = checked->clock_error_ns };
}

static enum status print_report(const struct check_report *report, bool is_json, struct buffer *out,
                                struct error *err)
{
    struct json_writer json = { .out = out };

    if (!is_json)
        return report_check_print(report, out, err);
    json_writer_open(&json, NULL, '{');
    report_check_members(report, &json);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    return STATUS_OK;
}

/* What is said if nothing else is known when the time is over. */
static void publish(void *context, const struct jury *so_far)
{
    struct check_call *call = context;
    struct check_report report = report_of(call, call->checked);
    struct buffer out = { 0 };
    struct error ignored = { 0 };

    report.jury = so_far;
    if (call->batch)
        check_batch_publish(call->batch, call->path, &report, call->values->json, call->limits);
    else if (print_report(&report, call->values->json, &out, &ignored) == STATUS_OK)
        limits_publish(call->limits, &out, (int)command_exit_of_verdict(so_far->verdict));
    buffer_close(&out);
}

static enum status read_and_judge(struct check_call *call, const char *path,
                                  struct checked *checked, struct error *err)
{
    struct progress_bar bar;
    struct progress progress;
    struct jury unread = jury_unread(&call->options);
    int64_t from = wall_clock_ns();
    enum status status;

    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    call->options.progress = &progress;
    call->path = path;
    call->checked = checked;
    checked->parse_ns = limits_left_ns(call->limits); /* if it goes on until then */
    publish(call, &unread);
    status = format_read_history(path, call->format, &progress, &checked->history, err);
    if (status == STATUS_OK)
        status = amendments_apply(&call->values->amendments, &checked->history, err);
    checked->parse_ns = wall_clock_ns() - from;
    call->options.limit_ns = limits_left_ns(call->limits);
    if (status == STATUS_OK)
        status = jury_judge(&checked->jury, &checked->history, &call->options, err);
    if (status == STATUS_OK) {
        publish(call, &checked->jury);
        status = find_clock_error(call, checked, err);
    }
    progress_bar_end(&bar);
    if (status != STATUS_OK && !err->file[0])
        error_set_file(err, path);
    return status;
}

static void close_checked(struct checked *checked)
{
    jury_close(&checked->jury);
    history_close(&checked->history);
    *checked = (struct checked){ 0 };
}

/* The evidence of the checker whose verdict it is. */
static enum status write_witness(const char *path, const struct jury *jury, struct error *err)
{
    const struct check *check = jury->decisive ? &jury->decisive->check : NULL;

    if (!check)
        return STATUS_OK;
    if (check->witness.count == 0)
        return error_set(err, STATUS_BAD_INPUT, "%s has no witness for this verdict: %s is not written",
                         check->checker->name, path);
    return output_write(path, &check->witness, err);
}

static enum status print_one(const struct check_call *call, const struct checked *checked,
                             struct error *err)
{
    struct check_report report = report_of(call, checked);
    struct buffer out = { 0 };
    enum status status = print_report(&report, call->values->json, &out, err);

    limits_settle(call->limits);
    if (status == STATUS_OK)
        status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status check_one(struct check_call *call, const char *path, struct check_batch *batch,
                             enum exit_code *code, struct error *err)
{
    struct checked checked = { .parse_ns = 0 };
    enum status status = read_and_judge(call, path, &checked, err);

    if (status == STATUS_OK) {
        struct check_report report = report_of(call, &checked);

        *code = command_exit_of_verdict(checked.jury.verdict);
        status = check_batch_add(batch, path, &report, err);
    }
    if (status == STATUS_OK)
        status = print_one(call, &checked, err);
    if (status == STATUS_OK && call->values->witness)
        status = write_witness(call->values->witness, &checked.jury, err);
    close_checked(&checked);
    return status;
}

/* --- Several ------------------------------------------------------------------------- */

/* A file that cannot be judged does not keep the others from being judged. */
static enum status check_each(struct check_call *call, const struct history_paths *found,
                              struct check_batch *batch, struct error *err)
{
    for (size_t i = 0; i < found->paths.count; i++) {
        const char *path = found->paths.at[i];
        struct checked checked = { .parse_ns = 0 };
        struct error why = { 0 };
        enum status status;

        TRY(limits_restart(call->limits, err));
        status = read_and_judge(call, path, &checked, &why);
        limits_settle(call->limits);
        if (status == STATUS_OK) {
            struct check_report report = report_of(call, &checked);

            status = check_batch_add(batch, path, &report, err);
        } else {
            status = check_batch_add_error(batch, path, &why, err);
        }
        close_checked(&checked);
        TRY(status);
        check_batch_keep(batch, call->values->json, call->limits);
        if (!call->values->json)
            TRY(check_batch_print_last(batch, err));
    }
    return STATUS_OK;
}

static enum status check_all(struct check_call *call, const struct history_paths *found,
                             struct check_batch *batch, enum exit_code *code, struct error *err)
{
    if (call->values->witness)
        return error_set(err, STATUS_BAD_INPUT, "--witness is of one history, and there are %zu",
                         found->paths.count);
    call->batch = batch;
    batch->expected = found->paths.count;
    TRY(check_each(call, found, batch, err));
    *code = check_batch_exit_code(batch);
    return check_batch_print_summary(batch, found->other_count, call->values->json, err);
}

static enum status find_all(const struct check_call *call, struct history_paths *found,
                            struct error *err)
{
    const struct option_texts *given = &call->values->histories;

    for (size_t i = 0; i < given->count; i++)
        TRY(format_find_histories(given->at[i], call->format, found, err));
    if (found->paths.count == 0) {
        error_set_file(err, given->at[0]);
        return error_set(err, STATUS_BAD_INPUT, "no file in this folder is a history");
    }
    return STATUS_OK;
}

static enum status cmd_check_judge(struct check_call *call, struct history_paths *found,
                                   struct check_batch *batch, enum exit_code *code, struct error *err)
{
    TRY(set_options(call->values, call, err));
    TRY(find_all(call, found, err));
    if (found->paths.count == 1)
        TRY(check_one(call, found->paths.at[0], batch, code, err));
    else
        TRY(check_all(call, found, batch, code, err));
    return call->values->junit ? check_batch_write_junit(batch, call->values->junit, err) : STATUS_OK;
}

static enum status cmd_check_run(const void *given, struct limits *limits,
                                 enum exit_code *code, struct error *err)
{
    struct check_call call = { .values = given, .limits = limits };
    struct history_paths found = { .other_count = 0 };
    struct check_batch batch = { .entries = { 0 } };
    enum status status = cmd_check_judge(&call, &found, &batch, code, err);

    check_batch_close(&batch);
    history_paths_close(&found);
    return status;
}

const struct command command_check = {
    .summary = "judges histories by an isolation level",
    .description =
        "Without --checker every checker that can judge the history is asked, the cheapest first.\n"
        "The history is invalid if any of them finds a violation, and valid if one that is\n"
        "complete judged all of it and none found any. Once the verdict is certain the others\n"
        "have 10 seconds to contradict it; --timeout gives them more or less. Each anomaly is\n"
        "reported with its reason; the witness has the evidence, for ordeal verify.\n"
        "Exits with 0 if all histories are valid, 1 if one is invalid, 2 if one cannot be read or\n"
        "judged or the call is wrong, and 3 if the verdict is unknown.\n",
    .example = "  ordeal check history.jsonl --level snapshot --witness witness.json\n"
               "  ordeal check history.jsonl --version-order 0.9 --timeout 60 -j 2\n"
               "  ordeal check recorded/ --level strict-serializable --junit check.xml\n",
    .options = { "check", check_rows, ROW_COUNT(check_rows), sizeof(struct check_values) },
    .reads_strange_files = true,
    .run = cmd_check_run,
};
