/*
 * contradiction: finds keys whose version order contradicts the `ts` of their writers.
 *
 * Version orders and `ts` are two words of one store about one order. Where a version order has a
 * transaction's version before that of another whose `ts` is smaller, one of them is wrong, whatever
 * clients saw: an anomaly by itself (`cyclic-versions`), at every level.
 */
#ifndef CHECKERS_GRAPH_CONTRADICTION_H
#define CHECKERS_GRAPH_CONTRADICTION_H

#include "checkers/check.h"
#include "checkers/graph/places.h"

/* Adds a finding for each key whose order contradicts the places of its writers. */
MUST_USE enum status contradiction_find(const struct places *, struct check *, struct error *);

#endif
