/*
 * machine_write: INSERT, UPDATE and DELETE, row after row as PostgreSQL does it: a row is made,
 * checked and returned before the next one is looked at; then all are written
 * at once, and then references are looked at.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_WRITE_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_WRITE_PRIVATE_H

#include "programs/machine/machine_private.h"

/* machine_write.c */
MUST_USE enum status machine_write_begin(struct machine *);
MUST_USE enum status machine_write_go_on(struct machine *);
/* Those of the request, from the rows before and after. */
MUST_USE enum status machine_write_list(struct machine *, uint32_t *count);
uint32_t machine_write_table(const struct machine *);
MUST_USE enum status machine_check_answer(struct machine *);

#endif
