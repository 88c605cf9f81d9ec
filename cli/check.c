#include "cli/command.h"

#include <assert.h>
#include <stdio.h>

#include "base/array.h"
#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "cli/amendments.h"
#include "cli/answer.h"
#include "cli/check_report.h"
#include "cli/clock_error.h"
#include "cli/cores.h"
#include "cli/output.h"
#include "cli/profile_file.h"
#include "cli/progress_bar.h"
#include "cli/quantity.h"
#include "cli/simulation.h"
#include "cli/timeout.h"
#include "history/format.h"

struct check_values {
    const char *history, *level, *checker, *format, *timeout, *engine, *version_order, *profile,
        *clock_error, *witness;
    struct option_number threads, seed;
    struct amendments amendments;
    bool allow_unjudged, json;
};

/* A check, and how long it took. */
struct timed_check {
    struct check check;
    int64_t parse_ns, check_ns;
    int64_t clock_error_ns; /* with which nothing is found; 0: nobody knows */
};

static const char *const engines[] = { [ENGINE_NATIVE] = "native", [ENGINE_Z3] = "z3", NULL };

static const char *const *engine_names(void)
{
    return engines;
}

#define AT(field) offsetof(struct check_values, field)

static const struct option check_rows[] = {
    { .argument = "HISTORY",
      .kind = OPTION_OPERAND,
      .offset = AT(history),
      .help = "a history in any format, also compressed; - is standard input" },
    { .name = "level",
      .argument = "L",
      .kind = OPTION_TEXT,
      .offset = AT(level),
      .choices = level_all_names,
      .help = "the isolation level to judge by; serializable unless given" },
    { .name = "checker",
      .argument = "C",
      .kind = OPTION_TEXT,
      .offset = AT(checker),
      .choices = checker_names,
      .help = "who judges; the one that knows most about this history unless given" },
    { .name = "format",
      .argument = "F",
      .kind = OPTION_TEXT,
      .offset = AT(format),
      .choices = format_names,
      .help = "what the history is in, where its content is not to decide that" },
    AMENDMENT_ROWS(AT(amendments)),
    { .name = "timeout",
      .argument = "S",
      .kind = OPTION_TEXT,
      .offset = AT(timeout),
      .help = "seconds of checking, as in 10 or 0.5; after them the verdict is\n"
              "unknown, if there is none yet" },
    { .letter = 'j',
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(threads),
      .low = 1,
      .high = CORES_MAX,
      .help = "threads at the most; the machine's cores unless given. They may\n"
              "change the witness, and never the verdict" },
    { .name = "engine",
      .argument = "native|z3",
      .kind = OPTION_TEXT,
      .offset = AT(engine),
      .choices = engine_names,
      .help = "who searches, for the checkers that have the choice; native\n"
              "unless given" },
    { .name = "version-order",
      .argument = "RATIO",
      .kind = OPTION_TEXT,
      .offset = AT(version_order),
      .help = "the share of each key's version order that may be used, from 0\n"
              "to 1; below 1, neither do ts, snapshot, set or at give a hint" },
    { .name = "seed",
      .argument = "N",
      .kind = OPTION_NUMBER,
      .offset = AT(seed),
      .low = 0,
      .high = SEED_MAX,
      .help = "which part of the version order that is; 0 unless given" },
    { .name = "profile",
      .argument = "P",
      .kind = OPTION_TEXT,
      .offset = AT(profile),
      .help = "for interval: how the database that was recorded works, as\n"
              "`ordeal list profiles` has it, or an own FILE.toml; what is judged\n"
              "is its level" },
    { .name = "clock-error",
      .argument = "D",
      .kind = OPTION_TEXT,
      .offset = AT(clock_error),
      .help = "for interval: how far the clocks of clients may be off, as in 2ms" },
    { .name = "allow-unjudged",
      .kind = OPTION_FLAG,
      .offset = AT(allow_unjudged),
      .help = "call a history valid in which nothing is wrong even if some\n"
              "statements could not be judged; without it that is unknown" },
    { .name = "witness",
      .argument = "FILE",
      .kind = OPTION_TEXT,
      .offset = AT(witness),
      .help = "where to write the evidence, for ordeal verify; - is standard output" },
    { .name = "json", .kind = OPTION_FLAG, .offset = AT(json), .help = "print one JSON object" },
};

static bool is_able(const struct checker *checker, const struct check_options *options)
{
    struct ratio part = options->version_order;

    return (options->engine != ENGINE_Z3 || checker->has_z3) &&
           (!options->profile || checker->takes_profile) &&
           (part.numerator >= part.denominator || checker->takes_part);
}

/* Who is asked for something that not every checker can do means one that can. */
static const struct checker *find_able(const struct check_options *options)
{
    const struct checker *const *all = checkers_all();

    for (size_t i = 0; all[i]; i++)
        if (is_able(all[i], options))
            return all[i];
    return NULL;
}

static enum status choose(const struct check_values *values, const struct history *history,
                          const struct check_options *options, const struct checker **checker,
                          struct error *err)
{
    bool asks_for_more = options->engine == ENGINE_Z3 || options->profile ||
                         options->version_order.numerator < options->version_order.denominator;

    if (values->checker) {
        *checker = checker_find(text_of(values->checker));
        assert(*checker);
    } else if (asks_for_more) {
        *checker = find_able(options);
        if (!*checker)
            return error_set(err, STATUS_BAD_INPUT, "no checker can do that yet: %s",
                             options->engine == ENGINE_Z3 ? "--engine z3" : "--version-order");
    } else {
        *checker = checker_for(history, options->level, err);
        return *checker ? STATUS_OK : err->status;
    }
    return checker_examine(*checker, history, options->level, err);
}

static enum status set_version_order(const char *given, struct ratio *ratio, struct error *err)
{
    if (!ratio_of_text(text_of(given), ratio) || ratio->numerator > ratio->denominator)
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

/* What the flags say, before anything is read. */
static enum status set_options(const struct check_values *values, struct check_options *options,
                               struct given_profile *profile, int64_t *limit_ns,
                               struct error *err)
{
    *options = (struct check_options){
        .level = LEVEL_SERIALIZABLE,
        .flags = values->witness ? CHECK_WITNESS : 0,
        .threads = values->threads.given ? (unsigned)values->threads.value : cores_count(),
        .engine = ENGINE_NATIVE,
        .seed = (uint64_t)values->seed.value,
        .allows_unjudged = values->allow_unjudged,
    };
    *limit_ns = 0;
    if (values->level) {
        bool known = level_of_text(text_of(values->level), &options->level);

        assert(known);
        (void)known;
    }
    if (values->engine && text_equal(text_of(values->engine), text_of(engines[ENGINE_Z3])))
        options->engine = ENGINE_Z3;
    TRY(set_profile(values, options, profile, err));
    if (values->version_order)
        TRY(set_version_order(values->version_order, &options->version_order, err));
    if (values->timeout && !timeout_of_text(text_of(values->timeout), limit_ns))
        return error_set(err, STATUS_BAD_INPUT,
                         "--timeout takes seconds, a decimal above 0 and at the most a year, not "
                         "'%.80s'",
                         values->timeout);
    return STATUS_OK;
}

/* The checker says that it was stopped, and how far it was; here is known by whom. */
static void tell_by_whom(const char *timeout, struct check *check)
{
    struct buffer reason = { 0 };

    buffer_print(&reason, "%s%s--timeout %s was over", check->reason, check->reason[0] ? "; " : "",
                 timeout);
    if (!reason.out_of_memory)
        snprintf(check->reason, sizeof check->reason, "%.*s", (int)reason.count, reason.at);
    buffer_close(&reason);
}

static enum status check_in_time(const struct check_values *values, const struct checker *checker,
                                 const struct history *history, struct check_options *options,
                                 int64_t limit_ns, struct check *check, struct error *err)
{
    struct timeout timeout;
    enum status status;

    TRY(timeout_begin(&timeout, limit_ns, err));
    options->stop = timeout_stop(&timeout);
    status = checker_run(checker, history, options, check, err);
    timeout_end(&timeout);
    if (status == STATUS_OK && check->verdict == VERDICT_UNKNOWN && timeout_is_over(&timeout))
        tell_by_whom(values->timeout, check);
    return status;
}

static enum status judge(const struct check_values *values, const struct history *history,
                         struct check_options *options, int64_t limit_ns, struct progress_bar *bar,
                         struct timed_check *timed, struct error *err)
{
    struct progress progress = progress_bar_listener(bar);
    const struct checker *checker = NULL;
    int64_t from;

    options->progress = &progress;
    TRY(choose(values, history, options, &checker, err));
    progress_bar_next(bar, "checking", "");
    from = output_clock_ns();
    TRY(check_in_time(values, checker, history, options, limit_ns, &timed->check, err));
    timed->check_ns = output_clock_ns() - from;
    if (values->json || values->timeout)
        return STATUS_OK;
    return clock_error_find(&timed->check, history, options, &timed->clock_error_ns, err);
}

static enum status write_witness(const char *path, const struct check *check, struct error *err)
{
    if (check->verdict == VERDICT_UNKNOWN)
        return STATUS_OK;
    if (check->witness.count == 0)
        return error_set(err, STATUS_BAD_INPUT, "%s has no witness for this verdict: %s is not written",
                         check->checker->name, path);
    if (path[0] == '-' && path[1] == '\0')
        return output_print(&check->witness, err);
    return output_write_file(path, &check->witness, err);
}

static void print_for_people(const struct timed_check *timed, struct buffer *out)
{
    const struct check *check = &timed->check;

    buffer_text(out, TEXT("history    "));
    quantity_print_count(out, check->txn_count);
    buffer_text(out, TEXT(" transactions, "));
    quantity_print_count(out, check->op_count);
    buffer_text(out, TEXT(" operations   read in "));
    quantity_print_rounded(out, timed->parse_ns);
    buffer_text(out, TEXT(", checked in "));
    quantity_print_rounded(out, timed->check_ns);
    buffer_text(out, TEXT("\ncheck      "));
    check_report_line(check, out);
    buffer_byte(out, '\n');
    check_report_findings(check, CHECK_FINDINGS_MAX, out);
    check_report_unjudged(check->unjudged_predicates, out);
    if (timed->clock_error_ns > 0) {
        buffer_text(out, TEXT("clocks     with --clock-error "));
        quantity_print_duration(out, timed->clock_error_ns);
        buffer_text(out, TEXT(" nothing is found: are the clients' clocks as far off?\n"));
    }
}

static enum status print(const struct check_values *values, const struct history *history,
                         const struct timed_check *timed, struct error *err)
{
    struct buffer out = { 0 };
    struct answer answer = { .out = &out };
    enum status status;

    if (values->json) {
        check_report_answer(&answer, NULL, history, &timed->check, timed->parse_ns,
                            timed->check_ns);
        buffer_byte(&out, '\n');
    } else {
        print_for_people(timed, &out);
    }
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status read_and_judge(const struct check_values *values, struct history *history,
                                  struct timed_check *timed, struct error *err)
{
    enum format format = FORMAT_ANY;
    struct check_options options;
    struct given_profile profile;
    int64_t limit_ns, from;
    struct progress_bar bar;
    struct progress progress;
    enum status status;

    TRY(set_options(values, &options, &profile, &limit_ns, err));
    if (values->format)
        (void)format_of_text(text_of(values->format), &format);
    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    from = output_clock_ns();
    status = format_read_history(values->history, format, &progress, history, err);
    if (status == STATUS_OK)
        status = amendments_apply(&values->amendments, history, err);
    timed->parse_ns = output_clock_ns() - from;
    if (status == STATUS_OK)
        status = judge(values, history, &options, limit_ns, &bar, timed, err);
    progress_bar_end(&bar);
    if (status != STATUS_OK && !err->file[0])
        error_set_file(err, values->history);
    return status;
}

static enum status run(const void *given, enum exit_code *code, struct error *err)
{
    const struct check_values *values = given;
    struct history history = { 0 };
    struct timed_check timed = { .parse_ns = 0 };
    enum status status = read_and_judge(values, &history, &timed, err);

    if (status == STATUS_OK) {
        *code = verdict_exit_code(timed.check.verdict);
        status = print(values, &history, &timed, err);
    }
    if (status == STATUS_OK && values->witness)
        status = write_witness(values->witness, &timed.check, err);
    check_close(&timed.check);
    history_close(&history);
    return status;
}

const struct command command_check = {
    .summary = "judges a history by an isolation level",
    .description =
        "Without --checker, order judges where every committed transaction has a ts and reads\n"
        "there, else certificate where the history has a full one, else one that needs less.\n"
        "An anomaly is told with the reason why it is one; the witness has the evidence, for\n"
        "ordeal verify. Exits with 0 if the history is valid, 1 if it is not, 2 if it cannot be\n"
        "judged that way or the call is wrong, 3 if nobody can tell, or not in that time.\n",
    .example = "  ordeal check history.jsonl --level snapshot --witness witness.json\n"
               "  ordeal check history.jsonl --version-order 0.9 --timeout 60 -j 2\n",
    .options = { "check", check_rows, ROW_COUNT(check_rows), sizeof(struct check_values) },
    .run = run,
};
