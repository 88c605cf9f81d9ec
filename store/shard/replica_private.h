/*
 * replica_private: the state of a replica, which its parts share.
 *
 *     replica.c        opening, callbacks of the log, leadership, requests and how each kind is served
 *     replica_duty.c   periodic duties of a leader: outcomes, transactions in doubt, the horizon
 *     replica_read.c   what protocols ask of a replica
 */
#ifndef STORE_SHARD_REPLICA_PRIVATE_H
#define STORE_SHARD_REPLICA_PRIVATE_H

#include "store/cluster_private.h"
#include "store/protocol_private.h"
#include "store/shard/replica.h"

/* Into the log. The entry's index, or 0 if this is not the leader. */
uint64_t replica_propose(struct replica *, const struct shard_command *);

#endif
