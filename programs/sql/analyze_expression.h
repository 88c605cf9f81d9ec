/* analyze_expression: expressions, calls and aggregates. */
#ifndef PROGRAMS_SQL_ANALYZE_EXPRESSION_H
#define PROGRAMS_SQL_ANALYZE_EXPRESSION_H

#include "programs/sql/analyze.h"

MUST_USE enum status analyze_expression(struct analysis *, struct name_scope *,
                                        const PgQuery__Node *, const struct expression **);

#endif
