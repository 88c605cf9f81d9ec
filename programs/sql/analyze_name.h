/* analyze_name: what the names of tables, columns, functions and variables mean. */
#ifndef PROGRAMS_SQL_ANALYZE_NAME_H
#define PROGRAMS_SQL_ANALYZE_NAME_H

#include "programs/sql/analyze.h"

/* The number, or UINT32_MAX. */
uint32_t analyze_find_table(const struct analysis *, struct text name);
uint32_t analyze_find_column(const struct schema_table *, struct text name);
uint32_t analyze_find_function(const struct analysis *, struct text name);
MUST_USE enum status analyze_column_name(struct analysis *, const struct schema_table *,
                                         struct text name, int32_t location, uint16_t *column);
MUST_USE enum status analyze_column_ref(struct analysis *, struct name_scope *,
                                        const PgQuery__ColumnRef *, const struct expression **);
MUST_USE enum status analyze_param_ref(struct analysis *, const struct name_scope *,
                                       const PgQuery__ParamRef *, const struct expression **);
/* A variable of the innermost block that has one of that name. */
const struct named *analyze_find_variable(const struct names *, struct text name);

#endif
