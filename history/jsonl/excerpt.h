/*
 * excerpt: lines of a native text whose rest is not at hand, as a history of their own.
 *
 *     TRY(excerpt_header(&e, first_line, &initial, err));
 *     while (lines.length > 0) {
 *         size_t taken;
 *
 *         if (excerpt_read(&e, lines, &history, &taken, err) == STATUS_OK)
 *             ... use, history_close(&history) ...
 *         else
 *             ... the first line is wrong, err says how: pass it ...
 *         lines.at += taken, lines.length -= taken;
 *     }
 *
 * For streams, which have no end: each history has as many of the next lines as are good, some
 * hundreds at the most, in the order of the stream. Initial values come with the header alone.
 * What is only known of the whole is passed over: version orders, version sets, and whether
 * values are unique.
 */
#ifndef HISTORY_JSONL_EXCERPT_H
#define HISTORY_JSONL_EXCERPT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "history/history.h"

struct excerpt {
    struct buffer header; /* without its initial values; empty: there was none */
    struct buffer text;   /* scratch */
    size_t line_count;    /* so many are tried at once */
};

void excerpt_close(struct excerpt *);

/* Whether a line is meant to be a header. */
bool excerpt_is_header(struct text line);
/* Reads a header; `initial` has its tables and initial values, and no transactions. */
MUST_USE enum status excerpt_header(struct excerpt *, struct text line, struct history *initial,
                                    struct error *);

/*
 * The next lines, each with its line feed behind it. If the first is wrong: STATUS_BAD_INPUT,
 * no history, and `taken` is its length. Without a header, none is known: there are no tables.
 */
MUST_USE enum status excerpt_read(struct excerpt *, struct text lines, struct history *,
                                  size_t *taken, struct error *);

#endif
