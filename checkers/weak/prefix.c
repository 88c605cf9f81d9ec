/*
 * Prefix: there is one order of all commits, and each transaction sees a beginning of it.
 *
 *     T1: w(x,1)   T2: w(y,1)   T3: r(x,1) r(y,null)   T4: r(x,null) r(y,1)     causal, no prefix
 *
 * NP-complete, unlike the levels below it. Most stores that are asked for it give more, so
 * two orders at hand are tried first: that of causal consistency, and that of the history.
 * Then it is a question for the search (prefix_encoding.h), and may remain one.
 */
#include <stdlib.h>

#include "checkers/search/prefix_encoding.h"
#include "checkers/weak/weak_private.h"

enum status weak_judge_prefix(struct weak *w, const struct weak_order *causal, struct error *err)
{
    TRY(halves_judge(w->history, &w->places, causal->txns, causal->count, w->options, w->check,
                     err));
    if (w->check->verdict == VERDICT_INVALID) {
        w->check->strongest = LEVEL_CAUSAL;
        w->check->weakest_violated = LEVEL_PREFIX;
    }
    return STATUS_OK;
}
