/*
 * event_queue_inspect: asserts what a queue of events must keep.
 */
#ifndef TESTS_SIM_EVENT_QUEUE_INSPECT_H
#define TESTS_SIM_EVENT_QUEUE_INSPECT_H

#include <assert.h>

#include "sim/event_queue.h"

/* As in event_queue.c. */
#define FAMILY 4
#define KEY_NONE (~(event_key)0) /* behind every key */

/* Each key is above its parent's; behind the last stand empty ones; slots are used or free. */
static inline void event_queue_check(const struct event_queue *queue)
{
    size_t free_count = 0;

    for (size_t i = 1; i < queue->count; i++)
        assert(queue->keys[(i - 1) / FAMILY] < queue->keys[i]);
    for (size_t i = queue->count; i < queue->room + FAMILY; i++)
        assert(queue->keys[i] == KEY_NONE);
    for (uint32_t slot = queue->free_slot; slot != EVENT_NONE; slot = queue->slab[slot].next) {
        assert(slot < queue->slab_used);
        free_count++;
    }
    assert(queue->count + free_count <= queue->slab_used);
    assert(queue->slab_used <= queue->room);
}

#endif
