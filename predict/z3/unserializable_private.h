/*
 * unserializable: no commit order makes the predicted execution serializable (4.2).
 *
 *     exact     for all orders: a transaction is before one of its session or one that it reads from, or
 *               another that writes the key stands between a read and whom that reads from
 *     approx    pco has a cycle; its steps are session order, reads, and
 *                   ww    t1 before t2, if some t3 reads from t2, t1 writes the key, too, and t1 is before t3 in pco
 *                   rw    t1 before t2, if t1 reads from t3, t2 writes the key, too, and t3 is before t2 in pco
 *               and an edge of it is a step, or an edge and a step behind that. Each that follows from others has a
 *               higher rank than these.
 *
 * The paper puts two edges together. Their program puts a step behind an edge, which leaves one derivation of the
 * many that a path has otherwise: that 12 transactions have no cycle is said in a tenth of a second instead of not at
 * all.
 *
 * The initial state is before all, so it needs no place in either. Events that are left out give no reasons.
 */
#ifndef PREDICT_Z3_UNSERIALIZABLE_PRIVATE_H
#define PREDICT_Z3_UNSERIALIZABLE_PRIVATE_H

#include "predict/z3/boundary_private.h"
#include "smt/smt.h"

MUST_USE enum status unserializable_encode_ranked(struct encoding *, struct error *);

/* Asserted beside the clauses, whose variables the solver has already. Counts the literals that it asserts. */
MUST_USE enum status unserializable_assert_for_all(const struct encoding *, struct smt *,
                                                   uint64_t *literals, struct error *);

#endif
