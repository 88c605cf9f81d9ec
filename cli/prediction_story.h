/*
 * prediction_story: tells a prediction in words.
 *
 *     At causal the same clients could have seen another execution, and it is not serializable. T3 (session 1)
 *     reads x from the initial state instead of from T1. …
 */
#ifndef CLI_PREDICTION_STORY_H
#define CLI_PREDICTION_STORY_H

#include "base/buffer.h"
#include "predict/confirm.h"

/* A prediction that was confirmed, and what it was drawn from: a trace of a history. */
struct told_prediction {
    const struct dataflow *observed;
    const struct prediction *prediction;
    const struct confirmation *confirmation;
    const struct predict_options *options;
};

/* One paragraph without line ends within. */
void prediction_story_tell(const struct told_prediction *, struct buffer *);
/* The paragraph, filled, and each transaction that is not as it was. */
void prediction_story_print(const struct told_prediction *, struct buffer *);

/* For who draws it as well. */

/* The id in the history. */
int64_t told_txn_id(const struct dataflow *, uint32_t txn);
int64_t told_session_id(const struct dataflow *, uint32_t session);
struct text told_key(const struct dataflow *, uint32_t key);
/* Whether the event of the observed trace is in, and is a read from another writer than observed. */
bool told_is_changed(const struct told_prediction *, uint32_t event);
/* How many events of a transaction of the observed trace are in. */
uint32_t told_included(const struct told_prediction *, uint32_t txn);
bool told_is_full(const struct told_prediction *, uint32_t txn);
bool told_is_boundary(const struct told_prediction *, uint32_t txn);
/* "T5", or "the initial state". */
void told_print_writer(const struct dataflow *, uint32_t writer, struct buffer *);

#endif
