/*
 * follower: the follower's side of replication: takes entries from the leader and acknowledges them.
 */
#ifndef STORE_RAFT_FOLLOWER_PRIVATE_H
#define STORE_RAFT_FOLLOWER_PRIVATE_H

#include "store/raft/raft_private.h"

void raft_enter_term(struct raft *);
/* From the leader of this term: false if it is of an old one. */
bool raft_hear_leader(struct raft *, uint32_t peer, const struct raft_message *);
void raft_commit_to(struct raft *, uint64_t commit);
void raft_on_append(struct raft *, uint32_t peer, struct raft_message *, struct text bytes);
void raft_on_heartbeat(struct raft *, uint32_t peer, const struct raft_message *);
/* Acknowledges what is durable, if that is owed or news. */
void raft_acknowledge(struct raft *);

#endif
