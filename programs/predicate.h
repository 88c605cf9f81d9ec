/*
 * predicate: which rows a statement means, `v >= 10 AND v <= 20`.
 *
 *     predicate  = comparison { AND comparison }
 *     comparison = column ( = | < | > | <= | >= ) integer
 *
 * A null compares with nothing, so it never matches. No comparison at all means
 * every row. The text is parsed once, bound once to a table of a history, and
 * then asked of rows. The rest of SQL does not come through this door.
 */
#ifndef PROGRAMS_PREDICATE_H
#define PROGRAMS_PREDICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "history/history.h"

#define PREDICATE_TERMS_MAX 16

enum comparison { COMPARE_EQUAL, COMPARE_LESS, COMPARE_MORE, COMPARE_AT_MOST, COMPARE_AT_LEAST };

struct predicate_term {
    struct text column; /* within the text that was parsed, which must outlive it */
    enum comparison comparison;
    int64_t bound;
    uint32_t cell; /* the column's place in the table's rows, once bound */
};

struct predicate {
    unsigned term_count;
    struct predicate_term terms[PREDICATE_TERMS_MAX]; /* all must hold */
};

/* Errors name the byte, counted from 1, and what was expected there. */
MUST_USE enum status predicate_parse(struct predicate *, struct text, struct error *);

/* Finds the columns. They must be integers. */
MUST_USE enum status predicate_bind(struct predicate *, const struct history *, uint32_t table,
                                    struct error *);

/* Of a bound predicate and a row of its table. Anything but a row, such as null, never matches. */
bool predicate_matches(const struct predicate *, const struct history *, struct value row);

/* The canonical text: single blanks, AND in capitals. */
void predicate_print(const struct predicate *, struct buffer *);

#endif
