/*
 * output: prints what the program says, and reports if that fails.
 *
 * Whatever goes to standard output is put together in a buffer and written at
 * once, unbuffered, so that a closed pipe or a full disk is an error like any
 * other. Errors go to standard error as `FILE:LINE: message`; with --json one
 * JSON object goes to standard output too.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* First of all: a closed pipe becomes an error, closed standard streams stay closed to files. */
void output_init(void);

/* Writes all of the buffer to standard output. */
MUST_USE enum status output_print(const struct buffer *, struct error *);
/* Writes all of the buffer to a file, which is there whole or not at all, and on the disk. */
MUST_USE enum status output_write_file(const char *path, const struct buffer *, struct error *);
/* To standard output if the path is "-", else to the file. */
MUST_USE enum status output_write(const char *path, const struct buffer *, struct error *);

/* Says what went wrong, and where. */
void output_report(const struct error *, bool json);
/* What a file contains must not steer the terminal: no control characters from there on. */
void output_tame(struct buffer *, size_t from);
/* The line that output_report() writes, without its end. */
void output_describe(const struct error *, struct buffer *);

/*
 * Escaped for an attribute of XML or between tags, in reports for build servers. Control characters,
 * which XML cannot have at all, become question marks, and of a text that is not UTF-8 all that is not
 * ASCII.
 */
void output_xml(struct buffer *, const char *text);

#endif
