/*
 * gather: collects the last writes and the outside reads of each transaction, the writer of each
 * read, and sessions.
 */
#ifndef CHECKERS_WEAK_GATHER_PRIVATE_H
#define CHECKERS_WEAK_GATHER_PRIVATE_H

#include "checkers/weak/weak_private.h"

MUST_USE enum status weak_index_keys(struct weak *, struct error *);

/* All that take part, by session, in the order of the history; `start` by session, and one more. */
MUST_USE enum status weak_sort_by_session(const struct weak *, uint32_t **start, uint32_t **txns,
                                          bool with_unknown, struct error *);
MUST_USE enum status weak_gather(struct weak *, struct error *);
MUST_USE enum status weak_find_writers(struct weak *, struct error *);
MUST_USE enum status weak_find_sessions(struct weak *, struct error *);
MUST_USE enum status weak_add_fault(struct weak *, uint32_t txn, uint32_t op, uint32_t other,
                                    enum weak_fault_kind, struct error *);

MUST_USE enum status weak_read_lists(struct weak *, struct error *);

#endif
