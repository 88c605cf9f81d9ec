/*
 * timers: the timers of nodes, on their monotonic clocks.
 *
 * A timer has a deadline in its node's time. The world turns it into an event
 * in virtual time; when the node's clock changes its rate, all the node's
 * timers are scheduled again and the events already queued are stale, which
 * their `version` tells. Of timers due at one instant, the last to be scheduled
 * fires last; rescheduling goes from the newest timer to the oldest. An identity
 * is never given twice, so cancelling a timer that has fired is harmless.
 */
#ifndef SIM_TIMERS_H
#define SIM_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define TIMER_NONE UINT32_MAX

struct timer {
    uint32_t node;
    uint32_t generation;     /* of this place: half of the identity */
    uint32_t version;        /* of its schedule */
    uint32_t previous, next; /* of its node; next also chains free places */
    bool is_set;
    int64_t deadline_ns; /* monotonic time of the node */
    uint64_t payload;
};

struct timers {
    struct arena *arena;
    struct timer *places;
    uint32_t used, room, count_max, free_place;
};

MUST_USE enum status timers_init(struct timers *, uint32_t count_max, struct arena *,
                                 struct error *);
/* Puts the timer in front of the node's list. */
MUST_USE enum status timers_add(struct timers *, uint32_t *list, const struct timer *,
                                uint32_t *place, struct error *);
void timers_remove(struct timers *, uint32_t *list, uint32_t place);
/* The identity handed to processes; never 0. */
uint64_t timers_identity(const struct timers *, uint32_t place);
/* TIMER_NONE if that timer has fired or was cancelled. */
uint32_t timers_find(const struct timers *, uint64_t identity);

#endif
