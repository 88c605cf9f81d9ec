/*
 * semantic: predictions in which boundary transactions do what their programs do with other reads.
 *
 *     observed   T1: r votes _, w votes 1      T2: r votes T1                 (has voted already)
 *     variant of T2: r votes _, w votes 1      it reads no vote, and so it votes
 *
 * Each transaction is executed alone with every combination of values that its reads could have had from the writers
 * that were observed. Executions that read and write the same keys are one *variant*; from whom its reads may come is
 * collected of all of them. One that fails leaves nothing, and is none. One variant a session may stand behind the
 * full transactions, in the place of the transaction that it is of. What is found is executed before it is told:
 * there are no guesses, and what is predicted is what the programs do.
 *
 * Combinations are tried in the order of how many reads differ, up to a limit. If there were more, that nothing was
 * found means nothing.
 */
#ifndef PREDICT_SEMANTIC_H
#define PREDICT_SEMANTIC_H

#include "predict/calls.h"
#include "predict/prediction.h"
#include "predict/validate.h"

struct semantic_result {
    /* The observed transactions, behind them the variants; and what was predicted of these. */
    struct dataflow all;
    struct prediction found;
    /*
     * The same, of those alone that take part, as they were executed. In a boundary transaction each read has whom it
     * came from when it was observed, if the key was read then.
     */
    struct dataflow executed;
    struct prediction prediction;
    struct validation validation; /* the execution */
    bool is_validated;
    uint64_t executions, variants; /* that were tried; and how many different ones there were */
    bool has_more;                 /* variants that were not tried */
    struct history history;        /* of all */
};

/* The observed trace must be of a history of these calls. Closed by semantic_close(), also after a failure. */
MUST_USE enum status predict_semantic(const struct predict_calls *, const struct dataflow *observed,
                                      const struct predict_options *, struct arena *,
                                      struct semantic_result *, struct error *);
void semantic_close(struct semantic_result *);

#endif
