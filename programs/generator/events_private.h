/*
 * events: who does something next, in virtual time.
 *
 * A binary heap of at most one event for each actor. Ties go to the lower
 * actor, so that the order of pushing is of no matter.
 */
#ifndef PROGRAMS_GENERATOR_EVENTS_PRIVATE_H
#define PROGRAMS_GENERATOR_EVENTS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct generator_event {
    int64_t at; /* nanoseconds */
    uint32_t actor;
};

struct generator_events {
    ARRAY(struct generator_event) heap;
};

/* Room for this many; then pushing cannot fail. */
MUST_USE enum status events_init(struct generator_events *, size_t count_max, struct error *);
void events_close(struct generator_events *);

void events_push(struct generator_events *, struct generator_event);
/* False if there are none. */
bool events_pop(struct generator_events *, struct generator_event *);

#endif
