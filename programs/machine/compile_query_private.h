/*
 * compile_query: a statement as code, with the subqueries in it.
 *
 * A subquery that depends on no row of its statement is a query of its own before it: a value in a
 * slot, or a set of values among the results. A correlated one is a select within.
 */
#ifndef PROGRAMS_MACHINE_COMPILE_QUERY_PRIVATE_H
#define PROGRAMS_MACHINE_COMPILE_QUERY_PRIVATE_H

#include "programs/machine/compile_private.h"

/* compile_query.c: the steps up to STEP_QUERY. */
void compile_query(struct compiler *, const struct query *, enum query_use, uint32_t to);

#endif
