#include "sim/blocks.h"

#include <assert.h>
#include <string.h>

#define BLOCK_SIZE_MIN ((size_t)64)
#define CHUNK_SIZE ((size_t)64 << 10)

static uint32_t class_of(size_t size)
{
    if (size <= BLOCK_SIZE_MIN)
        return 0;
    /* The number of bits of (size - 1) / 64. */
    return 64 - (uint32_t)__builtin_clzll((size - 1) / BLOCK_SIZE_MIN);
}

void blocks_init(struct blocks *blocks, size_t bytes_max, struct arena *arena)
{
    *blocks = (struct blocks){ .arena = arena, .bytes_max = bytes_max };
}

/* What is left of the old chunk is given up: less than one block of this size. */
static enum status next_chunk(struct blocks *blocks, size_t block_size, struct error *err)
{
    size_t size = block_size > CHUNK_SIZE ? block_size : CHUNK_SIZE;
    char *chunk;

    if (size > blocks->bytes_max - blocks->bytes)
        return error_set(err, STATUS_TOO_LONG, "no room for more than %zu bytes of messages",
                         blocks->bytes);
    chunk = arena_push(blocks->arena, 1, size);
    if (!chunk)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for more than %zu bytes of messages",
                         blocks->bytes);
    blocks->bytes += size;
    blocks->chunk = chunk;
    blocks->chunk_left = size;
    return STATUS_OK;
}

enum status blocks_take(struct blocks *blocks, size_t size, void **block, struct error *err)
{
    uint32_t class;
    size_t block_size;

    if (size > BLOCK_SIZE_MIN << (BLOCK_CLASS_COUNT - 1))
        return error_set(err, STATUS_OVER_LIMIT, "no room for a message of %zu bytes", size);
    class = class_of(size);
    block_size = BLOCK_SIZE_MIN << class;
    if (blocks->free[class]) {
        *block = blocks->free[class];
        memcpy(&blocks->free[class], *block, sizeof(void *));
        return STATUS_OK;
    }
    if (blocks->chunk_left < block_size)
        TRY(next_chunk(blocks, block_size, err));
    *block = blocks->chunk;
    blocks->chunk += block_size;
    blocks->chunk_left -= block_size;
    return STATUS_OK;
}

void blocks_give(struct blocks *blocks, void *block, size_t size)
{
    uint32_t class = class_of(size);

    assert(block && class < BLOCK_CLASS_COUNT);
    memcpy(block, &blocks->free[class], sizeof(void *));
    blocks->free[class] = block;
}
