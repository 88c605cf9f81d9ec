/*
 * registers_edges: the edges that version orders of registers imply.
 */
#ifndef CHECKERS_INFER_REGISTERS_REGISTERS_EDGES_H
#define CHECKERS_INFER_REGISTERS_REGISTERS_EDGES_H

#include "checkers/infer/registers/registers.h"

/* registers_edges.c: groups of links, with hubs. */
MUST_USE enum status registers_group(struct registers *, struct error *);
void registers_add_hubs(struct registers *, struct link_group *);

/*
 * An anti-dependency on all that follows in the group, but `own` (or INFER_NOTHING): all but
 * its end is in the edge.
 */
MUST_USE enum status registers_hear_next(const struct registers *, const struct link_group *,
                                         struct edge, uint32_t own, struct level_graph *,
                                         struct error *);
MUST_USE enum status infer_hear_registers(struct infer *, struct level_graph *, struct error *);

/* Beside what was inferred, what the completion at hand has: of versions, and what read them. */
MUST_USE enum status infer_hear_completed_reads(struct infer *, struct level_graph *, struct error *);

/* Which version comes before which. */
MUST_USE enum status registers_link(struct registers *, struct error *);

#endif
