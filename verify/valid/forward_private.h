/*
 * forward: whether all that infer can deduce leads forward in an order.
 */
#ifndef VERIFY_VALID_FORWARD_PRIVATE_H
#define VERIFY_VALID_FORWARD_PRIVATE_H

#include "verify/values/inferred.h"

/* After places are given, and versions, sources, inferred are built. */
MUST_USE enum status verify_forward(struct verifier *, struct error *);

#endif
