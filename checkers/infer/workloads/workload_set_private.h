/*
 * workload_set: finds elements of a set that were lost.
 */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOAD_SET_PRIVATE_H
#define CHECKERS_INFER_WORKLOADS_WORKLOAD_SET_PRIVATE_H

#include "checkers/infer/workloads/workloads_private.h"

MUST_USE enum status workload_judge_set(struct workload_judge *, struct error *);

#endif
