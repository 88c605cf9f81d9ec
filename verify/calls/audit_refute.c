#include "verify/calls/audit_refute_private.h"

void audit_refute(struct audit_replay *a)
{
    audit_refuse(a, "undecided: an invalid verdict");
}
