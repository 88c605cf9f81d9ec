/*
 * versions: who counts, which versions there are of a key in which order, and what they hold.
 */
#ifndef VERIFY_VERSIONS_VERSIONS_H
#define VERIFY_VERSIONS_VERSIONS_H

#include <assert.h>

#include "verify/verify_private.h"

MUST_USE enum status versions_count_txns(struct verifier *, struct error *);
/* Whether the first was over before the second began, as the level means it. */
bool versions_txn_is_before(const struct verifier *, enum closing, uint32_t, uint32_t);
/* After places are given. */
MUST_USE enum status versions_build(struct verifier *, struct error *);

static inline uint32_t chain_length(const struct verifier *v, uint32_t key)
{
    return (uint32_t)(v->chain_start[key + 1] - v->chain_start[key]);
}

static inline uint32_t chain_op_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    assert(spot <= chain_length(v, key));
    return spot == 0 ? VERSION_INITIAL : v->chain[v->chain_start[key] + spot - 1];
}

static inline uint32_t chain_txn_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    assert(spot >= 1 && spot <= chain_length(v, key));
    return v->chain_txn[v->chain_start[key] + spot - 1];
}

static inline bool key_is_vague(const struct verifier *v, uint32_t key)
{
    return v->perhaps_start[key] < v->perhaps_start[key + 1];
}

/* Whether what the version holds is the value; the version may be VERSION_INITIAL. */
bool version_has_value(const struct verifier *, uint32_t key, uint32_t op, struct value);
/* What it holds; not for appends. */
struct value version_value(const struct verifier *, uint32_t key, uint32_t op);
/* The empty list and null are one. */
struct value versions_value_plain(const struct history *, struct value);
bool versions_value_is_same(const struct history *, struct value, struct value);
bool versions_value_has_element(const struct history *, struct value list, int64_t element);

#endif
