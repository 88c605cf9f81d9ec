/*
 * lookup: what a witness names: transactions, keys, operations, versions.
 */
#ifndef VERIFY_LOOKUP_PRIVATE_H
#define VERIFY_LOOKUP_PRIVATE_H

#include "verify/verify_private.h"

MUST_USE enum status lookup_txn(struct verifier *, int64_t id, uint32_t *txn, struct error *);
MUST_USE enum status lookup_key(struct verifier *, struct text, uint32_t *key, struct error *);
/* By its place among the transaction's operations. */
MUST_USE enum status lookup_op(struct verifier *, uint32_t txn, int64_t place, uint32_t *op,
                               struct error *);
/* VERSION_INITIAL for the initial one. */
MUST_USE enum status lookup_version(struct verifier *, const struct witness_version *, uint32_t key,
                                    uint32_t *op, struct error *);
/* Whether the operation, a head or an item operation, made the version. */
bool lookup_made_version(const struct verifier *, uint32_t op, uint32_t version);
/* The row of a key among those of a statement, or HISTORY_NONE. */
uint32_t lookup_row_of(const struct verifier *, uint32_t head, uint32_t key);
/* Whether it is about the key, or about the table that the key is a row of. */
bool lookup_may_read(const struct verifier *, uint32_t op, uint32_t key);

#endif
