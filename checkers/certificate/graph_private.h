/*
 * graph: builds the graph of a level, and finds its cycles or an order.
 */
#ifndef CHECKERS_CERTIFICATE_GRAPH_PRIVATE_H
#define CHECKERS_CERTIFICATE_GRAPH_PRIVATE_H

#include "checkers/certificate/certificate_private.h"

/*
 * Whether sessions and real time lead forward in the order of places, each
 * transaction beginning where it looks, as far as the level asks for them.
 */
MUST_USE enum status certificate_scan_times(struct certificate *, bool *is_forward, struct error *);

/*
 * Whether every edge leads forward in the order of places: then there is no cycle,
 * and that order shows it.
 */
MUST_USE enum status certificate_leads_forward(struct certificate *, bool *is_forward,
                                               struct error *);
/* Looks for cycles that violate the level, and tells of them; else says in what order all went. */
MUST_USE enum status certificate_check_graph(struct certificate *, struct error *);
/* Whether there is a cycle that violates a weaker level, which has no snapshots. */
MUST_USE enum status certificate_graph_violates(struct certificate *, enum level, bool *,
                                                struct error *);

#endif
