/*
 * models_tell: finds one cycle that a model forbids.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_TELL_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_TELL_PRIVATE_H

#include "checkers/infer/models/models_private.h"

/* Of a model that is violated. None within the budget: the found edges are empty. */
MUST_USE enum status models_find_cycle(const struct models *, enum level, struct budget *,
                                       struct found_cycle *, struct error *);

#endif
