/*
 * snapshot: cuts logs behind snapshots, and sends snapshots to replicas that are too far behind.
 */
#ifndef STORE_RAFT_SNAPSHOT_PRIVATE_H
#define STORE_RAFT_SNAPSHOT_PRIVATE_H

#include "store/raft/raft_private.h"

void raft_checkpoint_if_due(struct raft *);
void raft_on_checkpointed(struct raft *);
void raft_send_snapshot(struct raft *, uint32_t peer);
void raft_forget_snapshot_if_sent(struct raft *);
void raft_on_snapshot(struct raft *, uint32_t peer, struct raft_message *);
void raft_on_got(struct raft *, uint32_t peer, const struct raft_message *);

#endif
