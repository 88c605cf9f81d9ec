/*
 * workload: what histories of banks, sets and counters cannot show, if their header says
 * that they are that. docs/format-witness.md, "Workloads".
 */
#ifndef VERIFY_WORKLOAD_H
#define VERIFY_WORKLOAD_H

#include "verify/verify_private.h"

/* wrong-total: of two transactions, or of one and what was there initially. */
MUST_USE enum status verify_totals(struct verifier *, const struct witness_anomaly *,
                                   struct error *);
/* negative-balance, lost-element, count-out-of-bounds */
bool workload_has_kind(enum anomaly);
MUST_USE enum status verify_workload_read(struct verifier *, const struct witness_anomaly *,
                                          struct error *);

#endif
