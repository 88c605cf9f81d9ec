/*
 * workload: verifies anomalies and orders of banks, sets and counters, where the header of the
 * history names such a workload. docs/format-witness.md, "Workloads".
 *
 * Of a set or counter, and of a bank in which nothing is written, nothing else can be wrong: lists
 * and registers are not what they seem there.
 */
#ifndef VERIFY_VALUES_WORKLOAD_H
#define VERIFY_VALUES_WORKLOAD_H

#include "verify/verify_private.h"

bool workload_is_called(const struct verifier *, const char *name);
/* Whether what is read there is judged by its workload alone. */
bool verify_has_own_workload(const struct verifier *);

/* Keys that have an integer somewhere: once for all. */
MUST_USE enum status workload_bank_accounts(struct verifier *, struct error *);
/* What a transaction found in all accounts before it wrote there, or what was there; false: not all. */
bool workload_bank_total(struct verifier *, const struct witness_version *, uint64_t *total);

/* wrong-total: of two transactions, or of one and what was there initially. */
MUST_USE enum status verify_totals(struct verifier *, const struct witness_anomaly *,
                                   struct error *);
/* negative-balance, lost-element, count-out-of-bounds; of workloads of their own others as well. */
bool workload_has_kind(const struct verifier *, enum anomaly);
MUST_USE enum status verify_workload_read(struct verifier *, const struct witness_anomaly *,
                                          struct error *);
/* incompatible-order: of a set, two reads that each lack what the other has. */
MUST_USE enum status verify_workload_reads(struct verifier *, const struct witness_anomaly *,
                                           struct error *);

/*
 * Valid: an order explains what was read, or, of a bank in which nobody wrote, all totals are one.
 * After places are given, and held against sessions or times.
 */
MUST_USE enum status verify_workload_valid(struct verifier *, struct error *);

#endif
