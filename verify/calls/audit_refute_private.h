/* audit_refute: whether a core of transactions has no execution, by trying them all. */
#ifndef VERIFY_CALLS_AUDIT_REFUTE_PRIVATE_H
#define VERIFY_CALLS_AUDIT_REFUTE_PRIVATE_H

#include "verify/calls/audit_replay_private.h"

/* Fills in the result. */
void audit_refute(struct audit_replay *);

#endif
