/*
 * attempts: the ways in which an audit looks for an execution, in the order in which they are tried.
 *
 * The first that decides ends it. With several threads the next ones are tried before it is known that they are
 * needed: what comes out is the same, but for how many runs it took, since what would not have been tried does not
 * count. Only a proof that there is no execution counts at once; those before it cannot find one.
 */
#ifndef AUDIT_ATTEMPTS_PRIVATE_H
#define AUDIT_ATTEMPTS_PRIVATE_H

#include "audit/attempt_private.h"

/* What the level asks for. The verdict is empty; it is filled, and what is settled in it. */
MUST_USE enum status attempts_judge(struct audit *, struct audit_verdict *, struct error *);

#endif
