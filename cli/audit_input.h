/*
 * audit_input: the log of calls and the programs that `ordeal audit` and `ordeal verify` are given.
 */
#ifndef CLI_AUDIT_INPUT_H
#define CLI_AUDIT_INPUT_H

#include <stdbool.h>

#include "history/call_log.h"
#include "history/progress.h"

/* `initial` is a file of rows, "unknown", or NULL: as the log says it. To be closed whatever the status. */
MUST_USE enum status audit_input_read(struct call_log *, const char *path, const char *initial,
                                      const struct progress *, struct error *);

/* Whether there is a file of that name that begins as a log of calls. */
bool audit_input_is_log(const char *path);

#endif
