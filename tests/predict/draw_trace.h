/*
 * draw_trace: small traces at random, of no history.
 *
 * Transactions run one after another. In most traces each reads what was written last, so that the trace is
 * serializable; in some a read may have any earlier version, and in a few any version.
 */
#ifndef TESTS_PREDICT_DRAW_TRACE_H
#define TESTS_PREDICT_DRAW_TRACE_H

#include "base/buffer.h"
#include "base/random.h"
#include "predict/trace.h"

struct draw_options {
    uint32_t txns_max, sessions_max, keys_max, ops_max;
};

void draw_trace(struct random *, const struct draw_options *, struct arena *, struct trace *);

/* As in `s1 T1: w k0 | s2 T2: r k0 T1, w k1`. */
void draw_print(const struct trace *, struct buffer *);

#endif
