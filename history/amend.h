/*
 * amend: adds to a history what its file could not say, such as initial values.
 *
 *     struct amendment amendment = { .initials = { "0", "y=7" }, .initial_count = 2 };
 *     TRY(history_amend(&history, &amendment, err));
 *
 * Jepsen's files, for instance, do not say what registers begin with, and a nil read there may be
 * one whose answer nobody looks at. The history is another one afterwards, with another digest.
 */
#ifndef HISTORY_AMEND_H
#define HISTORY_AMEND_H

#include "history/history.h"

struct amendment {
    /*
     * "VALUE": of all keys that begin with nothing and that nobody appends to; "KEY=VALUE": of
     * that key. Integers, true, false and null are what they look like, all else is a text.
     */
    const char *const *initials;
    size_t initial_count;
    bool nil_reads_match_any; /* a read of null has no answer */
};

/* On failure the history is to be closed, as otherwise. */
MUST_USE enum status history_amend(struct history *, const struct amendment *, struct error *);

#endif
