#include "base/arena.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT ((size_t)16)

enum status arena_init(struct arena *arena, size_t size, struct error *err)
{
    *arena = (struct arena){ .size = size };
    arena->base = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena->base == MAP_FAILED) {
        *arena = (struct arena){ 0 };
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an arena of %zu bytes", size);
    }
    return STATUS_OK;
}

void arena_close(struct arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->size ? arena->size : 1);
    *arena = (struct arena){ 0 };
}

void *arena_push(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, from = arena->used;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->size - from)
        return NULL;
    arena->used = from + bytes;
    if (arena->size - arena->used < ALIGNMENT)
        arena->used = arena->size;
    else
        arena->used = (arena->used + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (from < arena->dirty)
        memset(arena->base + from, 0, (from + bytes < arena->dirty ? bytes : arena->dirty - from));
    if (arena->dirty < arena->used)
        arena->dirty = arena->used;
    return arena->base + from;
}

void arena_reset_to(struct arena *arena, size_t used)
{
    assert(used <= arena->used);
    arena->used = used;
}
