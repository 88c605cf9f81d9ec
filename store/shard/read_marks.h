/*
 * read_marks: up to which stamp each key and each predicate has been read at a
 * leader, and by whom: the timestamp cache.
 *
 *     low ────────────┬── everything was read up to here, by anybody
 *     key 7           ├──── T4 ─────── T9          the last, and the last by somebody else
 *     scopes          └─ q1 by T4, q2 by T9, q1 by T9, ...      by rising stamp
 *
 * A mark's stamp ends in who read there. Whoever writes goes above the marks of all
 * others, never above its own: so two readers are kept of a key, and one of them is
 * somebody else.
 *
 * Marks are a leader's memory. What it does not know, because it was read under another
 * leader or has been folded away, is covered by `low`. Raising `low` is always safe,
 * and costs who writes below it.
 */
#ifndef STORE_SHARD_READ_MARKS_H
#define STORE_SHARD_READ_MARKS_H

#include "store/shard/shard.h"

struct marked_key {
    struct stamp last, before; /* of two transactions; zero: none */
};

struct marked_scope {
    struct stamp at;
    uint32_t scope;
};

struct read_marks {
    struct pool *pool;
    struct stamp low;
    ARRAY(struct marked_key) keys;     /* by key */
    ARRAY(struct marked_scope) scopes; /* stamps do not fall */
};

void read_marks_open(struct read_marks *, struct pool *);
/* Forgets all marks: everything may have been read up to `low`. */
void read_marks_reset(struct read_marks *, struct stamp low);

void read_marks_add_key(struct read_marks *, uint32_t key, struct stamp);
void read_marks_add_scope(struct read_marks *, uint32_t scope, struct stamp);
/* The last read of the key by others, or low. */
struct stamp read_marks_of_key(const struct read_marks *, uint32_t key, uint64_t txn);
/* The last read above `least`, by others, of a scope that the change touches; or zero. */
struct stamp read_marks_of_change(const struct read_marks *, const struct shard *,
                                  const struct row_change *, uint64_t txn, struct stamp least);

/* Marks of scopes at or below the stamp become part of `low`. */
bool read_marks_fold(struct read_marks *, struct stamp);

#endif
