/*
 * witness: writes the evidence of a verdict in the format of docs/format-witness.md.
 *
 * A checker that finds nothing wrong says in what order everything went, and
 * what it finds carries its proof; the rest is put around it here.
 */
#ifndef CHECKERS_PROOF_WITNESS_H
#define CHECKERS_PROOF_WITNESS_H

#include "checkers/check.h"

/* "order":[...], into a check that is going to be valid. */
void witness_order(struct check *, const struct history *, const uint32_t *txns, size_t count);
/* Behind it, at the levels of snapshot: how many of the order each of them sees. */
void witness_snapshots(struct check *, const uint32_t *seen, size_t count);

/* Puts the whole together: of an unknown verdict, or a valid one without evidence, nothing. */
MUST_USE enum status witness_finish(const struct history *, struct check *, struct error *);

#endif
