/*
 * versions: the committed versions of the rows that one replica holds.
 *
 *     key 7   [C=90 w=(..)] -> [C=57 removed] -> [C=0 initial]      newest first
 *
 * A replica's own memory: what it has applied, and nothing else. Initial rows
 * stand at the zero stamp. A key that was never there, or has been collected to
 * nothing, has no version.
 *
 * versions_collect() drops what no snapshot at or above a horizon can see: what is
 * older than a version below it, and a removal that nothing is above. Versions
 * queue for that in the order in which they were installed, so that nobody walks along chains;
 * one with a higher stamp keeps those behind it waiting.
 *
 * Who compares by log index rather than by stamp must know how far he can trust
 * what he finds: `collected` is the highest index of a version that has lost its
 * before image or is itself gone. What was seen before that index is too old.
 */
#ifndef STORE_SHARD_VERSIONS_H
#define STORE_SHARD_VERSIONS_H

#include "store/catalog_private.h"
#include "base/pool.h"
#include "store/stamp_private.h"
#include "store/wire_private.h"

struct stored_version {
    struct stored_version *older;
    struct stored_version *next; /* installed after it, while it queues */
    struct stamp at;    /* when its transaction committed */
    uint64_t index;     /* of the log entry that installed it; 0: initial */
    struct stamp out;   /* of ssi: the earliest commit that its transaction did not see */
    uint64_t writer;    /* the transaction; 0: initial */
    uint32_t key;
    uint32_t size;
    bool is_removed;
    bool is_queued;
    bool is_gone;       /* out of its key's chain, and only still in the queue */
    char row[];
};

struct table_keys {
    ARRAY(uint32_t) keys;
};

struct stored_versions {
    struct pool *pool;
    struct catalog *catalog;
    ARRAY(struct stored_version *) newest; /* by key */
    ARRAY(uint8_t) is_listed;              /* by key: it is in `tables` */
    struct table_keys *tables;       /* by table: keys that have a version, or lately had one */
    uint32_t table_count;
    struct stored_version *queue_first, *queue_last;
    uint64_t collected;
    uint64_t count;                  /* versions held in chains */
};

/* Nothing is left that collecting could ever drop. */
static inline bool versions_are_settled(const struct stored_versions *v)
{
    return !v->queue_first;
}

static inline struct text version_row(const struct stored_version *v)
{
    return (struct text){ v->row, v->size };
}

void versions_open(struct stored_versions *, struct catalog *, struct pool *);
/* Gives all its memory back. */
void versions_drop(struct stored_versions *);

/* NULL: none. A removed row has a version. */
static inline const struct stored_version *versions_newest(const struct stored_versions *v,
                                                           uint32_t key)
{
    return key < v->newest.count ? v->newest.at[key] : NULL;
}
/* The newest at or below the stamp. */
const struct stored_version *versions_at(const struct stored_versions *, uint32_t key,
                                         struct stamp);
/* Whether there is a row: a version that is not a removal. */
static inline bool version_is_row(const struct stored_version *v)
{
    return v && !v->is_removed;
}

/*
 * In its place by stamp; a version of the same stamp is left as it is. Of the head only at, index,
 * out, writer and is_removed mean anything.
 */
void versions_install(struct stored_versions *, uint32_t key, const struct stored_version *head,
                      struct text row);
/* Drops what nobody at or above the horizon can see. */
bool versions_collect(struct stored_versions *, struct stamp horizon);

/* Keys of a table that have or had a version, in the order in which they came. */
uint32_t versions_keys(const struct stored_versions *, uint32_t table, const uint32_t **keys);

/* Equal versions have equal bytes. What is loaded takes the place of all. */
void versions_save(const struct stored_versions *, struct wire_writer *);
void versions_load(struct stored_versions *, struct wire_reader *);

#endif
