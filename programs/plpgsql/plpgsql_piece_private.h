/* plpgsql_piece: the SQL within a body: where each expression stands, and its analysis. */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_PIECE_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_PIECE_PRIVATE_H

#include "programs/plpgsql/plpgsql_private.h"

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

#endif
