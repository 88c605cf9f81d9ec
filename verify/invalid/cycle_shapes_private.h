/*
 * cycle_shapes: which cycles the models of Adya and Elle forbid. docs/format-witness.md, "Models".
 */
#ifndef VERIFY_INVALID_CYCLE_SHAPES_PRIVATE_H
#define VERIFY_INVALID_CYCLE_SHAPES_PRIVATE_H

#include "verify/verify_private.h"

/* Whether the model forbids a cycle with edges of these kinds in this order, all of them true. */
bool cycle_shapes_forbid(const struct verifier *, const struct witness_anomaly *);

#endif
