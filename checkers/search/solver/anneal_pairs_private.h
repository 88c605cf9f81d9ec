/*
 * anneal_pairs_private: which chains of a problem may come to overlap.
 */
#ifndef CHECKERS_SEARCH_SOLVER_ANNEAL_PAIRS_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_ANNEAL_PAIRS_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "checkers/search/solver/search_index_private.h"

struct anneal_pair {
    uint32_t one, other; /* chains */
};

struct anneal_pairs { /* as in ARRAY() */
    struct anneal_pair *at;
    size_t count, room;
};

/* Closed with array_close(), whatever the status. A pair may be there more than once. */
MUST_USE enum status anneal_find_pairs(const struct search_index *, struct anneal_pairs *,
                                       struct error *);

#endif
