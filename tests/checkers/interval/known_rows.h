/*
 * known_rows: a small table whose every instant is known, and clients who look for rows.
 *
 *     known_history(&(struct known_options){ .protocol = KNOWN_LOCKS, .seed = 7, .txns = 40 },
 *                   &history);
 *
 * One thing happens at each instant: somebody reads, writes or commits. Clients tell
 * when they had sent it and when the answer came, and are silent for long now and then.
 * Nobody waits: who would have to aborts. So it is clear without any checker that what was
 * told is right, at the level that the protocol has:
 *
 *     KNOWN_LOCKS       strict-serializable; of keys, and of what matches a condition
 *     KNOWN_VALIDATION  strict-serializable; of what was read, by keys and by conditions
 *     KNOWN_SNAPSHOT    strict-snapshot; rows are locked, the first updater wins
 *     KNOWN_STATEMENTS  read-committed; each statement sees what is there, rows are locked
 *     KNOWN_TIMESTAMPS  serializable in the order of clocks that disagree; nobody writes below what
 *                       was read, nor reads below a write that there was, unless it changed a
 *                       row that does not match into another
 *
 * There are few values and few keys, so that values come again, rows stop matching and match
 * again, go and come back. Who is not told how a transaction ended may be told wrong for
 * long: it lands much later, or never.
 */
#ifndef TESTS_CHECKERS_INTERVAL_KNOWN_ROWS_H
#define TESTS_CHECKERS_INTERVAL_KNOWN_ROWS_H

#include <stdint.h>

#include "history/history.h"

enum known_protocol {
    KNOWN_LOCKS,
    KNOWN_VALIDATION,
    KNOWN_SNAPSHOT,
    KNOWN_STATEMENTS,
    KNOWN_TIMESTAMPS,
    KNOWN_PROTOCOL_COUNT
};

struct known_options {
    enum known_protocol protocol;
    uint64_t seed;
    unsigned txns;      /* that are begun */
    unsigned lie_every; /* of the rows looked at, one in so many is an old one; 0: none */
};

/* The same options give the same history. */
void known_history(const struct known_options *, struct history *);

#endif
