/*
 * bugs: the catalogue of known bugs, each a switch that is read at exactly one
 * place in the code.
 *
 * A bug belongs to a protocol, or to replication and commit, which all
 * protocols on Raft share (owner ""). It says where the like was seen, the
 * strongest level that still holds with it, and which checkers must catch it.
 * With every switch off, no checker may ever complain.
 */
#ifndef STORE_BUGS_H
#define STORE_BUGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "history/level.h"

/*
 * X(ENUMERATOR, name, protocols, strongest level that holds, checkers that must catch it, seen, what)
 * Protocols and checkers are lists with blanks; "raft": every protocol on Raft; "run": the run says
 * it before anybody looks at the history (replicas-differ, stuck). The level is what clients see:
 * by a certificate less may hold, as it says what should have been.
 */
#define BUGS(X)                                                                                    \
    X(NO_TIMESTAMP_CACHE, "no-timestamp-cache", "mvto", READ_COMMITTED,                            \
      "order certificate blackbox", "Reed 1978 says what it is for",                               \
      "reads leave no mark, so that a later write may go below them")                              \
    X(CACHE_LOST_ON_LEADER_CHANGE, "cache-lost-on-leader-change", "mvto", READ_COMMITTED,          \
      "order certificate blackbox", "CockroachDB's low-water mark is there for it",                \
      "a new leader starts with an empty cache, and writes below what was read before it")         \
    X(READS_PROVISIONAL_WRITES, "reads-provisional-writes", "mvto", READ_UNCOMMITTED,              \
      "order certificate blackbox infer", "dirty reads, as in Jepsen's reports on Dgraph",         \
      "reads return writes that are not decided yet")                                              \
    X(WRITE_TOO_OLD_IGNORED, "write-too-old-ignored", "mvto", PREFIX,                              \
      "order certificate blackbox", "CockroachDB's WriteTooOld errors",                            \
      "a transaction that had to write later commits there without looking at its reads again")    \
    X(REFRESH_SKIPS_PREDICATES, "refresh-skips-predicates", "mvto", REPEATABLE_READ,               \
      "order certificate blackbox", "phantoms behind key-only validation",                         \
      "looking again forgets predicates, and so phantoms")                                         \
    X(UNCERTAINTY_IGNORED, "uncertainty-ignored", "mvto", SERIALIZABLE,                            \
      "interval", "CockroachDB without its uncertainty interval",                                  \
      "a read misses what was committed before it began on a node whose clock is ahead")           \
    X(CLOCK_NOT_FORWARDED, "clock-not-forwarded", "mvto", SERIALIZABLE,                            \
      "interval", "hybrid clocks exist against it",                                                \
      "a node does not set its clock forward by what it hears")                                    \
    X(TIMESTAMP_TIE, "timestamp-tie", "mvto", READ_COMMITTED,                                      \
      "order certificate blackbox", "ties of coarse clocks",                                       \
      "comparisons forget the last part, so that two transactions have one timestamp")             \
    X(SERVES_ABOVE_CEILING, "serves-above-ceiling", "mvto", READ_COMMITTED,                        \
      "order certificate blackbox", "leases that clocks break",                                    \
      "a deposed leader reads beyond what its group has agreed to")                                \
    X(NO_PREDICATE_MARKS, "no-predicate-marks", "ssi", SNAPSHOT,                                   \
      "certificate blackbox", "key-only SIREAD locks",                                             \
      "predicates leave no marks")                                                                 \
    X(NO_MARK_ON_CONCURRENT_UPDATE, "no-mark-on-concurrent-update", "ssi", SNAPSHOT,               \
      "certificate blackbox", "PostgreSQL 12.3",                                                   \
      "a row that a concurrent transaction has updated is read without a mark")                    \
    X(PIVOT_NEEDS_IN_EDGE_FIRST, "pivot-needs-in-edge-first", "ssi", SNAPSHOT,                     \
      "certificate blackbox", "order-dependent detection of dangerous structures",                 \
      "a pivot counts only if the edge into it came before the one out of it")                     \
    X(MARKS_DROPPED_AT_COMMIT, "marks-dropped-at-commit", "ssi", SNAPSHOT,                         \
      "certificate blackbox", "SIREAD locks must outlive their transaction (Cahill 2008)",         \
      "marks go when their transaction commits")                                                   \
    X(READ_ONLY_ALWAYS_SAFE, "read-only-always-safe", "ssi", SNAPSHOT,                             \
      "certificate blackbox", "Fekete, O'Neil and O'Neil 2004",                                    \
      "transactions that only read are not looked at")                                             \
    X(FIRST_COMMITTER_COMPARES_VALUES, "first-committer-compares-values", "si ssi", READ_ATOMIC,   \
      "certificate", "value-based validation; needs repeating values",                             \
      "a write conflict is one only if the value differs from what was read")                      \
    X(SNAPSHOT_DIFFERS_PER_SHARD, "snapshot-differs-per-shard", "si ssi", READ_COMMITTED,          \
      "certificate blackbox", "snapshots without a common clock",                                  \
      "each shard reads at the time that its own clock shows")                                     \
    X(STALE_VERSION_IN_SNAPSHOT, "stale-version-in-snapshot", "si ssi", READ_COMMITTED,            \
      "certificate blackbox", "visibility checks that skip a version in doubt",                    \
      "a version that is in the snapshot is passed over for the one before it")                    \
    X(READ_LOCKS_RELEASED_EARLY, "read-locks-released-early", "2pl", READ_COMMITTED,               \
      "order certificate blackbox interval", "short read locks",                                   \
      "shared locks go after the statement")                                                       \
    X(NO_PREDICATE_LOCKS, "no-predicate-locks", "2pl", REPEATABLE_READ,                            \
      "order certificate blackbox interval", "Eswaran et al. 1976 say what they are for",          \
      "predicates lock the rows that they found and no more")                                      \
    X(NO_LOCK_FOR_NO_OP_UPDATE, "no-lock-for-no-op-update", "2pl", READ_COMMITTED,                 \
      "interval order certificate", "TiDB; needs repeating values",                                \
      "an update to the same value takes no lock")                                                 \
    X(JOIN_FOR_UPDATE_MISSES_A_LOCK, "join-for-update-misses-a-lock", "2pl", READ_COMMITTED,       \
      "interval order certificate", "TiDB",                                                        \
      "SELECT FOR UPDATE of a join locks only its first table")                                    \
    X(LOCKS_LOST_ON_LEADER_CHANGE, "locks-lost-on-leader-change", "2pl", READ_COMMITTED,           \
      "order certificate blackbox", "lock tables in memory",                                       \
      "a prepare is accepted although its locks went with the old leader")                         \
    X(UPGRADE_RACE, "upgrade-race", "2pl", READ_COMMITTED,                                         \
      "order certificate blackbox interval", "lock upgrades",                                      \
      "of two who hold a shared lock, one gets it exclusively")                                    \
    X(VICTIM_WRITES_STAY, "victim-writes-stay", "2pl", READ_UNCOMMITTED,                           \
      "order certificate blackbox infer", "rollback that forgets",                                 \
      "what a transaction aborted over a deadlock wrote is kept")                                  \
    X(VALIDATES_WRITES_ONLY, "validates-writes-only", "occ", READ_COMMITTED,                       \
      "order certificate blackbox", "write-write validation taken for serializability",            \
      "what was read and not written is not validated")                                            \
    X(VALIDATION_SKIPS_PREDICATES, "validation-skips-predicates", "occ", REPEATABLE_READ,          \
      "order certificate blackbox", "phantoms behind key-only validation",                         \
      "predicates are not validated")                                                              \
    X(VALIDATION_NOT_ATOMIC, "validation-not-atomic", "occ", READ_COMMITTED,                       \
      "order certificate blackbox", "Kung and Robinson 1981 put both in one critical section",     \
      "validated when proposed, and not again when applied")                                       \
    X(VALIDATES_AGAINST_LAST_COMMIT_ONLY, "validates-against-last-commit-only", "occ",             \
      READ_COMMITTED, "order certificate blackbox", "bounded validation windows",                  \
      "a read is compared with the last commit of the shard, not with all since")                  \
    X(UNDECIDED_PREPARE_IGNORED, "undecided-prepare-ignored", "occ", READ_COMMITTED,               \
      "order certificate blackbox", "prepared transactions that validation forgets",               \
      "conflicts with a prepared, undecided transaction are not seen")                             \
    X(ACK_BEFORE_SYNC, "ack-before-sync", "raft", READ_UNCOMMITTED,                                \
      "run order certificate blackbox", "many, see Alagappan et al. 2018",                         \
      "log entries are acknowledged before they are on disk")                                      \
    X(COMMITS_ENTRY_OF_OLD_TERM, "commits-entry-of-old-term", "raft", READ_UNCOMMITTED,            \
      "run", "figure 8 of the Raft paper; needs a scripted nemesis",                               \
      "an entry of an earlier term counts as committed once a majority has it")                    \
    X(FOLLOWER_SERVES_READS, "follower-serves-reads", "raft", READ_COMMITTED,                      \
      "order certificate interval", "stale reads from secondaries",                                \
      "a replica answers reads without being the leader, and without a ceiling")                   \
    X(VOTE_NOT_PERSISTED, "vote-not-persisted", "raft", READ_UNCOMMITTED,                          \
      "run", "votes that a crash forgets",                                                         \
      "a vote is not on disk before it is given")                                                  \
    X(COORDINATOR_FORGETS_A_SHARD, "coordinator-forgets-a-shard", "raft", READ_UNCOMMITTED,        \
      "order certificate blackbox", "partial commits",                                             \
      "the last of several shards gets no prepare")                                                \
    X(COMMIT_ON_TIMEOUT, "commit-on-timeout", "raft", READ_UNCOMMITTED,                            \
      "order certificate blackbox", "heuristic decisions of XA",                                   \
      "a participant left in doubt commits by itself")                                             \
    X(RETRY_APPLIED_TWICE, "retry-applied-twice", "raft", READ_UNCOMMITTED,                        \
      "order certificate blackbox", "retries that are not idempotent, as in many of Jepsen's "     \
      "reports", "a client whose commit timed out runs the same transaction again")                \
    X(SNAPSHOT_INSTALL_DROPS_SUFFIX, "snapshot-install-drops-suffix", "raft", READ_UNCOMMITTED,    \
      "run order certificate blackbox", "log truncation after installing a snapshot",              \
      "installing a snapshot drops the entries behind it, though they were acknowledged")          \
    X(OWN_DELETE_THEN_INSERT_RETURNS_BOTH, "own-delete-then-insert-returns-both", "raft",          \
      READ_UNCOMMITTED, "order certificate infer", "TiDB",                                         \
      "a transaction that deletes a row and inserts it again reads both")                          \
    X(MARKS_NOT_IN_SNAPSHOT, "marks-not-in-snapshot", "ssi", READ_UNCOMMITTED,                     \
      "run certificate blackbox", "PostgreSQL writes SIREAD locks of prepared transactions to disk " \
      "against it",                                                                                \
      "a replica that is given a snapshot of the state lacks the marks of committed readers")      \
    X(PREPARED_NOT_IN_SNAPSHOT, "prepared-not-in-snapshot", "raft", READ_UNCOMMITTED,              \
      "run order certificate blackbox", "MySQL before 5.7.7 lost prepared XA transactions (bug 12161)", \
      "a replica that is given a snapshot of the state lacks undecided transactions")              \
    X(OUTCOME_FORGOTTEN_EARLY, "outcome-forgotten-early", "raft", READ_UNCOMMITTED,                \
      "order certificate blackbox", "presumed abort (Mohan, Lindsay and Obermarck 1986) needs all " \
      "acknowledgements first",                                                                    \
      "an outcome counts as told as soon as one participant has heard it")                         \
    X(LAST_WRITER_BY_LOCAL_CLOCK, "last-writer-by-local-clock", "causal eventual",                 \
      READ_UNCOMMITTED, "certificate weak", "last write wins by wall clocks, as in Jepsen's "      \
      "reports on Cassandra and Riak",                                                             \
      "a commit is stamped by its node's clock alone, below what it has read")                     \
    X(DELTA_APPLIED_BEFORE_ITS_PAST, "delta-applied-before-its-past", "causal", READ_ATOMIC,       \
      "certificate weak", "COPS (Lloyd et al. 2011) checks dependencies against it",               \
      "a node takes in a transaction of another without waiting for what that had seen")           \
    X(ACKS_BEFORE_LOG, "acks-before-log", "causal", READ_COMMITTED,                                \
      "weak", "asynchronous commit, as with MongoDB's w:1 and j:false",                            \
      "a commit is acknowledged before it is on its node's disk")                                  \
    X(UPDATE_OF_OLDER_VERSION, "update-of-older-version", "raft", STRICT_SERIALIZABLE,             \
      "audit", "object-relational mappers whose cache of rows outlives a transaction",             \
      "an update computes from the row as its client has read it before, and not as it reads it now") \
    X(SCAN_MISSES_ITS_LAST_ROW, "scan-misses-its-last-row", "raft", STRICT_SERIALIZABLE,           \
      "audit", "off-by-one errors at the end of a range",                                          \
      "a query is computed without the last of several rows that match")                           \
    X(AGGREGATE_SKIPS_NULLS, "aggregate-skips-nulls", "raft", STRICT_SERIALIZABLE,                 \
      "audit", "count(*) taken for count(column)",                                                 \
      "an aggregate passes over rows that have a null in any column")

enum bug {
#define BUG_ENUM(enumerator, name, protocols, level, checkers, seen, what) BUG_##enumerator,
    BUGS(BUG_ENUM)
#undef BUG_ENUM
        BUG_COUNT
};

struct bug_entry {
    const char *name, *protocols, *checkers, *seen, *what;
    enum level holds;
};

struct bugs {
    bool on[BUG_COUNT];
};

const struct bug_entry *bug_entry(enum bug);
/* BUG_COUNT if there is none of this name. */
enum bug bug_find(struct text name);
/* All names, ending in NULL. */
const char *const *bug_names(void);
/* `on_raft`: whether the protocol of this name stands on Raft. */
bool bug_is_of(enum bug, const char *protocol, bool on_raft);
/* The protocols that the bug is of, one after another; false behind the last. */
bool bug_protocol(enum bug, unsigned index, struct text *protocol);

#endif
