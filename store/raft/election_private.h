/*
 * election: elects a leader (Raft paper, section 5.2), with a pre-vote before each election.
 */
#ifndef STORE_RAFT_ELECTION_PRIVATE_H
#define STORE_RAFT_ELECTION_PRIVATE_H

#include "store/raft/raft_private.h"

void raft_wait_for_leader(struct raft *);
void raft_on_patience_timer(struct raft *);
void raft_on_ask_pre_vote(struct raft *, uint32_t peer, const struct raft_message *);
void raft_on_ask_vote(struct raft *, uint32_t peer, const struct raft_message *);
void raft_on_vote(struct raft *, uint32_t peer, const struct raft_message *);
/* Term and own vote are on disk. */
void raft_ask_for_votes(struct raft *);

#endif
