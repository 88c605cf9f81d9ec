/*
 * linear_tell: explains why a key is not linearizable, and proves it.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_TELL_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_TELL_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

MUST_USE enum status linear_prover_open(struct prover **, const struct places *,
                                        const struct check_options *, struct error *);
void linear_prover_close(struct prover *);

/* Adds a finding to the check; where no proof is found within the limits, a doubt. */
MUST_USE enum status linear_tell_refuted(struct prover *, const struct refuted *, struct check *,
                                         struct error *);
MUST_USE enum status linear_prover_tell_faults(struct prover *, struct check *, struct error *);

#endif
