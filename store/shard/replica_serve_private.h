/*
 * replica_serve: serves the requests of coordinators at a leader that is ready, by kind.
 */
#ifndef STORE_SHARD_REPLICA_SERVE_PRIVATE_H
#define STORE_SHARD_REPLICA_SERVE_PRIVATE_H

#include "store/shard/replica_private.h"

enum serve_progress {
    PROGRESS_DONE, /* answered, or in need of no answer */
    PROGRESS_LATER,
    PROGRESS_ROUND, /* a round must be begun for it */
};

/* Of an ask that leads and is ready to serve, and that is not proposed. */
enum serve_progress replica_serve(struct replica *, struct waiting_ask *);
/* Its command has been applied: the state has the answer. */
void replica_answer_applied(struct replica *, const struct waiting_ask *);
void replica_refuse(struct replica *, const struct ask *, enum refusal);
void replica_send(struct replica *, const struct ask *, struct shard_answer *);

#endif
