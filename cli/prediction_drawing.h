/*
 * prediction_drawing: draws a prediction as SVG: what was observed beside what was predicted.
 *
 *        observed                          predicted
 *     session 0   session 1             session 0   session 1
 *     ┌───────┐                         ┌───────┐
 *     │ T1    │                         │ T1    │←──────┐ rw x
 *     │ w x   │                         │ w x   │       │
 *     └───────┘  ┌───────────┐          └───────┘  ┌──────────────┐
 *                │ T2        │                     │ T2           │
 *                │ r x ← T1  │                     │ r x ← initial│
 *
 * Drawn are the transactions of the cycle, those whose reads come from others, and these; of their events those on
 * keys that matter. Each stands in a row of its own, so that the labels of edges find room.
 */
#ifndef CLI_PREDICTION_DRAWING_H
#define CLI_PREDICTION_DRAWING_H

#include "cli/prediction_story.h"

MUST_USE enum status prediction_draw(const struct told_prediction *, struct buffer *,
                                     struct error *);

#endif
