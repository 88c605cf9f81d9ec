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

/* What an end of an edge names; a version is an operation. */
struct edge_end {
    uint32_t txn, op, version;
};

struct named_edge {
    const struct witness_edge *w;
    uint32_t key;
    struct edge_end from_end, to_end;
};

typedef enum status edge_function(struct verifier *, const struct named_edge *,
                                  const struct edge_end *, struct error *);

/* What makes edges of data true, by what the verdict is drawn from. */
struct edge_rules {
    edge_function *wrote, *read; /* that an end did that */
    edge_function *saw;          /* likewise by a predicate; NULL: there are no such edges */
    enum status (*is_before)(struct verifier *, const struct named_edge *, bool *, struct error *);
    const char *unordered; /* what is said if it is not */
    bool sees_later; /* a predicate may have seen a later version than the one that it depends on */
    bool needs_commits; /* both must have committed for certain */
};

MUST_USE enum status cycle_refuse_edge(struct verifier *, const struct named_edge *,
                                       const char *why, struct error *);

MUST_USE enum status verify_cycle(struct verifier *, const struct witness_anomaly *,
                                  struct error *);

#endif
