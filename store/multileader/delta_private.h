/*
 * delta: a committed transaction of a multi-leader store, as it stands in logs
 * and travels between nodes: the same bytes everywhere.
 *
 *     origin, sequence | stamp | what it had seen | rows
 *
 * The origin is the node that committed it, and numbers its own from 1 without
 * gaps. The stamp is its place in the arbitration order. What it had seen is, by
 * origin, how many of that origin's transactions; protocols that do not
 * care leave it out. A delta without rows marks time: whatever comes later from
 * its origin has a higher stamp.
 */
#ifndef STORE_MULTILEADER_DELTA_PRIVATE_H
#define STORE_MULTILEADER_DELTA_PRIVATE_H

#include "store/shard/shard_message.h"

struct delta {
    uint32_t origin;
    uint64_t sequence;
    struct stamp at;      /* ends in the transaction; 0 there: a mark */
    const uint64_t *past; /* by origin; NULL: it does not say */
    uint32_t past_count;
    const struct row_change *changes;
    uint32_t change_count;
};

void delta_put(struct wire_writer *, const struct delta *);
/* Arrays go into the scratch, texts are views. False: these bytes are none. */
bool delta_get(struct text bytes, struct delta *, struct arena *scratch);
/* Only origin, sequence and stamp. */
struct delta delta_head(struct text bytes);

#endif
