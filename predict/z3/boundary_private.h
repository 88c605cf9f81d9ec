/*
 * boundary: which executions are feasible (4.1 and 4.5): what is left of the trace, and who reads from whom.
 *
 *     T: r x, w y, r z, w x     included  i1 i1 i3 full  (strict)   full -> i3 -> i1 -> the one before is full
 *                                         in in in in    (relaxed)  full -> in -> the one before is full
 *
 * A literal says of each event whether it is left. A strict boundary transaction is cut behind its last read that is
 * left, where the next one is not; all other reads that are left are kept as observed. A relaxed one is left as a
 * whole, and none of its reads need be as observed. Writers that are read are full, so nobody reads from a boundary
 * transaction.
 */
#ifndef PREDICT_Z3_BOUNDARY_PRIVATE_H
#define PREDICT_Z3_BOUNDARY_PRIVATE_H

#include "predict/dataflow.h"
#include "predict/z3/clauses_private.h"

/* That a read is left and reads from this one. */
struct encoding_choice {
    uint32_t writer; /* or DATAFLOW_INITIAL */
    uint32_t literal;
};

struct encoding {
    const struct dataflow *trace;
    bool is_relaxed;
    struct arena *arena;
    struct clauses clauses;
    uint32_t *txn_of;       /* by event */
    uint32_t *full;         /* by transaction: a literal */
    uint32_t *included;     /* by event: a literal */
    uint32_t *choice_start; /* by event, and one more */
    struct encoding_choice *choices;
    uint32_t *write_event;  /* by place in trace->writers: the write */
    uint32_t *reader_start; /* by key, and one more */
    uint32_t *readers;      /* by key: events */
    uint32_t
        *direct; /* by two transactions: session order, or some read of the second has the first */
    /* Of levels: by transaction, its place in the commit order. */
    uint32_t *place;
    uint32_t *
        earlier; /* at prefix and snapshot: by two transactions, the first is before the second in it */
};

/* A cell of a table by two transactions. */
static inline uint32_t *encoding_at(const struct encoding *e, uint32_t *table, uint32_t a,
                                    uint32_t b)
{
    return &table[(size_t)a * e->trace->txn_count + b];
}

/* The clauses are to be closed whatever the status. */
MUST_USE enum status boundary_encode(struct encoding *, struct error *);

#endif
