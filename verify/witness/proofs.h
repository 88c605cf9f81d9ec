/*
 * proofs: the proofs of anomalies, as they stand in a witness.
 */
#ifndef VERIFY_WITNESS_PROOFS_H
#define VERIFY_WITNESS_PROOFS_H

#include "verify/witness/witness.h"

/* What stands behind the name of a proof, which its kind is. */
MUST_USE enum status proofs_read(struct json *, struct witness_anomaly *, struct error *);

/* What stands behind "orders". */
MUST_USE enum status proofs_read_orders(struct json *, struct witness_anomaly *, struct error *);

bool proof_edge_has_data(enum witness_edge_kind);
const char *proof_edge_name(enum witness_edge_kind);

#endif
