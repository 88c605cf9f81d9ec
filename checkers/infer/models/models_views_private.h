/*
 * models_views: decides the models whose cycles have one anti-dependency.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_VIEWS_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_VIEWS_PRIVATE_H

#include "checkers/infer/models/models_private.h"

/* Some cycle has at most one anti-dependency; if monotonic: and is one of a monotonic view. */
MUST_USE enum status models_view(const struct picture *, bool monotonic, struct budget *, bool *yes,
                                 struct error *);
/* Some cycle has at most one transaction that writes nothing. */
MUST_USE enum status models_update(const struct picture *, struct budget *, bool *yes,
                                   struct error *);

#endif
