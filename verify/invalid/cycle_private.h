/*
 * cycle: invalid by a cycle: every edge is there, the level forbids the cycle, and its kind is what
 * it is called.
 */
#ifndef VERIFY_INVALID_CYCLE_PRIVATE_H
#define VERIFY_INVALID_CYCLE_PRIVATE_H

#include "verify/verify_private.h"

/* Each edge leads to where the next one comes from, and the last to the first. */
MUST_USE enum status cycle_check_round(struct verifier *, const struct witness_anomaly *,
                                       struct error *);

/* An edge with what it names looked up. */
struct named_edge {
    const struct witness_edge *w;
    uint32_t from, to, key;
    uint32_t from_op, to_op;
    uint32_t from_version, to_version; /* operations */
};

MUST_USE enum status cycle_refuse_edge(struct verifier *, const struct named_edge *,
                                       const char *why, struct error *);

MUST_USE enum status verify_cycle(struct verifier *, const struct witness_anomaly *,
                                  struct error *);

#endif
