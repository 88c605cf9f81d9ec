/*
 * machine_cursor: what OPEN has opened, until CLOSE or the end of the transaction.
 *
 * All rows are there from OPEN on. A cursor is known by its number, whoever has opened it, and only the call that has
 * can fetch from it.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_CURSOR_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_CURSOR_PRIVATE_H

#include "programs/machine/machine_private.h"

/* STEP_REQUIRE_CLOSED */
MUST_USE enum status machine_cursor_require_closed(struct machine *, const struct step *);
/* STEP_OPEN_CURSOR: takes the innermost result. */
MUST_USE enum status machine_cursor_open(struct machine *, const struct step *);
/* STEP_FETCH */
MUST_USE enum status machine_cursor_fetch(struct machine *, struct frame *, const struct step *);
/* STEP_CLOSE_CURSOR */
MUST_USE enum status machine_cursor_close(struct machine *, const struct step *);
/* Cursors of calls that are over stay open, and out of reach. */
void machine_cursor_forget_calls(struct machine *);
void machine_cursor_drop_all(struct machine *);

#endif
