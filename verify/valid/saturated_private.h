/*
 * saturated: whether a commit order has all that reads force on it, at a weak level, or at causal by a
 * certificate.
 */
#ifndef VERIFY_VALID_SATURATED_PRIVATE_H
#define VERIFY_VALID_SATURATED_PRIVATE_H

#include "verify/values/sources.h"

/* After places are given, and without a certificate sources_build(). Not at prefix, which has snapshots. */
MUST_USE enum status verify_saturated(struct verifier *, struct error *);

#endif
