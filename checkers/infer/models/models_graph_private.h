/*
 * models_graph: the cyclic edges of a model, and reachability in a graph.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_GRAPH_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_GRAPH_PRIVATE_H

#include "checkers/infer/models/models_private.h"

MUST_USE enum status models_picture_cycles(const struct picture *, struct edge_list *, struct error *);
void models_arcs_close(struct arcs *);

/* Whether any of the questions has the answer yes. The questions change places. */
MUST_USE enum status models_arcs_reach(struct arcs *, struct budget *, bool *yes, struct error *);
MUST_USE enum status models_arcs_have_circle(const struct arcs *, bool *, struct error *);

struct ties {
    const struct picture *picture;
    const struct cycles *cycles;
    struct edge_list edges;
    uint32_t *out_start, *out; /* by node, and one more: edges that begin there */
    uint32_t *in_start, *in;
    uint32_t *rank;  /* by node */
    bool has_circle; /* of dependencies alone: then ranks tell nothing */
};

/* Closed by models_ties_close(), also after a failure. */
MUST_USE enum status models_ties_init(struct ties *, const struct picture *, struct error *);
void models_ties_close(struct ties *);

/* From a reader to a writer, or to a hub. */
static inline bool ties_is_anti(const struct ties *t, uint32_t edge)
{
    return edge_is_anti(t->cycles->edges[edge].kind) &&
           !models_is_hub(t->picture->models, t->cycles->from[edge]);
}

#endif
