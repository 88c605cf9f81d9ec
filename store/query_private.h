/*
 * query: a SELECT of one value over the rows that a run has left.
 *
 * Compiled by programs/ with the workload's tables, as a function that returns
 * the value as text, and run by the embedded engine, which gets the rows.
 */
#ifndef STORE_QUERY_PRIVATE_H
#define STORE_QUERY_PRIVATE_H

#include "store/cluster_private.h"

/* Refuses what the tables do not allow. */
MUST_USE enum status query_check(const struct schema *, uint32_t table_count, const char *query,
                                 struct error *);
/* A null is no text at all; a failure is "ERROR: ...". */
MUST_USE enum status query_run(struct cluster *, uint32_t table_count, const char *query,
                               struct buffer *value, struct error *);

#endif
