/*
 * level_rules: what the generator may do at each level, so that what it makes is
 * correct there by construction and, where the level allows more, uses it.
 *
 * A transaction commits at an instant of virtual time, *now*. It has a place in
 * the order of all transactions, and its reads see what stands at some places:
 *
 *     level                 its place        its reads see
 *     strict-serializable   now              all before its place
 *     session-serializable  now or earlier,  all before its place
 *                           behind its session's last
 *     serializable          now or earlier   all before its place
 *     repeatable-read       now or earlier   all before its place; but which rows a predicate
 *                                            matches, at an earlier place: phantoms
 *     strict-snapshot       now              all before one place since its invocation
 *     session-snapshot      now              ... since its session's last transaction
 *     snapshot              now              ... within the window
 *     prefix                now              as session-snapshot, but of two writers of a key
 *                                            the second need not have seen the first
 *     causal                now              what has come to its replica, with all that was
 *                                            seen there when it was written
 *     read-atomic           now              its session's past, and of the others' recent
 *                                            transactions a part drawn for it alone
 *     read-committed        now              each statement, all before a place not earlier
 *                                            than the statement's before
 *     read-uncommitted      now              likewise, and at times a version that was
 *                                            overwritten by its own writer, or rolled back
 *
 * The window is a few transactions' length. An earlier place is refused where
 * somebody further on has read or written what the transaction writes, and at
 * the snapshot levels one that a writer of the same key has since committed
 * behind: then the next try is nearer to now, where nothing is refused.
 *
 * A transaction with a predicate reads, at causal and read-atomic, a prefix: its
 * version set is then one place instead of a list of all keys. An append shows
 * what it was appended to, so that at causal it must have seen it, and lists at
 * read-atomic are made as at causal. Nobody reads his own append without having
 * seen what stands before it.
 */
#ifndef PROGRAMS_GENERATOR_LEVEL_RULES_PRIVATE_H
#define PROGRAMS_GENERATOR_LEVEL_RULES_PRIVATE_H

#include <stdbool.h>

#include "history/anomaly.h"
#include "history/level.h"

enum level_standing {
    STAND_NOW,
    STAND_AFTER_SESSION,
    STAND_ANYWHERE,
};

enum level_source {
    SOURCE_PLACE,     /* the transaction's own */
    SOURCE_SNAPSHOT,  /* one place for all reads */
    SOURCE_STATEMENT, /* a place for each statement */
    SOURCE_REPLICA,   /* for each replica, all of its transactions up to a place */
    SOURCE_PART,      /* some transactions, not a prefix of the order */
};

/* What a snapshot must include. */
enum since { SINCE_WINDOW, SINCE_SESSION, SINCE_INVOCATION };

struct level_rules {
    enum level_standing standing;
    enum level_source source;
    enum since since;
    bool first_committer_wins;
    bool phantoms;
    bool dirty_reads; /* and transactions that abort, to have something to read */
};

struct level_rules level_rules_of(enum level);

/* Whether histories that are made at the level never have the anomaly by themselves. */
bool level_rules_forbid(enum level, enum anomaly);

#endif
