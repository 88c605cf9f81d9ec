/*
 * raft_private: the state of a Raft replica, which its parts share.
 *
 *     raft.c            the doors; term, vote and role; elections; applying entries
 *     replication.c     both sides of replication, and rounds that confirm leadership
 *     snapshot.c        cutting logs behind snapshots, and sending snapshots
 *     raft_message.c    the messages as bytes
 *     raft_log.c        the log in memory
 *     wal.c             the log on disk
 */
#ifndef STORE_RAFT_RAFT_PRIVATE_H
#define STORE_RAFT_RAFT_PRIVATE_H

#include "store/raft/raft.h"
#include "store/raft/raft_log.h"
#include "store/raft/raft_message_private.h"
#include "store/raft/wal.h"

#define RAFT_FLIGHTS_MAX 4 /* appends to a peer that are on their way */
#define RAFT_HELD_MAX 4    /* appends that came before those they follow */
#define RAFT_APPEND_BYTES_MAX ((size_t)64 << 10)
#define RAFT_PIECE_BYTES_MAX ((size_t)32 << 10)

enum raft_state {
    RAFT_OPENING, /* or lost */
    RAFT_FOLLOWER,
    RAFT_PRE_CANDIDATE,
    RAFT_CANDIDATE,
    RAFT_LEADER,
};

enum raft_mode {
    RAFT_PROBES,  /* looks for where the logs part: one append at a time */
    RAFT_STREAMS, /* sends ahead of the answers */
    RAFT_SENDS_SNAPSHOT,
};

/* What a leader knows of another. */
struct raft_peer {
    enum raft_mode mode;
    bool is_probing; /* the probe is under way */
    uint64_t next;
    uint64_t match;   /* it has these on its disk */
    uint64_t matched; /* it has these in memory */
    uint64_t round;   /* the last that it has answered */
    int64_t heard_ns;
    uint64_t flights[RAFT_FLIGHTS_MAX]; /* the last entry of each */
    uint32_t flight_count;
    uint64_t piece_offset;
    uint64_t progress_at_beat; /* matched, or the offset */
    uint32_t idle_beats;
};

struct raft_held {
    uint64_t index;
    char *at;
    size_t size;
};

struct raft_snapshot {
    uint64_t index, term, size;
    size_t piece_max; /* bytes in a message; of one that goes out */
    struct wire_writer state;
};

struct raft_confirm {
    uint64_t token, round;
};

struct raft_answer {
    uint64_t token;
    bool still_leader;
};

struct raft_told {
    enum raft_state state;
    uint64_t term;
    uint32_t leader;
    bool is_ready;
};

struct raft {
    struct raft_options options;
    struct raft_host host;
    struct pool *pool;
    struct raft_log log;
    struct wal wal;
    struct wire_writer message;

    enum raft_state state;
    uint64_t term;
    uint32_t vote, leader;
    uint64_t commit, applied;
    uint64_t checkpoint_after; /* not before this is applied */

    uint64_t timer;
    int64_t patient_from_ns, patience_ns; /* until when it waits for a leader, or for votes */
    int64_t heard_ns;                     /* of its leader */
    uint32_t yes, yes_doubtful;           /* bits of peers; doubtful ones have both */
    bool owes_requests, owes_vote, owes_ack;
    bool asks_again; /* as a candidate, when its timer fires: only for store/buggify.h */

    /* As a follower in this term. */
    uint64_t matched; /* its log is the leader's up to here */
    bool established; /* the leader's own word, not only what is committed */
    uint64_t acked, round_heard;
    bool has_goal;
    uint64_t goal; /* doubts end here */
    struct raft_held held[RAFT_HELD_MAX];
    struct raft_snapshot incoming;

    /* As a leader. */
    struct raft_peer peers[RAFT_PEERS_MAX];
    uint32_t self;
    uint64_t round, ready_index;
    bool is_to_resign; /* with the next beat */
    struct raft_snapshot outgoing;
    ARRAY(struct raft_confirm) confirms;
    ARRAY(struct raft_answer) answers;

    struct raft_told told;
    bool is_settling;
};

void raft_settle(struct raft *);
void raft_send(struct raft *, uint32_t peer, const struct raft_message *);
void raft_send_to_node(struct raft *, uint32_t node, const struct raft_message *);
/* To all others. */
void raft_broadcast(struct raft *, const struct raft_message *);
/* Into a term that is not lower; the leader may be unknown. */
void raft_follow(struct raft *, uint64_t term, uint32_t leader);
void raft_give_vote(struct raft *, uint32_t node);
void raft_arm(struct raft *, int64_t delay_ns);
int64_t raft_now_ns(const struct raft *);
/* Entries up to here count as safe from a crash. */
uint64_t raft_durable(const struct raft *);
bool raft_is_doubtful(const struct raft *);
uint32_t raft_majority(const struct raft *);
/* Has the entry, or has something committed there, which is the same to a leader of this term. */
bool raft_has_entry(const struct raft *, uint64_t index, uint64_t term);

#endif
