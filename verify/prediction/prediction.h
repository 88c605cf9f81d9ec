/*
 * prediction: whether the witness of a prediction is true.
 *
 * docs/format-witness-prediction.md says what has to be so. The predicted history is made of the observed one and of
 * the choices in the witness; that it has the level, and that it is not serializable, is shown by two witnesses of
 * the ordinary format within it, which are judged as such.
 *
 *     choices.c     what stands in the file
 *     observed.c    who read which key from whom in the observed history
 *     prediction.c  what was predicted, and whether that may be
 *     absence.c     that nothing can be predicted, by
 *     absence_formula.c  clauses that say what a prediction is, and
 *     propagation.c      what follows from them
 */
#ifndef VERIFY_PREDICTION_PREDICTION_H
#define VERIFY_PREDICTION_PREDICTION_H

#include "verify/verify.h"

/* The bytes are changed. An error is what is no witness, or memory. */
MUST_USE enum status prediction_verify(const struct history *observed, char *bytes, size_t size,
                                       struct verification *, struct error *);

#endif
