/*
 * disk_fault: adds faults of disks to those that the scenario gives them.
 *
 * A disk that several nemeses strike suffers all of it; where two say the same
 * thing, the worse. Bit rot inside the fault model chooses its victims so that
 * each shard keeps all but damaged_max of its replicas whole. A disk that once
 * rotted counts as damaged to the end of the run, and only such disks may rot
 * again once no other may.
 */
#ifndef NEMESIS_DISK_FAULT_PRIVATE_H
#define NEMESIS_DISK_FAULT_PRIVATE_H

#include "nemesis/nemesis.h"

#define DISK_FAULT_CHANCE_DEFAULT ((struct ratio){ 1, 2 })
#define DISK_FAULT_FACTOR_DEFAULT 10

/* Whether an operation ran into it shows at the release only, of a lying sync after it. */
bool disk_fault_strike(struct nemesis *, struct world *);
void disk_fault_release(struct nemesis *, struct world *);
bool disk_fault_was_felt(struct nemesis *, struct world *);
/* Whether the node's disk may rot, with those that have rotted. */
bool disk_fault_may_damage(const struct nemeses *, uint32_t node);

#endif
