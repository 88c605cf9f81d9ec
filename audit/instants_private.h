/*
 * instants: which states a transaction may have seen, by the times of clients.
 *
 * Of a transaction that reads at some time between its invocation and its first answer: what was
 * completed before it was invoked is in what it saw, and what was invoked after its first answer came
 * is not. The strict levels promise that; elsewhere it is where to look first.
 *
 * Bounds are given as places in the order in which transactions are taken. Those that only read
 * have no place and bound nothing.
 */
#ifndef AUDIT_INSTANTS_PRIVATE_H
#define AUDIT_INSTANTS_PRIVATE_H

#include "audit/plan_private.h"

struct instants {
    /* By transaction. */
    uint32_t *least; /* the order's first so many at least */
    uint32_t *most;  /* and so many at the most */
    bool is_torn;    /* a transaction that writes stands before one that was completed before it was invoked */
};

/* `last`: up to the completion instead of the first answer. */
MUST_USE enum status audit_instants_find(struct instants *, const struct plan *, const uint32_t *order,
                                   uint32_t count, bool last, struct error *);
void audit_instants_close(struct instants *);

#endif
