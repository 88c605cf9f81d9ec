/*
 * anomaly: whether the proof of an anomaly is one, and who takes part in it.
 */
#ifndef VERIFY_INVALID_ANOMALY_H
#define VERIFY_INVALID_ANOMALY_H

#include "verify/verify_private.h"

MUST_USE enum status verify_anomaly(struct verifier *, const struct witness_anomaly *,
                                    struct error *);

#endif
