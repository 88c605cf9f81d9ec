/*
 * explanation: instants that explain what clients saw, for the witness of a valid verdict.
 *
 *     c1   b2   c3   b4   c2   c4        all instants in one order, that windows allow
 *          reads x of T1                 as the last version before b2
 *               reads x of T9            is left open: by times it may have seen that, but this
 *                                        order does not show it
 *
 * The mirror knows what must be so. Of what it leaves undecided, one order among many is taken, the
 * earliest: each instant as soon as its window begins (settled.h). What that happens not to
 * explain is told, and by docs/format-witness.md need only be possible.
 */
#ifndef CHECKERS_INTERVAL_EXPLANATION_H
#define CHECKERS_INTERVAL_EXPLANATION_H

#include "checkers/interval/grounds.h"
#include "checkers/interval/traces.h"
#include "checkers/checker_private.h"

/* "instants":[...],"open":[...], once all has been judged; nothing if dependencies circle. */
MUST_USE enum status explanation_tell(struct mirror *, struct traces *, struct buffer *,
                                      struct error *);

#endif
