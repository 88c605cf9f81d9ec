/*
 * certificate_private: the versions of a history as its certificate has them, and a
 * walk over all that was seen of them.
 */
#ifndef CHECKERS_CERTIFICATE_PRIVATE_H
#define CHECKERS_CERTIFICATE_PRIVATE_H

#include "checkers/answers.h"
#include "checkers/barriers.h"
#include "checkers/blame.h"
#include "checkers/checker_private.h"
#include "checkers/contents.h"
#include "checkers/keys.h"
#include "checkers/matcher.h"
#include "checkers/places.h"
#include "checkers/proof.h"
#include "checkers/suspects.h"

#define VERSION_FIRST UINT32_MAX /* as a number: the initial version, before number 0 */

/*
 * What transactions that are in left behind, numbered by key and within a key in
 * version order:
 *
 *     key      x           y
 *     start    0           2        3
 *     number   0     1     2
 *     txn      T1    T4    T2
 */
struct certified_versions {
    uint32_t *start; /* by key, and one more */
    uint32_t count;
    uint32_t *op, *txn;      /* by number */
    struct content *content; /* by number; NULL: nothing was appended */
    uint32_t *number;        /* by operation, or HISTORY_NONE: it left nothing behind */
    bool *is_sorted;         /* by key: its order is that of places, and all have one */
    uint32_t *by_place; /* beside op: numbers of the key's versions by place; NULL: all sorted */
    uint32_t unplaced;  /* a transaction that wrote and has no place, or HISTORY_NONE */
};

/* Where an operation looks. */
struct certified_view {
    bool is_set;
    uint64_t set;  /* in set_start */
    uint32_t seen; /* how many transactions of the sequence it sees */
};

struct certificate {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct contents contents;
    struct suspects suspects;
    struct judge judge;
    struct certified_versions versions;
    uint32_t *txn_seen; /* by transaction: what it sees where its operations say nothing else */
    uint32_t *latest;   /* by key, while walking: the version behind which the walk is */
    uint32_t *own;      /* by key, while walking: the last operation that wrote it */
    uint32_t *set_of_key, *entry_of_key; /* by key: of the set that is remembered, plus one */
    uint32_t remembered_set;             /* plus one */
    ARRAY(struct matched_row) matching;
    uint32_t ruled_out; /* levels, a bit each, by what was found so far */
};

MUST_USE enum status certificate_open(struct certificate *, const struct history *,
                                      const struct check_options *, struct check *, struct error *);
void certificate_close(struct certificate *);

/* --- Versions --- */

MUST_USE enum status certificate_init_versions(struct certificate *, struct error *);
void certificate_close_versions(struct certified_versions *);

struct content certificate_content(const struct certificate *, uint32_t key, uint32_t number);

/* The operation that wrote it, or VERSION_INITIAL. */
static inline uint32_t certificate_version_op(const struct certificate *c, uint32_t number)
{
    return number == VERSION_FIRST ? VERSION_INITIAL : c->versions.op[number];
}

/* The one behind it in its key's order, or HISTORY_NONE. */
static inline uint32_t certificate_next(const struct certificate *c, uint32_t key, uint32_t number)
{
    uint32_t next = number == VERSION_FIRST ? c->versions.start[key] : number + 1;

    return next < c->versions.start[key + 1] ? next : HISTORY_NONE;
}

/* --- Views --- */

/* Of an answered read or head of a transaction that is in. */
MUST_USE enum status certificate_view(const struct certificate *, uint32_t txn, uint32_t op,
                                      struct certified_view *, struct error *);

/* What is seen of a key there. */
struct sight {
    uint32_t txn, op; /* a read or a head */
    uint32_t key;
    bool is_own;     /* what the transaction itself wrote before */
    bool is_unreal;  /* its version set names what nobody could read */
    uint32_t number; /* the version, unless it is one of these */
    uint32_t unreal; /* the operation that is named */
};

struct sight certificate_look(struct certificate *, const struct certified_view *, uint32_t txn,
                              uint32_t op, uint32_t key);
/* What is there. */
MUST_USE enum status certificate_hold(struct certificate *, const struct sight *, struct held *,
                                      struct error *);

/* --- The walk --- */

/*
 * What is told on the way. `edge` hears the edges of the kinds that are asked for,
 * `sight` the sights of answered reads of items. Either may be NULL.
 */
struct walk {
    struct certificate *certificate;
    bool judges;     /* holds answers against what was seen */
    bool is_forward; /* only asks whether edges lead forward: those that surely do are left out */
    uint32_t kinds;  /* of edges, a bit each */
    void *context;
    enum status (*edge)(void *context, const struct edge *, struct error *);
    enum status (*sight)(void *context, const struct sight *, struct error *);
};

MUST_USE enum status certificate_walk(struct walk *, struct error *);
/* The part of it that is about one statement. */
MUST_USE enum status walk_statement(struct walk *, uint32_t txn, uint32_t head, struct error *);
/* What the edges of a read of an item are. */
MUST_USE enum status walk_item_edges(struct walk *, const struct sight *, struct error *);

static inline bool walk_wants(const struct walk *w, enum edge_kind kind)
{
    return w->edge && (w->kinds >> kind & 1);
}

/* --- What no graph tells --- */

MUST_USE enum status certificate_find_duplicates(struct certificate *, struct error *);
/* Two writers of a key, at the levels of snapshot, the second blind for the first by its places. */
MUST_USE enum status certificate_find_lost_updates(struct certificate *, struct error *);
/* What cycles that were found are also called: internal, lost-update, cyclic-versions. */
MUST_USE enum status certificate_add_names(struct certificate *, struct error *);

/* Rules out the level and all that imply it. */
void certificate_rule_out(struct certificate *, enum level);

/* --- The graph --- */

/*
 * Whether every edge leads forward in the order of places, each transaction beginning
 * where it looks: then there is no cycle, and that order shows it.
 */
struct forward {
    struct certificate *certificate;
    bool is_snapshot; /* begins and commits are told apart */
    bool holds;       /* so far */
};

void forward_init(struct forward *, struct certificate *);
/* For a walk's `edge`. */
MUST_USE enum status forward_hear(void *forward, const struct edge *, struct error *);
/* Sessions and real time. */
MUST_USE enum status forward_finish(struct forward *, struct error *);

/* Looks for cycles that violate the level, and tells of them; else says in what order all went. */
MUST_USE enum status certificate_check_graph(struct certificate *, struct error *);

#endif
