/*
 * execution: transactions of a trace executed again, each read from whom it is wanted to come.
 *
 * Of a key that a transaction reads, the first read that it has not done yet in the trace says which writer is
 * wanted; behind a cut it is the observed one, if it is there. What is wanted and cannot be had, and what the
 * transaction does besides or leaves undone, is a difference; the read then returns the newest version that is legal.
 */
#ifndef PREDICT_EXECUTION_PRIVATE_H
#define PREDICT_EXECUTION_PRIVATE_H

#include "base/intern.h"
#include "predict/calls.h"
#include "predict/director/choices.h"
#include "predict/dataflow.h"

/* What is read behind a cut. */
enum execution_tail {
    TAIL_AS_OBSERVED, /* or else the newest */
    TAIL_OLDEST,      /* which brings the least with it that others may not have seen */
    TAIL_NEWEST,
    TAIL_COUNT
};

struct execution {
    const struct predict_calls *calls;
    const struct dataflow *trace;
    const uint32_t *writer; /* by event: who is wanted */
    struct directed *store;
    struct intern keys; /* their names; the number is the trace's key */
    uint32_t *call;     /* by transaction: its call, or UINT32_MAX */
    uint32_t *executed; /* by transaction: its number in the store, or DATAFLOW_NONE */
    enum execution_tail tail;
    bool *is_boundary;   /* by number in the store: whom nobody should read from */
    bool *is_met;       /* by event: the read was done */
    bool is_last;        /* the one at hand is a boundary transaction */
    uint32_t txn, end;  /* at hand; and the event behind the last that is wanted */
    struct choice_recorder
        recorder; /* what was chosen; its choices are NULL if nobody wants them */
    uint32_t failed; /* the first that did not commit, or DATAFLOW_NONE */
    uint64_t differences;
    char difference[200]; /* the first */
};

/* Opens a store at the level. Closed by execution_close(), also after a failure. */
MUST_USE enum status execution_init(struct execution *, const struct predict_calls *,
                                    const struct dataflow *, enum level, struct arena *,
                                    struct error *);
void execution_close(struct execution *);
/* Whose first so many events are wanted. Only memory fails: that a transaction does not commit is a difference. */
MUST_USE enum status execution_run(struct execution *, uint32_t txn, uint32_t events,
                                   bool *is_committed, struct error *);

#endif
