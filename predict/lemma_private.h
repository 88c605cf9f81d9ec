/*
 * lemma: what every prediction that is not serializable must have, learnt from one that is.
 *
 * The order of a serializable prediction explains no other unless some conflict occurs: a read comes from a later
 * transaction, or from one before the last writer of its key. One of all the conflicts that the order leaves
 * possible: that is a clause. It excludes the prediction, which has none.
 *
 * A transaction none of whose writes is included disturbs nobody. If it is the last of its session, it may stand
 * elsewhere as well, after its predecessor. So of such a transaction it does not count that it conflicts at its
 * place, unless it conflicts at every other place, too, or its writes or its successor are included. Without that, n
 * sessions that each read one of two versions would take 2^n clauses.
 */
#ifndef PREDICT_LEMMA_PRIVATE_H
#define PREDICT_LEMMA_PRIVATE_H

#include "predict/formula_private.h"

struct lemma_order {
    const uint32_t *place; /* by node: all have one */
    const bool *floats;    /* by transaction: it may stand elsewhere */
};

MUST_USE enum status lemma_add(struct formula *, const struct lemma_order *, struct error *);

#endif
