/*
 * draw_dataflow: small traces at random, of no history.
 *
 * Transactions run one after another. In most traces each reads what was written last, so that the trace is
 * serializable; in some a read may have any earlier version, and in a few any version.
 */
#ifndef TESTS_PREDICT_DRAW_DATAFLOW_H
#define TESTS_PREDICT_DRAW_DATAFLOW_H

#include "base/buffer.h"
#include "base/random.h"
#include "predict/dataflow.h"

struct draw_options {
    uint32_t txns_max, sessions_max, keys_max, ops_max;
};

void draw_dataflow(struct random *, const struct draw_options *, struct arena *, struct dataflow *);

/* As in `s1 T1: w k0 | s2 T2: r k0 T1, w k1`. */
void draw_print(const struct dataflow *, struct buffer *);

#endif
