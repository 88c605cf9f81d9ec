/*
 * saturate: adds all facts that follow from known facts, in rounds over all keys.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_SATURATE_H
#define CHECKERS_SEARCH_POLYGRAPH_SATURATE_H

#include "checkers/search/polygraph/polygraph.h"

/*
 * Finds out what follows, over and over, until nothing new does, or the facts refute
 * each other, or somebody wants an end.
 */
MUST_USE enum status polygraph_saturate(struct polygraph *, const struct check_options *,
                                        struct error *);

/* Whether the read is not known to be of another version. */
bool polygraph_may_be_from(const struct polygraph *, uint32_t read, uint32_t version);

#endif
