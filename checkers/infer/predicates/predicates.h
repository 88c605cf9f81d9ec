/*
 * predicates: infers which versions statements saw, and the edges that follow.
 */
#ifndef CHECKERS_INFER_PREDICATES_PREDICATES_H
#define CHECKERS_INFER_PREDICATES_PREDICATES_H

#include "checkers/infer/infer_private.h"

MUST_USE enum status infer_read_predicates(struct infer *, struct error *);
MUST_USE enum status infer_link_predicates(struct infer *, struct error *);
MUST_USE enum status infer_hear_predicates(struct infer *, struct level_graph *, struct error *);
void infer_close_predicates(struct infer *);

/* Whether what its statements saw is there, by number and key, before it writes. */
bool infer_predicates_agree(const struct infer *, uint32_t txn, const uint32_t *state);
MUST_USE enum status infer_hear_completed_sights(struct infer *, struct level_graph *,
                                                 struct error *);

#endif
