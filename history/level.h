/*
 * level: the isolation levels by name, for every room that speaks of them.
 *
 *     LEVELS     those that stores promise, generators make and the oracle decides
 *     MODELS     further ones of Adya, Elle and the session guarantees: checkers decide them
 *
 * LEVEL_COUNT counts the first and stands for none; models have numbers behind it.
 *
 * Which level implies which:
 *
 *     strict-serializable          session-serializable
 *        |        \                  /        |
 *     strict-    serializable       /     session-snapshot
 *     snapshot    |        \       /       /     |
 *          \   snapshot    repeatable-read /   prefix
 *           \     |              |       /     causal
 *                 |              |             read-atomic
 *                   \             /            /
 *                    read-committed -- read-uncommitted
 *
 * and between these the models of Adya and Elle. The strict levels ask for real time and not for
 * sessions; read-atomic, causal and prefix do ask for sessions: docs/oracle.md.
 */
#ifndef HISTORY_LEVEL_H
#define HISTORY_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

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

#define MODELS(X)                                                                                  \
    X(MONOTONIC_ATOMIC_VIEW, "monotonic-atomic-view",                                              \
      "once a part of a transaction is seen, all of it is")                                        \
    X(CURSOR_STABILITY, "cursor-stability", "no update of a version that another has updated")     \
    X(UPDATE_ATOMIC, "update-atomic", "transactions are seen whole, and no update is lost")        \
    X(PARALLEL_SNAPSHOT, "parallel-snapshot-isolation",                                            \
      "snapshots that see all they depend on, without one order for all")                          \
    X(MONOTONIC_VIEW, "monotonic-view", "reads after a read never see less")                       \
    X(MONOTONIC_SNAPSHOT_READ, "monotonic-snapshot-read", "each statement sees a snapshot")        \
    X(CONSISTENT_VIEW, "consistent-view", "what a transaction sees is consistent")                 \
    X(FORWARD_CONSISTENT_VIEW, "forward-consistent-view",                                          \
      "a consistent view that may go beyond the transaction's beginning")                          \
    X(UPDATE_SERIALIZABLE, "update-serializable", "transactions that write are serializable")      \
    X(SESSION_READ_UNCOMMITTED, "strong-session-read-uncommitted",                                 \
      "read-uncommitted in an order that keeps sessions")                                          \
    X(SESSION_READ_COMMITTED, "strong-session-read-committed",                                     \
      "read-committed in an order that keeps sessions")                                            \
    X(STRICT_READ_UNCOMMITTED, "strong-read-uncommitted",                                          \
      "read-uncommitted in an order that keeps real time")                                         \
    X(STRICT_READ_COMMITTED, "strong-read-committed",                                              \
      "read-committed in an order that keeps real time")                                           \
    X(READ_YOUR_WRITES, "read-your-writes", "a session sees what it wrote")                        \
    X(MONOTONIC_READS, "monotonic-reads", "a session never sees less than before")                 \
    X(MONOTONIC_WRITES, "monotonic-writes", "a session's writes are seen in their order")          \
    X(WRITES_FOLLOW_READS, "writes-follow-reads", "what a session saw is seen with what it wrote") \
    X(PRAM, "pram", "a session sees its own past, and others' writes in their order")              \
    X(LINEARIZABLE, "linearizable", "each key by itself is strict-serializable")

enum level {
#define LEVEL_ENUM(enumerator, name, promise) LEVEL_##enumerator,
    LEVELS(LEVEL_ENUM) LEVEL_COUNT,
    MODELS(LEVEL_ENUM)
#undef LEVEL_ENUM
        LEVEL_END
};

/* In a set of levels and models. */
#define LEVEL_BIT(level) (UINT64_C(1) << (level))

const char *level_name(enum level);
const char *level_promise(enum level);
/* Also by the other names of level_aliases(): PL-SI, strong-session-serializable. */
bool level_of_text(struct text, enum level *);
/* The names of LEVELS, ending in NULL. */
const char *const *level_names(void);
/* The names of LEVELS and MODELS and the other names, ending in NULL. */
const char *const *level_all_names(void);

/* Whether the stronger forbids all that the weaker forbids. Each implies itself. */
bool level_implies(enum level stronger, enum level weaker);
/* All that it implies: LEVEL_BIT of each. */
uint64_t level_implied(enum level);
/* The strongest and the weakest of a set of levels (LEVEL_BIT of each); LEVEL_COUNT of none. */
enum level level_strongest(uint64_t levels);
enum level level_weakest(uint64_t levels);

/* What closes a cycle that a level forbids, besides reads and writes. */
enum cycle_closing { CLOSING_DATA, CLOSING_SESSION, CLOSING_TIME };

enum cycle_closing level_closing(enum level);
bool level_is_snapshot(enum level);     /* snapshot itself, session- or strict- */
bool level_is_serializable(enum level); /* likewise */

#endif
