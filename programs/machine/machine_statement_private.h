/* machine_statement: what SELECT and the statements that write have in common, and the rows that they keep. */
#ifndef PROGRAMS_MACHINE_MACHINE_STATEMENT_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_STATEMENT_PRIVATE_H

#include "programs/machine/machine_private.h"

/* Rows that are added are of nulls; those that are there may move. */
MUST_USE enum status machine_add_rows(struct machine *, struct machine_rows *, size_t count);
MUST_USE enum status machine_add_row(struct machine *, struct machine_rows *, struct datum **);
/* Adds a copy that outlives the answer it is from. */
MUST_USE enum status machine_keep_row(struct machine *, struct machine_rows *, const struct datum *from);
/* Empties them, and gives back what is more than little. */
void machine_drop_rows(struct machine *, struct machine_rows *);
/* Until there are `count`. */
void machine_drop_results(struct machine *, uint32_t count);
/* Copies their texts to the heap. */
MUST_USE enum status machine_move_rows(struct machine_rows *, struct heap *, struct sql_error *);
/* machine_statement.c */
MUST_USE enum status machine_statement_begin(struct machine *, const struct query_code *, bool is_true);
/* After an answer. */
MUST_USE enum status machine_statement_go_on(struct machine *);
MUST_USE enum status machine_statement_finish(struct machine *);
void machine_statement_drop(struct machine *);
MUST_USE enum status machine_statement_read(struct machine *, const struct read_code *, enum read_purpose,
                                            enum row_lock);
/* The outputs for the rows that the scope has. */
MUST_USE enum status machine_statement_output(struct machine *, struct scope *);
/* Answers may have more rows than were asked for, and those that the condition fails for. */
MUST_USE enum status machine_statement_match(struct machine *, const struct datum *row, bool *matches);

#endif
