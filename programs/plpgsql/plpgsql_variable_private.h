/* plpgsql_variable: the variables of a body, and which fields a record has at each place. */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_VARIABLE_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_VARIABLE_PRIVATE_H

#include "programs/plpgsql/plpgsql_private.h"

/* The parameters and FOUND. */
MUST_USE enum status claim_parameters(struct reader *, const struct function *);
/* What a block whose BEGIN stands on this line declares; defaults become actions if there is room. */
MUST_USE enum status claim_declared(struct reader *, uint32_t begin_line, struct names *,
                                    bool is_outermost, struct action *actions, uint32_t *count);
uint32_t count_declared(const struct reader *, uint32_t begin_line);
/* Where a block begins in the line of the one around it, such a variable may be of either. */
bool has_declared_on(const struct reader *, uint32_t line);
MUST_USE enum status claim_loop_variable(struct reader *, const char *name, struct names *,
                                         uint32_t *slot);
MUST_USE enum status add_variable(struct reader *, struct names *, struct text name, struct type,
                                  struct named **);
MUST_USE enum status find_claimed(struct reader *, uint32_t datum, struct named **);
/* The variables that a query's rows go into. */
MUST_USE enum status read_into(struct reader *, const cJSON *target, const struct query *,
                               bool strict, const struct into **);
MUST_USE enum status shapes_save(struct reader *, struct shapes *);
void shapes_restore(struct reader *, const struct shapes *);
/* Where both ways meet: what is not the same is uncertain. */
void shapes_merge(struct reader *, const struct shapes *other);
/* After a loop or before it comes round again: what is given rows within is uncertain. */
void shapes_blur(struct reader *, const cJSON *statements);

#endif
