/*
 * versions: who counts, which versions there are of a key in which order, and what they hold; and
 * values as bytes, by which they are found again.
 */
#ifndef VERIFY_VERSIONS_VERSIONS_H
#define VERIFY_VERSIONS_VERSIONS_H

#include <assert.h>

#include "verify/verify_private.h"

MUST_USE enum status versions_count_txns(struct verifier *, struct error *);
/* Whether the first was over before the second began, as the level means it. */
bool versions_txn_is_before(const struct verifier *, enum closing, uint32_t, uint32_t);
/* By transaction: the one of its session that is over before it, or HISTORY_NONE. */
MUST_USE enum status versions_list_before(struct verifier *, uint32_t **before, struct error *);
/* After places are given. */
MUST_USE enum status versions_build(struct verifier *, struct error *);

static inline uint32_t chain_length(const struct verifier *v, uint32_t key)
{
    assert(v->version_start[key] <= v->chain_end[key]);
    return (uint32_t)(v->chain_end[key] - v->version_start[key]);
}

static inline uint32_t chain_op_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    assert(spot <= chain_length(v, key));
    return spot == 0 ? VERSION_INITIAL : v->version[v->version_start[key] + spot - 1];
}

static inline uint32_t chain_txn_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    assert(spot >= 1);
    return v->op_txn[chain_op_at(v, key, spot)];
}

static inline bool key_is_vague(const struct verifier *v, uint32_t key)
{
    return v->chain_end[key] < v->version_start[key + 1];
}

/* In the key's chain; 0 for what is not there, too. */
static inline uint32_t version_spot(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL ? 0 : v->spot[version];
}

/* Whether what the version holds is the value; the version may be VERSION_INITIAL. */
bool version_has_value(const struct verifier *, uint32_t key, uint32_t op, struct value);
/* What it holds; not for appends. */
struct value version_value(const struct verifier *, uint32_t key, uint32_t op);

/* What a list holds; nothing, if it is none. */
struct list_elements {
    const int64_t *at;
    uint64_t count;
};

struct list_elements versions_elements(const struct history *, struct value);
/* The empty list and null are one. */
struct value versions_value_plain(const struct history *, struct value);
bool versions_value_is_same(const struct history *, struct value, struct value);
bool versions_value_has_element(const struct history *, struct value list, int64_t element);

/* A value of a key, or an element of its lists. Until the next call; buffer_status() is due. */
struct text versions_value_bytes(struct verifier *, uint32_t key, bool is_element, struct value);
struct text versions_element_bytes(struct verifier *, uint32_t key, int64_t element);
/* Whether no transaction, committed or not, wrote the value, or some element of the list. */
MUST_USE enum status versions_written_by_nobody(struct verifier *, uint32_t key, struct value,
                                                bool *strange, struct error *);

#endif
