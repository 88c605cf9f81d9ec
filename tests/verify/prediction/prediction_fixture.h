/*
 * prediction_fixture: predictions from histories in the notation of tests/oracle, and their witnesses.
 */
#ifndef TESTS_VERIFY_PREDICTION_PREDICTION_FIXTURE_H
#define TESTS_VERIFY_PREDICTION_PREDICTION_FIXTURE_H

#include "base/buffer.h"
#include "predict/confirm.h"
#include "verify/verify.h"

struct fixture_prediction {
    struct dataflow trace;
    struct prediction prediction;
    struct predict_options options;
    struct confirmation confirmation;
    struct buffer
        witness; /* ends with a zero byte that is not counted; empty: nothing was predicted */
};

/* The native engine's; whether there is one. The history must outlive it; the memory is fixture_arena()'s. */
bool fixture_predict(const struct history *, enum level, enum predict_strategy,
                     struct fixture_prediction *);
void fixture_prediction_close(struct fixture_prediction *);

/* "accepted: …", "refused: …", or "no witness: …". Until the next call. */
const char *fixture_verify_prediction(const struct history *, const char *witness);

/* A copy in which the first of these words are replaced; they must be there. To be freed. */
char *fixture_replace(const char *text, const char *words, const char *by);

#endif
