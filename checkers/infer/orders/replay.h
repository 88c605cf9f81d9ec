/*
 * replay: accepts a history quickly if a known order explains every read.
 */
#ifndef CHECKERS_INFER_ORDERS_REPLAY_H
#define CHECKERS_INFER_ORDERS_REPLAY_H

#include "checkers/infer/infer_private.h"

/* Valid: an order at hand explains everything, and is the witness. */
MUST_USE enum status infer_replay(struct infer *, bool *is_valid, struct error *);

#endif
