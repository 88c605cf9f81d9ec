/*
 * Any bytes as a log of calls: refused with a reason, or whole; twice the same; its calls written and read
 * again say what they said. The same bytes as initial rows.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json_writer.h"
#include "history/call_log.h"
#include "history/call_log_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_log(const void *bytes, size_t size, struct call_log *log, struct error *err)
{
    struct source source;
    bool is_read;

    memset(err, 0, sizeof *err);
    *log = (struct call_log){ 0 };
    is_read = source_open_memory(&source, "input", bytes, size, err) == STATUS_OK &&
              call_log_read(log, &source, err) == STATUS_OK;
    assert(is_read || (err->text[0] && err->status != STATUS_OK && err->line > 0));
    source_close(&source);
    return is_read;
}

static void check_cells(const struct call_log *log, uint64_t first, uint64_t count)
{
    assert(first + count <= log->cells.count || count == 0);
    for (uint64_t i = first; i < first + count; i++)
        assert(!log->cells.at[i].at || text_is_utf8(log->cells.at[i]));
}

static void check_txn(const struct call_log *log, const struct logged_txn *txn)
{
    assert(txn->id >= 0 && txn->session >= -1 && txn->line > 1);
    assert(txn->completed_ns >= txn->invoked_ns || txn->invoked_ns == TIME_NEVER);
    assert(txn->function.length == 0 || txn->statement_count == 0);
    assert(txn->answer_count == 0 ||
           txn->answer_count == (txn->function.length > 0 ? 1 : txn->statement_count));
    check_cells(log, txn->argument, txn->argument_count);
    for (uint32_t i = 0; i < txn->statement_count; i++)
        check_cells(log, log->statements.at[txn->statement + i].parameter,
                    log->statements.at[txn->statement + i].parameter_count);
    for (uint32_t i = 0; i < txn->answer_count; i++) {
        const struct call_answer *answer = &log->answers.at[txn->answer + i];

        if (answer->kind == CALL_ANSWER_ROWS)
            check_cells(log, answer->cell, (uint64_t)answer->row_count * answer->width);
    }
}

static void write_cell(struct json_writer *json, struct text cell)
{
    if (cell.at)
        json_writer_string(json, NULL, cell);
    else
        json_writer_null(json, NULL);
}

static void write_call(const struct call_log *log, const struct logged_txn *txn, struct buffer *out)
{
    struct buffer call = { 0 }, rows = { 0 };
    struct json_writer json = { .out = &call }, cells = { .out = &rows };
    const struct call_answer *answer = txn->answer_count > 0 ? &log->answers.at[txn->answer] : NULL;
    char code[6] = "";
    struct call_log_line line = {
        .txn = (uint64_t)txn->id,
        .session = (uint32_t)(txn->session < 0 ? 0 : txn->session),
        .status = txn->status,
        .invoked_ns = txn->invoked_ns == TIME_NEVER ? 0 : txn->invoked_ns,
        .completed_ns = txn->invoked_ns == TIME_NEVER ? TIME_NEVER : txn->completed_ns,
        .ts_parts = txn->has_ts ? CALL_PLACES_MAX : 0,
    };

    memcpy(line.ts, txn->ts, sizeof line.ts);
    memcpy(code, txn->sqlstate.at ? txn->sqlstate.at : "", txn->sqlstate.length);
    call_log_begin_call(&json, txn->function);
    for (uint32_t i = 0; i < txn->argument_count; i++)
        write_cell(&json, log->cells.at[txn->argument + i]);
    if (answer && answer->kind == CALL_ANSWER_ROWS) {
        json_writer_open(&cells, NULL, '[');
        for (uint32_t i = 0; i < answer->row_count; i++) {
            json_writer_open(&cells, NULL, '[');
            for (uint32_t k = 0; k < answer->width; k++)
                write_cell(&cells, log->cells.at[answer->cell + i * answer->width + k]);
            json_writer_close(&cells, ']');
        }
        json_writer_close(&cells, ']');
    }
    call_log_end_call(&json, code, (struct text){ rows.at, rows.count });
    line.call = (struct text){ call.at, call.count };
    call_log_write_line(out, &line);
    buffer_close(&call);
    buffer_close(&rows);
}

static bool same_cells(const struct call_log *a, uint32_t at_a, const struct call_log *b, uint32_t at_b,
                       uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct text x = a->cells.at[at_a + i], y = b->cells.at[at_b + i];

        if (!x.at != !y.at || (x.at && !text_equal(x, y)))
            return false;
    }
    return true;
}

static void check_what_is_written(const struct call_log *log)
{
    struct call_log_head head = { log->producer.at ? log->producer : TEXT(""),
                                  log->load.at ? log->load : TEXT(""), log->ts_is_hint };
    struct buffer out = { 0 };
    struct call_log again;
    struct error err;
    size_t number = 0;
    bool is_read;

    call_log_write_head(&out, &head);
    for (size_t i = 0; i < log->txns.count; i++)
        if (log->txns.at[i].function.length > 0)
            write_call(log, &log->txns.at[i], &out);
    is_read = read_log(out.at, out.count, &again, &err);
    assert(is_read && again.ts_is_hint == log->ts_is_hint);
    for (size_t i = 0; i < log->txns.count; i++) {
        const struct logged_txn *txn = &log->txns.at[i], *copy;

        if (txn->function.length == 0)
            continue;
        copy = &again.txns.at[number++];
        assert(copy->id == txn->id && copy->status == txn->status && copy->has_ts == txn->has_ts);
        assert(text_equal(copy->function, txn->function));
        assert(copy->argument_count == txn->argument_count);
        assert(same_cells(log, txn->argument, &again, copy->argument, txn->argument_count));
    }
    call_log_close(&again);
    buffer_close(&out);
}

static void read_rows(const void *bytes, size_t size)
{
    static const char head[] = "{\"ordeal-log\":1}\n";
    struct call_log log;
    struct source source;
    struct error err = { 0 };
    bool is_read = read_log(head, sizeof head - 1, &log, &err);

    assert(is_read);
    is_read = source_open_memory(&source, "rows", bytes, size, &err) == STATUS_OK &&
              call_log_read_rows(&log, &source, &err) == STATUS_OK;
    assert(is_read || err.text[0]);
    for (size_t i = 0; is_read && i < log.rows.count; i++)
        check_cells(&log, log.rows.at[i].cell, 2 * (uint64_t)log.rows.at[i].column_count);
    source_close(&source);
    call_log_close(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call_log log, again;
    struct error err, err_again;
    bool is_read = read_log(data, size, &log, &err);
    bool is_read_again = read_log(data, size, &again, &err_again);

    assert(is_read == is_read_again && strcmp(err.text, err_again.text) == 0);
    assert(err.line == err_again.line && err.offset == err_again.offset);
    assert(!is_read || memcmp(&log.digest, &again.digest, sizeof log.digest) == 0);
    for (size_t i = 0; is_read && i < log.txns.count; i++)
        check_txn(&log, &log.txns.at[i]);
    if (is_read)
        check_what_is_written(&log);
    call_log_close(&log);
    call_log_close(&again);
    read_rows(data, size);
    return 0;
}
