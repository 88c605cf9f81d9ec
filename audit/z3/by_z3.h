/*
 * by_z3: the engine z3, which looks for an execution in the order of commits, rule after rule.
 *
 *     by_z3      the rules; what Z3 has found is an execution only if the machine comes to the same answers
 *     prefixes   one transaction after another: which states are tried, and Z3 is asked
 *     symbolic   a transaction, run for all states at once
 *     query      its expressions and statements
 *     rows       the versions of rows, seen in a state that is not known yet
 *     values     what is in their cells, and operators
 *     terms      integers and booleans of Z3
 */
#ifndef AUDIT_Z3_BY_Z3_H
#define AUDIT_Z3_BY_Z3_H

#include "audit/audit.h"
#include "audit/exhaust_private.h"
#include "base/map.h"

#define BY_Z3_AGAINST_TIME                                                                         \
    "the engine z3 tries the order of commits alone, which is not that of time"

struct by_z3 {
    const struct plan *plan;
    struct rows *rows; /* as the log begins; if an execution is found, as that leaves them */
    const struct audit_options *options;
    struct pace *pace;
    const uint32_t *order;
    uint32_t count;

    /* What it came to, by the last rule. */
    struct exhaust_options job;
    struct audit_z3_result result;
    uint64_t jumps;
    bool is_found;
    struct exhaust found; /* if it is */
    struct runner runner;
    char reason[400]; /* if it is neither found nor impossible */

    /* At strict-snapshot: times bound the states, and those that only read stand where these let them. */
    bool is_bound;
    struct instants instants;
    uint32_t *bound_order;

    /* Of what Z3 has found. */
    struct map wanted; /* states by transaction, statement and row */
    uint32_t *before;  /* by place in the order: how many in front of it have committed */
};

/* To be closed whatever the status. */
MUST_USE enum status by_z3_run(struct by_z3 *, struct error *);
void by_z3_close(struct by_z3 *);

/* All states that the level allows to the transaction at a place of the order. */
struct run_window by_z3_window(const struct by_z3 *, uint32_t place);

#endif
