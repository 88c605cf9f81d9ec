/*
 * pause: nodes stand still while time goes on, as if stopped by a debugger, a
 * garbage collector or a hypervisor.
 */
#ifndef NEMESIS_PAUSE_PRIVATE_H
#define NEMESIS_PAUSE_PRIVATE_H

#include "nemesis/nemesis.h"

bool pause_strike(struct nemesis *, struct world *);
void pause_release(struct nemesis *, struct world *);

#endif
