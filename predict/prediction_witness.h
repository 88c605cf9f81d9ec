/*
 * prediction_witness: the evidence for a prediction: docs/format-witness-prediction.md.
 */
#ifndef PREDICT_PREDICTION_WITNESS_H
#define PREDICT_PREDICTION_WITNESS_H

#include "base/buffer.h"
#include "predict/confirm.h"

/* Of a prediction that was confirmed, from a trace of a history. */
MUST_USE enum status prediction_write_witness(const struct prediction *,
                                              const struct dataflow *observed,
                                              const struct predict_options *,
                                              const struct confirmation *, struct buffer *,
                                              struct error *);

#endif
