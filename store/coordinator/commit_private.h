/*
 * commit: how a transaction ends: PREPARE, CHECK rounds, DECIDE, or an abort.
 */
#ifndef STORE_COORDINATOR_COMMIT_PRIVATE_H
#define STORE_COORDINATOR_COMMIT_PRIVATE_H

#include "store/coordinator/coordinator_private.h"

void txn_commit(struct txn *);
/* Looks again at all that was read; then goes on with the read or the commit. */
void txn_check(struct txn *);
void txn_on_vote(struct txn *, uint32_t shard, const struct answer *);
void txn_on_check(struct txn *, const struct answer *);
void txn_on_decision(struct txn *, const struct answer *);
void txn_votes_are_in(struct txn *);
void txn_check_is_done(struct txn *);
/* What PREPARE and CHECK say of a shard; arrays in the scratch. */
void txn_fill_prepare(struct txn *, uint32_t shard, struct ask *);
void txn_abort(struct txn *, enum refusal);

#endif
