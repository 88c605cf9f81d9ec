/*
 * lists: keys that are lists: which may be judged, and what their reads show.
 */
#ifndef CHECKERS_WEAK_LISTS_PRIVATE_H
#define CHECKERS_WEAK_LISTS_PRIVATE_H

#include "checkers/weak/weak_private.h"

MUST_USE enum status weak_judge_keys(struct weak *, struct error *);
MUST_USE enum status weak_read_lists(struct weak *, struct error *);

#endif
