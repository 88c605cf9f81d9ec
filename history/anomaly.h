/*
 * anomaly: the anomalies by name, Adya's and Elle's.
 *
 * A cycle's name tells which edges close it: `-process` where session order is
 * needed, `-realtime` where real time is. `weakest` is the weakest level that
 * the anomaly rules out. Only names live here; finding is the checkers' work.
 */
#ifndef HISTORY_ANOMALY_H
#define HISTORY_ANOMALY_H

#include <stdbool.h>

#include "base/text.h"
#include "history/level.h"

/* X(enumerator, name, weakest level ruled out, definition in a line) */
#define ANOMALIES(X)                                                                               \
    X(G0, "G0", READ_UNCOMMITTED, "a cycle of write dependencies")                                 \
    X(G1A, "G1a", READ_COMMITTED, "a read of an aborted transaction's write")                      \
    X(G1B, "G1b", READ_COMMITTED, "a read of a value that its writer overwrote itself")            \
    X(G1C, "G1c", READ_COMMITTED, "a cycle of write and read dependencies")                        \
    X(G_SINGLE, "G-single", SNAPSHOT, "a cycle with exactly one anti-dependency")                  \
    X(G_NONADJACENT, "G-nonadjacent", SNAPSHOT, "a cycle whose anti-dependencies never meet")      \
    X(G2_ITEM, "G2-item", REPEATABLE_READ, "a cycle with item anti-dependencies")                  \
    X(G2, "G2", SERIALIZABLE, "a cycle with a predicate anti-dependency")                          \
    X(G0_PROCESS, "G0-process", SESSION_SNAPSHOT, "G0 closed by session order")                    \
    X(G1C_PROCESS, "G1c-process", SESSION_SNAPSHOT, "G1c closed by session order")                 \
    X(G_SINGLE_PROCESS, "G-single-process", SESSION_SNAPSHOT, "G-single closed by session order")  \
    X(G_NONADJACENT_PROCESS, "G-nonadjacent-process", SESSION_SNAPSHOT,                            \
      "G-nonadjacent closed by session order")                                                     \
    X(G2_ITEM_PROCESS, "G2-item-process", SESSION_SERIALIZABLE, "G2-item closed by session order") \
    X(G2_PROCESS, "G2-process", SESSION_SERIALIZABLE, "G2 closed by session order")                \
    X(G0_REALTIME, "G0-realtime", STRICT_SNAPSHOT, "G0 closed by real time")                       \
    X(G1C_REALTIME, "G1c-realtime", STRICT_SNAPSHOT, "G1c closed by real time")                    \
    X(G_SINGLE_REALTIME, "G-single-realtime", STRICT_SNAPSHOT, "G-single closed by real time")     \
    X(G_NONADJACENT_REALTIME, "G-nonadjacent-realtime", STRICT_SNAPSHOT,                           \
      "G-nonadjacent closed by real time")                                                         \
    X(G2_ITEM_REALTIME, "G2-item-realtime", STRICT_SERIALIZABLE, "G2-item closed by real time")    \
    X(G2_REALTIME, "G2-realtime", STRICT_SERIALIZABLE, "G2 closed by real time")                   \
    X(INTERNAL, "internal", READ_ATOMIC, "a read that contradicts its own transaction")            \
    X(GARBAGE_READ, "garbage-read", READ_COMMITTED, "a read of a value that nobody wrote")         \
    X(FUTURE_READ, "future-read", READ_COMMITTED, "a read of what its transaction writes later")   \
    X(DUPLICATE_WRITE, "duplicate-write", READ_UNCOMMITTED,                                        \
      "two writes of one value where values are unique")                                           \
    X(DUPLICATE_ELEMENTS, "duplicate-elements", READ_UNCOMMITTED, "a list with an element twice")  \
    X(LOST_UPDATE, "lost-update", SNAPSHOT, "two transactions update the same version")            \
    X(DIRTY_UPDATE, "dirty-update", READ_COMMITTED, "a committed update of an aborted write")      \
    X(INCOMPATIBLE_ORDER, "incompatible-order", READ_COMMITTED,                                    \
      "two reads of a list, neither a prefix of the other")                                        \
    X(CYCLIC_VERSIONS, "cyclic-versions", READ_UNCOMMITTED, "a key's versions precede each other") \
    X(RESULT_SET_MISMATCH, "result-set-mismatch", SERIALIZABLE,                                    \
      "a predicate's rows are not those that match")                                               \
    X(CYCLIC_CO, "CyclicCO", READ_COMMITTED, "a cycle of session order and reads")                 \
    X(NON_MONO_READ_CO, "NonMonoReadCO", READ_COMMITTED,                                           \
      "a later read misses what an earlier one depends on, by session order and reads")            \
    X(NON_MONO_READ_AO, "NonMonoReadAO", READ_COMMITTED,                                           \
      "later reads that miss what earlier ones saw put writers in a circle")                       \
    X(FRACTURED_READ_CO, "FracturedReadCO", READ_ATOMIC,                                           \
      "a part of a transaction is seen, and another missed, by session order and reads")           \
    X(FRACTURED_READ_AO, "FracturedReadAO", READ_ATOMIC,                                           \
      "transactions that are seen in part put writers in a circle")                                \
    X(CO_CONFLICT_AO, "COConflictAO", CAUSAL, "a read misses what it causally depends on")         \
    X(CONFLICT_AO, "ConflictAO", CAUSAL, "causal reads put writers in a circle")                   \
    X(UNREAD_WRITE, "read-your-writes-violation", NONE, "a session misses what it wrote")          \
    X(BACKWARD_READ, "monotonic-reads-violation", NONE, "a session misses what it saw before")     \
    X(REORDERED_WRITES, "monotonic-writes-violation", NONE,                                        \
      "a session's later write is seen without its earlier one")                                   \
    X(FORGOTTEN_READ, "writes-follow-reads-violation", NONE,                                       \
      "a write is seen without what its session had seen before")                                  \
    X(MIXED_SESSION, "pram-violation", NONE,                                                       \
      "what sessions saw and wrote puts writers in a circle, though no guarantee alone does")      \
    X(NO_PREFIX, "prefix-violation", PREFIX,                                                       \
      "in no order of all commits does each transaction see a beginning")                          \
    X(NOT_LINEARIZABLE, "not-linearizable", STRICT_SERIALIZABLE,                                   \
      "no order of one key's operations within their times explains them")                         \
    X(WRONG_TOTAL, "wrong-total", NONE, "accounts whose sum is not what it always is")             \
    X(NEGATIVE_BALANCE, "negative-balance", NONE, "an account below zero")                         \
    X(LOST_ELEMENT, "lost-element", NONE,                                                          \
      "an element of a set that was added before a read began, and is missing")                    \
    X(COUNT_OUT_OF_BOUNDS, "count-out-of-bounds", NONE,                                            \
      "a counter that no order of its increments explains")                                        \
    X(INCONSISTENT_READ, "inconsistent-read", NONE,                                                \
      "a read of what was not there, or no longer, when it looked")                                       \
    X(LOCK_VIOLATION, "lock-violation", NONE, "two transactions that had one lock at once")        \
    X(DANGEROUS_STRUCTURE, "dangerous-structure", NONE,                                            \
      "two anti-dependencies in a row, the last transaction the first to commit: one is aborted")  \
    X(WRONG_ANSWER, "wrong-answer", NONE, "an answer that no execution of what was called explains") \
    X(STUCK, "stuck", NONE, "a run that made no progress after its faults healed")           \
    X(REPLICAS_DIFFER, "replicas-differ", NONE, "replicas of one shard hold different bytes") \
    X(FALSE_COMMIT, "false-commit", NONE,                                                          \
      "a client was told committed or aborted, and the store did otherwise")                       \
    X(INVARIANT, "invariant", NONE, "an invariant of the scenario does not hold")

enum anomaly {
#define ANOMALY_ENUM(enumerator, name, weakest, definition) ANOMALY_##enumerator,
    ANOMALIES(ANOMALY_ENUM)
#undef ANOMALY_ENUM
        ANOMALY_COUNT
};

const char *anomaly_name(enum anomaly);
const char *anomaly_definition(enum anomaly);
/*
 * Of LEVELS; by Adya's and Elle's models there may be weaker ones: anomaly_ruled_out(). False for
 * anomalies of a run (stuck, replicas-differ, false-commit, invariant), of a workload and of sessions alone: they
 * are of no level.
 */
bool anomaly_weakest_level(enum anomaly, enum level *);
bool anomaly_of_text(struct text, enum anomaly *);
/* All names, ending in NULL. */
const char *const *anomaly_names(void);

/* Whether the level forbids the anomaly: it implies the weakest of LEVELS that does. */
bool anomaly_is_forbidden(enum level, enum anomaly);
/* All levels and models that the anomaly rules out: the weakest, and what implies them. */
uint64_t anomaly_ruled_out(enum anomaly);
/* G0 to G2 with the suffix of what closes it. */
enum anomaly anomaly_of_cycle(enum anomaly of_data, enum cycle_closing);
/* The order in which anomalies are told: lower is more severe. */
unsigned anomaly_severity(enum anomaly);

#endif
