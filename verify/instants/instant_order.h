/*
 * instant_order: an order of instants, and what it explains.
 *
 *     instants   c1   b2   c3   c2        places 0, 1, 2, 3
 *     key x      T1's      T3's           chain: what its commits left, one behind the other
 *     T2 reads        T1's                the last of the chain before its view
 *
 * Nothing is narrowed here: each instant has a place and, where instants lie within times, the
 * earliest time that it can have behind all that come before it.
 */
#ifndef VERIFY_INSTANTS_INSTANT_ORDER_H
#define VERIFY_INSTANTS_INSTANT_ORDER_H

#include "base/map.h"
#include "verify/instants/instant_proof.h"

#define SOURCE_OPEN (HISTORY_NONE - 1) /* nothing is said of what a read saw */

struct dependency {
    uint32_t from, to; /* transactions */
};

struct order {
    struct verifier *v;
    uint32_t *commit_place, *view_place; /* by transaction; NO_PLACE: it has none */
    uint32_t *op_place;                  /* by operation or row with a view of its own */
    int64_t *time;                       /* by place: the earliest */
    uint32_t *chain;                     /* versions, by key from version_start */
    uint32_t *chain_end;                 /* by key: how many */
    uint32_t *chain_spot;                /* by version */
    uint32_t *source;                    /* by operation that reads: the version */
    struct map open, open_keys;          /* operations; and what they say of keys */
    ARRAY(struct dependency) dependencies;
    struct known nothing; /* for what times alone say */
    struct known commits; /* what reads show of who had committed; and dependencies */
};

static inline const uint32_t *instant_order_chain(const struct order *o, uint32_t key)
{
    return o->chain + o->v->version_start[key];
}

static inline bool instant_order_commits(const struct order *o, uint32_t txn)
{
    return o->commit_place[txn] != NO_PLACE;
}

/* The place of the view that a read reads as of, or NO_PLACE: as of no single instant. */
uint32_t instant_order_view_place(const struct order *, uint32_t txn, uint32_t head, uint32_t op);
/* The last version of the key before a place, or VERSION_INITIAL. */
uint32_t instant_order_version_at(const struct order *, uint32_t key, uint32_t place);
/* The one before a version. */
uint32_t instant_order_last_version(const struct order *, uint32_t key, uint32_t version);
/* The next one behind a version, or behind VERSION_INITIAL; HISTORY_NONE: it is the last. */
uint32_t instant_order_next_version(const struct order *, uint32_t key, uint32_t version);

/* Whether an operation is left open, or what it says of a key. */
/* Whether dependencies could make a circle: where all is as of the commit, they lead along the order. */
bool instant_order_has_dependencies(const struct order *);
bool instant_order_is_open(const struct order *, uint32_t head, uint32_t op);
/* A look, as a whole or at one key. */
bool instant_order_is_open_look(const struct order *, uint32_t head, uint32_t key);
/* Likewise what left the version. */
bool instant_order_is_open_write(const struct order *, uint32_t version);

MUST_USE enum status instant_order_depend(struct order *, uint32_t from, uint32_t to,
                                          struct error *);

MUST_USE enum status verify_instant_order(struct verifier *, struct error *);

#endif
