/*
 * deduced: proofs from several reads, or several versions.
 */
#ifndef VERIFY_DEDUCED_H
#define VERIFY_DEDUCED_H

#include "verify/verify_private.h"

/* incompatible-order, lost-update */
MUST_USE enum status verify_reads(struct verifier *, const struct witness_anomaly *,
                                  struct error *);
/* dirty-update: of two versions that have been looked up. */
MUST_USE enum status verify_dirty_update(struct verifier *, const struct witness_anomaly *,
                                         uint32_t key, const uint32_t *ops, struct error *);
/*
 * Of a row that a statement would have found otherwise, or not found: how many possible versions of
 * it agree with the answer, and one of them. More than can be if nothing can be said.
 */
MUST_USE enum status deduced_row(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                 uint64_t *count, uint32_t *version, struct error *);
/* Whether the answer is wrong as far as the row goes, whatever was there. */
MUST_USE enum status deduced_mismatch(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      bool *is_wrong, struct error *);

/* cyclic-versions */
MUST_USE enum status verify_circle(struct verifier *, const struct witness_anomaly *,
                                   struct error *);

#endif
