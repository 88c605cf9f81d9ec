/*
 * workload_order: finds an order of all transactions of a set or a counter.
 */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOAD_ORDER_PRIVATE_H
#define CHECKERS_INFER_WORKLOADS_WORKLOAD_ORDER_PRIVATE_H

#include "checkers/infer/workloads/workloads_private.h"

/*
 * Of a set or a counter: an order of all as the witness, or what forbids one, or the doubt. Of sets it
 * tells of elements that nobody added, and of reads that have no order.
 */
MUST_USE enum status workload_find_order(struct workload_judge *, enum workload_kind,
                                         struct error *);

#endif
