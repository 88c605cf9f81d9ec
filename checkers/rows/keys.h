/*
 * keys: which table each key is a row of.
 *
 *     key          x  t/1  u/7  t/2
 *     table        -   0    1    0
 *     slot         -   0    0    1      counted within the table
 *     members of table 0: t/1 t/2
 */
#ifndef CHECKERS_ROWS_KEYS_H
#define CHECKERS_ROWS_KEYS_H

#include "base/error.h"
#include "history/history.h"

struct keys {
    uint32_t *table;   /* by key, or HISTORY_NONE; NULL where there are no tables */
    uint32_t *slot;    /* by key */
    uint32_t *start;   /* by table, and one more: where its members begin */
    uint32_t *members; /* keys */
};

/* Closed by keys_close(), also after a failure. */
MUST_USE enum status keys_init(struct keys *, const struct history *, struct error *);
void keys_close(struct keys *);

#endif
