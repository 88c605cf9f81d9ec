/*
 * wall_clock: time outside of a run, to tell people how long something took, and for time limits.
 *
 * No run may ask for it: tools/rooms.sh refuses it in the rooms that know virtual time.
 */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

#include <stdint.h>

/* Of the monotonic clock. */
int64_t wall_clock_ns(void);

#endif
