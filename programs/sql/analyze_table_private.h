/* analyze_table: CREATE TABLE. */
#ifndef PROGRAMS_SQL_ANALYZE_TABLE_PRIVATE_H
#define PROGRAMS_SQL_ANALYZE_TABLE_PRIVATE_H

#include "programs/sql/analyze.h"

MUST_USE enum status analyze_table(struct analysis *, const PgQuery__CreateStmt *);

/* Whether both name the same columns, in whatever order. Neither names one twice. */
bool analyze_same_columns(struct schema_columns, struct schema_columns);

#endif
