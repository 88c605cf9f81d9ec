/*
 * deadlock: detects deadlocks by probes along the edges of the wait-for graph, and aborts one
 * transaction of each cycle.
 */
#ifndef STORE_COORDINATOR_DEADLOCK_PRIVATE_H
#define STORE_COORDINATOR_DEADLOCK_PRIVATE_H

#include "store/coordinator/coordinator_private.h"

/* Begins the probe that it owes, once that is due. */
void deadlock_probe_late(struct txn *, int64_t now_ns);

#endif
