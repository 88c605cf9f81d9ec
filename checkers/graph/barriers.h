/*
 * barriers: real time as a graph of linear size.
 *
 * A transaction comes before all that begin after it has completed. Drawn as edges
 * from one to the other, even the transitive reduction may be quadratic: a hundred
 * that end before a hundred begin. So time itself has nodes, the barriers, between
 * completions and the beginnings that follow:
 *
 *     T1 |------|                     T1 -> B0 -> T3
 *     T2   |---------|                T2 -> B1 -> T4,  B0 -> B1
 *     T3          |------|
 *     T4                |----|        at most two edges a transaction, one a barrier
 *                 B0    B1
 *
 * One comes before the other exactly where a path leads from it through barriers.
 * Nothing comes after a transaction of unknown outcome.
 */
#ifndef CHECKERS_GRAPH_BARRIERS_H
#define CHECKERS_GRAPH_BARRIERS_H

#include "checkers/graph/places.h"

#define BARRIER_NONE UINT32_MAX

struct barriers {
    uint32_t count;
    uint32_t *after;  /* by transaction: the barrier that it leads to, or none */
    uint32_t *before; /* by transaction: the barrier that leads to it, or none */
};

/* Of the transactions that are in. Closed by barriers_close(), also after a failure. */
MUST_USE enum status barriers_init(struct barriers *, const struct places *, struct error *);
void barriers_close(struct barriers *);

#endif
