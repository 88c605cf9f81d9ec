/*
 * refute_search: translates clauses that the search learnt into steps of a refutation.
 */
#ifndef CHECKERS_SEARCH_REFUTER_REFUTE_SEARCH_PRIVATE_H
#define CHECKERS_SEARCH_REFUTER_REFUTE_SEARCH_PRIVATE_H

#include "checkers/search/refuter/refute_private.h"

MUST_USE enum status refute_need_search(struct refuter *, const struct open_pairs *,
                                        const struct search_proof *, struct error *);
MUST_USE enum status refute_write_search(struct refuter *, const struct open_pairs *,
                                         const struct search_proof *, struct error *);

#endif
