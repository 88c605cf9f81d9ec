/*
 * predict_fixture: traces as text.
 *
 *     T1: w x | T2: r x T1, w z | T3: r x init
 */
#ifndef TESTS_PREDICT_PREDICT_FIXTURE_H
#define TESTS_PREDICT_PREDICT_FIXTURE_H

#include "base/buffer.h"
#include "predict/dataflow.h"

/* The trace of a history in tests/oracle/notation.h, which is to be closed. */
struct dataflow fixture_dataflow(const char *notation, struct history *, struct arena *);
void fixture_print_dataflow(const struct dataflow *, struct buffer *);

#endif
