/*
 * orders: the data that the graph, the completions and the alternatives share.
 *
 *     graph.c         the graph, its components, which levels its cycles violate
 *     completion.c    orders of all versions, and which levels they show to hold
 *     alternatives.c  what follows where one of two versions must come first
 */
#ifndef CHECKERS_INFER_ORDERS_ORDERS_PRIVATE_H
#define CHECKERS_INFER_ORDERS_ORDERS_PRIVATE_H

#include "checkers/infer/infer_private.h"
#include "checkers/infer/models/models.h"

#define ALL_KINDS UINT32_MAX

struct inferred_graph {
    struct infer *infer;
    uint32_t node_count; /* transactions and waypoints */
    struct level_graph graph;
    struct cycles cycles;
    bool knows_cycles;
    const struct edge *chosen; /* heard, too: orders of versions that were chosen, by the caller */
    size_t chosen_count;
    bool hears_completion; /* edges of the completion at hand are heard, too */
    bool is_acyclic;       /* the graph at hand, which is the whole one */
    bool is_harmless;      /* the completion that was planned makes no cycle */
    uint64_t settled;      /* levels of which cycles have said what they say */
    uint64_t shown_now;    /* by the completion at hand */
};

/* The graph of such edges, and its components; of neither anything if the check is stopped. */
MUST_USE enum status infer_find_components(struct inferred_graph *, uint32_t kinds, uint32_t sources,
                                           bool has_moments, struct error *);
/* The same with the edges of a level of INFER_GRAPH_LEVELS. */
MUST_USE enum status infer_find_components_of(struct inferred_graph *, enum level, struct error *);
/* The same with what is before what in the view of a model. */
MUST_USE enum status infer_find_view(struct inferred_graph *, enum level, struct error *);

/* The edges within components, of the first so many transactions: in graph.kept. */
MUST_USE enum status infer_keep_cyclic(struct inferred_graph *, uint32_t txn_end, struct error *);

/* Tells the order that shows that the level asked for holds. */
MUST_USE enum status infer_tell_shown_order(struct inferred_graph *, struct error *);

/* Models of cycles of the history, to be closed. */
MUST_USE enum status infer_open_models(const struct infer *, const struct cycles *,
                                       struct models *, struct error *);
/* Levels and models that cycles_violate() does not decide, as models_decide() does. */
MUST_USE enum status infer_decide_models(const struct infer *, const struct cycles *,
                                         uint64_t asked, uint64_t *violated, uint64_t *undecided,
                                         struct error *);

/* Of the whole graph, which has cycles: the completion by its order, and whether that can matter. */
MUST_USE enum status infer_plan_completion(struct inferred_graph *, struct error *);

/* Whether the order of a version of the key among others may be open. */
bool infer_is_open(const struct infer *, uint32_t key, uint32_t number);

/*
 * Completes by an order of the level's graph, with what was chosen: if that shows the level, it is
 * among c->shown, and if it was asked for, the check has its witness.
 */
MUST_USE enum status infer_show_level(struct inferred_graph *, enum level, struct error *);

/* Finds out which levels hold for certain: c->shown. The check says so if it is not the one. */
MUST_USE enum status infer_show(struct inferred_graph *, bool has_cycles, struct error *);

#endif
