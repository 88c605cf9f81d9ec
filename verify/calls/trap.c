#include "verify/calls/trap_private.h"

#include <stdarg.h>
#include <stdio.h>

_Noreturn void trap_error(struct trap *trap, const char *sqlstate)
{
    trap->is_error = true;
    snprintf(trap->sqlstate, sizeof trap->sqlstate, "%s", sqlstate);
    longjmp(trap->at, 1);
}

_Noreturn void trap_unknown(struct trap *trap, const char *format, ...)
{
    va_list arguments;

    trap->is_error = false;
    va_start(arguments, format);
    vsnprintf(trap->reason, sizeof trap->reason, format, arguments);
    va_end(arguments);
    longjmp(trap->at, 1);
}
