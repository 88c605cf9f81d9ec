/*
 * cycles_private: a class of cycles, and the search for a shortest one.
 */
#ifndef CHECKERS_GRAPH_CYCLES_PRIVATE_H
#define CHECKERS_GRAPH_CYCLES_PRIVATE_H

#include "checkers/graph/cycles.h"

/* How anti-dependencies may stand in a cycle. */
enum anti_rule { ANTI_NONE, ANTI_ONE, ANTI_APART, ANTI_ANY };

struct cycle_class {
    enum anomaly kind;
    uint32_t kinds;  /* of edges that may be in it */
    uint32_t starts; /* of edges of which one must be in it */
    enum anti_rule rule;
    uint32_t sources;   /* what the edges may be inferred from, 1 << enum order_source */
    uint32_t starts_by; /* an edge that was inferred from this will do for a start, too */
};

static inline bool cycle_class_has(const struct cycle_class *class, const struct edge *edge)
{
    return (class->kinds >> edge->kind & 1) && (class->sources >> edge->by & 1);
}

static inline bool cycle_class_starts(const struct cycle_class *class, const struct edge *edge)
{
    return (class->starts >> edge->kind & 1) || (class->starts_by >> edge->by & 1);
}

/* One component of a graph: its edges, rising. */
struct component {
    const uint32_t *edges;
    size_t edge_count;
    uint32_t *scratch; /* by place in the cycles' nodes: UINT32_MAX, and so after each search */
};

/*
 * The shortest cycle of the class within a component, by breadth-first search from
 * each edge that it must have. None: the found edges are empty.
 */
MUST_USE enum status cycles_search(const struct cycles *, const struct component *,
                                   const struct cycle_class *, struct found_cycle *,
                                   struct error *);

#endif
