/*
 * prediction: another execution that the same clients could have seen, and that is not serializable.
 *
 *     observed     T1: r x _, w x T1      T2: r x T1, w x T2
 *     predicted    T1: r x _, w x T1      T2: r x _ |  w x T2      strict: T2 is cut behind the read
 *                                                                 relaxed: T2 stays whole
 *
 * A prediction has of each session some *full* transactions, which read what they read, and behind them at most one
 * *boundary* transaction, in which reads come from other writers. With the strict boundary it is cut behind the one
 * read that comes from another; with the relaxed one all of it stays, and each of its reads is free. Nobody
 * reads from a boundary transaction, so that what is full does the same as it did. What a boundary transaction does
 * behind a changed read is a guess, unless its program is executed (strategy semantic).
 * IsoPredict (Geng, Blanas, Bond and Wang, PLDI 2024), 4.5.
 */
#ifndef PREDICT_PREDICTION_H
#define PREDICT_PREDICTION_H

#include <stdatomic.h>

#include "history/level.h"
#include "history/progress.h"
#include "predict/dataflow.h"

/* X(ENUMERATOR, name, what it is) */
#define PREDICT_STRATEGIES(X)                                                                      \
    X(EXACT_STRICT, "exact-strict", "every prediction with a strict boundary")                     \
    X(APPROX_STRICT, "approx-strict", "the same; with Z3: those whose cycle needs no choice")      \
    X(APPROX_RELAXED, "approx-relaxed", "boundary transactions stay whole, as they were")          \
    X(SEMANTIC, "semantic", "boundary transactions are executed again")

enum predict_strategy {
#define PREDICT_STRATEGY_ENUM(enumerator, name, summary) STRATEGY_##enumerator,
    PREDICT_STRATEGIES(PREDICT_STRATEGY_ENUM)
#undef PREDICT_STRATEGY_ENUM
        STRATEGY_COUNT
};

static inline bool strategy_is_relaxed(enum predict_strategy strategy)
{
    return strategy == STRATEGY_APPROX_RELAXED || strategy == STRATEGY_SEMANTIC;
}

enum prediction_kind { PREDICTION_FOUND, PREDICTION_NONE, PREDICTION_UNKNOWN };

struct prediction;

/* Whether what was found is to be told. If not: the transaction because of which, or DATAFLOW_NONE. */
struct predict_judge {
    enum status (*accept)(void *context, const struct prediction *, bool *is_accepted,
                          uint32_t *because, struct error *);
    void *context;
};

struct predict_options {
    enum level level; /* one of predict_levels() */
    enum predict_strategy strategy;
    const struct progress *progress; /* may be NULL */
    const atomic_bool *stop;         /* may be NULL; once it is true the answer comes soon */
    uint32_t window;                 /* look at so many transactions at a time; 0: at all */
    uint64_t steps_max;              /* of each search; 0: no limit */
    const struct predict_judge
        *judge; /* of the native engine; NULL: all is accepted */
};

struct predict_counts {
    uint64_t variables, literals; /* of the formula, lemmas included */
    uint64_t iterations, lemmas;
    int64_t generate_ns, solve_ns;
};

struct prediction {
    enum prediction_kind kind;
    char reason[300]; /* why it is unknown; else empty */
    /* All of the arena; of a prediction that was found. */
    uint32_t *full;     /* by session: how many of its transactions are full */
    uint32_t *boundary; /* by session: the transaction behind them, or DATAFLOW_NONE */
    uint32_t *included; /* by session: how many of its events are in */
    uint32_t *writer;   /* by event of the trace: from whom it reads, where it is included */
    uint32_t *
        order; /* who takes part, in an order of commits that the level allows */
    uint32_t order_count;
    bool
        is_saturated; /* edges that every order must have close a cycle; else each order fails in its own way */
    struct predict_counts counts;
};

/* A bit for each level, LEVEL_BIT(). */
uint64_t predict_levels(void);
const char *predict_strategy_name(enum predict_strategy);
bool predict_strategy_of_text(struct text, enum predict_strategy *);

/* Native and exact; strategies but semantic. */
MUST_USE enum status predict_native(const struct dataflow *, const struct predict_options *,
                                    struct arena *, struct prediction *, struct error *);

/* What was predicted, as a trace: full and boundary transactions, and the events of these that are included. */
MUST_USE enum status prediction_dataflow(const struct prediction *, const struct dataflow *observed,
                                         struct arena *, struct dataflow *, struct error *);

#endif
