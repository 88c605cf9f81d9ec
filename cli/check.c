#include "cli/command.h"

#include <assert.h>

#include "base/array.h"
#include "checkers/checker.h"
#include "cli/answer.h"
#include "cli/check_report.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/quantity.h"
#include "cli/simulation.h"
#include "history/format.h"

struct check_values {
    const char *history, *level, *checker, *format, *witness;
    bool json;
};

/* A check, and how long it took. */
struct timed_check {
    struct check check;
    int64_t parse_ns, check_ns;
};

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
      .choices = level_names,
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
    { .name = "witness",
      .argument = "FILE",
      .kind = OPTION_TEXT,
      .offset = AT(witness),
      .help = "where to write the evidence, for ordeal verify; - is standard output" },
    { .name = "json", .kind = OPTION_FLAG, .offset = AT(json), .help = "print one JSON object" },
};

static enum status choose(const struct check_values *values, const struct history *history,
                          enum level level, const struct checker **checker, struct error *err)
{
    if (!values->checker) {
        *checker = checker_for(history, level, err);
        return *checker ? STATUS_OK : err->status;
    }
    *checker = checker_find(text_of(values->checker));
    assert(*checker);
    return checker_examine(*checker, history, level, err);
}

static enum status judge(const struct check_values *values, const struct history *history,
                         struct progress_bar *bar, struct timed_check *timed, struct error *err)
{
    struct progress progress = progress_bar_listener(bar);
    struct check_options options = { .level = LEVEL_SERIALIZABLE,
                                     .flags = values->witness ? CHECK_WITNESS : 0,
                                     .progress = &progress };
    const struct checker *checker = NULL;
    int64_t from;

    if (values->level) {
        bool known = level_of_text(text_of(values->level), &options.level);

        assert(known);
        (void)known;
    }
    TRY(choose(values, history, options.level, &checker, err));
    progress_bar_next(bar, "checking", "");
    from = output_clock_ns();
    TRY(checker_run(checker, history, &options, &timed->check, err));
    timed->check_ns = output_clock_ns() - from;
    return STATUS_OK;
}

static enum status write_witness(const char *path, const struct check *check, struct error *err)
{
    if (check->verdict == VERDICT_UNKNOWN)
        return STATUS_OK;
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
    struct progress_bar bar;
    struct progress progress;
    int64_t from = output_clock_ns();
    enum status status;

    if (values->format)
        (void)format_of_text(text_of(values->format), &format);
    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    status = format_read_history(values->history, format, &progress, history, err);
    timed->parse_ns = output_clock_ns() - from;
    if (status == STATUS_OK)
        status = judge(values, history, &bar, timed, err);
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
        "there, else certificate where the history has a full one. An anomaly is told with the\n"
        "reason why it is one; the witness has the evidence, for ordeal verify.\n",
    .example = "  ordeal check history.jsonl --level snapshot --witness witness.json\n",
    .options = { "check", check_rows, ROW_COUNT(check_rows), sizeof(struct check_values) },
    .run = run,
};
