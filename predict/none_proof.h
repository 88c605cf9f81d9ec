/*
 * none_proof: why a trace has no prediction, as a witness: docs/format-witness-prediction.md, "That there is none".
 *
 * The native engine leaves out much that makes no difference, and so its search proves something about a smaller
 * formula. Here the same loop is run on a formula that says plainly what a prediction is, and that others can make
 * for themselves:
 *
 *     base clauses, lemmas ── search ──┬── a prediction ── serialize ── an order: one more lemma
 *                                      └── none: the steps of the search are the proof
 */
#ifndef PREDICT_NONE_PROOF_H
#define PREDICT_NONE_PROOF_H

#include "base/buffer.h"
#include "predict/prediction.h"

struct none_proof {
    bool is_proven;
    bool is_contradicted; /* there is a prediction: the engine or this is wrong */
    char reason[200]; /* why not; else empty */
    uint64_t lemmas, steps;
    struct buffer witness; /* ends with a line feed */
};

/*
 * Of a trace of a history, without unjudged statements, that the engine has no prediction of. Closed by
 * none_proof_close(), whatever the status.
 */
MUST_USE enum status none_proof_make(const struct dataflow *, const struct predict_options *,
                                     struct arena *, struct none_proof *, struct error *);
void none_proof_close(struct none_proof *);

#endif
