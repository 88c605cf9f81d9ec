#include "cli/audit_input.h"

#include <stdlib.h>
#include <string.h>

#include "audit/from_history.h"
#include "history/binary/oh.h"
#include "history/format.h"
#include "history/jsonl/jsonl_read.h"

#define PEEK_BYTES ((size_t)64)

/* --- A history -------------------------------------------------------------------------------- */

static enum status take_history(struct audit_input *input, const struct history *history,
                                struct error *err)
{
    struct buffer lines = { 0 };
    struct source source;
    enum status status = audit_log_of_history(history, &lines, &input->source, err);

    if (status == STATUS_OK) {
        status = source_open_memory(&source, input->path, lines.at, lines.count, err);
        if (status == STATUS_OK)
            status = call_log_read(&input->log, &source, err);
        source_close(&source);
    }
    buffer_close(&lines);
    return status;
}

static enum status read_history(struct audit_input *input, const struct progress *progress,
                                struct error *err)
{
    struct history history;
    enum status status;

    if (input->programs)
        return error_set(err, STATUS_BAD_INPUT,
                         "--programs is for a log of calls: a history of statements has its tables");
    TRY(format_read_history(input->path, FORMAT_ANY, progress, &history, err));
    status = take_history(input, &history, err);
    history_close(&history);
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, input->path);
    return status;
}

/* --- A log ------------------------------------------------------------------------------------ */

static enum status read_programs(struct audit_input *input, struct error *err)
{
    struct source source;
    char *bytes = NULL;
    size_t size = 0;
    enum status status;

    if (!input->programs)
        return STATUS_OK;
    status = source_open(&source, input->programs, NULL, err);
    if (status == STATUS_OK)
        status = source_take_rest(&source, &bytes, &size, err);
    source_close(&source);
    if (status != STATUS_OK)
        return status;
    buffer_text(&input->source, (struct text){ bytes, size });
    free(bytes);
    return buffer_status(&input->source, err);
}

static enum status read_log(struct audit_input *input, struct source *source, struct error *err)
{
    TRY(read_programs(input, err));
    return call_log_read(&input->log, source, err);
}

static enum status read_rows(struct audit_input *input, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, input->initial, NULL, err);

    if (status == STATUS_OK)
        status = call_log_read_rows(&input->log, &source, err);
    source_close(&source);
    return status;
}

/* --- Either ----------------------------------------------------------------------------------- */

static bool is_history(struct text beginning)
{
    return jsonl_is_it(beginning) || oh_is(beginning.at, beginning.length);
}

static enum status read_either(struct audit_input *input, const struct progress *progress,
                               struct error *err)
{
    struct source source;
    struct text beginning = { "", 0 };
    bool is_file = strcmp(input->path, "-") != 0;
    enum status status = source_open(&source, input->path, progress, err);

    if (status == STATUS_OK)
        status = source_peek(&source, PEEK_BYTES, &beginning, err);
    if (status == STATUS_OK && !(is_file && is_history(beginning)))
        status = read_log(input, &source, err);
    else if (status == STATUS_OK)
        status = read_history(input, progress, err);
    source_close(&source);
    return status;
}

enum status audit_input_read(struct audit_input *input, const struct progress *progress,
                             struct error *err)
{
    TRY(read_either(input, progress, err));
    if (input->initial && strcmp(input->initial, "unknown") == 0)
        call_log_forget_rows(&input->log);
    else if (input->initial)
        TRY(read_rows(input, err));
    return STATUS_OK;
}

enum status audit_input_load(const struct audit_input *input, struct program *program,
                             struct error *err)
{
    if (input->programs)
        return program_load_file(program, input->programs, err);
    return program_load(program, (struct text){ input->source.at, input->source.count }, err);
}

void audit_input_close(struct audit_input *input)
{
    call_log_close(&input->log);
    buffer_close(&input->source);
}

bool audit_input_is_log(const char *path)
{
    struct source source;
    struct text beginning;
    struct error ignored = { 0 };
    bool is_log;

    if (strcmp(path, "-") == 0)
        return false;
    is_log = source_open(&source, path, NULL, &ignored) == STATUS_OK &&
             source_peek(&source, PEEK_BYTES, &beginning, &ignored) == STATUS_OK &&
             call_log_is_it(beginning);
    source_close(&source);
    return is_log;
}
