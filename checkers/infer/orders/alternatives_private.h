/*
 * alternatives: tries both orders of two versions, and draws what follows from either.
 */
#ifndef CHECKERS_INFER_ORDERS_ALTERNATIVES_PRIVATE_H
#define CHECKERS_INFER_ORDERS_ALTERNATIVES_PRIVATE_H

#include "checkers/infer/orders/orders_private.h"

/*
 * Of a level that nothing rules out, and no completion so far shows: rules it out, and tells if it
 * is the one asked for; or shows it; or leaves it as it is.
 */
MUST_USE enum status infer_try_alternatives(struct inferred_graph *, enum level, struct error *);

#endif
