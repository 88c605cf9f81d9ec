/*
 * cycle: what witnesses' cycles have in common, whatever their edges are.
 */
#ifndef VERIFY_CYCLE_H
#define VERIFY_CYCLE_H

#include "verify/verify_private.h"

/* Each edge leads to where the next one comes from, and the last to the first. */
MUST_USE enum status check_round(struct verifier *, const struct witness_anomaly *, struct error *);

/* An edge with what it names looked up. */
struct edge {
    const struct witness_edge *w;
    uint32_t from, to, key;
    uint32_t from_op, to_op;
    uint32_t from_version, to_version; /* operations */
};

MUST_USE enum status refuse_edge(struct verifier *, const struct edge *, const char *why,
                                 struct error *);

/* An edge of data, with infer. */
MUST_USE enum status check_inferred_edge(struct verifier *, const struct edge *, struct error *);

/* Whether the model forbids a cycle with edges of these kinds in this order, all of them true. */
bool model_forbids(const struct verifier *, const struct witness_anomaly *);

/* With weak. */
MUST_USE enum status verify_forced_cycle(struct verifier *, const struct witness_anomaly *,
                                         struct error *);

#endif
