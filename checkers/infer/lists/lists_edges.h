/*
 * lists_edges: the edges that lists imply.
 */
#ifndef CHECKERS_INFER_LISTS_LISTS_EDGES_H
#define CHECKERS_INFER_LISTS_LISTS_EDGES_H

#include "checkers/infer/infer_private.h"

/* What edges need to be told, once all standing is settled: before the graph is made. */
MUST_USE enum status infer_plan_lists(struct infer *, struct error *);
MUST_USE enum status infer_hear_lists(struct infer *, struct level_graph *, struct error *);

/* Of lists: whether the version stands behind the chain, in an order that nothing shows. */
bool infer_is_behind_list(const struct infer *, uint32_t key, uint32_t number);

#endif
