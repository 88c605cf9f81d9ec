/*
 * raft: one replica's share in an ordered, durable log (Ongaro and Ousterhout
 * 2014; pre-vote as in Ongaro's thesis, 9.6).
 *
 *     propose ── append ── sync ──┬── replicate ── majority ── apply, in order
 *                                 └── followers: append, sync, acknowledge
 *
 * Term, vote and log are on a simulated disk before anything is said that
 * depends on them; the log is checksummed (index and term included), cut behind
 * snapshots, and after a crash it is what the disk really holds: a torn tail is
 * cut off; synced bytes that fail their checksum make the replica wipe itself.
 * Either way its vote decides nothing until it has caught up with a leader, save
 * where all members vote alike (raft.c says why). Only entries of the leader's own term
 * are committed by counting. A new leader appends a no-op; it is *ready* once that
 * is applied.
 *
 * The host is called from raft_on_message(), raft_on_timer() and
 * raft_on_completion() only, and may propose, or ask for rounds, from within.
 *
 * What is applied and what a snapshot means is the host's business. Raft sets
 * no clock by anybody's time: only its node's timers.
 */
#ifndef STORE_RAFT_RAFT_H
#define STORE_RAFT_RAFT_H

#include "sim/disk.h"
#include "sim/world.h"
#include "store/bugs.h"
#include "store/sometimes.h"
#include "store/wire_private.h"

#define RAFT_PEERS_MAX 9
#define RAFT_FILES 4 /* of the node's disk, from first_file */

struct raft_host {
    void *context;
    void (*send)(void *context, uint32_t to_node, struct text bytes);
    /* Each committed command once, in order, and again after a restart from the last snapshot
       on. A no-op has no command: length 0. */
    void (*apply)(void *context, uint64_t index, uint64_t term, struct text command);
    /* The state that applying has made so far, and putting such a state in place of all. An empty
       text is the state before the first command. */
    void (*save)(void *context, struct wire_writer *);
    void (*load)(void *context, uint64_t index, struct text state);
    /* The role, the term or the readiness has changed. */
    void (*changed)(void *context);
    /* A round asked for with raft_confirm() has come back, or never will (leadership was lost). */
    void (*confirmed)(void *context, uint64_t token, bool still_leader);
};

struct raft_options {
    struct world *world;
    uint32_t node, shard;
    uint32_t peers[RAFT_PEERS_MAX]; /* nodes, this one among them */
    uint32_t peer_count;
    struct disk *disk;
    uint32_t first_file;
    uint64_t payload; /* OR-ed into the payloads of its timers and completions; low 32 bits zero */
    int64_t heartbeat_ns, election_ns; /* a follower waits election_ns to twice that */
    uint32_t snapshot_entries;         /* applied since the last one */
    const struct bugs *bugs;
    struct sometimes *sometimes;
};

struct raft;

/*
 * Reads what is on the disk, which takes simulated time; until then it does nothing. All memory is
 * of the pool, and goes with it.
 */
struct raft *raft_open(const struct raft_options *, const struct raft_host *, struct pool *);

void raft_on_message(struct raft *, uint32_t from_node, struct text bytes);
void raft_on_timer(struct raft *, uint64_t payload);
void raft_on_completion(struct raft *, uint64_t what);

/* Of a leader. Returns the entry's index, or 0 if this is not the leader. */
uint64_t raft_propose(struct raft *, struct text command);
/*
 * Asks a majority whether this is still the leader of its term, in a round that
 * begins now; confirmed() gets the token. False if it is no leader.
 */
bool raft_confirm(struct raft *, uint64_t token);

/* Leads, and has applied an entry of its own term, so that it has all that was ever committed. */
bool raft_is_ready(const struct raft *);
uint64_t raft_term(const struct raft *);
/* The node that it takes for the leader, or WORLD_NOBODY. */
uint32_t raft_leader(const struct raft *);
uint64_t raft_last_index(const struct raft *);

/* For the trace: "append 17..19". */
void raft_describe(struct text bytes, struct buffer *);

#endif
