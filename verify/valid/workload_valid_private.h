/*
 * workload_valid: whether nothing is wrong with a history of a bank, a set or a counter in which
 * nobody wrote: an order explains what was read, or, of a bank, all totals are one.
 * docs/format-witness.md, "Workloads".
 */
#ifndef VERIFY_VALID_WORKLOAD_VALID_PRIVATE_H
#define VERIFY_VALID_WORKLOAD_VALID_PRIVATE_H

#include "verify/verify_private.h"

/* After places are given, and held against sessions or times. */
MUST_USE enum status verify_workload_valid(struct verifier *, struct error *);

#endif
