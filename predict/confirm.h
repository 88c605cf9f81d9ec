/*
 * confirm: asks the checkers whether a prediction is one.
 *
 *     prediction ── prediction_dataflow() ── dataflow_to_history() ──┬── holds at the level?  weak or blackbox
 *                                                              └── not serializable?    blackbox
 *
 * The engines that predict share no code with the checkers. Where these disagree, or cannot tell in time, the
 * prediction is not confirmed, and is reported as unknown: it is never told as one.
 *
 * A session's transactions happen one after another, so that the order of a session counts: a prediction is one that
 * is not session-serializable. Some are not serializable in any other order either; then the refutation says so. For
 * the same reason a prediction at `snapshot` has to hold at `session-snapshot`.
 */
#ifndef PREDICT_CONFIRM_H
#define PREDICT_CONFIRM_H

#include "checkers/checker.h"
#include "predict/cycle.h"
#include "predict/prediction.h"

struct confirmation {
    bool is_confirmed;
    char reason[300];       /* why not; else empty */
    struct dataflow trace;     /* what was predicted; of the arena */
    struct history history; /* the same */
    struct check holds;     /* with its witness */
    struct check fails;     /* at serializable if it fails there, else at session-serializable */
    struct cycle cycle;     /* of the trace, if it has one */
};

/* To be closed whatever the status. */
MUST_USE enum status prediction_confirm(const struct prediction *, const struct dataflow *observed,
                                        const struct predict_options *, struct arena *,
                                        struct confirmation *, struct error *);
void confirmation_close(struct confirmation *);

#endif
