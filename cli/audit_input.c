#include "cli/audit_input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

enum status audit_input_read_programs(struct audit_input *input, struct error *err)
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

/* --- What the log creates --------------------------------------------------------------------- */

static bool takes_word(struct text *sql, struct text word)
{
    while (sql->length > 0 && strchr(" \t\r\n", *sql->at))
        sql->at++, sql->length--;
    if (sql->length < word.length || strncasecmp(sql->at, word.at, word.length) != 0)
        return false;
    sql->at += word.length;
    sql->length -= word.length;
    return sql->length > 0 && strchr(" \t\r\n", *sql->at);
}

static bool begins(struct text sql, const char *first, const char *second)
{
    return takes_word(&sql, text_of(first)) && takes_word(&sql, text_of(second));
}

static bool drops(struct text sql)
{
    return begins(sql, "drop", "table");
}

static bool defines(struct text sql)
{
    return begins(sql, "create", "table") || begins(sql, "create", "sequence") || drops(sql);
}

/* Whether all that it does is of that kind. */
static bool does_only(const struct call_log *log, const struct logged_txn *txn, bool (*kind)(struct text))
{
    for (uint32_t i = 0; i < txn->statement_count; i++)
        if (!kind(log->statements.at[txn->statement + i].sql))
            return false;
    return txn->statement_count > 0;
}

static uint32_t count_lines(const struct buffer *source)
{
    uint32_t count = 1;

    for (size_t i = 0; i < source->count; i++)
        count += source->at[i] == '\n';
    return count;
}

static enum status refuse_creation(const struct audit_input *input, const struct logged_txn *txn,
                                   const char *why, struct error *err)
{
    enum status status = error_set(err, STATUS_BAD_INPUT, "CREATE or DROP %s is not supported", why);

    err->line = txn->line;
    error_set_file(err, input->path);
    return status;
}

static enum status take_created(struct audit_input *input, const struct logged_txn *txn, struct error *err)
{
    if (txn->status == TXN_ABORT || (txn->status == TXN_OK && txn->sqlstate.length > 0))
        return STATUS_OK;
    if (txn->status != TXN_OK)
        return refuse_creation(input, txn, "of unknown outcome", err);
    for (uint32_t i = 0; i < txn->statement_count; i++) {
        struct created created = { .log_line = (uint32_t)txn->line };

        buffer_byte(&input->source, '\n');
        created.source_line = count_lines(&input->source);
        buffer_text(&input->source, input->log.statements.at[txn->statement + i].sql);
        buffer_text(&input->source, TEXT(";"));
        TRY(array_push(&input->created, created, err));
    }
    return buffer_status(&input->source, err);
}

/* What is dropped behind everything else has been there all the time. */
static enum status take_creations(struct audit_input *input, struct error *err)
{
    struct call_log *log = &input->log;
    size_t kept = 0, end = log->txns.count;

    while (end > 0 && does_only(log, &log->txns.at[end - 1], drops))
        end--;
    if (end == 0)
        end = log->txns.count;

    for (size_t i = 0; i < end; i++) {
        const struct logged_txn *txn = &log->txns.at[i];

        if (!does_only(log, txn, defines)) {
            log->txns.at[kept++] = *txn;
            continue;
        }
        if (kept > 0)
            return refuse_creation(input, txn, "behind transactions that do something else", err);
        TRY(take_created(input, txn, err));
    }
    log->txns.count = kept;
    return STATUS_OK;
}

static enum status read_log(struct audit_input *input, struct source *source, struct error *err)
{
    TRY(audit_input_read_programs(input, err));
    TRY(call_log_read(&input->log, source, err));
    TRY(take_creations(input, err));
    return STATUS_OK;
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

/* An error of the source is one of the programs, or of what the log creates. */
static void place_in_log(const struct audit_input *input, struct error *err)
{
    const struct created *found = NULL;

    for (size_t i = 0; i < input->created.count; i++)
        if (input->created.at[i].source_line <= err->line)
            found = &input->created.at[i];
    if (found) {
        err->line = found->log_line;
        error_set_file(err, input->path);
    } else if (input->programs) {
        error_set_file(err, input->programs);
    }
}

enum status audit_input_load(const struct audit_input *input, struct program *program,
                             struct error *err)
{
    enum status status;

    if (input->programs && input->created.count == 0)
        return program_load_file(program, input->programs, err);
    status = program_load(program, (struct text){ input->source.at, input->source.count }, err);
    if (status != STATUS_OK && input->created.count > 0)
        place_in_log(input, err);
    return status;
}

void audit_input_close(struct audit_input *input)
{
    call_log_close(&input->log);
    buffer_close(&input->source);
    array_close(&input->created);
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
