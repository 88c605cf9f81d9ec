/*
 * settled_order: all instants in one order, which windows and all known orders allow.
 *
 * An instant that nothing leads to any more, and that is let go, has the window that it is going to
 * have: by where that begins, and among those that begin together in the order in which they were
 * let go, instants stand as early as they can. Where windows say nothing, they are let go at
 * the end, one after the other, those first which likely were.
 */
#ifndef CHECKERS_INTERVAL_SETTLED_ORDER_PRIVATE_H
#define CHECKERS_INTERVAL_SETTLED_ORDER_PRIVATE_H

#include "checkers/interval/derivation_private.h"

/* It goes, and nothing leads to it; its operation and key as derivation_program() takes them. */
void settled_order_add(struct interval_model *, const struct live_txn *, uint32_t point,
                       uint32_t op, uint32_t key);
/* Nothing comes any more: those that have not gone are settled, and all are put in order. */
MUST_USE enum status settled_order_finish(struct interval_model *, struct error *);

#endif
