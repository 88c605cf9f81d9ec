/*
 * explain: what was found wrong, as findings of the check.
 */
#ifndef CHECKERS_BLACKBOX_EXPLAIN_H
#define CHECKERS_BLACKBOX_EXPLAIN_H

#include "checkers/blackbox/steps.h"
#include "checkers/checker_private.h"

/* Reads that no version explains, each by itself. */
MUST_USE enum status explain_faults(struct check *, const struct distilled *, const struct places *,
                                    struct error *);
/* That no order explains the reads together. */
MUST_USE enum status explain_refutation(struct check *, const struct steps *, struct error *);

#endif
