/*
 * fixed_order: the order that sessions or real time fix, whatever was read and written.
 *
 *     session 1:  T1 T3 T6        slot 0, places 1 2 3
 *     session 2:  T2 T5           slot 1, places 1 2
 *     T4, unknown, of session 2   slot 2, place 1; after T2
 *
 * A *slot* is a line of actors that follow each other, and a *place* counts along it: what an
 * actor comes after of one slot is told by one number. Nothing comes after an unknown one.
 *
 * Real time puts everybody after all who had completed when it began. Time itself has nodes
 * for that, the barriers (see checkers/graph/barriers.h), and slots are filled as rooms
 * are let: to who comes next after the first has left.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_FIXED_ORDER_H
#define CHECKERS_SEARCH_POLYGRAPH_FIXED_ORDER_H

#include "checkers/search/polygraph/distill.h"
#include "history/level.h"

struct fixed_order {
    enum cycle_closing closing; /* by data: there is no base, and there are no slots */
    uint32_t slot_count;
    uint32_t *slot, *place; /* by actor; places from 1 */
    uint32_t *before;       /* by actor: the last before it in its session, or NOBODY */
    uint32_t barrier_count;
    uint32_t *barrier_after, *barrier_before; /* by actor, or NOBODY */
};

MUST_USE enum status fixed_order_init(struct fixed_order *, const struct distilled *, enum cycle_closing,
                                      struct arena *, struct error *);

#endif
