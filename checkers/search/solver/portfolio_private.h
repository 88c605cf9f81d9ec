/*
 * portfolio_private: engines that race on one problem.
 *
 * One learns clauses from a guessed order. The other anneals the order until few chains
 * overlap, and has the rest out by learning clauses close to where it got; if that fails
 * it warms up and tries again, with twice the patience. Neither is best at everything:
 * where a key has very many versions or very few, the first is; in between, the second.
 *
 * With several threads each engine has one, and the first answer ends the race; more
 * threads anneal from other seeds. With one thread engines take turns, in steps.
 */
#ifndef CHECKERS_SEARCH_SOLVER_PORTFOLIO_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_PORTFOLIO_PRIVATE_H

#include "base/error.h"
#include "checkers/search/solver/search.h"
#include "checkers/search/solver/search_index_private.h"

/* Fills the result, which is empty. */
MUST_USE enum status portfolio_run(const struct search_index *, const struct search_options *,
                                   struct search_result *, struct error *);

#endif
