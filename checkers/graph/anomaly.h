/*
 * anomaly: a cycle of transactions as a finding of a check, in words and with its proof.
 */
#ifndef CHECKERS_GRAPH_ANOMALY_H
#define CHECKERS_GRAPH_ANOMALY_H

#include "checkers/check.h"
#include "checkers/graph/cycles.h"

MUST_USE enum status anomaly_add_cycle(struct check *, const struct history *, enum anomaly,
                                       const struct edge *, size_t count, struct error *);

/* For cycles_tell(): adds each cycle until the check has enough findings. */
struct anomaly_teller {
    struct check *check;
    const struct history *history;
};

MUST_USE enum status anomaly_tell_cycle(void *teller, const struct found_cycle *, bool *goes_on,
                                        struct error *);

#endif
