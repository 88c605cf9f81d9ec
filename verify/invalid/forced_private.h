/*
 * forced: invalid at a weak level by a cycle of session order, reads, and what reads force on the
 * commit order. docs/format-witness.md, "weak".
 */
#ifndef VERIFY_INVALID_FORCED_PRIVATE_H
#define VERIFY_INVALID_FORCED_PRIVATE_H

#include "verify/invalid/cycle_private.h"

/* With weak. */
MUST_USE enum status verify_forced_cycle(struct verifier *, const struct witness_anomaly *,
                                         struct error *);

#endif
