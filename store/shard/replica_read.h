/*
 * replica_read: the functions of a replica for protocols: its clock, the ceiling of reads, conflicting
 * undecided transactions, and rows.
 */
#ifndef STORE_SHARD_REPLICA_READ_H
#define STORE_SHARD_REPLICA_READ_H

#include "store/shard/replica.h"

/* The node's hybrid clock. */
struct stamp replica_now(struct replica *, uint64_t txn);
/* Whether reads at the stamp may be served; if not, the ceiling is being raised. */
bool replica_may_read(struct replica *, struct stamp at);
/*
 * An undecided transaction, prepared or in flight, not the asker's, that writes one of the keys
 * or what matches the scope, with a stamp (its vote's `at`, or `least`) not above `at`. NULL: none.
 */
const struct prepare *replica_undecided_writer(struct replica *, const struct ask *,
                                               struct stamp at);
/*
 * The common rule for prepares against undecided ones: SERVED with REFUSED_UNDECIDED if an older
 * one is in the way, SERVE_LATER if only younger ones are, SERVED with REFUSED_NOT if none is.
 */
enum served replica_admit_by_age(struct replica *, const struct prepare *, unsigned ways,
                                 struct vote *);
/* The same, of those whose stamps (a vote's `at`, or `least`) are at or below `at`. */
enum served replica_admit_below(struct replica *, const struct prepare *, unsigned ways,
                                struct stamp at, struct vote *);
/* Fills in a READ's answer: rows of the keys, or of the scope, newest at or below `at`. */
void replica_read_rows(struct replica *, const struct ask *, struct stamp at,
                       struct shard_answer *);
/* Sends an ask of the protocol's own (PROBE) to a node's coordinator. */
void replica_probe(struct replica *, uint32_t node, const struct ask *);

#endif
