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

/*
 * X(ENUMERATOR, protocols that have it, name, who must reach it). Protocols: "" is all, "raft" every
 * one on Raft. SWARM: a thousand seeds of scenarios/swarm.toml with each of these protocols.
 * OUTSIDE: faults inside the model never do, and scenarios/outside must.
 */
#define SOMETIMES_ALL(X)                                                                           \
    X(LEADER_ELECTED_AGAIN, "raft", "a leader was elected after another", SWARM)                   \
    X(PRE_VOTE_REFUSED, "raft", "a pre-vote was refused", SWARM)                                   \
    X(LOG_CONFLICT_REPAIRED, "raft", "a follower's log was cut back", SWARM)                       \
    X(SNAPSHOT_INSTALLED, "raft", "a snapshot was installed", SWARM)                               \
    X(REPLICA_RECOVERED, "", "a replica recovered from its disk", SWARM)                           \
    X(REPLICA_WIPED, "raft", "a replica with damaged bytes wiped itself", SWARM)                   \
    X(CEILING_RAISED, "mvto occ rc si ssi", "a ceiling was raised for a read", SWARM)              \
    X(READ_WAITED_FOR_DECISION, "mvto occ rc si ssi",                                              \
      "a read waited for an undecided write", SWARM)                                               \
    X(PREPARE_WAITED, "mvto occ rc si ssi", "an older prepare waited for a younger one", SWARM)    \
    X(PREPARE_REFUSED, "raft", "a prepare was refused", SWARM)                                     \
    X(IN_DOUBT_ASKED, "raft", "a participant in doubt asked the anchor", SWARM)                    \
    X(ABANDONED_ABORTED, "", "an abandoned transaction was aborted", SWARM)                        \
    X(OUTCOME_RESENT, "raft", "an outcome was sent again", SWARM)                                  \
    X(LATE_PREPARE_REFUSED, "raft", "a prepare below the horizon was refused", SWARM)              \
    X(COORDINATOR_LOST, "", "a client's coordinator had forgotten its transaction", SWARM)         \
    X(STATEMENT_RETRIED, "", "a client sent a statement again", SWARM)                             \
    X(COMMIT_UNKNOWN, "", "a client never learnt an outcome", SWARM)                               \
    X(READ_TOO_OLD, "mvto occ rc si ssi", "a read below the horizon was refused", SWARM)           \
    X(UNCERTAIN_READ, "mvto", "a read met a version within its uncertainty", SWARM)                \
    X(REFRESHED, "mvto", "a refresh succeeded", SWARM)                                             \
    X(REFRESH_FAILED, "mvto", "a refresh failed", SWARM)                                           \
    X(WRITE_PUSHED, "mvto", "a write was pushed above a read", SWARM)                              \
    X(DEADLOCK_BROKEN, "2pl", "a deadlock was broken", SWARM)                                      \
    X(LOCK_WAITED, "2pl", "a lock was waited for", SWARM)                                          \
    X(LOCKS_GONE, "2pl", "a prepare was refused as its locks had gone with a leader", SWARM)       \
    X(LOCKS_FORFEITED, "2pl", "the locks of a silent transaction were released", SWARM)            \
    X(FIRST_COMMITTER_WON, "rc si ssi", "a write lost against an earlier committer", SWARM)        \
    X(DANGEROUS_STRUCTURE, "ssi", "a dangerous structure was broken", SWARM)                       \
    X(PIVOT_AVOIDED, "ssi", "a committed pivot was avoided", SWARM)                                \
    X(VALIDATION_FAILED, "occ", "a read was no longer current", SWARM)                             \
    X(CAUSAL_WAITED, "causal", "a session waited for what it had seen elsewhere", SWARM)           \
    X(WRITES_MERGED, "causal eventual", "concurrent writes of a key were arbitrated", SWARM)       \
    X(DELTA_CAME_EARLY, "causal", "a transaction was held until what comes before it", SWARM)      \
    X(LEADER_RESIGNED, "raft", "a leader that no majority answered resigned", SWARM)               \
    X(VOTE_SPLIT, "raft", "an election ended without a winner", SWARM)                             \
    X(DOUBTFUL_VOTE, "raft", "a member in doubt about its own log voted", SWARM)                   \
    X(STALE_LEADER_TOLD, "raft", "a leader of an old term was told so", SWARM)                     \
    X(APPEND_REJECTED, "raft", "a probe did not fit a follower's log", SWARM)                      \
    X(APPEND_HELD, "raft", "an append was held for those before it", SWARM)                        \
    X(WINDOW_RESENT, "raft", "a leader sent again what seemed lost", SWARM)                        \
    X(FOLLOWER_FORGOT, "raft", "a follower that streamed had started again", SWARM)                \
    X(ROUND_LOST, "2pl", "a leadership ended during a round that should confirm it", SWARM)        \
    X(SNAPSHOT_NOT_NEEDED, "raft", "a snapshot came to a log that has its last entry", SWARM)      \
    X(SNAPSHOT_BEGUN_AGAIN, "raft", "a snapshot gave way to a newer one half-way", SWARM)          \
    X(LOG_TAIL_CUT, "", "a log came from the disk with a torn tail", SWARM)                        \
    X(DISK_TRIED_AGAIN, "", "a write to the log failed and was tried again", SWARM)                \
    X(CUT_IN_CHECKPOINT, "raft", "entries were cut while the next log was written", SWARM)         \
    X(STATE_LOADED, "", "a replica began with a snapshot from its disk", SWARM)                    \
    X(PREPARED_INHERITED, "raft", "a new leader found what was prepared before it", SWARM)         \
    X(OUTCOME_INHERITED, "raft", "a new leader had to tell outcomes of before it", SWARM)          \
    X(PREPARE_LOST, "raft", "a leadership ended while a prepare was in the log", SWARM)            \
    X(WAITED_TOO_LONG, "raft", "what waited at a leader for long was refused", SWARM)              \
    X(FORGOTTEN_ASKED, "raft", "somebody asked after a transaction below the horizon", SWARM)      \
    X(OUTCOME_FIRST, "raft", "an outcome came to a shard before its prepare", SWARM)               \
    X(PREPARED_TWICE, "raft", "a prepare came into the log twice", SWARM)                          \
    X(HORIZON_HELD_BACK, "raft", "what is undecided held the horizon back", SWARM)                 \
    X(LEADER_GUESSED, "raft", "a shard that did not answer was looked for elsewhere", SWARM)       \
    X(HINTS_IN_CIRCLES, "raft", "a coordinator gave up following hints at leaders", SWARM)         \
    X(COMMIT_REFUSED, "raft", "an anchor had aborted what its coordinator would commit", SWARM)    \
    X(ABORT_REFUSED, "occ rc si ssi",                                                              \
      "a transaction had committed that its coordinator would abort", SWARM)                       \
    X(DECISION_FORGOTTEN, "raft",                                                                  \
      "an anchor could not say any more how a transaction ended", SWARM)                           \
    X(COMMIT_TOO_OLD, "raft", "a transaction was too old to commit", SWARM)                        \
    X(REPLY_REPEATED, "", "a reply was said again", SWARM)                                         \
    X(REQUEST_LATE, "", "a request came after a later one", SWARM)                                 \
    X(CLIENT_GAVE_UP, "", "a client gave up a request and went to another node", SWARM)            \
    X(VERSION_COLLECTED, "", "an old version was collected", SWARM)                                \
    X(MARKS_FOLDED, "mvto", "marks of predicates were folded", SWARM)                              \
    X(LATE_LOCK_RELEASED, "2pl", "a lock was granted to one that was over, and released", SWARM)   \
    X(GRANTS_DIFFER, "2pl", "a transaction got locks of two leaders of a shard", SWARM)            \
    X(DEAD_HOLDER_REFUSED, "2pl", "one whose locks were gone asked for more", SWARM)               \
    X(PROBE_PASSED_ON, "2pl", "a probe for deadlocks went further", SWARM)                         \
    X(GAP_ASKED_FOR, "causal eventual", "a node asked for transactions that it lacks", SWARM)      \
    X(MORE_DELTAS, "causal eventual", "what a node lacked did not fit into a message", SWARM)      \
    X(GRAVE_DUG, "causal eventual", "a deletion was collected", SWARM)                             \
    X(SESSION_GAVE_UP, "causal",                                                                   \
      "a session waited too long for what it had seen elsewhere", SWARM)                           \
    X(OLDER_STATE_READ, "causal",                                                                  \
      "a read passed over what came after its transaction began", SWARM)                           \
    X(NODE_REFUSED, "causal eventual",                                                             \
      "a multi-leader node with damaged bytes refused to go on", OUTSIDE)

enum rare_path {
#define SOMETIMES_ENUM(enumerator, protocols, name, reach) SOMETIMES_##enumerator,
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
bool sometimes_protocols_name(const char *protocols, const char *protocol, bool on_raft);
/* That have it: a list with blanks. */
const char *sometimes_protocols(enum rare_path);
/* Whether faults inside the model never reach it. */
bool sometimes_is_outside(enum rare_path);
/* Whether a run of the protocol of this name could ever take the path. */
bool sometimes_is_of(enum rare_path, const char *protocol, bool on_raft);

#endif
