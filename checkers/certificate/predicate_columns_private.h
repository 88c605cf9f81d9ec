/*
 * predicate_columns: which versions of rows a predicate matches, looked up in columns of numbers.
 */
#ifndef CHECKERS_CERTIFICATE_PREDICATE_COLUMNS_PRIVATE_H
#define CHECKERS_CERTIFICATE_PREDICATE_COLUMNS_PRIVATE_H

#include "base/error.h"
#include "checkers/rows/matcher.h"

struct certificate;

/* A bigint column of a table, as the versions of its rows have it. */
struct predicate_column {
    int64_t *cells;   /* by number; of other keys, nothing */
    int32_t *narrow;  /* the same, if all of it goes in; or NULL */
    int64_t *initial; /* by slot */
    bool has_least;   /* the sign for "no number" is somewhere a number */
};

/* A statement's predicate over versions. */
struct predicate_columns {
    uint32_t predicate;
    const struct spans *spans;
    bool by_cells;
    const struct predicate_column *columns[MATCHER_SPANS_MAX];
    int64_t low[MATCHER_SPANS_MAX];
    const int32_t *only; /* the one column's, where it says all; or NULL */
    int32_t only_low, only_high;
};

MUST_USE enum status predicate_columns_init(struct certificate *, struct error *);
void predicate_columns_close(struct certificate *);

struct predicate_columns predicate_columns_of(const struct certificate *, uint32_t head);
/*
 * For columns of one narrow column: the first version from `from` on up to `end` that
 * it does not judge so, or `end`; and the last before `from`, down to `start`, plus
 * one, or `start`.
 */
uint32_t predicate_columns_skip_forward(const struct predicate_columns *, bool matched, uint32_t from, uint32_t end);
uint32_t predicate_columns_skip_back(const struct predicate_columns *, bool matched, uint32_t from, uint32_t start);
/* A version of a row of the statement's table. */
enum predicate_answer predicate_columns_match(struct certificate *, const struct predicate_columns *, uint32_t key,
                                              uint32_t number);

#endif
