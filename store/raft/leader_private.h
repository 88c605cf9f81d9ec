/*
 * leader: the leader's side of replication: sends entries to each follower, advances the commit index,
 * and confirms by rounds of heartbeats that it still leads.
 */
#ifndef STORE_RAFT_LEADER_PRIVATE_H
#define STORE_RAFT_LEADER_PRIVATE_H

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

#endif
