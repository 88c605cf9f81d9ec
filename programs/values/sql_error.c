#include "programs/values/sql_error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum status sql_error_set(struct sql_error *err, const char *sqlstate, const char *format, ...)
{
    va_list arguments;

    assert(strlen(sqlstate) + 1 == sizeof err->sqlstate);
    memcpy(err->sqlstate, sqlstate, sizeof err->sqlstate);
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return strncmp(sqlstate, "53", 2) == 0 ? STATUS_OVER_LIMIT : STATUS_BAD_INPUT;
}

enum status sql_error_no_memory(struct sql_error *err)
{
    memory_note_failure();
    return sql_error_set(err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
}
