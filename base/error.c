#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Keeps as much as there is room for. Texts are made apart, as arguments may point into the old. */
static void keep(struct error *err, const char *text)
{
    size_t length = strlen(text);

    if (length >= sizeof err->text)
        length = sizeof err->text - 1;
    memcpy(err->text, text, length);
    err->text[length] = '\0';
}

enum status error_set(struct error *err, enum status status, const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;

    assert(status != STATUS_OK);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    err->status = status;
    keep(err, text);
    return status;
}

enum status error_wrap(struct error *err, const char *format, ...)
{
    char text[sizeof err->text + 2 + sizeof err->text];
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    vsnprintf(text, sizeof err->text, format, arguments);
    va_end(arguments);
    length = strlen(text);
    snprintf(text + length, sizeof text - length, ": %s", err->text);
    keep(err, text);
    return err->status;
}

void error_set_file(struct error *err, const char *file)
{
    snprintf(err->file, sizeof err->file, "%s", file);
}
