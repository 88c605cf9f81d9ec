/*
 * smt_search: solves the problem of search.h with Z3, as a second opinion on small histories.
 *
 *     struct smt_search_options options = { .encoding = SMT_PROPAGATOR, .rlimit = SMT_RLIMIT };
 *     TRY(smt_search_solve(&problem, &options, &result, err));
 *
 * Two encodings, which share nothing but the clauses:
 *
 *     SMT_POSITIONS    every node has an integer position, and an edge that is there
 *                      makes its `to` larger than its `from`: difference logic
 *     SMT_PROPAGATOR   Z3 sees the variables and clauses alone; a propagator watches which
 *                      edges are there, and hands over each cycle as a conflict
 *
 * A model is believed only after a replay in plain C: the clauses hold, and the edges that
 * are there have an order. That there is none, Z3 says without a proof that anybody
 * else could check, so has_proof is false: who needs evidence asks search_solve().
 *
 * The hints of a problem are not used. The same problem and options give the same
 * answer, as effort is counted in Z3's own steps and never in seconds.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SMT_SEARCH_H
#define CHECKERS_SEARCH_SOLVER_SMT_SEARCH_H

#include "checkers/search/solver/search.h"

enum smt_encoding { SMT_POSITIONS, SMT_PROPAGATOR };

#define SMT_RLIMIT 10000000 /* some seconds */

struct smt_search_options {
    enum smt_encoding encoding;
    unsigned rlimit; /* Z3's steps; 0: no limit */
    unsigned seed;
    const atomic_bool *stop; /* may be NULL; once it is true the answer comes soon */
};

/* The result must be closed, by search_result_close(), whatever the status. */
MUST_USE enum status smt_search_solve(const struct search_problem *,
                                      const struct smt_search_options *, struct search_result *,
                                      struct error *);

#endif
