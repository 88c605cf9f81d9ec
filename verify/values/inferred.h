/*
 * inferred: infers from values which version of a key comes before which.
 *
 *     list    [1 2 3] is the longest that a committed transaction read; 9 and 8 nobody read
 *             1 < 2 < 3 < 9, 3 < 8
 *     others  initial < all; v < w where a transaction read v, and then left w
 *             at session levels where a session had to do with v, and later with w
 *             at strict levels where one had completed before the other began
 *
 * docs/format-witness.md, "Inferred orders". What is said of versions holds in every
 * explanation of the history at the level.
 */
#ifndef VERIFY_VALUES_INFERRED_H
#define VERIFY_VALUES_INFERRED_H

#include "verify/values/sources.h"
#include "verify/versions/versions.h"

struct inferred;

/* After sources_build(). Memory is the verifier's. */
MUST_USE enum status inferred_build(struct verifier *, struct error *);

/* Whether one version of a key is known to come before another. */
MUST_USE enum status inferred_is_before(struct verifier *, uint32_t key, uint32_t first,
                                        uint32_t second, bool *is_before, struct error *);

/* The same of registers by any row of such steps and of orders that were derived: dearer. */
MUST_USE enum status inferred_is_before_by_row(struct verifier *, uint32_t key, uint32_t first,
                                               uint32_t second, bool *is_before, struct error *);

/* Because a transaction read the first and left the second; because it is so of two of them. */
bool inferred_by_update(struct verifier *, uint32_t txn, uint32_t key, uint32_t first,
                        uint32_t second);
bool inferred_by_order(struct verifier *, enum closing, const uint32_t txns[2], uint32_t key,
                       uint32_t first, uint32_t second);

/* What an item read or a row is of: of lists, what appended the last element; VERSION_UNKNOWN. */
uint32_t inferred_read(const struct verifier *, uint32_t txn, uint32_t op);

/* The place of an appended element in the longest list, from 1; 0 if nobody read it. */
uint32_t inferred_position(const struct verifier *, uint32_t append);

/* Whether the longest list of a key begins so. */
bool inferred_begins(const struct verifier *, uint32_t key, struct list_elements);
/* What appended its elements: VERSION_INITIAL, too, for those that nobody who may count did. */
const uint32_t *inferred_elements(const struct verifier *, uint32_t key, size_t *count);

/* Operations that had to do with a version: reads of it, and what wrote it. */
struct touches {
    const uint32_t *at;
    size_t count;
};

struct touches inferred_touches(const struct verifier *, uint32_t key, uint32_t version);

#endif
