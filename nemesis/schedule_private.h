/*
 * schedule: when one nemesis strikes, how long it holds, and what it felt.
 */
#ifndef NEMESIS_SCHEDULE_PRIVATE_H
#define NEMESIS_SCHEDULE_PRIVATE_H

#include "nemesis/nemesis.h"

/* Its options, place and `all` are set. From now on the world calls it back. */
MUST_USE enum status schedule_start(struct nemesis *, struct error *);
/* Lets go, for good, and closes its accounts. */
void schedule_end(struct nemesis *);

#endif
