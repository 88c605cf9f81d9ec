/*
 * pool: memory that one holder takes and gives back in blocks, and that can be dropped as a whole.
 *
 *     run-wide    chunks, from the world's arena, kept by size when they come back
 *     pool        one holder's chunks: a server's memory, say, which a crash
 *                 takes away whole, without a walk through what is in it
 *
 * Taking never fails: if no memory is left, arena_take() abandons the run as a whole. Who drives
 * the run asks pool_memory_is_short() between events, which tells that a run holds more than its
 * own limit. Freed blocks are kept by size class, so that a steady state takes nothing.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"

#define POOL_CLASS_COUNT 32 /* powers of two from 16 bytes */

struct pool_memory {
    struct arena *arena;
    void *free_chunks[POOL_CLASS_COUNT];
    size_t bytes, bytes_max; /* taken from the arena */
};

struct pool {
    struct pool_memory *memory;
    void *chunks; /* each begins with the next, and its class */
    void *free_blocks[POOL_CLASS_COUNT];
    char *at, *end; /* what is free of the chunk for small blocks */
    size_t held_bytes;
};

void pool_memory_init(struct pool_memory *, struct arena *, size_t bytes_max);
bool pool_memory_is_short(const struct pool_memory *);

void pool_init(struct pool *, struct pool_memory *);
/* All blocks are gone; the chunks go back to the run. */
void pool_drop(struct pool *);

/* Aligned to 16 bytes and zeroed. */
void *pool_take(struct pool *, size_t size);
/* The size must be the one it was taken with. NULL is fine if the size is 0. */
void pool_give(struct pool *, void *, size_t size);
/* A larger block with the same bytes, the rest zeroed. */
void *pool_grow(struct pool *, void *, size_t size, size_t new_size);

/* Makes room for `more` elements behind the last of an ARRAY() of the pool's. */
#define pool_reserve(pool, array, more)                                                            \
    ((array)->room - (array)->count >= (size_t)(more)                                              \
         ? (void)0                                                                                 \
         : pool_grow_array((pool), (void **)&(array)->at, (array)->count, &(array)->room,          \
                           (size_t)(more), sizeof *(array)->at))
#define pool_push(pool, array, value)                                                              \
    (pool_reserve((pool), (array), 1), (void)((array)->at[(array)->count++] = (value)))
#define pool_close(pool, array)                                                                    \
    (pool_give((pool), (array)->at, (array)->room * sizeof *(array)->at), (array)->at = NULL,      \
     (array)->count = (array)->room = 0)

/* Behind pool_reserve(): doubles at least. */
void pool_grow_array(struct pool *, void **at, size_t count, size_t *room, size_t more,
                     size_t element_size);

#endif
