#include "cli/cmd_convert.h"

#include <assert.h>
#include <stdio.h>

#include "base/array.h"
#include "cli/amendments.h"
#include "cli/progress_bar.h"
#include "history/foreign/foreign.h"
#include "history/format.h"
#include "history/history.h"

struct convert_values {
    const char *history, *to, *out;
    struct amendments amendments;
    const char *timeout;
};

#define AT(field) offsetof(struct convert_values, field)

static const struct option convert_rows[] = {
    OPERAND_ROW("HISTORY", AT(history),
                "a history in any format, also compressed, or the folder that a tool\n"
                "wrote; - is standard input"),
    TEXT_ROW("to", "F", AT(to), "format to write: see ordeal list formats", .required = true,
             .choices = format_names),
    AMENDMENT_ROWS(AT(amendments)),
    TIMEOUT_ROW(AT(timeout), "reading included; without\n"
                             "a result by then nothing is written"),
    OUT_FILE_ROW(AT(out), "write to FILE; - is standard output, and a name that ends in .zst\n"
                          "is compressed. Some formats are a folder, which must be new or empty"),
};

static enum status write_as(const struct history *history, const struct convert_values *values,
                            struct progress_bar *bar, struct error *err)
{
    struct progress progress = progress_bar_listener(bar);
    enum format format = FORMAT_ANY;
    bool known = format_of_text(text_of(values->to), &format);

    uint32_t losses;

    assert(known);
    TRY(format_losses(history, format, &losses, err));
    for (enum loss loss = 0; loss < LOSS_COUNT; loss++)
        if (losses >> loss & 1)
            fprintf(stderr, "%s: format %s does not carry %s\n", values->history, values->to,
                    foreign_loss(loss));
    progress_bar_next(bar, "writing", "");
    return format_write_history(history, format, values->out, &progress, err);
}

static enum status cmd_convert_run(const void *given, struct limits *limits,
                                   enum exit_code *code, struct error *err)
{
    const struct convert_values *values = given;
    struct progress_bar bar;
    struct progress progress;
    struct history history;
    enum status status;

    *code = EXIT_VALID;
    progress_bar_begin(&bar, "reading", "B");
    progress = progress_bar_listener(&bar);
    status = format_read_history(values->history, FORMAT_ANY, &progress, &history, err);
    if (status == STATUS_OK) {
        status = amendments_apply(&values->amendments, &history, err);
        if (status == STATUS_OK)
            status = write_as(&history, values, &bar, err);
        limits_settle(limits);
        history_close(&history);
    }
    progress_bar_end(&bar);
    return status;
}

const struct command command_convert = {
    .summary = "reads a history in one format and writes it in another",
    .description =
        "The format of the history is recognised by its content. The native formats lose nothing:\n"
        "text to binary and back gives the same bytes. If another format cannot carry something,\n"
        "convert says what; if the result would be another history, it refuses.\n",
    .example = "  ordeal convert history.jsonl --to oh -o history.oh.zst\n",
    .options = { "convert", convert_rows, ROW_COUNT(convert_rows), sizeof(struct convert_values) },
    .reads_strange_files = true,
    .run = cmd_convert_run,
    .unfinished = "not converted",
};
