/*
 * workload_counter: checks that each read of a counter is within its bounds.
 */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOAD_COUNTER_PRIVATE_H
#define CHECKERS_INFER_WORKLOADS_WORKLOAD_COUNTER_PRIVATE_H

#include "checkers/infer/workloads/workloads_private.h"

MUST_USE enum status workload_judge_counter(struct workload_judge *, struct error *);

#endif
