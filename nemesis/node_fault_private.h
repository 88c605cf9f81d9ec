/*
 * node_fault: crashes and pauses of nodes.
 *
 * A crashed node loses its memory, and starts again later or at once. A paused one stands still while
 * time goes on, as if stopped by a debugger, a garbage collector or a hypervisor.
 */
#ifndef NEMESIS_NODE_FAULT_PRIVATE_H
#define NEMESIS_NODE_FAULT_PRIVATE_H

#include "nemesis/nemesis.h"

bool node_fault_crash(struct nemesis *, struct world *);
void node_fault_restart(struct nemesis *, struct world *);

bool node_fault_pause(struct nemesis *, struct world *);
void node_fault_resume(struct nemesis *, struct world *);

#endif
