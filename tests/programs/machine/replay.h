/*
 * replay: whether a generated history's certificate tells the truth.
 *
 * Computes, for every read of a committed transaction, the version that the
 * certificate names (the operation's set, else a place, under what the
 * transaction wrote itself) and what that version holds, and compares it with
 * what was read; the same for rows and aggregates of predicates, key by key.
 * Version orders must be the order of places, places unique, times in order.
 * Of the history as written, sharing nothing with what made it.
 */
#ifndef TESTS_PROGRAMS_MACHINE_REPLAY_H
#define TESTS_PROGRAMS_MACHINE_REPLAY_H

#include "history/history.h"

/* NULL if all is true; else what is not, in a buffer of the replay's own. */
const char *replay_find_lie(const struct history *);

#endif
