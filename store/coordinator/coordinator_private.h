/*
 * coordinator_private: the state of a transaction at its coordinator, which coordinator.c, statement.c and
 * commit.c share.
 */
#ifndef STORE_COORDINATOR_COORDINATOR_PRIVATE_H
#define STORE_COORDINATOR_COORDINATOR_PRIVATE_H

#include <string.h>

#include "store/cluster_private.h"

/* The read or the write at hand, until every shard concerned has answered. Texts are own copies. */
struct txn_statement {
    uint32_t scope;
    enum row_lock lock;
    bool for_write, first_table;
    ARRAY(uint32_t) keys;              /* of a read by keys, and */
    ARRAY(struct read_row) found;      /* a row for each of them, in order; by scope those found */
    ARRAY(struct row_change) changes;  /* of a write */
    uint64_t shards;                   /* that are asked, a bit each */
};

struct txn_private {
    struct txn_statement statement;
    uint64_t indexes[CATALOG_SHARDS_MAX]; /* by shard: applied when the statement read there */
    uint64_t open;                        /* shards with an ask outstanding */
    uint32_t last_number;                 /* of an ask */
    uint64_t participants;                /* shards that were asked to prepare */
    uint32_t anchor;
    bool is_alone;
    bool is_committing;   /* a round of checks belongs to the commit, not to a read */
    enum refusal refusal; /* why it is aborted */
    int64_t probed_ns;    /* when it last began a probe of its own; 0: never */
    bool owes_probe;
};

static inline uint64_t shard_bit(uint32_t shard)
{
    return UINT64_C(1) << shard;
}

/* The lowest shard of a set that is not empty. */
static inline uint32_t shards_first(uint64_t shards)
{
    return (uint32_t)__builtin_ctzll(shards);
}

/* for (uint64_t rest = shards; rest; rest = shards_rest(rest)) ... shards_first(rest) */
static inline uint64_t shards_rest(uint64_t shards)
{
    return shards & (shards - 1);
}

static inline uint64_t shards_all(const struct coordinator *c)
{
    return UINT64_MAX >> (64 - c->catalog->shard_count);
}

static inline struct text copy_text(struct pool *pool, struct text text)
{
    char *copy = NULL;

    if (text.length > 0) {
        copy = pool_take(pool, text.length);
        memcpy(copy, text.at, text.length);
    }
    return (struct text){ copy, text.length };
}

static inline void give_text(struct pool *pool, struct text text)
{
    pool_give(pool, (void *)text.at, text.length);
}

/* NULL if it is over, or was never here. */
struct txn *coordinator_find(const struct coordinator *, uint64_t txn);
/* Answers the request at hand, if the client still wants it; the kind and what goes with it. */
void coordinator_reply(struct txn *, struct client_reply *);
/* Gives its memory back: nothing is outstanding. */
void coordinator_close_txn(struct txn *);
/* Sends a new ask, as the phase wants it, to each of the shards. */
void coordinator_ask_shards(struct txn *, uint64_t shards);
/* Those that are outstanding are of no interest any more. */
void coordinator_close_asks(struct txn *);
/* Sends again what is due. */
void coordinator_retry_asks(struct txn *, int64_t now_ns);

#endif
