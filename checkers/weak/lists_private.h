/*
 * lists: decides which keys are lists, and what reads show of their order.
 */
#ifndef CHECKERS_WEAK_LISTS_PRIVATE_H
#define CHECKERS_WEAK_LISTS_PRIVATE_H

#include "checkers/weak/weak_private.h"

MUST_USE enum status weak_judge_keys(struct weak *, struct error *);
MUST_USE enum status weak_read_lists(struct weak *, struct error *);

#endif
