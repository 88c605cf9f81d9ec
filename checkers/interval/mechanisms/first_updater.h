/*
 * first_updater: of two transactions that write a key, one commits before the other reads.
 *
 * First updater wins (Leopard, section V-C). Of two transactions that committed a version of a
 * key, one committed before the other's view:
 *
 *     T0  view |--|            commit |--|
 *     T1            view |--|               commit |--|     neither did: an update was lost
 *
 * The order T0, T1 is impossible, as T0 commits after T1's view; so is T1, T0. Where the times
 * leave one of the two, it is that. A certifier that looks for
 * concurrent versions at the commit (Percolator's) sees to the same.
 */
#ifndef CHECKERS_INTERVAL_MECHANISMS_FIRST_UPDATER_H
#define CHECKERS_INTERVAL_MECHANISMS_FIRST_UPDATER_H

#include "checkers/interval/interval_model_private.h"

MUST_USE enum status first_updater_judge(struct interval_model *, struct live_txn *,
                                         uint32_t access, struct error *);
/* Who sees to it that the first updater wins. */
enum mechanism first_updater_mechanism(const struct interval_model *);

#endif
