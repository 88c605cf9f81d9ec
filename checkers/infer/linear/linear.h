/*
 * linear: whether each key, taken by itself, is linearizable.
 *
 *     accepts    T1 @10-40: w x 1    T2 @20-30: r x 1    T3 @25-35: r x _     T3, T1, T2
 *     refuses    T1 @10-40: w x 1    T2 @20-30: r x 1    T3 @35-50: r x _     T2 saw it, T3 no more
 *
 * What a transaction does to a key is one operation (a read, a write, both at once as of a
 * compare-and-set, appends), that takes effect at one moment between its invocation and its
 * completion; of unknown outcome: at any later time, or never. Linearizability is local (Herlihy
 * and Wing 1990): keys are judged one after another, and their orders are merged into one of all
 * transactions. A transaction that touches several keys is so many operations here. Then the
 * orders of the keys may have no common one: in that case what is not refuted is unknown.
 *
 *     calls     what transactions do to each key (linear_calls.c), in numbered states
 *               (States, in linear.c)
 *     zones     where each state that was read has one producer, the order of those that read and
 *               write at once is known, and of lists all of it: n log n (Gibbons and Korach 1997;
 *               linear_zones.c)
 *     search    otherwise: Wing and Gong 1993 as Lowe has improved it, with the memory of what
 *               has been tried (linear_search.c, linear_moves.c). Deciding is NP-complete: it
 *               gives up, and then the verdict is unknown
 *     refute    nothing is called invalid without a proof: the reasons are those that the
 *               black-box checker finds in the few operations that matter (linear_tell.c)
 *
 * Version orders of the history say here no more than who committed.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_H
#define CHECKERS_INFER_LINEAR_LINEAR_H

#include "checkers/checker.h"

/* Refuses statements, and a history without times. */
MUST_USE enum status linear_examine(const struct history *, struct error *);

/* The whole verdict, with its findings, its reason or its order. */
MUST_USE enum status linear_run(const struct history *, const struct check_options *,
                                struct check *, struct error *);

#endif
