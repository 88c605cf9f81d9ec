/*
 * audit_input: what `ordeal audit` and `ordeal verify` are given: a log of calls and its programs, or a
 * history of statements, which is made into both.
 */
#ifndef CLI_AUDIT_INPUT_H
#define CLI_AUDIT_INPUT_H

#include <stdbool.h>

#include "history/call_log.h"
#include "history/progress.h"
#include "programs/machine/program.h"

struct audit_input {
    const char *path;     /* of the log or history */
    const char *programs; /* a file, or NULL */
    const char *initial;  /* a file of rows, "unknown", or NULL: as the log says it */

    struct call_log log;
    struct buffer source; /* of the programs */
};

/* With the paths filled in. Closed by audit_input_close(), whatever the status. */
MUST_USE enum status audit_input_read(struct audit_input *, const struct progress *,
                                      struct error *);
/* The programs of what was read; to be closed by program_close(), whatever the status. */
MUST_USE enum status audit_input_load(const struct audit_input *, struct program *, struct error *);
void audit_input_close(struct audit_input *);

/* Whether there is a file of that name that begins as a log of calls; standard input is not looked at. */
bool audit_input_is_log(const char *path);

#endif
