/*
 * consistent_read: a read returns the last version before its view, or what its own transaction wrote.
 *
 * Consistent read (Leopard, section V-A). Of the versions of a key
 *
 *     w0 |--|                            garbage: w1 surely came after it, before the view
 *     w1      |---|                      the view may see it
 *     w2         |---|                   or this one: nobody knows which was later
 *     w3               |------|          or this one
 *     view               |--|
 *     w4                       |---|     future
 *
 * a read returns one that its view may see. None that has its value: it is wrong whatever
 * the instants were. Just one: then it is that one, every other that surely came before the
 * view came before it, and every one that surely came after it comes after the view.
 */
#ifndef CHECKERS_INTERVAL_MECHANISMS_CONSISTENT_READ_H
#define CHECKERS_INTERVAL_MECHANISMS_CONSISTENT_READ_H

#include "checkers/interval/interval_model_private.h"

/* Whether a transaction sees its own writes before it commits. */
bool consistent_read_sees_own(const struct interval_model *);
/* A read of what the transaction wrote last before it. */
void consistent_read_judge_own(struct interval_model *, const struct live_txn *,
                               const struct trace_op *read, const struct txn_access *own);
/* A row that matches came or did not come, against what the transaction wrote there last. */
void consistent_read_judge_own_row(struct interval_model *, const struct live_txn *, uint32_t op,
                                   uint32_t key, bool came);
/* A row came twice in one answer. */
void consistent_read_judge_twice(struct interval_model *, const struct live_txn *, uint32_t op,
                                 uint32_t key);

MUST_USE enum status consistent_read_judge(struct interval_model *, struct live_txn *,
                                           uint32_t access, struct error *);
/* A version is there: who read an earlier one comes before it. */
MUST_USE enum status consistent_read_installed(struct interval_model *, uint32_t key,
                                               uint32_t version, struct error *);

#endif
