/*
 * machine_select: a SELECT in the machine: reads its sources, joins what was read, groups it, orders
 * it and gives it out. A correlated subquery is such a select within, done anew for each row.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_SELECT_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_SELECT_PRIVATE_H

#include "programs/machine/machine_private.h"

MUST_USE enum status machine_select_begin(struct machine *);
MUST_USE enum status machine_select_go_on(struct machine *);
/* LIMIT and OFFSET of the statement. */
MUST_USE enum status machine_select_counts(struct machine *);
/* Whether it is a single statement, which gives its rows to whoever started it and wants to know. */
bool machine_tells_ties(const struct machine *);
/* Of the next row. */
MUST_USE enum status machine_note_tie(struct machine *, uint32_t tie);
/* What a subquery says, for steps that ask it. */
enum status machine_select_ask(struct scope *, const struct step *);

#endif
