/*
 * jsonl_read: the reader of native text, described in docs/format-jsonl.md.
 *
 * Strict: what the format does not know is refused, with the line, the byte and
 * what was expected there; nothing half-read comes out. Lines written as we
 * write them, with item operations only, are read on a fast path that knows
 * their bytes by heart (jsonl_fast.c); every other line is read by the general
 * parser. Both give the same history, which is tested by turning the fast path
 * off.
 */
#ifndef HISTORY_JSONL_JSONL_READ_H
#define HISTORY_JSONL_JSONL_READ_H

#include "base/error.h"
#include "history/history.h"
#include "history/io/source.h"

enum jsonl_flag {
    JSONL_GENERAL_ONLY = 1, /* no fast path; for tests */
    /* Other lines were left out: what names transactions that may stand there is passed over. */
    JSONL_EXCERPT = 2,
};

/* The whole source is one history. */
MUST_USE enum status jsonl_read(struct source *, unsigned flags, struct history *, struct error *);

/* Whether a file that begins so is meant to be native text. */
bool jsonl_is_it(struct text beginning);

#endif
