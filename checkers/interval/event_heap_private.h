/*
 * event_heap: transactions that wait to be installed or judged, by time.
 *
 *     T1 installs at 10, T1 is judged at 20, T2 installs at 20
 *     popped in that order but for the last two: what is installed at a time is there for whom
 *     is judged at it
 *
 * A heap, by time, installations first, then in the order of arrival.
 */
#ifndef CHECKERS_INTERVAL_EVENT_HEAP_PRIVATE_H
#define CHECKERS_INTERVAL_EVENT_HEAP_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct timed_event {
    int64_t at;
    uint64_t txn;
    bool is_judging; /* after installations of the same time */
};

/* An array of base/array.h; the first is the next. */
struct event_heap {
    struct timed_event *at;
    size_t count, room;
};

MUST_USE enum status event_heap_push(struct event_heap *, struct timed_event, struct error *);
/* There must be one. */
struct timed_event event_heap_pop(struct event_heap *);

#endif
