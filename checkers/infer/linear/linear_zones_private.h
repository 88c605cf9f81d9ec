/*
 * linear_zones: decides one key in polynomial time, where each state has one producer.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_ZONES_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_ZONES_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

/* By zones; false: it is no case for them, and nothing is said. */
MUST_USE enum status linear_zones_decide(struct task *, bool *is_decided, struct linear_result *,
                                         struct error *);

#endif
