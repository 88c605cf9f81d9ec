/*
 * traces: transactions of a history as the model takes them.
 *
 * A value becomes a code: equal values have equal codes, whatever history they stand in, and
 * unequal ones the same code no more often than once in 2^63. Of a list it is the last
 * element, which is what an append is known by. Rows of statements are reads and writes of
 * their keys, at the times of their statement; and with a row store the statements themselves
 * are queries, whose conditions and rows it keeps.
 */
#ifndef CHECKERS_INTERVAL_TRACES_PRIVATE_H
#define CHECKERS_INTERVAL_TRACES_PRIVATE_H

#include "checkers/interval/interval_model.h"
#include "checkers/interval/row_store_private.h"
#include "checkers/rows/keys.h"

uint64_t traces_value(const struct history *, struct value);
/* Whether an item operation or a statement locks by being what it is, or says that it does. */
bool traces_ask_for_lock(const struct history *, uint32_t op);
/* Likewise of what an operation wrote. */
uint64_t traces_written(const struct history *, uint32_t op);
/* When an operation was invoked and completed, or its transaction where nobody wrote that down. */
void traces_times(const struct history *, uint32_t txn, uint32_t op, int64_t *invoked,
                  int64_t *completed);

struct traces {
    const struct history *history;
    const uint32_t *key_of;       /* by key of the history: the model's; NULL: the same */
    struct row_store *rows;       /* NULL: nothing is said of what did not come */
    struct interval_model *model; /* with rows: is told of keys that are rows of tables */
    struct keys keys;             /* likewise */
    ARRAY(struct trace_op) ops;
    ARRAY(struct trace_query) queries;
    uint64_t unjudged; /* statements of whose answer only the rows are passed on */
};

/* Refuses a transaction whose times nobody wrote down, or that is over before an operation is. */
MUST_USE enum status traces_examine(const struct history *, uint32_t txn, struct error *);
/* Before all else, if rows are kept. Closed by traces_close(), also after a failure. */
MUST_USE enum status traces_keep_rows(struct traces *, struct row_store *, struct interval_model *,
                                      struct error *);
void traces_close(struct traces *);

/* The operations of a transaction; good until the next call. */
MUST_USE enum status traces_make(struct traces *, uint32_t txn, struct interval_trace *,
                                 struct error *);

/* Of a statement that looks for rows; the caller holds its condition. With rows alone. */
MUST_USE enum status traces_query(struct traces *, uint32_t head, struct trace_query *,
                                  struct error *);
/* What stands in the row store for a value of a key, if that is a row; the caller holds it. */
MUST_USE enum status traces_row(struct traces *, uint32_t key, struct value, uint32_t *row,
                                struct error *);

/* What the keys of the history hold at first. */
MUST_USE enum status traces_initial(struct traces *, struct interval_model *, struct error *);

#endif
