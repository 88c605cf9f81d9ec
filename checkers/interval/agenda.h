/*
 * agenda: what the mirror has still to do, and as of when.
 *
 *     T1 installs at 10, T1 is judged at 20, T2 installs at 20
 *     popped in that order but for the last two: what is installed at a time is there for whom
 *     is judged at it
 *
 * A heap, by time, installations first, then in the order of arrival.
 */
#ifndef CHECKERS_INTERVAL_AGENDA_H
#define CHECKERS_INTERVAL_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct mirror_event {
    int64_t at;
    uint64_t txn;
    bool is_judging; /* after installations of the same time */
};

/* An array of base/array.h; the first is the next. */
struct agenda {
    struct mirror_event *at;
    size_t count, room;
};

MUST_USE enum status agenda_push(struct agenda *, struct mirror_event, struct error *);
/* There must be one. */
struct mirror_event agenda_pop(struct agenda *);

#endif
