#include "history/call_log_write.h"

#include <assert.h>

void call_log_write_head(struct buffer *out, const struct call_log_head *head)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-log", 1);
    json_writer_string(&json, "producer", head->producer);
    if (head->load.length > 0)
        json_writer_string(&json, "load", head->load);
    if (head->ts_is_hint)
        json_writer_text(&json, "ts", "hint");
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

void call_log_begin_call(struct json_writer *json, struct text function)
{
    json_writer_open(json, NULL, '{');
    json_writer_string(json, "call", function);
    json_writer_open(json, "arguments", '[');
}

void call_log_end_call(struct json_writer *json, const char *sqlstate, struct text rows)
{
    json_writer_close(json, ']');
    if (sqlstate[0] != '\0')
        json_writer_text(json, "error", sqlstate);
    if (rows.length > 0) {
        buffer_text(json->out, TEXT(",\"answers\":[{\"rows\":"));
        buffer_text(json->out, rows);
        buffer_text(json->out, TEXT("}]"));
    }
    json_writer_close(json, '}');
}

void call_log_write_statements(struct buffer *out, const struct buffer *statements,
                               const struct buffer *answers)
{
    buffer_text(out, TEXT("{\"statements\":["));
    buffer_text(out, (struct text){ statements->at, statements->count });
    buffer_text(out, TEXT("],\"answers\":["));
    buffer_text(out, (struct text){ answers->at, answers->count });
    buffer_text(out, TEXT("]}"));
    out->out_of_memory |= statements->out_of_memory || answers->out_of_memory;
}

static void write_place(struct json_writer *json, const struct call_log_line *line)
{
    assert(line->ts_parts <= CALL_PLACES_MAX);
    if (line->ts_parts == 1) {
        json_writer_int64(json, "ts", line->ts[0]);
        return;
    }
    json_writer_open(json, "ts", '[');
    for (uint32_t i = 0; i < line->ts_parts; i++)
        json_writer_int64(json, NULL, line->ts[i]);
    json_writer_close(json, ']');
}

static void write_times(struct json_writer *json, const struct call_log_line *line)
{
    json_writer_open(json, "at", '[');
    json_writer_int64(json, NULL, line->invoked_ns);
    if (line->completed_ns == TIME_NEVER)
        json_writer_null(json, NULL);
    else
        json_writer_int64(json, NULL, line->completed_ns);
    json_writer_close(json, ']');
}

static void write_saw(struct json_writer *json, const struct call_log_line *line)
{
    json_writer_open(json, "saw", '[');
    json_writer_int64(json, NULL, line->saw[0]);
    json_writer_int64(json, NULL, line->saw[1]);
    json_writer_close(json, ']');
}

void call_log_write_line(struct buffer *out, const struct call_log_line *line)
{
    static const char *const names[] = {
        [TXN_OK] = "ok", [TXN_ABORT] = "abort", [TXN_UNKNOWN] = "unknown"
    };
    struct json_writer json = { .out = out };

    assert(line->call.length > 2);
    json_writer_open(&json, NULL, '{');
    json_writer_int64(&json, "txn", line->txn);
    if (line->session >= 0)
        json_writer_int64(&json, "session", line->session);
    buffer_byte(out, ',');
    buffer_text(out, (struct text){ line->call.at + 1, line->call.length - 2 });
    json_writer_text(&json, "status", names[line->status]);
    if (line->invoked_ns != TIME_NEVER)
        write_times(&json, line);
    if (line->ts_parts > 0)
        write_place(&json, line);
    if (line->has_saw)
        write_saw(&json, line);
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
