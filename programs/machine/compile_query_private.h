/*
 * compile_query: finds which conjuncts belong to which source, and in which order sources
 * are read. What depends on no column is computed before the query is begun.
 */
#ifndef PROGRAMS_MACHINE_COMPILE_QUERY_PRIVATE_H
#define PROGRAMS_MACHINE_COMPILE_QUERY_PRIVATE_H

#include "programs/machine/compile_private.h"

/* compile_query.c: the steps up to STEP_QUERY. */
void compile_query(struct compiler *, const struct query *, enum query_use, uint32_t to);

#endif
