/*
 * walk: visits all operations in order, compares answers with version sets, and reports edges
 * and what each read saw.
 */
#ifndef CHECKERS_CERTIFICATE_WALK_PRIVATE_H
#define CHECKERS_CERTIFICATE_WALK_PRIVATE_H

#include "checkers/certificate/certificate_private.h"

/* Where an operation looks. */
struct certified_view {
    bool is_set;
    uint64_t set;  /* in set_start */
    uint32_t seen; /* how many transactions of the sequence it sees */
};

/* The place of an operation's own version set, or set_count. */
size_t certificate_find_set(const struct history *, uint32_t op);
/* Of an answered read or head of a transaction that is in. */
MUST_USE enum status certificate_view(const struct certificate *, uint32_t txn, uint32_t op,
                                      struct certified_view *, struct error *);

/* Whether its operations look nowhere but at its own place, and nobody needs to ask each. */
static inline bool certificate_is_plain(const struct certificate *c, uint32_t txn)
{
    const struct history *h = c->history;

    return h->set_count == 0 && !h->op_snapshot && c->txn_seen[txn] == c->places.position[txn] &&
           c->txn_seen[txn] != HISTORY_NONE && c->versions.unplaced == HISTORY_NONE;
}

/* What is seen of a key there. */
struct certified_sight {
    uint32_t txn, op; /* a read or a head */
    uint32_t key;
    bool is_own;     /* what the transaction itself wrote before */
    bool is_unreal;  /* its version set names what nobody could read */
    uint32_t number; /* the version, unless it is one of these */
    uint32_t unreal; /* the operation that is named */
};

struct certified_sight certificate_look(struct certificate *, const struct certified_view *, uint32_t txn,
                                        uint32_t op, uint32_t key);

/* A statement of which some row could not be judged, once or again. */
void certificate_note_undecided(struct certificate *, uint32_t head);
/* Which rows a head returned. */
void certificate_note_returned(struct certificate *, uint32_t head);

/*
 * What is told on the way. `edge` hears the edges of the kinds that are asked for,
 * `sight` the sights of answered reads of items. Either may be NULL.
 */
struct walk {
    struct certificate *certificate;
    bool judges;       /* holds answers against what was seen */
    struct content *held; /* then, by key: what is there, with own writes on top; or NULL */
    bool sees_tables;  /* `sight` hears of a statement each row of its table, matching or not */
    const bool *skips; /* by transaction: of which nothing is told; or NULL */
    uint32_t kinds;    /* of edges, a bit each */
    void *context;
    enum status (*edge)(void *context, const struct edge *, struct error *);
    enum status (*sight)(void *context, const struct certified_sight *, struct error *);
};

/* Walks that jump to and fro in the columns ask for what they come to soon. */
#define CERTIFICATE_AHEAD 16 /* transactions */

static inline void certificate_fetch(const struct certificate *c, uint32_t txn)
{
    const struct history *h = c->history;
    uint32_t op = h->txn_op[txn];

    __builtin_prefetch(&h->op_kind[op]);
    __builtin_prefetch(&h->op_flags[op]);
    __builtin_prefetch(&h->op_value_kind[op]);
    __builtin_prefetch(&h->op_key[op]);
    __builtin_prefetch(&h->op_value[op]);
    __builtin_prefetch(&h->op_value[h->txn_op[txn + 1]]);
    if (c->versions.number)
        __builtin_prefetch(&c->versions.number[op]);
}

/* Nothing has been seen or written yet. */
void certificate_begin_walk(struct certificate *);
MUST_USE enum status certificate_walk(struct walk *, struct error *);

static inline bool walk_wants(const struct walk *w, enum edge_kind kind)
{
    return w->edge && (w->kinds >> kind & 1);
}

#endif
