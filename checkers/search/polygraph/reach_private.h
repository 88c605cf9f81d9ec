/*
 * reach: which nodes of an acyclic graph come before which, in as little memory as will do.
 *
 *     CLOCKS   every node stands in a slot, at a place, and the nodes of a slot follow each
 *              other: of each node one number for each slot, the furthest place that comes
 *              before it. n x k numbers
 *     BITS     a bit for each pair of nodes: only where they are few
 *     NOTHING  nobody can tell: every answer is no
 *
 * Answers are those of the last update: edges added since then do not count.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_REACH_PRIVATE_H
#define CHECKERS_SEARCH_POLYGRAPH_REACH_PRIVATE_H

#include <stdbool.h>

#include "base/arena.h"
#include "checkers/search/polygraph/distill.h"

enum reach_kind { REACH_NOTHING, REACH_CLOCKS, REACH_BITS };

struct arrow {
    uint32_t from, to;
    uint32_t of; /* whatever it stands for */
};

struct reach {
    enum reach_kind kind;
    uint32_t node_count, slot_count;
    const uint32_t *slot, *place; /* by node; places from 1 */
    uint32_t *clocks;             /* node_count rows of slot_count */
    uint64_t *sums;               /* by node: of its clocks, which only grow */
    uint8_t *has_changed;         /* by node: in the last update */
    uint64_t *bits, *bits_before; /* node_count rows of word_count: who comes before; and did,
                                     by the update before the last */
    uint32_t word_count;
    uint32_t *order;         /* the nodes, each behind all that come before it */
    uint32_t *start, *waits; /* the graph, while it is walked: where the edges of a node begin in
                                `leading`; how many it waits for, then where they end in
                                `arriving` */
    uint32_t *leading;       /* edges, by where they lead from */
    uint32_t *arriving;      /* the same by where they lead to */
    size_t edge_room;
};

/* In which slot each node stands, and at which place of it. No slots: none are given. */
struct reach_slots {
    uint32_t node_count, slot_count;
    const uint32_t *slot, *place; /* by node; places from 1 */
};

/* Takes clocks where slots are given and few enough, else bits, else nothing. */
MUST_USE enum status reach_init(struct reach *, const struct reach_slots *, struct arena *,
                                struct error *);
void reach_close(struct reach *);

/*
 * False: the edges have a cycle, and there is no order. Else those that others imply are taken
 * out, as far as that can be told; the rest stays in order.
 */
MUST_USE enum status reach_update(struct reach *, struct arrow *edges, size_t *count,
                                  bool *is_acyclic, struct error *);

/* Whether a is b or comes before it. */
static inline bool reach_is_before(const struct reach *r, uint32_t a, uint32_t b)
{
    if (r->kind == REACH_CLOCKS)
        return r->clocks[(size_t)b * r->slot_count + r->slot[a]] >= r->place[a];
    if (r->kind == REACH_BITS)
        return r->bits[(size_t)b * r->word_count + a / 64] >> (a % 64) & 1;
    return a == b;
}

/* The furthest place of the slot that comes before the node, or is it. */
static inline uint32_t reach_clock(const struct reach *r, uint32_t node, uint32_t slot)
{
    return r->clocks[(size_t)node * r->slot_count + slot];
}

#endif
