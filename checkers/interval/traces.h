/*
 * traces: transactions of a history as the mirror takes them.
 *
 * A value becomes a code: equal values have equal codes, whatever history they stand in, and
 * unequal ones the same code no more often than once in 2^63. Of a list it is the last
 * element, which is what an append is known by. Rows of statements are reads and writes of
 * their keys, at the times of their statement.
 */
#ifndef CHECKERS_INTERVAL_TRACES_H
#define CHECKERS_INTERVAL_TRACES_H

#include "checkers/interval/mirror.h"

uint64_t trace_value(const struct history *, struct value);

struct traces {
    const struct history *history;
    const uint32_t *key_of; /* by key of the history: the mirror's; NULL: the same */
    ARRAY(struct trace_op) ops;
};

/* Refuses a transaction whose times nobody wrote down, or that is over before an operation is. */
MUST_USE enum status traces_examine(const struct history *, uint32_t txn, struct error *);

/* The operations of a transaction; good until the next call. */
MUST_USE enum status traces_make(struct traces *, uint32_t txn, struct trace *, struct error *);

/* What the keys of the history hold at first. */
MUST_USE enum status traces_initial(const struct traces *, struct mirror *, struct error *);

#endif
