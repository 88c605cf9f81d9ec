/*
 * completion: completes the version orders, and finds the levels that hold with them.
 */
#ifndef CHECKERS_INFER_ORDERS_COMPLETION_PRIVATE_H
#define CHECKERS_INFER_ORDERS_COMPLETION_PRIVATE_H

#include "checkers/infer/infer_private.h"

/* Beside what was inferred, what the completion at hand has: of versions, and what read them. */
MUST_USE enum status infer_hear_completion(struct infer *, struct level_graph *, struct error *);

#endif
