/*
 * grow: arrays in arenas, to which things are added one by one.
 *
 *     GROW(arena, list->at, list->count, &list->room);
 *     list->at[list->count++] = …
 */
#ifndef VERIFY_CALLS_GROW_PRIVATE_H
#define VERIFY_CALLS_GROW_PRIVATE_H

#include <string.h>

#include "base/arena.h"

/* Room for one more: `at` itself, or twice as much memory with what is there. */
static inline void *grown(struct arena *arena, const void *at, uint32_t count, uint32_t *room, size_t size)
{
    void *more;

    if (count < *room)
        return (void *)at;
    *room = 2 * *room + 2;
    more = arena_take(arena, *room, size);
    if (count > 0)
        memcpy(more, at, count * size);
    return more;
}

#define GROW(arena, at, count, room) ((at) = grown(arena, at, count, room, sizeof *(at)))

#endif
