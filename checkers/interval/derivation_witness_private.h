/*
 * derivation_witness: what findings were derived from, as the witness has it (docs/format-witness.md, Instants).
 */
#ifndef CHECKERS_INTERVAL_DERIVATION_WITNESS_PRIVATE_H
#define CHECKERS_INTERVAL_DERIVATION_WITNESS_PRIVATE_H

#include "checkers/interval/derivation_private.h"

/* "steps":[...] of a finding; transactions, operations and keys have the history's numbers. */
MUST_USE enum status derivation_witness_tell(const struct interval_model *, const struct history *,
                                             const struct interval_finding *, struct buffer *,
                                             struct error *);
/* "b12", "c12", [12,3], or of rows that are read one by one [12,3,"t/7"] */
void derivation_witness_tell_instant(const struct interval_model *, const struct history *,
                                     uint32_t txn, uint32_t op, uint32_t key, struct buffer *);
/* "profile":{...},"clock-error":n, */
void derivation_witness_tell_premises(const struct profile *, int64_t clock_error, struct buffer *);

#endif
