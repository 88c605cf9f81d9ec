/*
 * topology: a total order of nodes that edges come into and leave again.
 *
 *     out row of node x:   known known known | there there |  room for the others
 *                          start                           end
 *
 * Edges without guards are there from the beginning. The others come by
 * topology_insert(), which moves as few nodes as it must (Pearce and Kelly 2006), and
 * leave in the opposite order by topology_remove(), which moves none: an order that
 * fitted more edges fits fewer.
 *
 * Invariant: every edge that is there leads to a later place.
 */
#ifndef CHECKERS_SEARCH_SOLVER_TOPOLOGY_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_TOPOLOGY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "checkers/search/solver/search.h"

struct topology_rows {
    uint32_t *start, *end; /* by node */
    uint32_t *node;        /* the other one */
    uint32_t *edge;
};

struct topology {
    uint32_t node_count;
    uint32_t *place, *node_at; /* inverse to each other */
    struct topology_rows out, in;
    const struct search_edge *edges;
    uint64_t steps; /* edges and nodes looked at */
    /* For the searches. */
    uint32_t *mark, *parent; /* by node; parent: an edge */
    uint32_t stamp;
    uint32_t *ahead, *behind, *scratch; /* lists of nodes or places: of who has to move */
    uint32_t ahead_count, behind_count;
};

/* The order must fit the edges without guards. Room is made for those with guards. */
MUST_USE enum status topology_init(struct topology *, const struct search_problem *,
                                   const uint32_t *order, struct error *);
void topology_close(struct topology *);

/* False, and nothing is done, if it would close a cycle. */
bool topology_insert(struct topology *, uint32_t edge);
/* The last that was inserted. */
void topology_remove(struct topology *, uint32_t edge);

/*
 * After topology_insert() refused an edge: the cycle that it would close, with as few
 * edges with guards as can be; the refused one first. Returns how many there are: node_count
 * at the most, which `cycle` must have room for.
 */
uint32_t topology_explain(struct topology *, uint32_t edge, uint32_t *cycle);

/* The order must fit all edges that are there. */
void topology_set_order(struct topology *, const uint32_t *order);

#endif
