#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status error_set(struct error *err, enum status status, const char *format, ...)
{
    va_list arguments;

    assert(status != STATUS_OK);
    err->status = status;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return status;
}

enum status error_wrap(struct error *err, const char *format, ...)
{
    char rest[sizeof err->text];
    va_list arguments;
    int length;

    memcpy(rest, err->text, sizeof rest);
    va_start(arguments, format);
    length = vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof err->text)
        snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", rest);
    return err->status;
}

void error_set_file(struct error *err, const char *file)
{
    snprintf(err->file, sizeof err->file, "%s", file);
}
