/*
 * projection: the graph of those edges of given cycles that one level or model considers.
 *
 * Where transactions have moments each is two nodes, its beginning and its commit. A waypoint has
 * one moment only.
 */
#ifndef CHECKERS_GRAPH_PROJECTION_H
#define CHECKERS_GRAPH_PROJECTION_H

#include "checkers/graph/cycles.h"
#include "checkers/graph/graph.h"

/* Where an edge begins and ends, of a transaction's beginning and its commit. */
enum moments {
    MOMENTS_NONE,     /* transactions have no parts */
    MOMENTS_SNAPSHOT, /* who depends begins after the commit; rw goes from beginning to commit */
    MOMENTS_PREFIX,   /* and ww from commit to commit */
};

struct projection {
    const struct cycles *cycles;
    uint32_t kinds, sources; /* of the edges that count, a bit for each */
    enum moments moments;
    const bool *leaves_out; /* by edge; NULL: no edge is left out */
};

static inline bool projection_has(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];

    return (p->kinds >> e->kind & 1) && (p->sources >> e->by & 1) &&
           !(p->leaves_out && p->leaves_out[edge]);
}

/* Components of the nodes, or where there are moments of twice as many. */
MUST_USE enum status projection_find_components(const struct projection *, struct components *,
                                                struct error *);
/* Whether the edge, which the projection has, is part of a cycle. */
bool projection_is_cyclic(const struct projection *, const struct components *, size_t edge);
/* Whether some edge is. */
MUST_USE enum status projection_has_cycle(const struct projection *, bool *, struct error *);

#endif
