/* machine_select: a SELECT in the machine: joins what was read, groups it, orders it and gives it out. */
#ifndef PROGRAMS_MACHINE_MACHINE_SELECT_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_SELECT_PRIVATE_H

#include "programs/machine/machine_private.h"

/* machine_select.c */
MUST_USE enum status machine_select_begin(struct machine *);
MUST_USE enum status machine_select_go_on(struct machine *);
/* Aggregates, order, and then outputs. */
MUST_USE enum status machine_group_run(struct machine *, const struct tuples *);

#endif
