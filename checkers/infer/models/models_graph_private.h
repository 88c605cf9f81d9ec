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

#endif
