/*
 * validate: executes what was predicted, on the directed store at the level.
 *
 * Who takes part is executed in the order of commits of the prediction, each whole, and nothing behind: what is cut
 * in the prediction goes on as its program does. What comes out is an execution that the level allows. If it is not
 * serializable, the prediction is validated: as it is, or, if the execution differs, as another one. (IsoPredict, 5.)
 */
#ifndef PREDICT_VALIDATE_H
#define PREDICT_VALIDATE_H

#include "predict/calls.h"
#include "predict/director/choices.h"
#include "predict/prediction.h"

enum validation_kind { VALIDATION_VALIDATED, VALIDATION_DIVERGED, VALIDATION_NOT_REPRODUCED };

struct validation {
    enum validation_kind kind;
    char reason[300];     /* where it differs, and why it was not reproduced; may be empty */
    uint64_t differences; /* from what was predicted */
    uint32_t failed;      /* a transaction of the dataflow that did not commit, or DATAFLOW_NONE */
    struct history history; /* of the execution, with the ids of the observed one */
    struct choices choices; /* what its director chose */
};

const char *validation_name(enum validation_kind);

/* Closed by validation_close(), also after a failure. */
MUST_USE enum status validate(const struct predict_calls *, const struct dataflow *observed,
                              const struct prediction *, const struct predict_options *,
                              struct arena *, struct validation *, struct error *);
void validation_close(struct validation *);

/* A judge that accepts what is validated or diverged; `validation` is that of the last. */
struct validating {
    const struct predict_calls *calls;
    const struct dataflow *observed;
    const struct predict_options *options; /* without a judge */
    struct arena *arena;
    struct validation *validation; /* closed before it is filled anew */
};

enum status validating_accept(void *validating, const struct prediction *, bool *is_accepted,
                              uint32_t *because, struct error *);

#endif
