/*
 * record_program: clients that call the functions of a program in the database itself.
 *
 * What a function reads and writes is not seen from outside; what it was called with and what it
 * answered is. So there is no history to judge but a log (docs/recording.md, "Programs"): the calls, their
 * answers and, with a certificate, their place in the order of commits. The program's own invariants are
 * asked of the database at the end.
 */
#ifndef RECORD_RECORD_PROGRAM_PRIVATE_H
#define RECORD_RECORD_PROGRAM_PRIVATE_H

#include "record/record_private.h"

/* Reads the program and its calls. Closed by record_program_close(), also after a failure. */
MUST_USE enum status record_program_open(struct record_stage *, struct arena *, struct error *);
void record_program_close(struct record_stage *);

/* Makes its tables, functions and first rows in the database. */
MUST_USE enum status record_program_load(struct record_stage *, struct error *);
/* One call, as a transaction. */
MUST_USE enum status record_program_attempt(struct record_client *, uint64_t ordinal,
                                            uint32_t attempt, enum txn_status *, struct error *);
/* The functions whose names begin with invariant_. */
MUST_USE enum status record_program_judge(struct record_stage *, struct error *);
/* Into the recording's audit log; `order` as the database has recovered it, or NULL. */
MUST_USE enum status record_program_log(struct record_stage *, const struct client_log *,
                                        const struct recovered_order *, struct error *);

#endif
