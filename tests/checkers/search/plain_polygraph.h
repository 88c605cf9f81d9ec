/*
 * plain_polygraph: a history of registers as a problem of search.h, put together in the
 * plainest way.
 *
 * A variable for each order of two writers of a key, one for each writer a read may have
 * read from, and one for each unknown transaction: whether it took part. Nothing is
 * combined, deduced or left out, and no code is shared with the checker, so that what
 * a solver says of it is a second opinion on the checker as a whole.
 *
 *     (A,B)    A has written the key before B        A -> B
 *     (T,W)    T has read it from W                  W -> T, and with (W,X): T -> X
 *
 * At snapshot levels a transaction has two nodes, its snapshot and its commit, and the
 * first two edges are C -> S, and the third is S -> C.
 */
#ifndef TESTS_CHECKERS_SEARCH_PLAIN_POLYGRAPH_H
#define TESTS_CHECKERS_SEARCH_PLAIN_POLYGRAPH_H

#include "history/history.h"
#include "history/level.h"

enum plain_answer { PLAIN_HOLDS, PLAIN_VIOLATED, PLAIN_UNDECIDED };

enum plain_solver { PLAIN_POSITIONS, PLAIN_PROPAGATOR, PLAIN_SEARCH }; /* the first two are Z3's */

/* At one of the levels of blackbox; of the solver's steps at the most so many. */
enum plain_answer plain_polygraph_ask(const struct history *, enum level, enum plain_solver,
                                      unsigned steps_max);

#endif
