/*
 * models_missed: finds transactions that do not see a version that their model requires.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_MISSED_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_MISSED_PRIVATE_H

#include "checkers/infer/models/models_private.h"

MUST_USE enum status models_miss(const struct picture *, enum seeing, struct budget *, bool *misses,
                                 struct error *);

#endif
