/*
 * mutual_exclusion: no key is locked by two transactions at once, where their locks exclude each other.
 *
 * Mutual exclusion (Leopard, section V-B). A lock is taken within the times of an operation, and
 * held until the commit:
 *
 *     T0  locks |--|                commits |--|
 *     T1               locks |--|                  commits |--|     both had it at once
 *
 * Of two that exclude each other, one was given back before the other was taken. T0 first is
 * impossible here, as it commits after T1 had its lock; so is T1. Where the times leave one
 * of the two orders, it is that.
 */
#ifndef CHECKERS_INTERVAL_MECHANISMS_MUTUAL_EXCLUSION_H
#define CHECKERS_INTERVAL_MECHANISMS_MUTUAL_EXCLUSION_H

#include "checkers/interval/interval_model_private.h"

MUST_USE enum status mutual_exclusion_judge(struct interval_model *, struct live_txn *,
                                            uint32_t access, struct error *);
/* Whether a query locks what it did not find. */
bool mutual_exclusion_locks_range(const struct interval_model *, const struct txn_access *query);
MUST_USE enum status mutual_exclusion_judge_range(struct interval_model *, const struct live_txn *,
                                                  uint32_t access, uint32_t key, struct error *);
MUST_USE enum status mutual_exclusion_installed(struct interval_model *, const struct live_txn *,
                                                uint32_t access, uint32_t key, uint32_t version,
                                                struct error *);

#endif
