/*
 * lookup: what a witness names, and what a transaction wrote: the one index of a history's operations.
 *
 * Two orders of operations are kept. `made` has all that made versions, by transaction, of each by
 * key, and of that in the order in which they were made; `rows` has the rows of each statement by key:
 *
 *     T3: w y 1, w x 2, w y 3       made: w x 2, w y 1, w y 3
 */
#ifndef VERIFY_LOOKUP_PRIVATE_H
#define VERIFY_LOOKUP_PRIVATE_H

#include "verify/verify_private.h"

/* Before anything is looked up. */
MUST_USE enum status lookup_build(struct verifier *, struct error *);

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
/* The first row of a key among those of a statement, or HISTORY_NONE; whether it came twice. */
uint32_t lookup_row_of(const struct verifier *, uint32_t head, uint32_t key);
bool lookup_came_twice(const struct verifier *, uint32_t head, uint32_t key);
bool lookup_is_row_of(const struct verifier *, uint32_t key, uint32_t table);
/* Whether it is about the key, or about the table that the key is a row of. */
bool lookup_may_read(const struct verifier *, uint32_t op, uint32_t key);

/* What a transaction had written last of a key before an operation, or HISTORY_NONE; how often. */
uint32_t lookup_own(const struct verifier *, uint32_t txn, uint32_t op, uint32_t key);
uint32_t lookup_own_count(const struct verifier *, uint32_t txn, uint32_t op, uint32_t key);
/* The first version of a key that it made, or HISTORY_NONE. */
uint32_t lookup_first_own(const struct verifier *, uint32_t txn, uint32_t key);
/* The former, of the key of an item operation or a row. */
uint32_t lookup_own_before(const struct verifier *, uint32_t op);
/* The last version that a transaction which may count left of a key, or HISTORY_NONE. */
uint32_t lookup_left(const struct verifier *, uint32_t txn, uint32_t key);
/* Whether `made` has a version at this place that its transaction left, and did not overwrite. */
bool lookup_is_left(const struct verifier *, uint32_t place);

static inline bool lookup_writes(const struct verifier *v, uint32_t txn)
{
    return v->made_start[txn] < v->made_start[txn + 1];
}

#endif
