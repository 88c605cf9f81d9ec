/*
 * wall_clock: time outside of a run, to tell people how long something took, and for time limits.
 *
 * No run may ask for it: tools/rooms.sh refuses it in the rooms that know virtual time.
 */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Of the monotonic clock. */
static inline int64_t wall_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void wall_clock_sleep(int64_t ns)
{
    nanosleep(&(struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 }, NULL);
}

#endif
