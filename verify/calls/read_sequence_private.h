/* read_sequence: CREATE SEQUENCE, serial and identity columns, nextval() and its like. */
#ifndef VERIFY_CALLS_READ_SEQUENCE_PRIVATE_H
#define VERIFY_CALLS_READ_SEQUENCE_PRIVATE_H

#include "verify/calls/reader_private.h"

void read_sequence(struct reader *, const PgQuery__CreateSeqStmt *);
/* A column that a sequence of its own fills. */
void read_numbered_column(struct reader *, const struct relation *, struct relation_column *,
                          PgQuery__Node *const *options, size_t count);
bool read_is_serial(const PgQuery__TypeName *, enum kind *);
/* NULL: the function is none of these. */
struct formula *read_sequence_call(struct reader *, const struct reader_scope *, const PgQuery__FuncCall *);
bool read_has_number(const struct formula *);
/* What goes into a column: is it a number of a sequence, and nothing else? */
bool read_note_number(struct reader *, struct relation_column *, const struct formula *);

#endif
