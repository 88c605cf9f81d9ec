/*
 * workload_bank: checks the totals and balances of a bank.
 */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOAD_BANK_PRIVATE_H
#define CHECKERS_INFER_WORKLOADS_WORKLOAD_BANK_PRIVATE_H

#include "checkers/infer/workloads/workloads_private.h"

MUST_USE enum status workload_judge_bank(struct workload_judge *, struct error *);

/* Of a bank in which nothing is wrong: whoever committed, or the doubt. */
MUST_USE enum status workload_tell_bank(struct workload_judge *, struct error *);

#endif
