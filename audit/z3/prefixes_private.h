/*
 * prefixes: asks Z3 for the states that transactions saw, one transaction after another, as section 7 of "Checking
 * Observational Correctness of Database Systems" does.
 *
 * Each transaction is run for all states (symbolic_private.h), what it was answered is asserted, and Z3 is asked
 * whether the log up to it has an execution. The heuristics of section 7.1:
 *
 *     H1  a row is looked for by its key, and not among all rows
 *     H2  a transaction has seen one of the newest states only; more of them if that is impossible
 *     H3  what can have one value only is that value from then on
 *     H4  a transaction has seen the newest state, if the level lets it; others if that is impossible
 *
 * Where H2 and H4 turn out to be too strict, the last transaction that may have seen more is run again with more, and
 * all behind it; each time in succession twice as many. The paper's baseline, by elements, has no heuristics but H1,
 * and Z3 is asked once.
 */
#ifndef AUDIT_Z3_PREFIXES_PRIVATE_H
#define AUDIT_Z3_PREFIXES_PRIVATE_H

#include "audit/z3/by_z3.h"

/* Of the execution that was found. */
struct prefix_choice {
    uint32_t txn, statement;
    uint64_t row;   /* its name, or 0; PREFIXES_IS_PRESENT: `state` says whether it has committed */
    uint32_t state; /* commits in front of it, those of transactions that are absent counted */
};

#define PREFIXES_IS_PRESENT UINT64_MAX

struct prefixes_reply {
    struct audit_z3_result result;
    uint64_t jumps; /* back to an earlier transaction */
    bool is_stopped;
    char reason[300]; /* why there is no answer, or empty */
    uint32_t choice_count;
    struct prefix_choice choices[];
};

/* By the rule at hand. To be freed. In a process apart: Z3 is there, see smt_probe(). */
MUST_USE enum status prefixes_solve(const struct by_z3 *, struct prefixes_reply **, struct error *);

#endif
