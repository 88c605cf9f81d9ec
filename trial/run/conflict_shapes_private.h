/*
 * conflict_shapes: features of a history's conflict graph, for coverage.
 *
 *     T1 ──wr──▶ T2 ──rw──▶ T3      kinds of edges that meet at a transaction
 *        ◀──rw──                    two transactions with edges both ways
 *     4 reads from, 2 overwrites    how many edges of each kind a transaction has
 *
 * The value of a read tells its writer, and the version order, where there is one, tells the next
 * writer. An edge also says whether its transactions overlap in time, follow each other, or run
 * against the edge. This is no verdict: values that were written twice, and predicates, may make edges
 * that do not exist.
 */
#ifndef TRIAL_RUN_CONFLICT_SHAPES_PRIVATE_H
#define TRIAL_RUN_CONFLICT_SHAPES_PRIVATE_H

#include "history/history.h"
#include "sim/coverage.h"

MUST_USE enum status conflict_shapes_cover(const struct history *, struct coverage *,
                                           struct error *);

#endif
