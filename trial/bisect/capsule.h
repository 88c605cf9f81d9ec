/*
 * capsule: writes a case as a scenario file that needs no generator (docs/bisect.md).
 *
 * The file lists every transaction and every strike, gives every setting a value, and names the
 * version that made it and the failure. Only a program of SQL is a separate file beside it.
 */
#ifndef TRIAL_BISECT_CAPSULE_H
#define TRIAL_BISECT_CAPSULE_H

#include "base/text.h"
#include "trial/bisect/case_private.h"

/* As TOML. `from` says what it was made of. */
MUST_USE enum status capsule_print(const struct bisect_case *, const struct bisect_origin *,
                                   const char *from, struct buffer *, struct error *);

/* Whether a scenario is a capsule of another version than this program's. */
bool capsule_is_foreign(const struct scenario *);

#endif
