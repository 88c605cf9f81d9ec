/*
 * row_store: rows and conditions that somebody still needs, whatever history they came in.
 *
 *     TRY(row_store_take(&s, history, table, value, &row, err));        one holder
 *     TRY(row_store_ask(&s, table, TEXT("v >= 10"), &condition, err));  likewise
 *     row_store_match(&s, condition, row)                               yes, no, undecided
 *     row_store_drop(&s, row); row_store_forget(&s, condition);
 *
 * A stream comes in small histories, one after the other, and its rows outlive them: so they
 * are copied, as SQL has them. Rows and conditions go with their last holder, so that memory
 * follows what can still matter; of conditions a few thousand go together.
 *
 * A row that its table's types cannot have, or wider than conditions know, is none to be sure
 * of: every answer about it is undecided.
 */
#ifndef CHECKERS_INTERVAL_ROW_STORE_PRIVATE_H
#define CHECKERS_INTERVAL_ROW_STORE_PRIVATE_H

#include "base/array.h"
#include "base/text.h"
#include "checkers/rows/matcher.h"
#include "history/history.h"
#include "programs/machine/predicates.h"

#define ROW_NONE 0      /* no row */
#define CONDITION_ALL 0 /* every row of the table */

struct stored_row;
struct condition_set;

struct stored_condition {
    struct condition_set *set;
    uint32_t number; /* in the set */
    uint32_t table;
    bool is_live;
    struct spans spans;
};

struct row_store {
    struct history schema; /* tables alone */
    struct predicates *types;
    struct predicate_scratch scratch;
    ARRAY(struct stored_row *) rows; /* by number; the first is none */
    ARRAY(uint32_t) free_rows;
    ARRAY(struct stored_condition) conditions;
    ARRAY(uint32_t) free_conditions;
    struct condition_set *newest;
    size_t row_count, condition_count; /* that are held */
};

/* Closed by row_store_close(), also after a failure. The history's tables must outlive it. */
MUST_USE enum status row_store_init(struct row_store *, const struct history *, struct error *);
void row_store_close(struct row_store *);

/* A value of a key of the table, in a history that has the same tables. No row: ROW_NONE. */
MUST_USE enum status row_store_take(struct row_store *, const struct history *, uint32_t table,
                                    struct value, uint32_t *row, struct error *);
void row_store_hold(struct row_store *, uint32_t row); /* one holder more */
void row_store_drop(struct row_store *, uint32_t row);

/* Refused as predicates.h has it. An empty text is CONDITION_ALL. */
MUST_USE enum status row_store_ask(struct row_store *, uint32_t table, struct text,
                                   uint32_t *condition, struct error *);
void row_store_forget(struct row_store *, uint32_t condition);

enum predicate_answer row_store_match(struct row_store *, uint32_t condition, uint32_t row);

/* Between which values of an integer column all that match are. */
void row_store_range(const struct row_store *, uint32_t condition, uint16_t column, int64_t *low,
                     int64_t *high);
/* A span of an integer column that all rows which match are in. False: none is known. */
bool row_store_span(const struct row_store *, uint32_t condition, struct span *);
/* Whether a row may be in it. */
bool row_store_is_within(const struct row_store *, uint32_t row, const struct span *);
void row_store_tell(const struct row_store *, uint32_t condition, struct buffer *);

#endif
