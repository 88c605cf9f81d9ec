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
uint64_t replica_propose(struct replica *, const struct command *);

/* --- replica_serve.c -------------------------------------------------------------------------- */

enum progress {
    PROGRESS_DONE,  /* answered, or in need of no answer */
    PROGRESS_LATER,
    PROGRESS_ROUND, /* a round must be begun for it */
};

/* Of an ask that leads and is ready to serve, and that is not proposed. */
enum progress replica_serve(struct replica *, struct waiting *);
/* Its command has been applied: the state has the answer. */
void replica_answer_applied(struct replica *, const struct waiting *);
void replica_refuse(struct replica *, const struct ask *, enum refusal);
void replica_send(struct replica *, const struct ask *, struct answer *);

/* --- replica_duty.c --------------------------------------------------------------------------- */

/* Leads from now on: nobody has been told or asked anything yet. */
void replica_begin_duties(struct replica *);
void replica_do_duties(struct replica *, int64_t now_ns);
/* If the transaction's outcome has been decided here and not been told to the others, it is now. */
void replica_tell(struct replica *, uint64_t txn);

#endif
