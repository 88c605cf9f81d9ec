/*
 * blocks: recycled memory for bytes that come and go, such as messages.
 *
 * Sizes are rounded up to powers of two from 64 bytes; a block given back is
 * kept for the next of its size. Memory comes from the arena, in chunks, until
 * bytes_max. A class that was once large stays so: there is no coalescing.
 */
#ifndef SIM_BLOCKS_H
#define SIM_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define BLOCK_CLASS_COUNT 21 /* 64 bytes to 64 MiB */

struct blocks {
    struct arena *arena;
    void *free[BLOCK_CLASS_COUNT]; /* each free block starts with the address of the next */
    char *chunk;
    size_t chunk_left;
    size_t bytes, bytes_max; /* taken from the arena */
};

void blocks_init(struct blocks *, size_t bytes_max, struct arena *);
/* At least `size` bytes, aligned to 16, with anything in them. */
MUST_USE enum status blocks_take(struct blocks *, size_t size, void **block, struct error *);
/* The size must be the one it was taken with. */
void blocks_give(struct blocks *, void *block, size_t size);

#endif
