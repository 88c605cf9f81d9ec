/*
 * cycle: why a trace is not serializable: transactions each of which must come before the next, in a circle.
 *
 *     T1: r x _, w y T1       T1 -rw x-> T2: T1 did not see what T2 writes
 *     T2: r y _, w x T2       T2 -rw y-> T1
 *
 * Edges are those that every serial order must have: session order (so), writer to reader (wr), and by these
 * (Biswas and Enea 2019; IsoPredict 4.2.2), for a reader R of what W wrote of a key and for another writer C of it,
 *
 *     ww    C before W, if C comes before R
 *     rw    R before C, if W comes before C; or if R read from the initial state
 *
 * A trace without such a cycle may be unserializable, too: if every order fails, but each for a reason of its own.
 */
#ifndef PREDICT_CYCLE_H
#define PREDICT_CYCLE_H

#include "predict/dataflow.h"

enum cycle_edge_kind { CYCLE_SO, CYCLE_WR, CYCLE_WW, CYCLE_RW };

struct cycle_edge {
    enum cycle_edge_kind kind;
    uint32_t from, to; /* transactions of the trace */
    uint32_t key;      /* but of so */
    uint32_t
        other; /* of rw: from whom `from` read the key, or DATAFLOW_INITIAL; of ww: who read it from `to` */
};

struct cycle {
    struct cycle_edge *edges; /* of the arena */
    uint32_t count;           /* 0: there is none */
};

/* The cycle that is closed first, with the fewest edges among those known by then. */
MUST_USE enum status dataflow_find_cycle(const struct dataflow *, struct arena *, struct cycle *,
                                      struct error *);

/* "so", "wr", "ww", "rw" */
const char *cycle_edge_name(enum cycle_edge_kind);

#endif
