/*
 * hints: tries known orders (the store's, by completion, by file) before any search.
 *
 * The store's own order, the order of completion, that of the file: whichever explains the
 * history is a proof, whoever guessed it. One replay each, which ends at the first answer
 * that does not fit.
 */
#ifndef CHECKERS_SEARCH_HINTS_H
#define CHECKERS_SEARCH_HINTS_H

#include "checkers/search/looks.h"

enum hint { HINT_STORE, HINT_COMPLETION, HINT_FILE, HINT_COUNT };

/* All actors in that order, if it is at hand; nothing is replayed. */
MUST_USE enum status hints_order(const struct distilled *, enum hint, struct arena *,
                                 struct serial *, bool *is_at_hand, struct error *);

/* The order is of the arena. False: none will do, and nothing follows from that. */
struct hints_question {
    const struct distilled *d;
    const struct fixed_order *base;
    struct looks *looks; /* statements that are to be explained, too; or NULL */
    bool is_snapshot;
    struct arena *arena;
};
MUST_USE enum status hints_try(const struct hints_question *, struct serial *, bool *holds,
                               struct error *);

#endif
