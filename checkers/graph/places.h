/*
 * places: which transactions count, and in which order the store puts them.
 *
 *     status            version orders    ts
 *     ok                                           in
 *     abort                                        out
 *     unknown           list one of its            in: it committed
 *     unknown           leave one out              out: it did not commit
 *     unknown           say nothing                open: it may have committed
 *
 * Open ones that have a ts can be taken in for once, to see whether that explains
 * what was read. `sequence` has the transactions that are in and have a ts, by it. Two equal
 * ones are a mistake in the history, and an error.
 */
#ifndef CHECKERS_GRAPH_PLACES_H
#define CHECKERS_GRAPH_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "checkers/check.h"
#include "history/history.h"

enum standing { STANDING_IN, STANDING_OUT, STANDING_OPEN };

struct places {
    const struct history *history;
    uint8_t *standing;  /* by transaction */
    uint32_t *sequence; /* transactions */
    uint32_t sequence_count;
    uint32_t *position; /* by transaction: its place in the sequence, or HISTORY_NONE */
    uint32_t in_count, open_count;
    uint32_t without_ts; /* the first transaction that is in and has none, or HISTORY_NONE */
};

/* Closed by places_close(), also after a failure. */
MUST_USE enum status places_init(struct places *, const struct history *, bool takes_open_in,
                                 struct error *);
/* Who counts, and no order of them: for whom ts are no more than a hint. */
MUST_USE enum status places_init_standing(struct places *, const struct history *, struct error *);
void places_close(struct places *);

static inline bool places_is_in(const struct places *p, uint32_t txn)
{
    return p->standing[txn] == STANDING_IN;
}

/* How many of the sequence have a ts below the place, or at it; sought around `hint` first. */
uint32_t places_up_to(const struct places *, struct place, uint32_t hint);

/*
 * Adds a finding (`cyclic-versions`) for each key whose version order has a transaction's version
 * before that of another whose ts is smaller. Both are what one store says of one order: one of
 * them is wrong at every level, whatever clients saw.
 */
MUST_USE enum status places_find_contradictions(const struct places *, struct check *,
                                                struct error *);

#endif
