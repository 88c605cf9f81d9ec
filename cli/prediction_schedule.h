/*
 * prediction_schedule: a prediction as a scripted interleaving on the replicated store (docs/scenarios.md,
 * [[schedule]]).
 *
 *     commits  T1  T2  T5        T5 reads what T2 overwrote: it begins, and does all it does, before T2 commits
 *     steps    T1: begin call commit   T5: begin call   T2: begin call commit   T5: commit
 *
 * What a transaction reads it reads as it begins: that is `snapshot`, and the protocol si. Of the other levels the
 * store's protocols allow less than the level does, or decide otherwise what is read.
 */
#ifndef CLI_PREDICTION_SCHEDULE_H
#define CLI_PREDICTION_SCHEDULE_H

#include "base/buffer.h"
#include "predict/calls.h"
#include "predict/prediction.h"

struct scheduled_prediction {
    const struct predict_calls *calls;
    const struct dataflow *observed;
    const struct prediction *prediction;
    enum level level;
    const char *program; /* the file */
};

/* Whether there is such a scenario. */
bool prediction_has_schedule(const struct scheduled_prediction *);
/* The scenario's text. */
MUST_USE enum status prediction_write_schedule(const struct scheduled_prediction *, struct buffer *,
                                               struct error *);

#endif
