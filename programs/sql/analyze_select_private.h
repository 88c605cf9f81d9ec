/* analyze_select: SELECT, and what RETURNING lists. */
#ifndef PROGRAMS_SQL_ANALYZE_SELECT_PRIVATE_H
#define PROGRAMS_SQL_ANALYZE_SELECT_PRIVATE_H

#include "programs/sql/analyze.h"

/* What is around it is in the scope: the routine, and of a subquery the scope outside. */
MUST_USE enum status analyze_select(struct analysis *, struct name_scope *,
                                    const PgQuery__SelectStmt *, struct select *);
/* What SELECT or RETURNING lists, with * written out. */
MUST_USE enum status analyze_outputs(struct analysis *, struct name_scope *,
                                     PgQuery__Node *const *nodes, size_t count,
                                     const struct output **, uint32_t *output_count);
MUST_USE enum status analyze_source(struct analysis *, const PgQuery__RangeVar *, struct query_source *);

#endif
