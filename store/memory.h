/*
 * memory: what servers and clients of one run hold, in parts that can be dropped.
 *
 *     run-wide    chunks, from the world's arena, kept by size when they come back
 *     pool        one holder's chunks: a server's memory, say, which a crash
 *                 takes away whole, without a walk through what is in it
 *
 * Taking never fails: nothing that the store does in one event is large. Who
 * drives the run asks memory_is_short() between events, and ends it in time
 * with an error; the rest of the address space is the slack for one event.
 * Freed blocks are kept by size class, so that a steady state takes nothing.
 */
#ifndef STORE_MEMORY_H
#define STORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define MEMORY_CLASS_COUNT 32 /* powers of two from 16 bytes */

struct memory {
    struct arena *arena;
    void *free_chunks[MEMORY_CLASS_COUNT];
    size_t bytes, bytes_max; /* taken from the arena */
};

struct pool {
    struct memory *memory;
    void *chunks;                          /* each begins with the next, and its class */
    void *free_blocks[MEMORY_CLASS_COUNT];
    char *at, *end;                        /* what is free of the chunk for small blocks */
    size_t held_bytes;
};

void memory_init(struct memory *, struct arena *, size_t bytes_max);
bool memory_is_short(const struct memory *);

void pool_init(struct pool *, struct memory *);
/* All blocks are gone; the chunks go back to the run. */
void pool_drop(struct pool *);

/* Aligned to 16 bytes and zeroed. */
void *pool_take(struct pool *, size_t size);
/* The size must be the one it was taken with. NULL is fine if the size is 0. */
void pool_give(struct pool *, void *, size_t size);
/* A larger block with the same bytes, the rest zeroed. */
void *pool_grow(struct pool *, void *, size_t size, size_t new_size);

#define VECTOR(type)                                                                               \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t count, room;                                                                      \
    }

#define vector_reserve(pool, v, more)                                                              \
    ((v)->room - (v)->count >= (uint32_t)(more)                                                    \
         ? (void)0                                                                                 \
         : vector_make_room((pool), (void **)&(v)->at, (v)->count, &(v)->room, (uint32_t)(more),   \
                            sizeof *(v)->at))
#define vector_push(pool, v, value)                                                                \
    (vector_reserve((pool), (v), 1), (void)((v)->at[(v)->count++] = (value)))
/* Keeps the order. */
#define vector_remove(v, index)                                                                    \
    vector_close_gap((v)->at, &(v)->count, (index), sizeof *(v)->at)
#define vector_close(pool, v)                                                                      \
    (pool_give((pool), (v)->at, (size_t)(v)->room * sizeof *(v)->at), (v)->at = NULL,              \
     (v)->count = (v)->room = 0)

void vector_make_room(struct pool *, void **at, uint32_t count, uint32_t *room, uint32_t more,
                      size_t element_size);
void vector_close_gap(void *at, uint32_t *count, uint32_t index, size_t element_size);

#endif
