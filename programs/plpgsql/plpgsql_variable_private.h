/* plpgsql_variable: the variables of a body, and which fields a record has at each place. */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_VARIABLE_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_VARIABLE_PRIVATE_H

#include "programs/plpgsql/plpgsql_private.h"

/* The parameters and FOUND. */
MUST_USE enum status plpgsql_claim_parameters(struct plpgsql_reader *, const struct program_function *);
/* What a block whose BEGIN stands on this line declares; defaults become actions if there is room. */
MUST_USE enum status plpgsql_claim_declared(struct plpgsql_reader *, uint32_t begin_line, struct names *,
                                            bool is_outermost, struct action *actions, uint32_t *count);
uint32_t plpgsql_count_declared(const struct plpgsql_reader *, uint32_t begin_line);
/* Where a block begins in the line of the one around it, such a variable may be of either. */
bool plpgsql_has_declared_on(const struct plpgsql_reader *, uint32_t line);
MUST_USE enum status plpgsql_claim_loop_variable(struct plpgsql_reader *, const char *name, struct names *,
                                                 uint32_t *slot);
/* A loop's own record, and what goes into it. */
MUST_USE enum status plpgsql_add_loop_record(struct plpgsql_reader *, const char *name, struct names *,
                                             const struct query *, const struct into **);
MUST_USE enum status plpgsql_add_variable(struct plpgsql_reader *, struct names *, struct text name, struct type,
                                          struct named **);
MUST_USE enum status plpgsql_find_claimed(struct plpgsql_reader *, uint32_t datum, struct named **);
/* The variables that a query's rows go into. */
MUST_USE enum status plpgsql_read_into(struct plpgsql_reader *, const cJSON *target, const struct query *,
                                       bool strict, const struct into **);
MUST_USE enum status plpgsql_shapes_save(struct plpgsql_reader *, struct shapes *);
void plpgsql_shapes_restore(struct plpgsql_reader *, const struct shapes *);
/* Where both ways meet: what is not the same is uncertain. */
void plpgsql_shapes_merge(struct plpgsql_reader *, const struct shapes *other);
/* After a loop or before it comes round again: what is given rows within is uncertain. */
void plpgsql_shapes_blur(struct plpgsql_reader *, const cJSON *statements);

/* The SQL within a body: where each expression stands, and its analysis. */

/* From here on, errors without a place of their own are about this line of the body. */
void plpgsql_read_line(struct plpgsql_reader *, const cJSON *statement);
uint32_t plpgsql_line_here(const struct plpgsql_reader *);
/* `object` holds a PLpgSQL_expr. The expression is cast as PL/pgSQL casts to variables. */
MUST_USE enum status plpgsql_read_expression(struct plpgsql_reader *, const cJSON *object, const struct type *to,
                                             const struct expression **);
/* The right side of "x := ...". */
MUST_USE enum status plpgsql_read_assigned(struct plpgsql_reader *, const cJSON *object, struct type to,
                                           const struct expression **);
MUST_USE enum status plpgsql_read_query(struct plpgsql_reader *, const cJSON *object, const struct query **);
/* The same of texts, which are looked for from r->cursor on. */
MUST_USE enum status plpgsql_read_text(struct plpgsql_reader *, const char *text, const struct type *to,
                                       const struct expression **);
MUST_USE enum status plpgsql_read_query_text(struct plpgsql_reader *, const char *text, const struct query **);
MUST_USE enum status plpgsql_read_type(struct plpgsql_reader *, const char *text, struct type *);

#endif
