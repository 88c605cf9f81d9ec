/*
 * audit_tail: reads a log of calls while it is written, and has it audited as it comes (audit/follow.h).
 */
#ifndef CLI_AUDIT_TAIL_H
#define CLI_AUDIT_TAIL_H

#include "audit/follow.h"
#include "cli/limits.h"
#include "history/progress.h"

/*
 * Until the log ends (cli/tail.h says when), an answer stays unexplained, the time is over, or an interrupt comes:
 * then what has come is audited for the last time. The verdict is to be closed whatever the status.
 */
MUST_USE enum status audit_tail_run(struct audit_follow *, const char *path, const struct limits *,
                                    const struct progress *, struct audit_verdict *,
                                    struct error *);

#endif
