/*
 * commit: how a transaction ends: PREPARE, CHECK rounds, DECIDE, or an abort.
 */
#ifndef STORE_COORDINATOR_COMMIT_PRIVATE_H
#define STORE_COORDINATOR_COMMIT_PRIVATE_H

#include "store/coordinator/coordinator_private.h"

void commit_begin(struct txn *);
/* Looks again at all that was read; then goes on with the read or the commit. */
void commit_check(struct txn *);
void commit_on_vote(struct txn *, uint32_t shard, const struct shard_answer *);
void commit_on_check(struct txn *, const struct shard_answer *);
void commit_on_decision(struct txn *, const struct shard_answer *);
void commit_votes_are_in(struct txn *);
void commit_check_is_done(struct txn *);
/* What PREPARE and CHECK say of a shard; arrays in the scratch. */
void commit_fill_prepare(struct txn *, uint32_t shard, struct ask *);
void commit_abort(struct txn *, enum refusal);

#endif
