/*
 * linear_calls: turns what transactions do to each key into calls.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_CALLS_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_CALLS_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

MUST_USE enum status linear_calls_init(struct calls *, const struct places *,
                                       const struct check_options *, struct error *);
void linear_calls_close(struct calls *);

#endif
