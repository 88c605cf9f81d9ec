/*
 * world_step: one event of a world at a time.
 */
#ifndef TESTS_SIM_WORLD_STEP_H
#define TESTS_SIM_WORLD_STEP_H

#include "sim/world.h"

/* `again`: there was an event. */
MUST_USE enum status world_step(struct world *, bool *again, struct error *);

#endif
