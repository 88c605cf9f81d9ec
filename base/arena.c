#include "base/arena.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

#define ALIGNMENT ((size_t)16)
#define CHUNK_BYTES_MIN ((size_t)64 << 10)
#define CHUNK_BYTES_MAX ((size_t)32 << 20) /* unless one request is larger */

struct arena_chunk {
    struct arena_chunk *before, *after;
    size_t from, size, dirty; /* the last of a chunk that gives out nothing now */
    size_t bytes;             /* of the mapping, which begins with this struct */
};

_Static_assert(sizeof(struct arena_chunk) % ALIGNMENT == 0, "what is behind it is aligned");

static struct arena_chunk *map_chunk(size_t size)
{
    struct arena_chunk *chunk;

    if (size > ARENA_UNLIMITED)
        return NULL;
    size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    chunk = mmap(NULL, sizeof *chunk + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    chunk->size = size;
    chunk->bytes = sizeof *chunk + size;
    return chunk;
}

/* As large as all before it, if there is memory for that, and as the request needs otherwise. */
static struct arena_chunk *new_chunk(size_t behind, size_t bytes, size_t bytes_max)
{
    size_t size = behind < CHUNK_BYTES_MIN   ? CHUNK_BYTES_MIN
                  : behind > CHUNK_BYTES_MAX ? CHUNK_BYTES_MAX
                                             : behind;
    struct arena_chunk *chunk;

    size -= sizeof *chunk;
    if (size < bytes)
        size = bytes;
    if (size > bytes_max)
        size = bytes_max;
    chunk = map_chunk(size);
    if (!chunk)
        chunk = map_chunk(bytes);
    if (!chunk)
        memory_note_failure();
    return chunk;
}

static void enter(struct arena *arena, struct arena_chunk *chunk, size_t used)
{
    if (arena->chunk)
        arena->chunk->dirty = arena->dirty - arena->from;
    arena->chunk = chunk;
    arena->base = (char *)(chunk + 1);
    arena->from = chunk->from;
    arena->used = used;
    arena->dirty = chunk->from + chunk->dirty;
    arena->end = arena->size - arena->from < chunk->size ? arena->size : arena->from + chunk->size;
}

enum status arena_init(struct arena *arena, size_t size, struct error *err)
{
    struct arena_chunk *chunk =
        size <= ARENA_UNLIMITED ? new_chunk(0, size ? 1 : 0, size) : NULL;

    *arena = (struct arena){ .size = size };
    if (!chunk) {
        *arena = (struct arena){ 0 };
        return size == ARENA_UNLIMITED
                   ? error_set(err, STATUS_OVER_LIMIT, "no memory for an arena")
                   : error_set(err, STATUS_OVER_LIMIT, "no memory for an arena of %zu bytes", size);
    }
    enter(arena, chunk, 0);
    return STATUS_OK;
}

struct arena arena_over(void *memory, size_t size)
{
    return (struct arena){ .base = memory, .dirty = size, .end = size, .size = size };
}

void arena_close(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunk;

    while (chunk && chunk->before)
        chunk = chunk->before;
    for (struct arena_chunk *after; chunk; chunk = after) {
        after = chunk->after;
        munmap(chunk, chunk->bytes);
    }
    *arena = (struct arena){ 0 };
}

/* Goes on in a chunk that has room for so many bytes; false: there is none. */
static bool enter_next(struct arena *arena, size_t bytes)
{
    struct arena_chunk *chunk = arena->chunk, *next;

    if (!chunk || bytes > arena->size - arena->end)
        return false;
    while ((next = chunk->after) != NULL && next->size < bytes) {
        chunk->after = next->after;
        if (next->after)
            next->after->before = chunk;
        munmap(next, next->bytes);
    }
    if (!next) {
        next = new_chunk(arena->end, bytes, arena->size - arena->end);
        if (!next)
            return false;
        chunk->after = next;
        next->before = chunk;
    }
    next->from = arena->end;
    enter(arena, next, next->from);
    return true;
}

void *arena_push(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, from;
    char *at;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    if (__builtin_expect(bytes > arena->end - arena->used, 0) && !enter_next(arena, bytes))
        return NULL;
    from = arena->used;
    at = arena->base + (from - arena->from);
    arena->used = from + bytes;
    if (arena->end - arena->used < ALIGNMENT)
        arena->used = arena->end;
    else
        arena->used = (arena->used + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (from < arena->dirty)
        memset(at, 0, (from + bytes < arena->dirty ? bytes : arena->dirty - from));
    if (arena->dirty < arena->used)
        arena->dirty = arena->used;
    return at;
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    void *at = arena_push(arena, count, size);

    if (at)
        return at;
    assert(arena->guard && arena->guard->is_open);
    longjmp(arena->guard->at, 1);
}

void arena_reset_to(struct arena *arena, size_t used)
{
    assert(used <= arena->used);
    while (used < arena->from)
        enter(arena, arena->chunk->before, used);
    arena->used = used;
}

enum status arena_guarded(struct arena *arena, struct arena_guard *guard,
                          enum status (*work)(void *context, struct error *), void *context,
                          struct error *err)
{
    enum status status;

    assert(!guard->is_open);
    arena->guard = guard;
    if (setjmp(guard->at) == 0) {
        guard->is_open = true;
        status = work(context, err);
    } else {
        status = error_set(err, STATUS_OVER_LIMIT, "no memory left for more than %zu bytes",
                           arena->used);
    }
    guard->is_open = false;
    return status;
}
