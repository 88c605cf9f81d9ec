/*
 * replica_duty: the periodic duties of a leader: tells outcomes, resolves transactions in doubt, moves
 * the horizon.
 */
#ifndef STORE_SHARD_REPLICA_DUTY_PRIVATE_H
#define STORE_SHARD_REPLICA_DUTY_PRIVATE_H

#include "store/shard/replica_private.h"

/* Leads from now on: nobody has been told or asked anything yet. */
void replica_begin_duties(struct replica *);
void replica_do_duties(struct replica *, int64_t now_ns);
/* If the transaction's outcome has been decided here and not been told to the others, it is now. */
void replica_tell(struct replica *, uint64_t txn);

#endif
