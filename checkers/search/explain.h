/*
 * explain: adds findings to a check for faults of reads and for refutations.
 */
#ifndef CHECKERS_SEARCH_EXPLAIN_H
#define CHECKERS_SEARCH_EXPLAIN_H

#include "checkers/check_private.h"
#include "checkers/search/polygraph/steps.h"

/* Reads that no version explains, each by itself. */
MUST_USE enum status explain_faults(struct check *, const struct distilled *, const struct places *,
                                    struct error *);
/* That no order explains the reads together. */
MUST_USE enum status explain_refutation(struct check *, const struct steps *, struct error *);

#endif
