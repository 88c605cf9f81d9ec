/*
 * graph: a directed graph in compressed rows, and its strongly connected components.
 *
 *     start   0  2  2  3        node 0 leads to 1 and 2, node 1 to none, node 2 to 0
 *     to      1  2  0
 *
 * It is made in two passes over the same edges, which nobody needs to keep:
 *
 *     graph_init(); graph_count() for each; graph_lay_out(); graph_add() for each
 *
 * Components are found without recursion (Tarjan 1972), in time linear in the
 * edges. They are numbered so that every edge leads to the same or a lower number:
 * where each node is a component of its own, falling numbers are an order in which
 * all edges lead forward.
 */
#ifndef CHECKERS_GRAPH_GRAPH_H
#define CHECKERS_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct graph {
    uint32_t node_count;
    uint64_t edge_count;
    uint32_t *start; /* by node, and two more while it is made */
    uint32_t *to;
};

/* Closed by graph_close(), also after a failure. */
MUST_USE enum status graph_init(struct graph *, size_t node_count, struct error *);
void graph_close(struct graph *);

static inline void graph_count(struct graph *g, uint32_t from)
{
    g->start[from + 2]++;
    g->edge_count++;
}

MUST_USE enum status graph_lay_out(struct graph *, struct error *);

static inline void graph_add(struct graph *g, uint32_t from, uint32_t to)
{
    g->to[g->start[from + 1]++] = to;
}

struct components {
    uint32_t *of_node;
    uint32_t count; /* as many as nodes: there is no cycle but of a node with itself */
};

MUST_USE enum status graph_find_components(const struct graph *, struct components *,
                                           struct error *);
void graph_components_close(struct components *);

#endif
