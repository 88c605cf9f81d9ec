/*
 * level_graph: the graph of the edges that a level considers, its components, and an order.
 *
 *     level_graph_init(&g, ...)
 *     level_graph_begin(&g, LEVEL_GRAPH_COUNTS)   hear every edge
 *     level_graph_begin(&g, LEVEL_GRAPH_LAYS)     hear the same edges again
 *     level_graph_find_components(&g)             no cycle: level_graph_tell_order()
 *     level_graph_keep(&g, txn_count)             hear them again: g.kept has those of cycles
 *
 * A transaction is one node. At the levels of snapshot it is two, its beginning and its commit:
 * whoever depends on another begins after that commits, and whoever read what another overwrote
 * begins before that commits. If all these can be put in an order, there is a run that has them
 * in it. Behind the transactions stand waypoints, of one node each: barriers of real time, and
 * hubs between many readers and many writers.
 */
#ifndef CHECKERS_GRAPH_LEVEL_GRAPH_H
#define CHECKERS_GRAPH_LEVEL_GRAPH_H

#include <stdbool.h>

#include "base/array.h"
#include "checkers/graph/barriers.h"
#include "checkers/graph/cycles.h"
#include "checkers/graph/graph.h"
#include "checkers/graph/places.h"

enum level_graph_work {
    LEVEL_GRAPH_COUNTS, /* edges */
    LEVEL_GRAPH_LAYS,   /* those that were counted */
    LEVEL_GRAPH_KEEPS,  /* those within components */
    LEVEL_GRAPH_ASKS,   /* whether one leads back in an order of nodes */
};

struct level_graph {
    const struct history *history;
    const struct places *places;           /* which transactions take part */
    const uint32_t *rank, *ranked;         /* transactions and their nodes' order; NULL: as the history goes */
    uint32_t kinds, sources;               /* of the edges that count: a bit for each, as in struct edge */
    bool has_moments;                      /* two nodes a transaction */
    uint32_t txn_nodes;                    /* nodes of transactions; waypoints come behind them */
    /* True: leaves the edge between these nodes out. NULL: no edge is left out. */
    bool (*leaves_out)(const void *context, uint32_t from, uint32_t to);
    const void *context;

    enum level_graph_work work;
    struct graph graph;
    struct components components;
    bool has_loop; /* an edge leads from a node to itself */

    ARRAY(struct edge) kept;
    size_t kept_max;
    bool is_too_large; /* more edges than that */
    uint32_t txn_end;  /* edges of later transactions are not kept */

    const uint32_t *order; /* by node, for LEVEL_GRAPH_ASKS */
    bool leads_back;       /* some edge leads to a node that is no later */
};

/* Of so many nodes of transactions, and waypoints. The other fields above `work` may be set before. */
MUST_USE enum status level_graph_init(struct level_graph *, uint32_t txns, uint32_t waypoints,
                                      struct error *);
/* The graph, its components and what was kept; level_graph_init() makes them anew. */
void level_graph_close(struct level_graph *);

MUST_USE enum status level_graph_begin(struct level_graph *, enum level_graph_work, struct error *);

static inline uint32_t level_graph_node(const struct level_graph *g, uint32_t who, bool is_commit)
{
    uint32_t txn_count = (uint32_t)g->history->txn_count;

    if (who >= txn_count)
        return g->txn_nodes + (who - txn_count);
    who = g->rank ? g->rank[who] : who;
    return g->has_moments ? 2 * who + is_commit : who;
}

MUST_USE enum status level_graph_keep_edge(struct level_graph *, const struct edge *, uint32_t from,
                                           uint32_t to, struct error *);

/* From one transaction or waypoint to another. */
static inline enum status level_graph_hear(struct level_graph *g, const struct edge *e,
                                           struct error *err)
{
    bool is_anti = edge_is_anti(e->kind);
    uint32_t from, to;

    if (!(g->kinds >> e->kind & 1) || !(g->sources >> e->by & 1))
        return STATUS_OK;
    from = level_graph_node(g, e->from, !is_anti);
    to = level_graph_node(g, e->to, is_anti);
    if (g->leaves_out && g->leaves_out(g->context, from, to))
        return STATUS_OK;
    switch (g->work) {
    case LEVEL_GRAPH_COUNTS:
        g->has_loop |= from == to;
        graph_count(&g->graph, from);
        return STATUS_OK;
    case LEVEL_GRAPH_LAYS:
        graph_add(&g->graph, from, to);
        return STATUS_OK;
    case LEVEL_GRAPH_ASKS:
        g->leads_back |= g->order[from] >= g->order[to];
        return STATUS_OK;
    default:
        return level_graph_keep_edge(g, e, from, to, err);
    }
}

static inline bool level_graph_hears(const struct level_graph *g, enum edge_kind kind)
{
    return g->kinds >> kind & 1;
}

/* Hears session order, if the graph's kinds have it. */
MUST_USE enum status level_graph_hear_sessions(struct level_graph *, struct error *);
/* Hears real time by its barriers, which are the first waypoints, if the graph's kinds have it. */
MUST_USE enum status level_graph_hear_times(struct level_graph *, const struct barriers *,
                                            struct error *);
/* Hears an edge from each beginning to its commit, where there are two nodes. */
void level_graph_hear_moments(struct level_graph *);

MUST_USE enum status level_graph_find_components(struct level_graph *, struct error *);
bool level_graph_has_cycle(const struct level_graph *);

/* Nodes with those of the highest component first: no edge leads to one that stands earlier. */
MUST_USE enum status level_graph_sort(const struct level_graph *, uint32_t **sorted,
                                      struct error *);
/*
 * Tells the order of the transactions that take part as the check's witness, by nodes sorted so
 * that edges lead forward. A snapshot sees the commits before its beginning.
 */
MUST_USE enum status level_graph_tell_order(const struct level_graph *, const uint32_t *sorted,
                                            struct check *, struct error *);

/* Keeps the edges within components, of the first so many transactions: to be heard again. */
void level_graph_keep(struct level_graph *, uint32_t txn_end);
/* The edges that were kept become cycles, to be closed. */
MUST_USE enum status level_graph_take_cycles(struct level_graph *, const struct check_options *,
                                             struct cycles *, struct error *);

#endif
