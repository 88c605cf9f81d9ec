/*
 * minimal_core: reduces a refutation to few transactions that have no order by themselves.
 *
 * A refutation names the transactions that it needs, and mostly some that it would not have needed.
 * Without one of them the question is asked again: if there is still no order, the reasons for
 * that are the new ones. It ends when each of those left is needed (a minimal set, though
 * perhaps not the least of all), or when it has taken enough work.
 */
#ifndef CHECKERS_SEARCH_MINIMAL_CORE_H
#define CHECKERS_SEARCH_MINIMAL_CORE_H

#include "checkers/search/decide_private.h"

/*
 * From an answer that there is no order, with reasons: the same about a part of the history. It is
 * open where none was found. Part and answer stay where they are while they are used, and
 * are closed, whatever the status.
 */
MUST_USE enum status minimal_core_find(const struct question *, const struct answer_found *,
                                       struct distilled *part, struct answer_found *smaller,
                                       struct error *);

#endif
