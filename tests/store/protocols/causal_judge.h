/*
 * causal_judge: whether a history of items is causally consistent, from what was read.
 *
 * Biswas and Enea 2019: causality is the sessions' order and who read from whom, closed; where
 * T3 reads x from T1, and T2, which wrote x, is causally before T3, T2 comes before T1. Causal
 * exactly if all of that together has no cycle. Polynomial, so for histories that are too large
 * for the oracle, which this one is tested against.
 *
 * Values of a key must differ. A read that found nothing is not judged, as nobody knows
 * which removal it has seen.
 */
#ifndef TESTS_STORE_PROTOCOLS_CAUSAL_JUDGE_H
#define TESTS_STORE_PROTOCOLS_CAUSAL_JUDGE_H

#include "history/history.h"

bool causal_judge_holds(const struct history *);

#endif
