/*
 * polygraph: keeps which orders of transactions are known, and which are open.
 *
 *     serializable   a node for each actor
 *     snapshot       two: b, where its snapshot was taken, and c, where it committed
 *
 *     T1 c -> b T2         T2 reads T1's version, or comes after it in its session
 *     T1 c -> b T2         T1's version of a key comes before T2's
 *     T3 b -> c T2         T2 overwrote what T3 read
 *
 * An order in which all edges lead forward is a run that explains every read; at snapshot
 * as well, since two anti-dependencies cannot follow each other on a path. (With one node
 * an actor, b and c are the same.)
 *
 * Everything known is a *fact*, in the order in which it was found out: mostly an edge. Each
 * fact follows from the history alone, or from facts before it, in a way that its kind
 * tells: the refuter finds the reasons again when they are asked for, so that knowing costs
 * 20 bytes.
 *
 * Versions of a key that follow each other directly are *linked*: the writer of the second read
 * the first. Linked versions are a *chain*; of two chains of a key one comes wholly before the
 * other:
 *
 *     a0 -> a1 -> a2        A before B: c of a2 -> b of b0
 *                 | readers             b of each reader of a2 -> c of b0
 *     b0 -> b1
 *
 * The chain of the initial version comes before all others.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_H
#define CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_H

#include "checkers/check.h"
#include "checkers/search/polygraph/fixed_order.h"
#include "checkers/search/polygraph/reach_private.h"

enum fact_kind {
    FACT_PROGRAM,   /* an actor's snapshot before its commit */
    FACT_BASE,      /* x, y: actors, and y follows x in its session */
    FACT_TIME,      /* to, from or between barriers */
    FACT_FOLLOWS,   /* x: a read, whose source is known; after its writer */
    FACT_PREFIX,    /* x: a read; the versions y, z stand in its list in this order */
    FACT_ABSENT,    /* x: a read; the version y is not in its list */
    FACT_PAIR,      /* y, z: versions, by the version order that is given */
    FACT_OVERTAKEN, /* x: a read; its source comes before the version y; so does the reader */
    FACT_ORDER,     /* y, z: versions; else the chain of z would come before that of y: a cycle */
    FACT_NOT_FROM,  /* no edge. x: a read, y: a version that it did not read, z: another that
                      would stand between, or NOBODY: the reader came before y */
};

struct fact {
    uint32_t from, to; /* nodes, or NOBODY */
    uint32_t x, y, z;
    uint8_t kind;
};

struct lane {
    uint32_t slot, start, end;
};

struct sorted_head {
    uint64_t slot_and_place;
    uint32_t version;
};

struct polygraph {
    const struct distilled *d;
    const struct fixed_order *base;
    struct arena *arena;
    bool is_snapshot;
    uint32_t node_count;
    uint32_t *slot, *place; /* by node, where the base has slots */

    ARRAY(struct fact) facts;
    ARRAY(struct arrow) arrows; /* the facts that are edges, and not implied by others */
    struct reach reach;
    bool is_rechained;     /* chains have changed since the last round */
    bool is_refuted;       /* the facts have a cycle, or a read no candidate */
    uint32_t read_without; /* that read, or NOBODY */
    uint32_t some_without; /* of the distilled history's somes, whose value nothing has; or NOBODY */

    size_t read_room, candidate_room;
    uint32_t *reads_start, *reads; /* by actor: its reads */
    uint32_t *source;      /* by read, as far as known */
    uint32_t *known_since; /* by read: how many facts there were then */
    uint8_t *is_gone;      /* by candidate */
    uint32_t read_count;   /* reads that are in it */
    uint32_t open_count;   /* reads whose source is not known */

    uint32_t *next, *previous; /* by version: linked */
    uint32_t *link_fact;       /* by version: what links it to the previous */
    /* By version: its readers, but for the one who made the next. */
    uint32_t *reader_start, *readers;
    uint8_t *may_be_read; /* by version: some read has it as one of several candidates */

    /* Key by key the initial chain, then by slot and place of their heads. */
    uint32_t chain_count;
    uint32_t *chain_start; /* by key, and one more */
    uint32_t *head, *tail; /* by chain */
    uint32_t *chain_of;    /* by version */
    /* By chain: nothing but one version that nobody reads. Serializable: need no order. */
    uint8_t *is_plain;
    /*
     * A lane is a run of chains of one key whose heads stand in one slot: they follow each
     * other. Firm ones are those that are not plain.
     */
    uint32_t *lane_start;              /* by key, and one more */
    struct lane *lanes;                /* of chains */
    uint32_t *firm_start;              /* by key, and one more */
    struct lane *firm_lanes;           /* of elements of firm */
    uint32_t *firm;                    /* chains */
    uint32_t *head_place, *firm_place; /* by chain, beside firm: where the head begins */
    struct sorted_head *sorting;
    uint64_t pair_count; /* still open, as far as counted */
    uint64_t step_count; /* some measure of work */
};

/* Closed by polygraph_close(), also after a failure. */
MUST_USE enum status polygraph_init(struct polygraph *, const struct distilled *,
                                    const struct fixed_order *, bool is_snapshot, struct arena *,
                                    struct error *);
/* Its distilled history has more reads, behind those that it had. */
MUST_USE enum status polygraph_extend(struct polygraph *, struct error *);
void polygraph_close(struct polygraph *);

/* --- For those who look in -------------------------------------------------------- */

static inline uint32_t node_begin(const struct polygraph *p, uint32_t actor)
{
    return p->is_snapshot ? 2 * actor : actor;
}

static inline uint32_t node_commit(const struct polygraph *p, uint32_t actor)
{
    return p->is_snapshot ? 2 * actor + 1 : actor;
}

static inline uint32_t version_begin(const struct polygraph *p, uint32_t version)
{
    return node_begin(p, p->d->version_actor[version]);
}

static inline uint32_t version_commit(const struct polygraph *p, uint32_t version)
{
    return node_commit(p, p->d->version_actor[version]);
}

static inline bool version_is_initial(const struct distilled *d, uint32_t version)
{
    return d->version_actor[version] == NOBODY;
}

/* The actor's read that is known to come from the version; or NOBODY. */
uint32_t polygraph_read_of(const struct polygraph *, uint32_t actor, uint32_t version);

MUST_USE enum status polygraph_add(struct polygraph *, struct fact, struct error *);
/* Once nothing else can be: makes the fact that a read follows its source. */
MUST_USE enum status polygraph_settle(struct polygraph *, uint32_t read, uint32_t version,
                                      struct error *);
/* Links and chains anew, from the sources that are known. */
MUST_USE enum status polygraph_chain(struct polygraph *, struct error *);

#endif
