/*
 * locks: who may read and write what, in the memory of a shard's leader.
 *
 *     key 7      [T4 shared] [T9 shared] | [T5 exclusive: waits]
 *     scope q1   [T9]                      a predicate: nobody else may change what it means
 *
 *                shared   update   exclusive
 *     shared        +        +         -
 *     update        +        -         -        who reads a row in order to write it
 *     exclusive     -        -         -
 *
 * Of two who read a row in order to write it the second waits before it reads. An
 * exclusive lock knows the row as it will be: it excludes a predicate if the row
 * matches as it is (the newest version) or as it will be. Keys that have no row are
 * locked like others.
 *
 * Invariant: no two transactions hold locks that exclude each other.
 *
 * Fairness: what is wanted and not granted stands in line by arrival, and who comes
 * later waits behind what it excludes there. With two exceptions: who has a lock on the
 * key does not wait in its line, and nobody waits for someone who waits for him. All that
 * a transaction wants at a time is granted at once, or nothing of it.
 */
#ifndef STORE_SHARD_LOCKS_H
#define STORE_SHARD_LOCKS_H

#include "store/shard/shard.h"

enum lock_mode { LOCK_SHARED, LOCK_UPDATE, LOCK_EXCLUSIVE };

/* On a key or a scope: granted, or wanted. */
struct shard_lock {
    struct lock_holder *holder;
    struct shard_lock *next; /* of the same key */
    enum lock_mode mode;   /* of scopes: shared */
    bool is_scope, is_granted;
    uint32_t key, table;   /* the key's number, or the scope's */
    bool is_removed;       /* of exclusive locks: how the row will be; its bytes are a copy */
    struct text after;
};

/* A probe, by where it began. */
struct passed_probe {
    struct stamp begin;
    uint64_t serial;
};

struct lock_holder {
    uint64_t txn;
    struct stamp begin;
    uint32_t coordinator;
    ARRAY(struct shard_lock *) locks; /* those that are wanted, too */
    uint32_t wanted;             /* how many are */
    uint64_t arrival;            /* its place in line, if it waits */
    uint64_t tried;              /* the table's count of releases when it was tried last */
    /* The protocol's own. */
    uint32_t number;             /* of its last ask */
    bool is_promised, is_dead;
    uint64_t heard_tick, probed_tick, passed_tick;
    ARRAY(struct passed_probe) passed; /* in that tick */
};

struct table_locks {
    ARRAY(struct shard_lock *) scopes, writes; /* wanted ones, too */
};

struct shard_locks {
    const struct shard *shard;
    struct pool *pool;
    ARRAY(struct lock_holder *) holders; /* by rising transaction */
    ARRAY(struct shard_lock *) keys;     /* by key: the first */
    ARRAY(struct table_locks) tables;
    uint64_t releases;
};

void locks_open(struct shard_locks *, const struct shard *, struct pool *);
/* Nobody holds anything. */
void locks_reset(struct shard_locks *);

/* NULL: there is none. */
struct lock_holder *locks_find(const struct shard_locks *, uint64_t txn);
struct lock_holder *locks_add_holder(struct shard_locks *, uint64_t txn, struct stamp begin,
                                     uint32_t coordinator);
/* With all that it holds and wants. */
void locks_remove_holder(struct shard_locks *, struct lock_holder *);
/* All of it, but the holder stays. */
void locks_release(struct shard_locks *, struct lock_holder *);
void locks_release_shared(struct shard_locks *, struct lock_holder *);
void locks_release_key(struct shard_locks *, struct lock_holder *, uint32_t key);

/* What it has or wants already is not wanted twice. */
void locks_want_key(struct shard_locks *, struct lock_holder *, uint32_t key, enum lock_mode);
void locks_want_scope(struct shard_locks *, struct lock_holder *, uint32_t scope);
void locks_want_change(struct shard_locks *, struct lock_holder *, const struct row_change *);
/*
 * True: it holds all that it wants. Else it waits, with `arrival` as its place in line unless it
 * has one.
 */
bool locks_try(struct shard_locks *, struct lock_holder *, uint64_t arrival);
/* Nothing has been released since it was tried last. */
static inline bool locks_is_vain(const struct shard_locks *locks, const struct lock_holder *holder)
{
    return holder->wanted > 0 && holder->tried == locks->releases;
}
/* All that it wants, whoever is in the way. */
void locks_grant(struct shard_locks *, struct lock_holder *);

/* Calls back for those that it waits for; somebody may come twice. */
void locks_blockers(const struct shard_locks *, const struct lock_holder *,
                    void (*blocker)(void *context, const struct lock_holder *), void *context);

#endif
