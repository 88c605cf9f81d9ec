/*
 * buggify: rare paths of the store that are given a chance at named places.
 *
 * As in FoundationDB, a place where something rare could happen asks whether it shall happen
 * now. What happens there is inside the fault model, always: a time-out comes early, a leader
 * resigns, a message counts as lost, an answer is no that could be yes, a batch is small, a
 * sync lags, a node crashes just behind what it has said. A store without a bug withstands all of it.
 *
 * Nothing happens unless a scenario switches sites on ([buggify], or its swarm does). A site
 * that is on fires with the scenario's chance, divided by the number that stands in its row: what
 * is asked at every message must be rarer than what is asked once an election. When the world
 * has healed all sites are silent: the store must recover then.
 *
 * Whether a site fires is drawn by site, node and virtual time, and by nothing that was drawn before.
 * So a run that is made smaller keeps what happens at the same moments.
 *
 * Nowhere may a site be asked where entries of a log are applied: replicas must stay equal.
 */
#ifndef STORE_BUGGIFY_H
#define STORE_BUGGIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

/* X(ENUMERATOR, protocols that have it, name, one in so many of the chance, what happens) */
#define BUGGIFY_SITES(X)                                                                           \
    X(ELECTION_EARLY, "raft", "election-early", 2,                                                 \
      "a follower waits for its leader far too short")                                             \
    X(PRE_VOTE_SKIPPED, "raft", "pre-vote-skipped", 2, "a term begins without a pre-vote")         \
    X(VOTE_REFUSED, "raft", "vote-refused", 2,                                                     \
      "a vote or pre-vote is refused that could be given")                                         \
    X(LEADER_RESIGNS, "raft", "leader-resigns", 16, "a leader resigns at a heartbeat")             \
    X(PROPOSER_RESIGNS, "raft", "proposer-resigns", 100,                                           \
      "a leader resigns right behind a proposal that it has sent")                                 \
    X(PROPOSAL_STAYS, "raft", "proposal-stays", 16,                                                \
      "a leader resigns with a proposal that it has sent to nobody")                               \
    X(LEADER_CUT_OFF, "raft", "leader-cut-off", 12,                                                \
      "a leader takes proposals, and is cut off from its group for up to two seconds")             \
    X(APPEND_SMALL, "raft", "append-small", 1, "an append takes one entry")                        \
    X(APPEND_AGAIN, "raft", "append-again", 4, "a leader sends its window again at a heartbeat")   \
    X(APPEND_DROPPED, "raft", "append-dropped", 1, "an append that came early is not held")        \
    X(ACK_LATE, "raft", "ack-late", 1, "a follower does not acknowledge yet")                      \
    X(COMMIT_LATE, "raft", "commit-late", 1, "a leader does not count acknowledgements yet")       \
    X(SNAPSHOT_EARLY, "raft", "snapshot-early", 4, "a snapshot is taken before its time")          \
    X(PREFIX_DROPPED, "raft", "prefix-dropped", 1,                                                 \
      "nothing of the log is kept in memory behind a snapshot")                                    \
    X(PIECE_SMALL, "raft", "piece-small", 1,                                                       \
      "a snapshot is sent in small pieces, and once anew half-way")                                \
    X(SYNC_LAGS, "", "sync-lags", 8, "a sync takes up to half a second longer")                    \
    X(CHECKPOINT_LAGS, "", "checkpoint-lags", 1,                                                   \
      "a snapshot takes up to two seconds longer to write")                                        \
    X(CRASH_IN_SYNC, "", "crash-in-sync", 200, "a node crashes while a sync is under way")         \
    X(CRASH_IN_VOTE, "raft", "crash-in-vote", 4,                                                   \
      "a node crashes while its term and vote are written")                                        \
    X(CRASH_AT_DECISION, "raft", "crash-at-decision", 100,                                         \
      "a node crashes behind its proposal of a prepare or decision")                               \
    X(CRASH_AT_REPLY, "", "crash-at-reply", 400, "a node crashes behind a reply to a client")      \
    X(DOUBT_EARLY, "raft", "doubt-early", 1, "a participant is in doubt at once")                  \
    X(OUTCOME_UNTOLD, "raft", "outcome-untold", 1, "the others are not told an outcome yet")       \
    X(OUTCOME_AGAIN, "raft", "outcome-again", 1, "an outcome is told once more at once")           \
    X(FORGET_EARLY, "raft", "forget-early", 1, "a told outcome is forgotten at once")              \
    X(HORIZON_EARLY, "raft", "horizon-early", 4, "the horizon moves before its time")              \
    X(CEILING_TIGHT, "raft", "ceiling-tight", 1, "a ceiling is raised just as far as is needed")   \
    X(READ_REFUSED, "raft", "read-refused", 16, "a read is refused that could be served")          \
    X(PREPARE_REFUSED, "raft", "prepare-refused", 8,                                               \
      "a prepare is refused that could be accepted")                                               \
    X(ASK_LOST, "raft", "ask-lost", 8, "what a coordinator asks does not leave it")                \
    X(ASK_TWICE, "raft", "ask-twice", 2, "what a coordinator asks is sent twice")                  \
    X(ASK_IMPATIENT, "raft", "ask-impatient", 1, "a coordinator asks again at once")               \
    X(ASK_ASTRAY, "raft", "ask-astray", 8, "a coordinator asks another replica than the leader")   \
    X(DECISION_LATE, "raft", "decision-late", 4,                                                   \
      "a coordinator says nothing for seconds between votes and decision")                         \
    X(SESSION_MOVES, "", "session-moves", 1, "a session goes to another node")                     \
    X(REQUEST_AGAIN, "", "request-again", 2, "a client sends its request again at once")           \
    X(CLIENT_GIVES_UP, "", "client-gives-up", 20, "a client gives up its request")                 \
    X(MARKS_FOLDED, "mvto", "marks-folded", 1, "a leader folds its marks of predicates")           \
    X(LOCKS_FORFEITED, "2pl", "locks-forfeited", 16,                                               \
      "the locks of a transaction that was silent for a moment are released")                      \
    X(DELTA_UNTOLD, "causal eventual", "delta-untold", 1, "a node is not told of a transaction")   \
    X(DELTAS_SMALL, "causal eventual", "deltas-small", 1, "a message has one transaction")         \
    X(DELTA_DROPPED, "causal eventual", "delta-dropped", 1,                                        \
      "a transaction that came early is not held")                                                 \
    X(LOG_SHORT, "causal eventual", "log-short", 2, "a multi-leader log is cut before its time")   \
    X(SESSION_REFUSED, "causal", "session-refused", 4, "a session that waits is refused early")    \
    X(CRASH_AT_VOTE, "raft", "crash-at-vote", 2, "a node crashes behind a vote that it has sent")  \
    X(VOTES_ASKED_AGAIN, "raft", "votes-asked-again", 1,                                           \
      "a candidate asks for votes once more before it gives up")                                   \
    X(WINNER_SILENT, "raft", "winner-silent", 1,                                                   \
      "a new leader sends nothing before its first heartbeat")                                     \
    X(SNAPSHOT_UNNEEDED, "raft", "snapshot-unneeded", 4,                                           \
      "a leader sends a snapshot to one who does not need it")

enum buggify_site {
#define BUGGIFY_ENUM(enumerator, protocols, name, one_in, what) BUGGIFY_##enumerator,
    BUGGIFY_SITES(BUGGIFY_ENUM)
#undef BUGGIFY_ENUM
        BUGGIFY_SITE_COUNT
};

struct buggify_options {
    uint64_t sites; /* a bit for each that is on */
    struct ratio chance;
};

struct world;

struct buggify {
    struct world *world;
    struct buggify_options options;
    struct random_key keys[BUGGIFY_SITE_COUNT];
    uint32_t caller; /* of the world, for crashes */
    bool is_silent;
    uint64_t fired[BUGGIFY_SITE_COUNT];
};

void buggify_init(struct buggify *, const struct buggify_options *, struct world *);
/* After world_draw_anew(). */
void buggify_draw_anew(struct buggify *);
/* From now on no site fires; who has crashed comes back. */
void buggify_silence(struct buggify *);

bool buggify_fires(struct buggify *, enum buggify_site, uint32_t node);
/* Up to so much, for the site that has just fired there. */
int64_t buggify_delay_ns(const struct buggify *, enum buggify_site, uint32_t node, int64_t most_ns);
/* The node crashes at that time, or as soon as this event is over, and comes back soon. */
void buggify_crash(struct buggify *, uint32_t node, int64_t at_ns);

/* Whether what stands here shall happen now; of something that has a struct sometimes. */
#define BUGGIFY(sometimes, node, enumerator)                                                       \
    ((sometimes)->buggify && buggify_fires((sometimes)->buggify, BUGGIFY_##enumerator, node))

const char *buggify_name(enum buggify_site);
const char *buggify_summary(enum buggify_site);
/* Ends in NULL. */
const char *const *buggify_names(void);
/* BUGGIFY_SITE_COUNT: there is none of this name. */
enum buggify_site buggify_find(struct text name);
bool buggify_is_of(enum buggify_site, const char *protocol, bool on_raft);

#endif
