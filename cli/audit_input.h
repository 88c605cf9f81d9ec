/*
 * audit_input: what `ordeal audit` and `ordeal verify` are given: a log of calls and its programs, or a
 * history of statements, which is made into both.
 *
 * Transactions that create and drop tables and sequences, and do nothing else, stand before all others in the log. What
 * they do is put behind the programs, and they are taken out of the log. So are those at its end that drop tables.
 */
#ifndef CLI_AUDIT_INPUT_H
#define CLI_AUDIT_INPUT_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buffer.h"
#include "history/call_log.h"
#include "history/progress.h"
#include "programs/machine/program.h"

/* A statement of the log that creates something: where it is in both. */
struct created {
    uint32_t source_line, log_line;
};

struct audit_input {
    const char *path;     /* of the log or history */
    const char *programs; /* a file, or NULL */
    const char *initial;  /* a file of rows, "unknown", or NULL: as the log says it */

    struct call_log log;
    struct buffer source; /* of the programs, and of the tables that the log creates */
    ARRAY(struct created) created; /* these, in the order of the source */
};

/* With the paths filled in. Closed by audit_input_close(), whatever the status. */
MUST_USE enum status audit_input_read(struct audit_input *, const struct progress *,
                                      struct error *);
/* The text of the programs alone, into `source`. */
MUST_USE enum status audit_input_read_programs(struct audit_input *, struct error *);
/* The programs of what was read; to be closed by program_close(), whatever the status. */
MUST_USE enum status audit_input_load(const struct audit_input *, struct program *, struct error *);
void audit_input_close(struct audit_input *);

/* Whether there is a file of that name that begins as a log of calls; standard input is not looked at. */
bool audit_input_is_log(const char *path);

#endif
