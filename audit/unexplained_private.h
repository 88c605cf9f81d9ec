/*
 * unexplained: what a transaction would have answered in each state that it may have seen.
 *
 * For people: the table that stands below an answer that nothing explains. It speaks of the states
 * that the search had made when it met that answer first.
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

#endif
