/* rows: the versions of rows, and how they are seen in a state that is to be found. */
#ifndef AUDIT_Z3_ROWS_PRIVATE_H
#define AUDIT_Z3_ROWS_PRIVATE_H

#include "audit/z3/symbolic_private.h"

uint64_t symbolic_row_name(uint32_t table, const struct schema_table *, const struct datum *cells);
/* SYMBOLIC_NO_ROW: there is none, and none is to be made. */
uint32_t symbolic_find_row(struct symbolic *, uint32_t table, const struct datum *cells,
                           bool makes);
/* `is_newest`: in the state before its place, whatever the statement sees. What it wrote itself is over it. */
struct sym_view symbolic_see(struct symbolic *, uint32_t row, bool is_newest);
/* The view has cells also where it says that the row is not there. */
void symbolic_write(struct symbolic *, uint32_t row, term guard, struct sym_view);
/* Asserts the rule of write conflicts, and puts what is written behind the versions. */
void symbolic_commit(struct symbolic *);
void symbolic_abandon(struct symbolic *);
void symbolic_put_initial(struct symbolic *, const struct stored_row *);
void symbolic_begin_statement(struct symbolic *);

#endif
