/*
 * pairs: turns the pairs of chains that saturation left open into a problem for the search.
 *
 *     variable "A before B"      true: tail of A -> head of B, readers of A's tail -> head of B
 *                                false: the same with A and B the other way round
 *     variable "r reads w"       true: w -> r; r -> who made the next version of w's chain;
 *                                and where w's chain comes before chain X: r -> head of X
 *
 * There is one variable for each open pair of chains, and one for each candidate of a read. A clause
 * says that each such read has a source, another that each value that came from one of several rows
 * has one. That a read has no two sources need not be said: the order would not allow it. Of the
 * known edges only those are passed on that no others imply.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_PAIRS_H
#define CHECKERS_SEARCH_POLYGRAPH_PAIRS_H

#include "base/map.h"
#include "checkers/search/polygraph/polygraph.h"
#include "checkers/search/solver/search.h"

/* What a variable stands for. */
struct open_pair {
    uint32_t a, b; /* chains; of a choice: a is the read, b its version */
    bool is_choice;
};

/* What an edge of the search stands for. */
struct open_edge {
    uint32_t fact;    /* that is known, or NOBODY */
    uint32_t read;    /* that goes before `version`; NOBODY: a version that does */
    uint32_t source;  /* of the read; or the version that goes before */
    uint32_t version; /* NOBODY: the read follows its source */
};

struct open_pairs {
    struct polygraph *p;
    const struct check_options *options;
    ARRAY(struct open_pair) variables;
    ARRAY(struct search_edge) edges;
    ARRAY(struct open_edge) meanings; /* beside edges */
    ARRAY(uint32_t) literals, clause_start;
    ARRAY(uint32_t) clause_read; /* beside clauses: that it has a source; behind reads, somes */
    struct map choice_of;        /* by read and version: its variable; where there are somes */
    ARRAY(struct search_chain) chains;
    ARRAY(struct search_reader) readers;
    ARRAY(struct search_choice) choices;
    struct map variable_of; /* by pair of chains */
    bool is_too_large;
    struct search_problem problem;
};

/* Closed by pairs_close(), also after a failure. */
MUST_USE enum status pairs_init(struct open_pairs *, struct polygraph *,
                                const struct check_options *, struct error *);
void pairs_close(struct open_pairs *);

#endif
