#include "sim/event_queue.h"

#include <assert.h>
#include <string.h>

#define FAMILY 4
#define CACHE_LINE 64
#define ROOM_FIRST 1024
#define KEY_NONE (~(event_key)0) /* behind every key */
#define SLOT_MASK ((UINT64_C(1) << EVENT_SLOT_BITS) - 1)

static int64_t key_ns(event_key key)
{
    return (int64_t)(uint64_t)(key >> 64);
}

static uint32_t key_slot(event_key key)
{
    return (uint32_t)((uint64_t)key & SLOT_MASK);
}

static enum status out_of_memory(const struct event_queue *queue, struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for more than %zu pending events",
                     queue->room);
}

/* keys[1] starts a cache line, so that the four children of a key share one. */
static event_key *push_keys(struct arena *arena, size_t room)
{
    size_t spare = FAMILY + CACHE_LINE / sizeof(event_key);
    char *at = arena_push(arena, room + spare, sizeof(event_key));

    if (!at)
        return NULL;
    while (((uintptr_t)at + sizeof(event_key)) % CACHE_LINE != 0)
        at += sizeof(event_key);
    return (event_key *)(void *)at;
}

/* What it grows out of stays in the arena: less than what it grows into. */
static enum status grow(struct event_queue *queue, struct error *err)
{
    size_t room = queue->room ? 2 * queue->room : ROOM_FIRST;
    event_key *keys;
    struct world_event *slab;

    if (room > queue->event_count_max)
        room = queue->event_count_max;
    if (room == queue->room)
        return error_set(err, STATUS_TOO_LONG, "no room for more than %zu pending events", room);
    keys = push_keys(queue->arena, room);
    slab = arena_push(queue->arena, room, sizeof *slab);
    if (!keys || !slab)
        return out_of_memory(queue, err);
    if (queue->room) {
        memcpy(keys, queue->keys, queue->count * sizeof *keys);
        memcpy(slab, queue->slab, queue->slab_used * sizeof *slab);
    }
    for (size_t i = queue->count; i < room + FAMILY; i++)
        keys[i] = KEY_NONE;
    queue->keys = keys;
    queue->slab = slab;
    queue->room = room;
    return STATUS_OK;
}

enum status event_queue_init(struct event_queue *queue, size_t event_count_max, struct arena *arena,
                             struct error *err)
{
    assert(event_count_max > 0 && event_count_max <= SLOT_MASK + 1);
    *queue = (struct event_queue){ .arena = arena,
                                   .event_count_max = event_count_max,
                                   .free_slot = EVENT_NONE };
    return grow(queue, err);
}

enum status event_queue_hold(struct event_queue *queue, const struct world_event *event,
                             uint32_t *slot, struct error *err)
{
    if (queue->free_slot != EVENT_NONE) {
        *slot = queue->free_slot;
        queue->free_slot = queue->slab[*slot].next;
    } else {
        if (queue->slab_used == queue->room)
            TRY(grow(queue, err));
        *slot = (uint32_t)queue->slab_used++;
    }
    queue->slab[*slot] = *event;
    return STATUS_OK;
}

struct world_event event_queue_release(struct event_queue *queue, uint32_t slot)
{
    struct world_event event = queue->slab[slot];

    queue->slab[slot].next = queue->free_slot;
    queue->free_slot = slot;
    return event;
}

enum status event_queue_push(struct event_queue *queue, int64_t at_ns,
                             const struct world_event *event, struct error *err)
{
    event_key *keys, key;
    uint32_t slot;
    size_t hole;

    assert(at_ns >= key_ns(queue->last));
    assert(queue->sequence < UINT64_C(1) << EVENT_SEQUENCE_BITS);
    TRY(event_queue_hold(queue, event, &slot, err));
    key = (event_key)(uint64_t)at_ns << 64 | queue->sequence++ << EVENT_SLOT_BITS | slot;
    keys = queue->keys;
    hole = queue->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / FAMILY;
        if (keys[parent] < key)
            break;
        keys[hole] = keys[parent];
        hole = parent;
    }
    keys[hole] = key;
    return STATUS_OK;
}

bool event_queue_is_empty(const struct event_queue *queue)
{
    return queue->count == 0;
}

int64_t event_queue_next_ns(const struct event_queue *queue)
{
    assert(queue->count > 0);
    return key_ns(queue->keys[0]);
}

/* The smaller one's place, without a branch: which it is cannot be foreseen. */
static size_t smaller(const event_key *keys, size_t a, size_t b)
{
    return a ^ ((a ^ b) & (0 - (size_t)(keys[b] < keys[a])));
}

/*
 * Moves the hole at the top down to where `key` belongs. Behind the last key
 * stand KEY_NONEs, so that every family is complete.
 */
static void sink(event_key *keys, size_t count, event_key key)
{
    size_t hole = 0, child = 1;

    while (child < count) {
        size_t left = smaller(keys, child, child + 1);
        size_t right = smaller(keys, child + 2, child + 3);
        size_t first = smaller(keys, left, right);
        if (key < keys[first])
            break;
        keys[hole] = keys[first];
        hole = first;
        child = FAMILY * hole + 1;
    }
    keys[hole] = key;
}

struct world_event event_queue_pop(struct event_queue *queue, int64_t *at_ns)
{
    event_key first, last;

    assert(queue->count > 0);
    first = queue->keys[0];
    /* Time goes on, and no two events are simultaneous. */
    assert(first > queue->last || queue->last == 0);
    queue->last = first;
    queue->count--;
    last = queue->keys[queue->count];
    queue->keys[queue->count] = KEY_NONE;
    if (queue->count > 0)
        sink(queue->keys, queue->count, last);
    *at_ns = key_ns(first);
    return event_queue_release(queue, key_slot(first));
}

