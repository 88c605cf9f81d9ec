/*
 * settled: all instants in one order, which windows and all known orders allow.
 *
 * An instant that nothing leads to any more, and that is let go, has the window that it is going to
 * have: by where that begins, and among those that begin together in the order in which they were
 * let go, instants stand as early as they can. Where windows say nothing, they are let go at
 * the end, one after the other, those first which likely were.
 */
#ifndef CHECKERS_INTERVAL_SETTLED_H
#define CHECKERS_INTERVAL_SETTLED_H

#include "checkers/interval/grounds.h"

/* It goes, and nothing leads to it; its operation and key as grounds_program() takes them. */
void settled_add(struct mirror *, const struct live *, uint32_t point, uint32_t op, uint32_t key);
/* Nothing comes any more: those that have not gone are settled, and all are put in order. */
MUST_USE enum status settled_finish(struct mirror *, struct error *);

#endif
