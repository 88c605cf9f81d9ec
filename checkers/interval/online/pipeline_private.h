/*
 * pipeline: merges the operations of many clients by the time of invocation (Leopard, section IV).
 *
 *     lane of client 0   [ 12 ] [ 30 ] [ 31 ]        local buffers, each in order
 *     lane of client 1   [ 14 ]
 *     lane of client 2   .............. nothing that began before 17
 *
 *     heap of lanes, by what each may bring next:  0 (12), 1 (14), 2 (17)
 *     given out: 12, 14, and then nothing before client 2 is heard of
 *
 * A lane is a client, who does one thing after the other. The first level is what has come
 * from each and waits; the second a heap of lanes and not of all that waits, and the lane that
 * is on top of it without anything is the one to be read from: who fetches from it, and from
 * nobody who is ahead, has no more in memory than what is in flight. Of things that began at
 * the same time, the first to come goes first.
 */
#ifndef CHECKERS_INTERVAL_ONLINE_PIPELINE_PRIVATE_H
#define CHECKERS_INTERVAL_ONLINE_PIPELINE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"

#define PIPELINE_NONE UINT32_MAX

struct pipeline_item {
    int64_t invoked;
    uint64_t serial; /* in the order of arrival */
    void *batch;     /* the caller's, like the next */
    uint32_t number;
};

struct pipeline_lane {
    ARRAY(struct pipeline_item) items;
    size_t first;   /* of the items that wait */
    int64_t bound;  /* nothing comes that began before */
    uint32_t place; /* in the heap; PIPELINE_NONE: the lane is free */
    uint32_t owner; /* the caller's */
    bool is_closed; /* nothing comes any more */
};

struct pipeline_place {
    int64_t key;
    uint64_t serial; /* UINT64_MAX: nothing waits */
    uint32_t lane;
};

struct pipeline {
    ARRAY(struct pipeline_lane) lanes;
    ARRAY(uint32_t) free_lanes;
    ARRAY(struct pipeline_place) heap;
    size_t waiting; /* items */
    uint64_t next_serial;
    int64_t passed; /* what was given out last began then */
};

void pipeline_init(struct pipeline *);
void pipeline_close(struct pipeline *);

MUST_USE enum status pipeline_open_lane(struct pipeline *, uint32_t owner, int64_t bound,
                                        uint32_t *lane, struct error *);
/* It is free again once all that waits in it has been given out. */
void pipeline_close_lane(struct pipeline *, uint32_t lane);

/*
 * Not before the lane's bound, which becomes its invocation, nor before what was given out last:
 * the caller looks.
 */
MUST_USE enum status pipeline_push(struct pipeline *, uint32_t lane, int64_t invoked, void *batch,
                                   uint32_t number, struct error *);
/* Nothing comes in this lane any more that began before; bounds only rise. */
void pipeline_set_bound(struct pipeline *, uint32_t lane, int64_t bound);

/* The next of all, unless something may still come that began before. */
bool pipeline_next(struct pipeline *, struct pipeline_item *);
/* The lane that the next waits for; PIPELINE_NONE: there are no lanes, or it waits for none. */
uint32_t pipeline_awaited(const struct pipeline *);

static inline const struct pipeline_lane *pipeline_lane(const struct pipeline *p, uint32_t lane)
{
    return &p->lanes.at[lane];
}

/*
 * recent: whether something came before, of so much as came last.
 *
 * A recorder that goes on after a restart, or that does not know what has arrived, sends again
 * what it had sent. Two generations of codes are kept, each of as many as RECENT_KEPT: when the younger
 * is full, the elder goes. So what came within the last RECENT_KEPT is known again, and memory has a
 * limit.
 */
#define RECENT_KEPT ((size_t)1 << 15)

struct recent {
    struct map generations[2];
    unsigned younger;
};

void pipeline_recent_close(struct recent *);
/* Keeps the code; `is_known`: it came before. */
MUST_USE enum status pipeline_recent_add(struct recent *, uint64_t code, bool *is_known, struct error *);

#endif
