/*
 * statement: what a transaction reads and writes before it commits.
 */
#ifndef STORE_COORDINATOR_STATEMENT_PRIVATE_H
#define STORE_COORDINATOR_STATEMENT_PRIVATE_H

#include "store/coordinator/coordinator_private.h"

void coordinator_read(struct txn *, const struct client_request *);
void coordinator_write(struct txn *, const struct client_request *);
void coordinator_on_rows(struct txn *, uint32_t shard, const struct shard_answer *);
/* Every shard has answered. */
void coordinator_rows_are_in(struct txn *);
void coordinator_locks_are_held(struct txn *);
/* What READ asks of a shard, and LOCK; arrays in the scratch. */
void coordinator_fill_read(struct txn *, uint32_t shard, struct ask *);
void coordinator_fill_lock(struct txn *, uint32_t shard, struct ask *);
void coordinator_close_statement(struct txn *);

#endif
