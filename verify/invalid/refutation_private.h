/*
 * refutation: each step is a fact of the history or follows from steps before it, and the last one
 * cannot be. docs/format-witness.md, "refutation".
 */
#ifndef VERIFY_INVALID_REFUTATION_PRIVATE_H
#define VERIFY_INVALID_REFUTATION_PRIVATE_H

#include "verify/verify_private.h"

/* Of verdicts that were drawn from values alone. */
MUST_USE enum status verify_refutation(struct verifier *, const struct witness_anomaly *,
                                       struct error *);

#endif
