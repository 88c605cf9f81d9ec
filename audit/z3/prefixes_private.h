/*
 * prefixes: asks Z3 for the states that transactions saw, one transaction after another, as section 7 of "Checking
 * Observational Correctness of Database Systems" does.
 *
 * Each transaction is run for all states (symbolic_private.h), what it was answered is asserted, and Z3 is asked
 * whether the log up to it has an execution. The heuristics of section 7.1, which are bits of `heuristics`:
 *
 *     H1  a row is looked for by its key, and not among all rows
 *     H2  a transaction has seen one of the newest states only; more of them if that is impossible
 *     H3  what can have one value only is that value from then on
 *     H4  a transaction has seen the newest state, if the level lets it; others if that is impossible
 *
 * Where H2 and H4 turn out to be too strict, the last transaction that may have seen more is run again with more, and
 * all behind it; each time in succession twice as many.
 */
#ifndef AUDIT_Z3_PREFIXES_PRIVATE_H
#define AUDIT_Z3_PREFIXES_PRIVATE_H

#include <stdatomic.h>

#include "audit/instants_private.h"
#include "audit/runner_private.h"
#include "smt/smt.h"

#define PREFIXES_HEURISTIC(number) (1u << ((number)-1))

struct prefixes {
    const struct plan *plan;
    const struct rows *rows; /* as the log begins */
    const uint32_t *order;
    uint32_t count;
    enum run_mode mode;
    bool by_value;
    bool is_by_elements; /* the paper's baseline: no heuristics but H1, and Z3 is asked once */
    unsigned heuristics;
    unsigned rlimit;         /* of Z3, for each time that it is asked */
    const atomic_bool *stop; /* or NULL */

    /* prefixes_bound(): times bound the states, and those that only read stand where these let them. */
    bool is_bound;
    struct instants instants;
    uint32_t *bound_order;
};

/*
 * At the strict levels with snapshots. If it is not *is_possible, this order is against time. To be closed whatever the
 * status, as any that was bound.
 */
MUST_USE enum status prefixes_bound(struct prefixes *, bool *is_possible, struct error *);
void prefixes_close(struct prefixes *);
/* The states that times leave of a window. */
void prefixes_bounds(const struct prefixes *, uint32_t txn, struct run_window *);

/* Of the execution that was found. */
struct prefix_choice {
    uint32_t txn, statement;
    uint64_t row;   /* its name, or 0; PREFIXES_IS_PRESENT: `state` says whether it has committed */
    uint32_t state; /* commits in front of it, those of transactions that are absent counted */
};

#define PREFIXES_IS_PRESENT UINT64_MAX

struct prefixes_reply {
    enum smt_answer answer;
    bool is_done; /* there is an answer, or a reason */
    bool is_stopped;
    uint32_t solved;  /* so many transactions from the first on have an execution */
    uint64_t checks;  /* how often Z3 was asked */
    uint64_t jumps;   /* back to an earlier transaction */
    char reason[300]; /* why there is no answer, or empty */
    uint32_t choice_count;
    struct prefix_choice choices[];
};

/* To be freed. In a process apart: Z3 is there, see smt_probe(). */
MUST_USE enum status prefixes_solve(const struct prefixes *, struct prefixes_reply **,
                                    struct error *);

#endif
