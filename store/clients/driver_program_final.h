/*
 * driver_program_final: what a program says of the state at the end of a run: its invariants, run by a
 * machine whose reads are answered from the final rows.
 */
#ifndef STORE_CLIENTS_DRIVER_PROGRAM_FINAL_H
#define STORE_CLIENTS_DRIVER_PROGRAM_FINAL_H

#include "store/clients/driver_program.h"

/* The rows that come now are the final ones of this table. */
void driver_program_begin_final(struct driver_program *, uint32_t table);
MUST_USE enum status driver_program_final_row(void *driver, const struct datum *cells,
                                              struct error *);
/*
 * A function that only reads, and has no parameters, on the final rows. A failure of the call is an
 * error. The value holds until the next.
 */
MUST_USE enum status driver_program_evaluate(struct driver_program *, uint32_t function,
                                             struct datum *value, struct error *);
/*
 * Whether all functions named invariant_... are true of the final rows; if not, a sentence names
 * the first that is not.
 */
MUST_USE enum status driver_program_check(struct driver_program *, bool *holds,
                                          struct buffer *sentence, struct error *);

#endif
