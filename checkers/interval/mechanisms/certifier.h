/*
 * certifier: dependencies between transactions, and what the database's certifier lets through.
 *
 * Serialization certifier (Leopard, section V-D and appendix III). What the other mechanisms deduce
 * of dependencies between transactions is put together here, and held against what the
 * database's own certifier would have let through:
 *
 *     cycles            T1 -> T2 -> ... -> T1                                     refused
 *     write-skew        a cycle; or T1 -rw-> T2 -rw-> T3, where T3 was the first  refused
 *                       of the three to commit
 *     timestamp-order   a cycle; or an order that no timestamps, each within the
 *                       times of its transaction, have                            refused
 *     validation        a cycle; or T1, which writes, read what T2 had
 *                       overwritten by the time at which T1 committed             refused
 *
 * (the one for concurrent versions is first_updater.c). In PostgreSQL the structure of
 * write-skew is only looked for between transactions that ran at once, and where T1 wrote
 * nothing only if T3 had committed before T1's snapshot (Ports and Grittner 2012). It is
 * claimed only where it surely was one:
 *
 *     T2  snapshot |--|                                 commit |--|
 *     T3         snapshot |--|  commit |--|
 *     T1                     snapshot |--|    commit |--|
 *
 * An anti-dependency may also be one to a later version than the next, which PostgreSQL
 * does not look for. But then the writer U of the next had committed before T2's snapshot, since
 * the first updater wins; so T2's snapshot before T1's rules it out, and so does a commit of
 * T3 before T1's snapshot. Of T2 -rw-> T3 it may be one: then T2 -rw-> U, and U committed even earlier.
 */
#ifndef CHECKERS_INTERVAL_MECHANISMS_CERTIFIER_H
#define CHECKERS_INTERVAL_MECHANISMS_CERTIFIER_H

#include "checkers/interval/interval_model_private.h"

/* One transaction depends on the other. */
MUST_USE enum status certifier_depend(struct interval_model *, uint32_t from, uint32_t to,
                                      enum order_reason, uint32_t key, struct error *);
/* A transaction read an earlier version of the key than that one. */
MUST_USE enum status certifier_missed(struct interval_model *, const struct live_txn *reader,
                                      const struct key_version *, uint32_t key, struct error *);
/* Where the certifier's instant of a transaction lies. */
struct time_window certifier_times(const struct interval_model *, const struct live_txn *);

#endif
