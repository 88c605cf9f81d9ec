/*
 * sometimes: rare paths that runs must be seen to take.
 *
 * Each place on such a path counts itself; a run reports the counts, a sweep
 * names those that never were. A path that nothing reaches is untested.
 */
#ifndef STORE_SOMETIMES_H
#define STORE_SOMETIMES_H

#include <stdint.h>

/* X(ENUMERATOR, name) */
#define SOMETIMES_ALL(X)                                                                           \
    X(LEADER_ELECTED_AGAIN, "a leader was elected after another")                                  \
    X(PRE_VOTE_REFUSED, "a pre-vote was refused")                                                  \
    X(LOG_CONFLICT_REPAIRED, "a follower's log was cut back")                                      \
    X(SNAPSHOT_INSTALLED, "a snapshot was installed")                                              \
    X(REPLICA_RECOVERED, "a replica recovered from its disk")                                      \
    X(REPLICA_WIPED, "a replica with damaged bytes wiped itself")                                  \
    X(CEILING_RAISED, "a ceiling was raised for a read")                                           \
    X(READ_WAITED_FOR_DECISION, "a read waited for an undecided write")                            \
    X(PREPARE_WAITED, "an older prepare waited for a younger one")                                 \
    X(PREPARE_REFUSED, "a prepare was refused")                                                    \
    X(IN_DOUBT_ASKED, "a participant in doubt asked the anchor")                                   \
    X(ABANDONED_ABORTED, "an abandoned transaction was aborted")                                   \
    X(OUTCOME_RESENT, "an outcome was sent again")                                                 \
    X(LATE_PREPARE_REFUSED, "a prepare below the horizon was refused")                             \
    X(COORDINATOR_LOST, "a client's coordinator had forgotten its transaction")                    \
    X(STATEMENT_RETRIED, "a client sent a statement again")                                        \
    X(COMMIT_UNKNOWN, "a client never learnt an outcome")                                          \
    X(READ_TOO_OLD, "a read below the horizon was refused")                                        \
    X(UNCERTAIN_READ, "a read met a version within its uncertainty")                               \
    X(REFRESHED, "a refresh succeeded")                                                            \
    X(REFRESH_FAILED, "a refresh failed")                                                          \
    X(WRITE_PUSHED, "a write was pushed above a read")                                             \
    X(DEADLOCK_BROKEN, "a deadlock was broken")                                                    \
    X(LOCK_WAITED, "a lock was waited for")                                                        \
    X(LOCKS_GONE, "a prepare was refused as its locks had gone with a leader")                     \
    X(LOCKS_FORFEITED, "the locks of a silent transaction were released")                           \
    X(FIRST_COMMITTER_WON, "a write lost against an earlier committer")                            \
    X(DANGEROUS_STRUCTURE, "a dangerous structure was broken")                                     \
    X(PIVOT_AVOIDED, "a committed pivot was avoided")                                              \
    X(VALIDATION_FAILED, "a read was no longer current")                                           \
    X(CAUSAL_WAITED, "a session waited for what it had seen elsewhere")                            \
    X(WRITES_MERGED, "concurrent writes of a key were arbitrated")                                 \
    X(DELTA_CAME_EARLY, "a transaction was held until what comes before it")                       \
    X(NODE_REFUSED, "a multi-leader node with damaged bytes refused to go on")

enum rare_path {
#define SOMETIMES_ENUM(enumerator, name) SOMETIMES_##enumerator,
    SOMETIMES_ALL(SOMETIMES_ENUM)
#undef SOMETIMES_ENUM
        SOMETIMES_COUNT
};

struct sometimes {
    uint64_t counts[SOMETIMES_COUNT];
};

#define SOMETIMES(sometimes, enumerator) ((sometimes)->counts[SOMETIMES_##enumerator]++)

const char *sometimes_name(enum rare_path);

#endif
