/*
 * solver_analyze: learns a clause from each conflict.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SOLVER_ANALYZE_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_SOLVER_ANALYZE_PRIVATE_H

#include "checkers/search/solver/solver_private.h"

/* At level 0 the problem is impossible; else it learns, goes back, and assigns. */
MUST_USE enum status solver_resolve_conflict(struct solver *, struct error *);

/* Gives what is true at level 0 a step of its own. */
MUST_USE enum status solver_log_units(struct solver *, struct error *);

#endif
