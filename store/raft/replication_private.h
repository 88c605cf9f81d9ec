/*
 * replication: the log of the leader is copied to the followers (Raft paper, section 5.3).
 *
 * The leader sends entries to each follower, advances the commit index, and confirms by rounds of
 * heartbeats that it still leads. A follower takes entries from the leader and acknowledges them.
 */
#ifndef STORE_RAFT_REPLICATION_PRIVATE_H
#define STORE_RAFT_REPLICATION_PRIVATE_H

#include "store/raft/raft_private.h"

void raft_lead(struct raft *);
/* Before the state changes. */
void raft_resign(struct raft *);
void raft_on_beat(struct raft *);
void raft_replicate(struct raft *);
void raft_send_to(struct raft *, uint32_t peer);
void raft_advance_commit(struct raft *);
void raft_answer_confirms(struct raft *);
void raft_on_ack(struct raft *, uint32_t peer, const struct raft_message *);
void raft_on_reject(struct raft *, uint32_t peer, const struct raft_message *);

/* --- The follower's side --- */

void raft_enter_term(struct raft *);
/* From the leader of this term: false if it is of an old one. */
bool raft_hear_leader(struct raft *, uint32_t peer, const struct raft_message *);
void raft_commit_to(struct raft *, uint64_t commit);
void raft_on_append(struct raft *, uint32_t peer, struct raft_message *, struct text bytes);
void raft_on_heartbeat(struct raft *, uint32_t peer, const struct raft_message *);
/* Acknowledges what is durable, if that is owed or news. */
void raft_acknowledge(struct raft *);

#endif
