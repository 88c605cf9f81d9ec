/*
 * event_queue: the events that are to come, in the order of virtual time.
 *
 * A 4-ary heap over 128-bit keys, and a slab of small events beside it. A key
 * holds the time, then the number of the insertion, then the event's place in
 * the slab, so that it moves as one and comparing keys compares (time,
 * insertion); two keys are never equal.
 *
 *     127            64 63         24 23      0
 *     |  time in ns    | insertion   | slot   |
 *
 *     keys  [ pad pad pad 0 | 1 2 3 4 | 5 6 7 8 | ... ]    a cache line per family
 *     slab  [ event | free | event | event | free | ... ]
 *
 * Both grow by doubling out of the arena until event_count_max; in steady
 * state nothing is allocated. Nothing here knows what an event means.
 */
#ifndef SIM_EVENT_QUEUE_H
#define SIM_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define EVENT_SLOT_BITS 24
#define EVENT_SEQUENCE_BITS 40
#define EVENT_NONE UINT32_MAX

/* What the owner of the queue wants to be told; it gives the fields their meaning. */
struct world_event {
    uint32_t kind, node, epoch;
    uint32_t next; /* the slab's while it is free, the holder's while it is held */
    uint64_t a, b;
};

typedef unsigned __int128 event_key;

struct event_queue {
    struct arena *arena;
    event_key *keys; /* the heap; keys[1] starts a cache line */
    struct world_event *slab;
    size_t count;                 /* in the heap */
    size_t room, event_count_max; /* room of both, and their limit */
    size_t slab_used;             /* slots ever taken */
    uint32_t free_slot;           /* EVENT_NONE: take a new one */
    uint64_t sequence;            /* insertions so far */
    event_key last;               /* the last one popped */
};

/* At most 2^24 events. */
MUST_USE enum status event_queue_init(struct event_queue *, size_t event_count_max, struct arena *,
                                      struct error *);

/* Not before the last event popped. */
MUST_USE enum status event_queue_push(struct event_queue *, int64_t at_ns,
                                      const struct world_event *, struct error *);

bool event_queue_is_empty(const struct event_queue *);
/* Time of the first event; the queue must not be empty. */
int64_t event_queue_next_ns(const struct event_queue *);
/* Takes the first event out. */
struct world_event event_queue_pop(struct event_queue *, int64_t *at_ns);

/* Keeps an event in the slab and out of the heap, for a list that its holder links by `next`. */
MUST_USE enum status event_queue_hold(struct event_queue *, const struct world_event *,
                                      uint32_t *slot, struct error *);
struct world_event event_queue_release(struct event_queue *, uint32_t slot);


#endif
