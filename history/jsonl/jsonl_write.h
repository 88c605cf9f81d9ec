/*
 * jsonl_write: the writer of native text, described in docs/format-jsonl.md.
 *
 * There is one way to write a history: no blanks, fields in a fixed order,
 * version orders last, one key a line. What we read and write again is the
 * same to the byte if it was written so, and becomes so otherwise.
 */
#ifndef HISTORY_JSONL_JSONL_WRITE_H
#define HISTORY_JSONL_JSONL_WRITE_H

#include "base/error.h"
#include "history/history.h"
#include "history/io/sink.h"
#include "history/progress.h"

/* Does not commit the sink. `progress` may be NULL; it counts transactions. */
MUST_USE enum status jsonl_write(const struct history *, struct sink *, const struct progress *,
                                 struct error *);

/* The lines of some transactions, in ascending order, for people: one JSON object each. */
MUST_USE enum status jsonl_write_txns(const struct history *, const uint32_t *txns, size_t count,
                                      struct buffer *, struct error *);

#endif
