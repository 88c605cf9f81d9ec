/*
 * trap: where an interpreter goes when it cannot go on.
 *
 *     if (trap_set(&trap))
 *         ... what may call trap_error() or trap_unknown() ...
 *     else
 *         ... trap.is_error: an error of SQL; else something that the interpreter does not know ...
 *
 * An error ends a transaction, so nothing between has anything to do: memory is an arena's.
 */
#ifndef VERIFY_CALLS_TRAP_PRIVATE_H
#define VERIFY_CALLS_TRAP_PRIVATE_H

#include <setjmp.h>
#include <stdbool.h>

#include "base/error.h"

struct trap {
    jmp_buf at;
    bool is_error;
    char sqlstate[6];
    char reason[200]; /* what is not known */
};

/* True at first, false when it is sprung. The frame that sets it must not return before. */
#define trap_set(trap) (setjmp((trap)->at) == 0)

_Noreturn void trap_error(struct trap *, const char *sqlstate);
_Noreturn void trap_unknown(struct trap *, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
