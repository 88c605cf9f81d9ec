/*
 * replica_private: what the parts of a replica know of each other.
 *
 *     replica.c        life, the log's callbacks, leading, and who waits
 *     replica_serve.c  what becomes of an ask, kind by kind
 *     replica_duty.c   what a leader does unasked: outcomes, doubts, the horizon
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
