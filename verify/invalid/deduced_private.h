/*
 * deduced: proofs from several reads, or several versions.
 */
#ifndef VERIFY_INVALID_DEDUCED_PRIVATE_H
#define VERIFY_INVALID_DEDUCED_PRIVATE_H

#include "verify/invalid/cycle_private.h"

/* Whether the answer is wrong as far as the row goes, whatever was there. */
MUST_USE enum status deduced_mismatch(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      bool *is_wrong, struct error *);
/* incompatible-order, lost-update */
MUST_USE enum status verify_reads(struct verifier *, const struct witness_anomaly *,
                                  struct error *);
/* dirty-update: of two versions that have been looked up. */
MUST_USE enum status verify_dirty_update(struct verifier *, const struct witness_anomaly *,
                                         uint32_t key, const uint32_t *ops, struct error *);
/* Of edges of data, with infer. */
extern const struct edge_rules deduced_rules;
/*
 * Of a list that is wrong at any rate nothing is true and nothing untrue: it is enough that it ends
 * with the one element, and lacks the other.
 */
MUST_USE enum status deduced_is_of_wrong_list(struct verifier *, const struct named_edge *, bool *,
                                              struct error *);

/* cyclic-versions */
MUST_USE enum status verify_circle(struct verifier *, const struct witness_anomaly *,
                                   struct error *);

#endif
