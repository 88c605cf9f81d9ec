/*
 * unexplained: what a transaction would have answered in each state that it may have seen.
 *
 * For people: the table that stands below an answer that nothing explains. It speaks of the states
 * that whoever looked for one had made when that answer was met.
 */
#ifndef AUDIT_UNEXPLAINED_PRIVATE_H
#define AUDIT_UNEXPLAINED_PRIVATE_H

#include "audit/audit.h"
#include "audit/search_private.h"

#define UNEXPLAINED_STATES_MAX 8

/* `wrong` is empty; the search stands at the transaction, and nothing is pending. */
MUST_USE enum status unexplained_find(struct audit_wrong *, const struct search *, uint32_t txn,
                                       struct error *);
void unexplained_close(struct audit_wrong *);

/* The same, state by state: `wrong` is empty; a run that explains itself; the answer, at the end. */
void unexplained_begin(struct audit_wrong *, const struct plan *, uint32_t txn);
MUST_USE enum status unexplained_note(struct audit_wrong *, const struct runner *, int64_t after,
                                      struct error *);
MUST_USE enum status unexplained_end(struct audit_wrong *, const struct plan *, uint32_t txn,
                                     struct error *);

#endif
