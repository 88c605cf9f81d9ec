/*
 * polygraph_private: functions that add facts to a polygraph.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_PRIVATE_H
#define CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_PRIVATE_H

#include "checkers/search/polygraph/polygraph.h"

/* The reader's transaction was there before the version's, since its source was. */
MUST_USE enum status polygraph_overtake(struct polygraph *, uint32_t read, uint32_t version,
                                        struct error *);

/* How many chains of a lane, with these places of their heads, must come before chain b. */
uint32_t polygraph_count_before(const struct polygraph *, const struct lane *,
                                const uint32_t *places, uint32_t b);

/* Whether chain b before chain a would close a cycle: as far as reach knows. */
bool polygraph_forces(const struct polygraph *, uint32_t a, uint32_t b);

#endif
