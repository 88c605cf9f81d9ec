/*
 * si: functions of snapshot isolation that ssi and rc use, too.
 *
 * See si.c, which reads as a chapter of its own.
 */
#ifndef STORE_PROTOCOLS_SI_PRIVATE_H
#define STORE_PROTOCOLS_SI_PRIVATE_H

#include "store/protocol_private.h"

/* A snapshot of now, which has all that the client has seen committed. */
void si_take_snapshot(struct txn *);
/* Reads at the ask's snapshot, once nothing below it is undecided. */
enum served si_serve_read(struct replica *, struct waiting_ask *, struct shard_answer *);
/* Raises the vote above the snapshot, so that S(T) < C(T) whatever clocks show. */
void si_raise_vote(const struct prepare *, struct vote *);
/* The same, and refuses what is too old, or loses against an undecided or an earlier committer. */
void si_validate_against(struct shard *, const struct prepare *, unsigned undecided_ways,
                         struct vote *);

#endif
