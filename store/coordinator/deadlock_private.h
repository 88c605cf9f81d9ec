/*
 * deadlock: probes along the edges of the wait-for graph; exactly one of each circle dies.
 */
#ifndef STORE_COORDINATOR_DEADLOCK_PRIVATE_H
#define STORE_COORDINATOR_DEADLOCK_PRIVATE_H

#include "store/coordinator/coordinator_private.h"

/* Begins the probe that it owes, once that is due. */
void deadlock_probe_late(struct txn *, int64_t now_ns);

#endif
