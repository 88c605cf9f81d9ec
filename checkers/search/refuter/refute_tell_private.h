/*
 * refute_tell: a refutation in words.
 */
#ifndef CHECKERS_SEARCH_REFUTER_REFUTE_TELL_PRIVATE_H
#define CHECKERS_SEARCH_REFUTER_REFUTE_TELL_PRIVATE_H

#include "checkers/search/refuter/refute_private.h"

/* The chain that must come first begins with `first`; the other ends with `end`, or its reader. */
void refute_tell_order(struct refuter *, uint32_t fact, uint32_t first, uint32_t end,
                       uint32_t last);
void refute_tell_not_from(struct refuter *, uint32_t fact);
void refute_tell_cycle(struct refuter *, struct path cycle);
void refute_tell_read(struct refuter *, uint32_t read);

#endif
