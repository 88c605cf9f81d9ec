/*
 * versions: what each key holds, now and as far back as somebody may still look.
 *
 *     slot 3: newest -> version 17 -> version 9 -> version 4
 *                       place 80      place 52     place 31
 *
 * A slot is one of the keys in use. Its versions are chained from the newest to
 * the oldest by rising places; of those behind the horizon only the newest is
 * kept. Versions that no correct read may return, intermediate and rolled back
 * ones, are marked dirty and stand in the chain beside the others.
 */
#ifndef PROGRAMS_GENERATOR_VERSIONS_PRIVATE_H
#define PROGRAMS_GENERATOR_VERSIONS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

#define VERSIONS_NONE UINT32_MAX

struct version {
    int64_t place;
    int64_t committed_at; /* no read that ended before this instant can have seen it */
    int64_t number;       /* of a register its value, of a row its column v, of a list its length */
    int64_t tag;          /* of a row */
    uint32_t txn, nth;    /* nth 0: the last of its transaction */
    uint32_t session;
    uint32_t older;
    bool dirty;
};

struct slot {
    uint32_t key; /* the key's number; lists come and go */
    uint32_t newest;
    uint32_t own;       /* the running transaction's last write of it, from 1 */
    int64_t read_place; /* the last place that somebody has read it from */
};

struct versions {
    struct slot *slots;
    uint32_t slot_count;
    ARRAY(struct version) pool;
    uint32_t free;

    int64_t *elements; /* of lists: element_room a slot, in version order; else NULL */
    uint32_t element_room;
};

/* The slot's key has the slot's number. `element_room` 0: no lists. */
MUST_USE enum status versions_init(struct versions *, uint32_t slot_count, uint32_t element_room,
                                   struct error *);
void versions_close(struct versions *);

/* Puts a version before the newest, and forgets those that only places before `horizon` see. */
MUST_USE enum status versions_add(struct versions *, uint32_t slot, struct version, int64_t horizon,
                                  struct error *);

/* Gives the slot to a key that nobody has written. */
void versions_renew(struct versions *, uint32_t slot, uint32_t key);

/* The newest that is not dirty, or VERSIONS_NONE: the initial one. */
static inline uint32_t versions_newest(const struct versions *v, uint32_t slot)
{
    uint32_t version = v->slots[slot].newest;

    while (version != VERSIONS_NONE && v->pool.at[version].dirty)
        version = v->pool.at[version].older;
    return version;
}

#endif
