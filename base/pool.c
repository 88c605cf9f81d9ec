#include "base/pool.h"

#include <assert.h>
#include <string.h>

#define BLOCK_BYTES_MIN ((size_t)16)
#define CHUNK_BYTES_MIN ((size_t)64 << 10)
#define SMALL_BYTES_MAX (CHUNK_BYTES_MIN / 4)

struct chunk {
    struct chunk *next;
    size_t class;
};

_Static_assert(sizeof(struct chunk) == 16, "blocks behind it are aligned to 16");

static size_t class_of(size_t size)
{
    size_t class =
        size <= BLOCK_BYTES_MIN ? 0 : (size_t)(64 - __builtin_clzll((size - 1) / BLOCK_BYTES_MIN));

    assert(class < POOL_CLASS_COUNT);
    return class;
}

void pool_memory_init(struct pool_memory *memory, struct arena *arena, size_t bytes_max)
{
    *memory = (struct pool_memory){ .arena = arena, .bytes_max = bytes_max };
}

bool pool_memory_is_short(const struct pool_memory *memory)
{
    return memory->bytes > memory->bytes_max;
}

static struct chunk *take_chunk(struct pool_memory *memory, size_t class)
{
    struct chunk *chunk = memory->free_chunks[class];

    if (chunk) {
        memory->free_chunks[class] = chunk->next;
        return chunk;
    }
    chunk = arena_take(memory->arena, 1, BLOCK_BYTES_MIN << class);
    memory->bytes += BLOCK_BYTES_MIN << class;
    chunk->class = class;
    return chunk;
}

void pool_init(struct pool *pool, struct pool_memory *memory)
{
    *pool = (struct pool){ .memory = memory };
}

void pool_drop(struct pool *pool)
{
    struct pool_memory *memory = pool->memory;

    for (struct chunk *chunk = pool->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk->next = memory->free_chunks[chunk->class];
        memory->free_chunks[chunk->class] = chunk;
    }
    pool_init(pool, memory);
}

/* The bytes behind the head of a new chunk of the pool. */
static char *add_chunk(struct pool *pool, size_t size)
{
    struct chunk *chunk = take_chunk(pool->memory, class_of(size + sizeof *chunk));

    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->held_bytes += BLOCK_BYTES_MIN << chunk->class;
    return (char *)(chunk + 1);
}

static void *carve(struct pool *pool, size_t size)
{
    void *block;

    if ((size_t)(pool->end - pool->at) < size) {
        pool->at = add_chunk(pool, CHUNK_BYTES_MIN - sizeof(struct chunk));
        pool->end = pool->at + CHUNK_BYTES_MIN - sizeof(struct chunk);
    }
    block = pool->at;
    pool->at += size;
    return block;
}

void *pool_take(struct pool *pool, size_t size)
{
    size_t class = class_of(size), rounded = BLOCK_BYTES_MIN << class;
    void *block = pool->free_blocks[class];

    if (block)
        memcpy(&pool->free_blocks[class], block, sizeof block);
    else
        block = rounded <= SMALL_BYTES_MAX ? carve(pool, rounded) : add_chunk(pool, rounded);
    memset(block, 0, size);
    return block;
}

void pool_give(struct pool *pool, void *block, size_t size)
{
    if (!block)
        return;
    memcpy(block, &pool->free_blocks[class_of(size)], sizeof block);
    pool->free_blocks[class_of(size)] = block;
}

void *pool_grow(struct pool *pool, void *block, size_t size, size_t new_size)
{
    void *grown;

    assert(new_size >= size);
    if (block && class_of(size) == class_of(new_size)) {
        memset((char *)block + size, 0, new_size - size);
        return block;
    }
    grown = pool_take(pool, new_size);
    if (size > 0)
        memcpy(grown, block, size);
    pool_give(pool, block, size);
    return grown;
}

void pool_grow_array(struct pool *pool, void **at, size_t count, size_t *room, size_t more,
                     size_t element_size)
{
    size_t wanted = *room < 8 ? 8 : *room * 2;

    if (wanted < count + more)
        wanted = count + more;
    *at = pool_grow(pool, *at, *room * element_size, wanted * element_size);
    *room = wanted;
}
