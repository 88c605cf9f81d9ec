/*
 * absence: whether a trace has no prediction: docs/format-witness-prediction.md, "That there is none".
 *
 *     base clauses     what a prediction at the level is           made here, from the trace
 *     lemmas           some read does not fit this order           made here, from the orders of the witness
 *     steps            clauses that follow, the last one empty     of the witness, by propagation
 */
#ifndef VERIFY_PREDICTION_ABSENCE_PRIVATE_H
#define VERIFY_PREDICTION_ABSENCE_PRIVATE_H

#include "base/text.h"
#include "history/level.h"
#include "verify/prediction/observed_private.h"

struct absence_claim {
    enum level level;
    bool is_strict;
    struct text lemmas, steps; /* JSON arrays */
};

struct absence_answer {
    bool is_refused; /* the error says why */
    uint64_t txns, lemmas, steps;
};

/* An error that is no refusal is a lack of memory, or what is no witness. */
MUST_USE enum status absence_verify(const struct observed *, const struct absence_claim *,
                                    struct arena *, struct absence_answer *, struct error *);

#endif
