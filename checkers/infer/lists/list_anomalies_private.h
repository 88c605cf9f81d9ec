/*
 * list_anomalies: finds the anomaly in a list that contradicts the longest one.
 */
#ifndef CHECKERS_INFER_LISTS_LIST_ANOMALIES_PRIVATE_H
#define CHECKERS_INFER_LISTS_LIST_ANOMALIES_PRIVATE_H

#include "checkers/infer/lists/lists_private.h"

MUST_USE enum status lists_judge_suspects(struct infer *, struct error *);

#endif
