/*
 * own_rows: what a transaction has written and nobody else can see yet.
 *
 * Each key once, with the last that was written of it. Whoever answers a read
 * lays these over what is stored: a row that the transaction has written is what
 * it wrote, one that it has removed is gone, and a predicate is put to the row
 * as it is now.
 */
#ifndef STORE_COORDINATOR_OWN_ROWS_H
#define STORE_COORDINATOR_OWN_ROWS_H

#include "store/shard/shard_message.h"

struct own_row {
    uint32_t key;
    bool is_removed;
    bool is_reborn;  /* it was removed, and then written again */
    struct text row; /* its own copy */
};

/* As a vector; by rising key. */
struct own_rows {
    struct own_row *at;
    size_t count, room;
};

/* NULL: it has not written that key. */
const struct own_row *own_rows_find(const struct own_rows *, uint32_t key);
/* With a copy of the row. */
void own_rows_keep(struct own_rows *, struct pool *, const struct row_change *);
void own_rows_close(struct own_rows *, struct pool *);

/* What a read by the transaction itself returns for it. */
struct read_row own_row_as_read(const struct own_row *, uint64_t txn);
/* Whether a read of that scope returns it. */
bool own_row_is_in(const struct own_row *, struct catalog *, uint32_t scope);

#endif
