/*
 * level: the isolation levels by name, for every room that speaks of them.
 *
 * Only names and numbers live here. What a level forbids, and which level
 * implies which, is the checkers' business.
 */
#ifndef HISTORY_LEVEL_H
#define HISTORY_LEVEL_H

#include <stdbool.h>

#include "base/text.h"

/* X(enumerator, name, what it promises in a line) */
#define LEVELS(X)                                                                                  \
    X(READ_UNCOMMITTED, "read-uncommitted", "writes of transactions do not interleave")            \
    X(READ_COMMITTED, "read-committed", "reads see only final values of committed transactions")   \
    X(READ_ATOMIC, "read-atomic", "a transaction is seen whole or not at all")                     \
    X(CAUSAL, "causal", "what is seen includes all that it depends on")                            \
    X(PREFIX, "prefix", "what is seen is a prefix of one common order")                            \
    X(SNAPSHOT, "snapshot", "reads from a snapshot, and the first of two writers wins")            \
    X(REPEATABLE_READ, "repeatable-read", "serializable as far as items go, phantoms apart")       \
    X(SERIALIZABLE, "serializable", "as if one transaction ran after another")                     \
    X(SESSION_SNAPSHOT, "session-snapshot", "snapshot, and a session sees its own past")           \
    X(SESSION_SERIALIZABLE, "session-serializable", "serializable in an order that keeps sessions") \
    X(STRICT_SNAPSHOT, "strict-snapshot", "snapshot, and what completed before is seen")           \
    X(STRICT_SERIALIZABLE, "strict-serializable", "serializable in an order that keeps real time")

enum level {
#define LEVEL_ENUM(enumerator, name, promise) LEVEL_##enumerator,
    LEVELS(LEVEL_ENUM)
#undef LEVEL_ENUM
        LEVEL_COUNT
};

const char *level_name(enum level);
const char *level_promise(enum level);
bool level_of_text(struct text, enum level *);
/* All names, ending in NULL. */
const char *const *level_names(void);

#endif
