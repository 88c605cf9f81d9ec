/* analyze_build: builds expressions, casts and types, and refuses what is wrong with its place. */
#ifndef PROGRAMS_SQL_ANALYZE_BUILD_H
#define PROGRAMS_SQL_ANALYZE_BUILD_H

#include "programs/sql/analyze.h"

/* Says what is wrong at a byte of the piece; -1: somewhere in it. */
MUST_USE enum status analyze_refuse(struct analysis *, int32_t location, const char *format, ...)
    PRINTF_LIKE(3, 4);
MUST_USE enum status analyze_refuse_fault(struct analysis *, const struct sql_fault *);
MUST_USE enum status analyze_refuse_sql(struct analysis *, int32_t location, const struct sql_error *);
MUST_USE enum status analyze_refuse_node(struct analysis *, const PgQuery__Node *);
/* Refuses the first field that is set and not among the ones named. */
MUST_USE enum status analyze_only_fields(struct analysis *, int32_t location, const ProtobufCMessage *,
                                         const char *fields);
/* The line of the file, from 1: of a byte of the piece, and of one of the file. */
uint32_t analyze_line_of(const struct analysis *, int32_t location);
uint32_t analyze_line_at(const struct analysis *, size_t offset);
/* Zeroed, in the arena. */
MUST_USE enum status analyze_keep(struct analysis *, size_t count, size_t size, void **);
/* With a zero byte behind. */
MUST_USE enum status analyze_keep_text(struct analysis *, struct text, struct text *);
MUST_USE enum status analyze_build(struct analysis *, enum expression_kind, struct type, int32_t location,
                                   uint32_t argument_count, struct expression **);
/* Counts the weight, once the arguments are there. */
MUST_USE enum status analyze_build_end(struct analysis *, struct expression *, int32_t location,
                                       const struct expression **);
void analyze_set_argument(struct expression *, uint32_t index, const struct expression *);
MUST_USE enum status analyze_build_constant(struct analysis *, struct type, struct datum, int32_t location,
                                            const struct expression **);
MUST_USE enum status analyze_build_null(struct analysis *, struct type, int32_t location,
                                        const struct expression **);
MUST_USE enum status analyze_build_variable(struct analysis *, struct type, uint32_t slot, int32_t location,
                                            const struct expression **);
MUST_USE enum status analyze_build_column(struct analysis *, struct type, uint16_t source, uint16_t column,
                                          int32_t location, const struct expression **);
/* AND of both, either of which may be NULL. */
MUST_USE enum status analyze_build_and(struct analysis *, const struct expression *,
                                       const struct expression *, int32_t location,
                                       const struct expression **);
/* An operator or built-in function by name, its arguments cast. */
MUST_USE enum status analyze_build_apply(struct analysis *, const char *name,
                                         const struct expression *const *arguments, uint32_t count,
                                         int32_t location, const struct expression **);
/* Wraps it in a cast; does nothing where none is needed. Literals are cast at once. */
MUST_USE enum status analyze_build_choice(struct analysis *, const struct operator_choice *,
                                          int32_t location, const struct expression **);
MUST_USE enum status analyze_build_cast(struct analysis *, struct type, enum cast_context, int32_t location,
                                        const struct expression **);
/* For WHERE and the like: "argument of WHERE must be type boolean, not type integer". */
MUST_USE enum status analyze_build_condition(struct analysis *, const char *what, int32_t location,
                                             const struct expression **);
/* An untyped literal that nobody has given a type is text. */
MUST_USE enum status analyze_build_settled(struct analysis *, int32_t location, const struct expression **);
bool analyze_expressions_equal(const struct expression *, const struct expression *);
bool analyze_has_call(const struct expression *);
MUST_USE enum status analyze_type(struct analysis *, const PgQuery__TypeName *, struct type *);

/* What the names of tables, columns, functions and variables mean. */

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
