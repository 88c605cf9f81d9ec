/*
 * forward: whether all that infer can deduce leads forward in an order.
 */
#ifndef VERIFY_FORWARD_H
#define VERIFY_FORWARD_H

#include "verify/inferred.h"

/* After places are given, and versions, sources, inferred are built. */
MUST_USE enum status verify_forward(struct verifier *, struct error *);

#endif
