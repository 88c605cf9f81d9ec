/*
 * wild: random histories in which everything occurs that docs/format-jsonl.md allows.
 *
 * A history is planned, run and told. It is run one transaction after another, each
 * of which sees of those before it all, a prefix, some, or what it likes anew for each
 * operation, so that the history satisfies one level or another. Then it is told, mostly as it was; in some
 * histories each answer, time, place, version set and version order is, with a chance that
 * the history has drawn, told otherwise: as another version's, as nobody's, not at all.
 *
 * It tells items of every type, lists that are appended to and sometimes written, rows of two tables
 * (one with a key of two columns), statements with conditions, orders, limits and
 * aggregates, locks, refusals, missing answers, initial values, all three outcomes, sessions out
 * of order, times of transactions and operations, and certificates: whole, in part, or of
 * another run. A few are no history (a version order that lists an aborted write), and the reader refuses them.
 */
#ifndef TESTS_DIFFERENTIAL_WILD_H
#define TESTS_DIFFERENTIAL_WILD_H

#include "base/text.h"
#include "tests/differential/dice.h"

/* Appends the lines of a history. */
void wild_history(struct dice *, struct buffer *);

#endif
