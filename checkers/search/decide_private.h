/*
 * decide: one question about a distilled history: is there an order of this kind?
 *
 *     chains, known edges -> saturation -> nothing open: the order
 *                                       -> refuted: the reasons
 *                                       -> pairs open: the search -> order, or proof
 */
#ifndef CHECKERS_SEARCH_DECIDE_PRIVATE_H
#define CHECKERS_SEARCH_DECIDE_PRIVATE_H

#include "checkers/check.h"
#include "checkers/search/polygraph/pairs.h"
#include "checkers/search/polygraph/steps.h"
#include "checkers/search/replay_private.h"

struct question {
    const struct distilled *d;
    const struct check_options *options;
    struct arena *arena;
    bool is_snapshot;
    enum cycle_closing closing;
    bool wants_proof;
    uint64_t steps_max; /* of the search; 0: no limit */
};

enum answer_kind { ANSWER_ORDER, ANSWER_NONE, ANSWER_OPEN };

struct answer_found {
    enum answer_kind kind;
    struct serial serial; /* of the arena */
    struct fixed_order base;
    struct polygraph polygraph; /* what was found out on the way */
    struct steps steps;         /* none, and wanted: why */
    bool has_proof;
    uint64_t pair_count; /* open: that were left */
    const char *reason;  /* open: why, where that is not the usual */
};

/* Closed by decide_close(), also after a failure. */
MUST_USE enum status decide(const struct question *, struct answer_found *, struct error *);
/* Again, once the distilled history has more reads; what is known stays known. */
MUST_USE enum status decide_further(const struct question *, struct answer_found *,
                                    struct error *);
void decide_close(struct answer_found *);

#endif
