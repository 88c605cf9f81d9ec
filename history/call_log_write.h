/*
 * call_log_write: the writer of logs of calls, for all who make them.
 *
 *     call_log_write_head(&out, &head);
 *     for each transaction:
 *         call_log_begin_call(&json, TEXT("transfer"));
 *         ... json_writer_string(&json, NULL, argument) or json_writer_null(&json, NULL) ...
 *         call_log_end_call(&json, sqlstate, rows);
 *         call_log_write_line(&out, &line);   line.call is what the three have written, or
 *                                             call_log_write_statements()
 *
 * What was called and answered is known when it happens; where the transaction stands, and how it ended,
 * is often known much later. So the one is written first and kept, and the line made of both.
 */
#ifndef HISTORY_CALL_LOG_WRITE_H
#define HISTORY_CALL_LOG_WRITE_H

#include <stdint.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "history/call_log.h"

struct call_log_head {
    struct text producer;
    struct text load; /* "load(2)"; empty: the tables are as the program makes them */
    bool ts_is_hint;
};

void call_log_write_head(struct buffer *, const struct call_log_head *);

void call_log_begin_call(struct json_writer *, struct text function);
/*
 * After the arguments. `sqlstate` of a call that failed, else empty; `rows` as JSON, [["12.50",null]],
 * or nothing if no answer is known.
 */
void call_log_end_call(struct json_writer *, const char *sqlstate, struct text rows);

/* Or statements and their answers: the elements of two arrays. */
void call_log_write_statements(struct buffer *, const struct buffer *statements,
                               const struct buffer *answers);

struct call_log_line {
    int64_t txn, session; /* session -1: unknown */
    struct text call; /* as written above */
    enum txn_status status;
    int64_t invoked_ns, completed_ns; /* TIME_NEVER: nobody knows when; no answer came */
    uint32_t ts_parts;                /* 0: it has no place */
    int64_t ts[CALL_PLACES_MAX];
    bool has_saw;
    int64_t saw[2];
};

void call_log_write_line(struct buffer *, const struct call_log_line *);

#endif
