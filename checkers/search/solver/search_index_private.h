/*
 * search_index: tables of a problem that all engines share, and the first order to try.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SEARCH_INDEX_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_SEARCH_INDEX_PRIVATE_H

#include <stdint.h>

#include "base/error.h"
#include "checkers/search/solver/search.h"

enum variable_kind {
    VARIABLE_LAZY,   /* in no clause: undecided as long as the order satisfies it anyhow */
    VARIABLE_FIRM,   /* in a clause, always decided */
    VARIABLE_CHOICE, /* firm, and one of search_problem.choices */
};

struct search_index {
    const struct search_problem *problem;
    uint8_t *kinds;                    /* by variable */
    uint32_t *guarded_start, *guarded; /* by literal: the edges that it guards */
    uint32_t *firm;                    /* variables of that kind */
    uint32_t firm_count;
    uint32_t *read_start; /* in choices, by read */
    uint32_t read_count;
    uint32_t *order; /* the nodes; fits the edges without guards */
};

MUST_USE enum status search_index_init(struct search_index *, const struct search_problem *,
                                       uint64_t seed, struct error *);
void search_index_close(struct search_index *);

#endif
