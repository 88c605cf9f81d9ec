/*
 * graph: judges the graph of all inferred edges.
 */
#ifndef CHECKERS_INFER_ORDERS_GRAPH_H
#define CHECKERS_INFER_ORDERS_GRAPH_H

#include "checkers/infer/infer_private.h"

/*
 * A graph of a level hears edges. Each part tells all of its own, in the same order every time.
 *
 *     edge.by    CLOSING_SESSION or _BY_TIME where the versions' order was inferred from
 *                that: such an edge counts only at those levels
 *
 * Nodes are transactions, then barriers of time, then hubs. A hub stands between the
 * many readers of a version and the many writers behind it:
 *
 *     reader --rw (op, key, version)--> hub --rw (key, other)--> writer
 *
 * is the one edge reader --rw--> writer, for each pair. Where there are few of either, say
 * them one by one. infer_add_hub() gives out hubs before the graph is made.
 */
MUST_USE enum status infer_judge_graph(struct infer *, struct error *);

/* Valid: an order at hand explains everything, and is the witness. */
MUST_USE enum status infer_replay(struct infer *, bool *is_valid, struct error *);

#endif
