/*
 * sample: a small history in which every column of the model has something to
 * say, for tests of what copies, checks or prints all of them.
 */
#ifndef TESTS_HISTORY_SAMPLE_H
#define TESTS_HISTORY_SAMPLE_H

#include "history/builder.h"

/* Numbers keys and texts in another order with `renumbered`; says the same. */
MUST_USE enum status sample_build(struct builder *, bool renumbered, struct error *);
/* The same, finished. Fails an assertion if that is refused. */
void sample_history(struct history *, bool renumbered);

#endif
