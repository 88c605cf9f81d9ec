/*
 * json_lines: a file of lines of JSON, for all formats that are one.
 *
 * The format's own function reads each line; a refusal gets the file, the line and the byte. Where that
 * function names no byte, it is that of the last token.
 */
#ifndef HISTORY_IO_JSON_LINES_H
#define HISTORY_IO_JSON_LINES_H

#include "base/json.h"
#include "history/io/source.h"

/* json_begin() is done; source->line is the number of the line. */
typedef enum status json_line_reader(void *reader, struct text line, struct error *);

/* `beginning`: of the first line, for the refusal of an empty file; NULL: a file may be empty. */
MUST_USE enum status json_lines_read(struct source *, struct json *, const char *beginning,
                                     json_line_reader *read, void *reader, struct error *);

/* Whether the first field of the file has this name: "ordeal-history". */
bool json_lines_begin_with(struct text beginning, const char *name);

#endif
