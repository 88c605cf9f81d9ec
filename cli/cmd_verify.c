#include "cli/cmd_verify.h"

#include "base/array.h"
#include "cli/amendments.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "history/format.h"
#include "verify/verify.h"

struct verify_values {
    const char *history, *witness, *timeout;
    struct amendments amendments;
};

#define AT(field) offsetof(struct verify_values, field)

static const struct option verify_rows[] = {
    { .argument = "HISTORY",
      .kind = OPTION_OPERAND,
      .offset = AT(history),
      .help = "the history that was checked, in any format; - is standard input" },
    { .argument = "WITNESS",
      .kind = OPTION_OPERAND,
      .offset = AT(witness),
      .help = "file from check --witness or run --out; - is standard input" },
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

static enum status cmd_verify_run(const void *given, struct limits *limits,
                                  enum exit_code *code, struct error *err)
{
    const struct verify_values *values = given;
    struct verification verification;
    struct history history;
    struct buffer out = { 0 };
    enum status status;

    TRY(read_history(values->history, &history, err));
    status = amendments_apply(&values->amendments, &history, err);
    if (status == STATUS_OK)
        status = verify_file(&history, values->witness, &verification, err);
    limits_settle(limits);
    history_close(&history);
    TRY(status);
    *code = verification.is_accepted ? EXIT_VALID : EXIT_VIOLATION;
    buffer_print(&out, "%s: %s\n", verification.is_accepted ? "accepted" : "refused",
                 verification.reason);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

const struct command command_verify = {
    .summary = "verifies the witness of a checker against its history",
    .description =
        "Compares each statement of the witness with the history, by code of its own. Exits with\n"
        "0 if the witness proves its verdict, be that valid or invalid, and with 1 if it does\n"
        "not. If check was called with --initial or --nil-read, they must be given here, too.\n",
    .example = "  ordeal verify history.jsonl witness-order.json\n",
    .options = { "verify", verify_rows, ROW_COUNT(verify_rows), sizeof(struct verify_values) },
    .reads_strange_files = true,
    .run = cmd_verify_run,
};
