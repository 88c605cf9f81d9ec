/*
 * conflicts: whether two transactions that look at the newest versions are in each other's way.
 */
#ifndef TESTS_STORE_SHARD_CONFLICTS_H
#define TESTS_STORE_SHARD_CONFLICTS_H

#include "store/shard/shard_conflict.h"

static inline bool shard_conflicts(const struct shard *s, const struct prepare *a,
                                   const struct prepare *b, unsigned ways)
{
    struct party new_one = shard_party(a, stamp_never()), other = shard_party(b, stamp_never());

    return shard_meet(s, &new_one, &other, ways);
}

#endif
