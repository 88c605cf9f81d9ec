/*
 * crash: nodes lose their memory, and start again later or at once.
 */
#ifndef NEMESIS_CRASH_PRIVATE_H
#define NEMESIS_CRASH_PRIVATE_H

#include "nemesis/nemesis.h"

bool crash_strike(struct nemesis *, struct world *);
void crash_release(struct nemesis *, struct world *);

#endif
