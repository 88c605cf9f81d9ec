#include "cli/cmd_verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/amendments.h"
#include "cli/audit_input.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "history/format.h"
#include "verify/verify.h"

struct verify_values {
    const char *history, *witness, *programs, *timeout;
    struct amendments amendments;
};

#define AT(field) offsetof(struct verify_values, field)

static const struct option verify_rows[] = {
    OPERAND_ROW("HISTORY", AT(history),
                "the history that was checked or predicted from, in any format, or the\n"
                "log that was audited; - is standard input"),
    OPERAND_ROW("WITNESS", AT(witness),
                "file from check --witness, audit --witness, predict --out or run --out;\n"
                "- is standard input"),
    TEXT_ROW("programs", "FILE.sql", AT(programs),
             "the programs of a log that was audited; --initial is then as there"),
    AMENDMENT_ROWS(AT(amendments)),
    TIMEOUT_ROW(AT(timeout), "reading included;\n"
                             "exits with 3 if the witness is not judged by then"),
};

static enum status read_history(const char *path, struct history *history, struct error *err)
{
    struct progress_bar bar;
    struct progress progress;
    enum status status;

    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    status = format_read_history(path, FORMAT_ANY, &progress, history, err);
    progress_bar_end(&bar);
    return status;
}

/* --- Audits ----------------------------------------------------------------------------------- */

static enum status read_bytes(const char *path, char **bytes, size_t *size, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, NULL, err);

    *bytes = NULL;
    *size = 0;
    if (status == STATUS_OK)
        status = source_take_rest(&source, bytes, size, err);
    source_close(&source);
    return status;
}

/* The witness of an audit or a prediction says so first, whatever it is of: `name` with its quotes. */
static bool is_of(struct text witness, struct text name)
{
    for (size_t i = 0; i < witness.length && i < 200; i++)
        if (witness.length - i >= name.length && memcmp(witness.at + i, name.at, name.length) == 0)
            return true;
    return false;
}

static enum status read_audited(const struct verify_values *values, struct audit_input *input,
                                struct error *err)
{
    struct progress_bar bar;
    struct progress progress;
    enum status status;

    if (values->amendments.initials.count > 1 || values->amendments.nil_read)
        return error_set(err, STATUS_BAD_INPUT,
                         "an audit has one --initial, and no --nil-read");
    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    status = audit_input_read(input, &progress, err);
    progress_bar_end(&bar);
    return status;
}

static enum status verify_audited(const struct verify_values *values, char *witness, size_t size,
                                  struct verification *verification, struct error *err)
{
    struct audit_input input = {
        .path = values->history,
        .programs = values->programs,
        .initial = values->amendments.initials.count ? values->amendments.initials.at[0] : NULL,
    };
    enum status status = read_audited(values, &input, err);

    if (status == STATUS_OK)
        status = verify_audit(&input.log, (struct text){ input.source.at, input.source.count },
                              witness, size, verification, err);
    audit_input_close(&input);
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, values->witness);
    return status;
}

/* --- Histories -------------------------------------------------------------------------------- */

static enum status verify_checked(const struct verify_values *values, char *witness, size_t size,
                                  bool is_predicted, struct verification *verification, struct error *err)
{
    struct history history;
    enum status status;

    if (values->programs)
        return error_set(err, STATUS_BAD_INPUT,
                         "--programs is for the witness of an audit, and this is not one");
    if (audit_input_is_log(values->history))
        return error_set(err, STATUS_BAD_INPUT,
                         "a log of calls needs the witness of an audit, and this is not one");
    TRY(read_history(values->history, &history, err));
    status = amendments_apply(&values->amendments, &history, err);
    if (status == STATUS_OK)
        status = (is_predicted ? verify_prediction : verify_witness)(&history, witness, size, verification, err);
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, values->witness);
    history_close(&history);
    return status;
}

static enum status cmd_verify_run(const void *given, struct limits *limits,
                                  enum exit_code *code, struct error *err)
{
    const struct verify_values *values = given;
    struct verification verification;
    struct buffer out = { 0 };
    char *witness;
    size_t size;
    enum status status = read_bytes(values->witness, &witness, &size, err);

    if (status == STATUS_OK) {
        struct text text = { witness, size };

        status = is_of(text, TEXT("\"ordeal-audit\""))
                     ? verify_audited(values, witness, size, &verification, err)
                     : verify_checked(values, witness, size, is_of(text, TEXT("\"ordeal-prediction\"")),
                                      &verification, err);
    }
    free(witness);
    limits_settle(limits);
    TRY(status);
    *code = verification.is_accepted ? EXIT_VALID : EXIT_VIOLATION;
    buffer_print(&out, "%s: %s\n", verification.is_accepted ? "accepted" : "refused",
                 verification.reason);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

const struct command command_verify = {
    .summary = "verifies the witness of a checker, an audit or a prediction",
    .description =
        "Compares each statement of the witness with the history, by code of its own. Exits with\n"
        "0 if the witness proves its verdict, be that valid, invalid or a prediction, and with 1\n"
        "if it does not. If check or predict was called with --initial or --nil-read, they must\n"
        "be given here, too, and --programs and --initial if audit was.\n",
    .example = "  ordeal verify history.jsonl witness-order.json\n"
               "  ordeal verify log.jsonl w.json --programs bank.sql\n",
    .options = { "verify", verify_rows, ROW_COUNT(verify_rows), sizeof(struct verify_values) },
    .reads_strange_files = true,
    .run = cmd_verify_run,
};
