/*
 * equality: whether replicas of a shard apply the same commands, byte by byte.
 *
 * Outside the simulated world. Each replica folds what it applies into a hash
 * chain; the first to reach an index says what it must be, all others are
 * compared, and so are digests of whole states where snapshots are taken. A
 * difference is a verdict of its own: replicas-differ.
 */
#ifndef STORE_EQUALITY_PRIVATE_H
#define STORE_EQUALITY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/pool.h"

struct equality;

struct equality *equality_open(struct pool *, uint32_t shard_count, uint32_t node_count);

/* An entry of a shard's log, as a node applies it. */
struct equality_entry {
    uint32_t shard, node;
    uint64_t index, term;
    struct text command;
};
/* `chain` is the replica's so far, 0 at the beginning; returns it with the entry folded in. */
uint64_t equality_applied(struct equality *, const struct equality_entry *, uint64_t chain);
/* The state at this index, serialized. */
void equality_state(struct equality *, uint32_t shard, uint32_t node, uint64_t index,
                    struct text state);
/* The first difference, if any. */
bool equality_differs(const struct equality *, uint32_t *shard, uint32_t *node, uint64_t *index);

#endif
