/*
 * serial_order: an order in which transactions that saw snapshots could have run one after another.
 *
 * What each of them saw and wrote makes a graph: who wrote a version comes before who saw it, who saw
 * it before who replaced it, and writers of a row in the order of its versions. In the strict
 * case, who was completed comes before who was invoked after that. The order of
 * commits, with which a real database's serial order need not agree, decides only what the graph leaves open.
 */
#ifndef AUDIT_SERIAL_ORDER_PRIVATE_H
#define AUDIT_SERIAL_ORDER_PRIVATE_H

#include "audit/search_private.h"

/* After a search at snapshot that found all. `order` has as many as the search; false: there is a cycle. */
MUST_USE enum status serial_order_find(struct search *, bool is_strict, uint32_t *order,
                                       bool *is_found, struct error *);

#endif
