/*
 * outcomes: how transactions ended on a shard, for as long as anybody may ask.
 *
 *     first -> [T9 committed] -> [T4 aborted] -> ... -> last      in the order of the log
 *     slots    by transaction, for looking up
 *     untold   those that this shard has decided and others have yet to apply
 *
 * An outcome goes once its transaction began below the horizon, so that no
 * prepare of it can come any more, and all its participants have applied it. It
 * goes from the front: what must stay there goes to the back, and what began late
 * keeps what is behind it for a while. Snapshots hold in full only what others have
 * yet to hear; of the rest, no more than the answer to whoever asks again.
 */
#ifndef STORE_SHARD_OUTCOMES_H
#define STORE_SHARD_OUTCOMES_H

#include "store/shard/shard_message.h"

struct shard_outcome {
    struct decision decision;
    enum refusal refusal; /* of a prepare that was refused: to say the same again */
    bool is_anchor;       /* this shard decided it */
    bool is_told;         /* nobody needs to hear of it: all have applied it, or it is not ours */
    struct shard_outcome *next;
    /* A leader's notes, no part of the state: who has not answered, and when it was told last. */
    uint64_t untold_shards;
    int64_t told_ns;
};

struct outcome_slot {
    uint64_t txn; /* beside the outcome, so that one who probes need not go there */
    struct shard_outcome *outcome;
};

struct outcomes {
    struct pool *pool;
    struct shard_outcome *first, *last;
    uint32_t count;
    ARRAY(struct shard_outcome *) untold;
    struct outcome_slot *slots; /* open addressing; without an outcome: free */
    uint32_t slot_count;        /* a power of two, or 0 */
};

void outcomes_open(struct outcomes *, struct pool *);
void outcomes_close(struct outcomes *);
/* NULL: none. */
struct shard_outcome *outcomes_find(const struct outcomes *, uint64_t txn);
/* There must be none of this transaction yet. */
struct shard_outcome *outcomes_add(struct outcomes *, const struct shard_outcome *);
/* All participants have applied it: from now on only txn, commits, begin and at are kept. */
void outcomes_set_told(struct outcomes *, uint64_t txn);
void outcomes_collect(struct outcomes *, struct stamp horizon);

void outcomes_save(const struct outcomes *, struct wire_writer *);
void outcomes_load(struct outcomes *, struct wire_reader *);

#endif
