/*
 * turn: the number of a draw.
 *
 * As a rule by how many came before it from the same link, file or node. Then a
 * message that is not sent gives its fate to the next, and all that follow
 * change. By time, a draw's number is the moment that it is made at, so that what is left
 * out moves nothing that it did not cause: for runs that are made smaller and
 * smaller. Draws of one link within about a millisecond are then alike, which
 * also damps what small shifts would do.
 */
#ifndef SIM_TURN_H
#define SIM_TURN_H

#include <stdbool.h>
#include <stdint.h>

#define TURN_MOMENT_BITS 20 /* a moment is 2^20 ns */

static inline uint64_t turn_moment(int64_t now_ns)
{
    return (uint64_t)now_ns >> TURN_MOMENT_BITS;
}

/* The number of the next draw, whose ordinal among its like is counted in any case. */
static inline uint64_t turn_next(uint64_t *ordinal, bool by_time, int64_t now_ns)
{
    uint64_t next = (*ordinal)++;

    return by_time ? turn_moment(now_ns) : next;
}

#endif
