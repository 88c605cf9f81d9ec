/*
 * conflict_shapes: what the conflict graph of a history looks like, for coverage.
 *
 *     T1 ──wr──▶ T2 ──rw──▶ T3      kinds of edges that meet at a transaction
 *        ◀──rw──                    two transactions with edges both ways
 *     4 reads from, 2 overwrites    how many edges of each kind a transaction has
 *
 * Who wrote what was read is told by the value, and what came behind it by the version
 * order, where the history has one. An edge is also told by whether its transactions
 * overlap in time, follow each other, or run against the edge. This judges nothing: a value that
 * was written twice, or a predicate, may make an edge that is not there.
 */
#ifndef TRIAL_RUN_CONFLICT_SHAPES_PRIVATE_H
#define TRIAL_RUN_CONFLICT_SHAPES_PRIVATE_H

#include "history/history.h"
#include "sim/coverage.h"

MUST_USE enum status conflict_shapes_cover(const struct history *, struct coverage *,
                                           struct error *);

#endif
