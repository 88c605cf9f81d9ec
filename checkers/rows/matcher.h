/*
 * matcher: which rows a statement means, quickly where its condition is simple.
 *
 * Of most conditions all that counts are spans of integer columns:
 *
 *     v >= 10 AND v < 20 AND id = 3     v in 10..19, id in 3..3: exact
 *     v >= 10 AND tag % 2 = 0           v in 10.., and then the condition itself
 *
 * so that rows can be passed over by comparing two numbers; and where the whole
 * primary key is given, there is one row to look at. A row for which
 * the condition cannot be computed is undecided; who asks must not conclude
 * anything from it.
 */
#ifndef CHECKERS_ROWS_MATCHER_H
#define CHECKERS_ROWS_MATCHER_H

#include "base/array.h"
#include "base/map.h"
#include "history/history.h"
#include "programs/machine/predicates.h"

#define MATCHER_SPANS_MAX 4

/* Values of a bigint column from low to high; null is in none. */
struct span {
    uint16_t column;
    int64_t low, high;
};

struct spans {
    bool is_empty;  /* nothing matches */
    bool is_exact;  /* all that is in the spans matches */
    bool is_pinned; /* only the row of this key can match, or none where there is no such key */
    uint32_t key;
    uint8_t count;
    struct span at[MATCHER_SPANS_MAX];
};

struct matcher {
    const struct history *history;
    struct predicates *predicates; /* NULL: the history has no statements */
    struct predicate_scratch scratch;
    struct spans *spans; /* by predicate */
    struct map keys;     /* the hash of a key's text to the key; filled when first asked */
    bool keys_are_known;
    bool is_slow; /* nothing is known of predicates but what they answer */
};

/*
 * The spans of a predicate over a table of the history. Each conjunct makes one bound at the most: if
 * there are as many, the bounds are all.
 */
struct spans matcher_spans(const struct history *, const struct predicate *);

/* Closed by matcher_close(), also after a failure. */
MUST_USE enum status matcher_init(struct matcher *, const struct history *, bool slowly,
                                  struct error *);
void matcher_close(struct matcher *);

/* The predicate of a head. */
static inline uint32_t matcher_predicate(const struct matcher *m, uint32_t head)
{
    return predicates_of_statement(m->predicates, m->history->op_key[head]);
}

/* The value of a bigint column of a row of its table. False: it is null. */
static inline bool matcher_cell(const struct history *h, struct value row, uint16_t column,
                                int64_t *cell)
{
    uint64_t at = h->row_start[row.bits] + column;

    *cell = h->cell_value[at];
    return h->cell_kind[at] == VALUE_INTEGER;
}

/* Of a row of the predicate's table, or of anything else, which does not match. */
enum predicate_answer matcher_match(struct matcher *, uint32_t predicate, struct value row);

#endif
