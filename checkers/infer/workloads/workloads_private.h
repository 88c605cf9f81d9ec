/* workloads_private: the judges of each workload, and what they share. */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOADS_PRIVATE_H
#define CHECKERS_INFER_WORKLOADS_WORKLOADS_PRIVATE_H

#include "checkers/check_private.h"
#include "checkers/infer/workloads/workloads.h"
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"

#define WORKLOAD_TOLD_MAX 8 /* findings of a kind */

struct workload_judge {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    uint32_t told[4];
    uint64_t ruled_out; /* levels, by more than the findings at the level asked for */
    bool is_timed, is_stopped;
};

/* Of a transaction that committed, an answer. */
static inline bool workload_is_read(const struct history *h, uint32_t txn, uint32_t op)
{
    return h->txn_status[txn] == TXN_OK && h->op_kind[op] == OP_READ &&
           h->op_value_kind[op] != VALUE_NONE && !(h->op_flags[op] & OP_ERROR);
}

/* Whether it is to be told; otherwise it is counted. */
bool workload_finds(struct workload_judge *, unsigned which);
/* Whether nobody asked to stop. */
bool workload_goes_on(struct workload_judge *, uint32_t txn);

/* Whether at the level two reads that each lack what the other has cannot be. */
bool workload_asks_for_order(enum level);

#endif
