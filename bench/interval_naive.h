/*
 * interval_naive: all dependencies in one graph, searched for cycles.
 *
 * What the model is compared with: each version of each key is kept, a read depends on the
 * version that has its value and comes before the next one, versions follow each other in the
 * true order of commits, which is told, and the whole graph is searched for a cycle from every transaction, depth first:
 * once when all is known, and once more as somebody must who wants to know it while it
 * happens, each time that some hundred transactions have come.
 */
#ifndef BENCH_INTERVAL_NAIVE_H
#define BENCH_INTERVAL_NAIVE_H

#include "base/array.h"
#include "checkers/interval/interval_model.h"

struct naive_edge {
    uint32_t to, next;
};

struct naive_version {
    uint64_t value, committed;
    uint32_t txn;
};

struct naive_read {
    uint64_t value;
    uint32_t txn;
};

struct naive_key {
    ARRAY(struct naive_version) versions;
    ARRAY(struct naive_read) reads;
};

struct naive {
    ARRAY(struct naive_key) keys;
    ARRAY(uint32_t) first_edge; /* by transaction */
    ARRAY(struct naive_edge) edges;
    ARRAY(uint32_t) path;
    ARRAY(uint8_t) colour;
    double build_seconds;
};

struct naive_figures {
    double once_seconds, often_seconds;
    bool has_cycle;
};

/* `committed`: the instant. Clients alone do not know it, and by what they hear it would accuse. */
MUST_USE enum status naive_add(struct naive *, const struct interval_trace *, uint64_t committed,
                               struct error *);
MUST_USE enum status naive_end(struct naive *, struct naive_figures *, struct error *);
void naive_close(struct naive *);

#endif
