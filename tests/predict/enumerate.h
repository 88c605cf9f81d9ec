/*
 * enumerate: every prediction of a trace of at most ENUMERATE_TXNS_MAX transactions, by the definitions alone.
 *
 *     full       of each session so many first transactions, which read as observed, from full ones or from the
 *                initial state
 *     boundary   of each session none, or the transaction behind them, from which nobody reads:
 *                strict    cut behind one of its reads, which has any writer that is full, or the initial state; its
 *                          earlier reads are as observed, from full ones
 *                relaxed   whole, and each of its reads has any such writer
 *
 * What is left is a prediction at a level if no order of commits makes it serializable, and some order satisfies the
 * level's axiom (Biswas and Enea, OOPSLA 2019). Orders are tried one after another.
 *
 * At snapshot two transactions that both write a key are in conflict also where one writes it behind its cut: it
 * would not have committed.
 *
 * The read behind which a transaction is cut may keep its writer: the paper's constraints allow that. It makes no
 * difference to whether there is a prediction: the transaction is a sink, so its cut may go on to the next read,
 * which reads what its session has already seen, or to its end.
 */
#ifndef TESTS_PREDICT_ENUMERATE_H
#define TESTS_PREDICT_ENUMERATE_H

#include "predict/prediction.h"

#define ENUMERATE_TXNS_MAX 8
#define ENUMERATE_EVENTS_MAX 64

#define ENUMERATE_LEVELS                                                                           \
    (LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) | LEVEL_BIT(LEVEL_CAUSAL) |    \
     LEVEL_BIT(LEVEL_PREFIX) | LEVEL_BIT(LEVEL_SNAPSHOT))

/* What would be left of the trace; as in struct prediction. */
struct candidate {
    uint32_t full[ENUMERATE_TXNS_MAX], boundary[ENUMERATE_TXNS_MAX], included[ENUMERATE_TXNS_MAX];
    uint32_t writer[ENUMERATE_EVENTS_MAX];
};

struct enumeration {
    uint64_t candidates, unserializable;
    uint64_t found[LEVEL_COUNT]; /* by level: how many predictions there are */
    uint64_t levels;             /* at which there is one */
    /* Called, unless it is NULL, for each candidate that is a prediction at some of the levels. */
    void (*visit)(void *context, const struct candidate *, uint64_t levels);
    void *context;
};

/* Adds to what is there. */
void enumerate(const struct dataflow *, bool is_relaxed, struct enumeration *);

/* NULL if it is a prediction at the level, and its order shows the level; otherwise why not. */
const char *enumerate_refute(const struct dataflow *, const struct prediction *, enum level,
                             bool is_relaxed);

#endif
