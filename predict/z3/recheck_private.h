/*
 * recheck: whether what Z3 found is a prediction, in plain C: its form, its level, and that it is not serializable.
 *
 * Serializability is refuted by edges that each order must have, until they close a cycle. Where they do not, all
 * orders are tried: what may come next depends only on which transactions came before, so a set of these, one prefix
 * of each session, is looked at once.
 */
#ifndef PREDICT_Z3_RECHECK_PRIVATE_H
#define PREDICT_Z3_RECHECK_PRIVATE_H

#include "predict/prediction.h"

/*
 * Fills in is_saturated and the order. `place`: of each transaction in the commit order that shows the level, asked
 * for at prefix and snapshot. *why is NULL if it is a prediction, otherwise the reason why it is not, or why nobody
 * knows.
 */
MUST_USE enum status recheck_prediction(const struct dataflow *, struct prediction *, enum level,
                                        bool is_relaxed, const uint32_t *place, struct arena *,
                                        const char **why, struct error *);

#endif
