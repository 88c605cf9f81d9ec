/*
 * sometimes: rare paths that runs must be seen to take.
 *
 * Each place on such a path counts itself; a run reports the counts, a sweep
 * names those that never were. A path that nothing reaches is untested.
 */
#ifndef STORE_SOMETIMES_H
#define STORE_SOMETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/coverage.h"
#include "store/buggify.h"

/* X(ENUMERATOR, protocols that have it, name). "": all; "raft": every protocol on Raft. */
#define SOMETIMES_ALL(X)                                                                           \
    X(LEADER_ELECTED_AGAIN, "raft", "a leader was elected after another")                          \
    X(PRE_VOTE_REFUSED, "raft", "a pre-vote was refused")                                          \
    X(LOG_CONFLICT_REPAIRED, "raft", "a follower's log was cut back")                              \
    X(SNAPSHOT_INSTALLED, "raft", "a snapshot was installed")                                      \
    X(REPLICA_RECOVERED, "", "a replica recovered from its disk")                                  \
    X(REPLICA_WIPED, "raft", "a replica with damaged bytes wiped itself")                          \
    X(CEILING_RAISED, "raft", "a ceiling was raised for a read")                                   \
    X(READ_WAITED_FOR_DECISION, "raft", "a read waited for an undecided write")                    \
    X(PREPARE_WAITED, "raft", "an older prepare waited for a younger one")                         \
    X(PREPARE_REFUSED, "raft", "a prepare was refused")                                            \
    X(IN_DOUBT_ASKED, "raft", "a participant in doubt asked the anchor")                           \
    X(ABANDONED_ABORTED, "", "an abandoned transaction was aborted")                               \
    X(OUTCOME_RESENT, "raft", "an outcome was sent again")                                         \
    X(LATE_PREPARE_REFUSED, "raft", "a prepare below the horizon was refused")                     \
    X(COORDINATOR_LOST, "", "a client's coordinator had forgotten its transaction")                \
    X(STATEMENT_RETRIED, "", "a client sent a statement again")                                    \
    X(COMMIT_UNKNOWN, "", "a client never learnt an outcome")                                      \
    X(READ_TOO_OLD, "raft", "a read below the horizon was refused")                                \
    X(UNCERTAIN_READ, "mvto", "a read met a version within its uncertainty")                       \
    X(REFRESHED, "mvto", "a refresh succeeded")                                                    \
    X(REFRESH_FAILED, "mvto", "a refresh failed")                                                  \
    X(WRITE_PUSHED, "mvto", "a write was pushed above a read")                                     \
    X(DEADLOCK_BROKEN, "2pl", "a deadlock was broken")                                             \
    X(LOCK_WAITED, "2pl", "a lock was waited for")                                                 \
    X(LOCKS_GONE, "2pl", "a prepare was refused as its locks had gone with a leader")              \
    X(LOCKS_FORFEITED, "2pl", "the locks of a silent transaction were released")                   \
    X(FIRST_COMMITTER_WON, "rc si ssi", "a write lost against an earlier committer")               \
    X(DANGEROUS_STRUCTURE, "ssi", "a dangerous structure was broken")                              \
    X(PIVOT_AVOIDED, "ssi", "a committed pivot was avoided")                                       \
    X(VALIDATION_FAILED, "occ", "a read was no longer current")                                    \
    X(CAUSAL_WAITED, "causal", "a session waited for what it had seen elsewhere")                  \
    X(WRITES_MERGED, "causal eventual", "concurrent writes of a key were arbitrated")              \
    X(DELTA_CAME_EARLY, "causal", "a transaction was held until what comes before it")             \
    X(NODE_REFUSED, "causal eventual", "a multi-leader node with damaged bytes refused to go on")

enum rare_path {
#define SOMETIMES_ENUM(enumerator, protocols, name) SOMETIMES_##enumerator,
    SOMETIMES_ALL(SOMETIMES_ENUM)
#undef SOMETIMES_ENUM
        SOMETIMES_COUNT
};

struct sometimes {
    uint64_t counts[SOMETIMES_COUNT];
    struct coverage *coverage; /* NULL: nobody asks what the run reaches */
    struct buggify *buggify;   /* NULL: nothing rare is made to happen: store/buggify.h */
};

static inline void sometimes_count(struct sometimes *sometimes, enum rare_path path)
{
    sometimes->counts[path]++;
    if (sometimes->coverage)
        coverage_path(sometimes->coverage, path);
}

#define SOMETIMES(sometimes, enumerator) sometimes_count(sometimes, SOMETIMES_##enumerator)

const char *sometimes_name(enum rare_path);
/* Whether a list with blanks names this protocol. "": it names all; "raft": all on Raft. */
bool protocols_name(const char *protocols, const char *protocol, bool on_raft);
/* Whether a run of the protocol of this name could ever take the path. */
bool sometimes_is_of(enum rare_path, const char *protocol, bool on_raft);

#endif
