/* plpgsql_piece: the SQL within a body: where each expression stands, and its analysis. */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_PIECE_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_PIECE_PRIVATE_H

#include "programs/plpgsql/plpgsql_private.h"

/* From here on, errors without a place of their own are about this line of the body. */
void read_line(struct reader *, const cJSON *statement);
uint32_t line_here(const struct reader *);
/* `object` holds a PLpgSQL_expr. The expression is cast as PL/pgSQL casts to variables. */
MUST_USE enum status read_expression(struct reader *, const cJSON *object, const struct type *to,
                                     const struct expression **);
/* The right side of "x := ...". */
MUST_USE enum status read_assigned(struct reader *, const cJSON *object, struct type to,
                                   const struct expression **);
MUST_USE enum status read_query(struct reader *, const cJSON *object, const struct query **);

#endif
