/*
 * arena: memory given out from one end and taken back at once.
 *
 *     chunk           chunk                         chunk
 *     |==given out==| |==given out==|-was given-...| |-was given out-----|
 *     0               from          used  dirty  end
 *
 * The arena is a list of chunks, each larger than those before it up to a bound, so no address
 * space is reserved ahead and nothing that was given out ever moves. Its places are numbered
 * through all chunks. Chunks stay until arena_close(), so that the next run of a sweep reuses
 * warm memory. What arena_push() returns is zero; only memory below `dirty` costs a memset.
 *
 * An event of a simulation cannot be undone half-way and nobody can tell before how much it
 * takes. Such work runs inside arena_guarded(), and takes with arena_take(): where memory runs
 * out, the work is abandoned as a whole, with an error.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define ARENA_UNLIMITED (SIZE_MAX / 4) /* but by the memory of the process */

struct arena_chunk;

/* The place to which work returns that found no memory. */
struct arena_guard {
    jmp_buf at;
    bool is_open;
};

struct arena {
    struct arena_chunk *chunk; /* gives out; those behind it are empty */
    char *base;                /* its first byte, at place `from` */
    size_t from, used, dirty, end;
    size_t size; /* the arena's own limit */
    struct arena_guard *guard;
};

MUST_USE enum status arena_init(struct arena *, size_t size, struct error *);
/* Gives out this memory and no more. It is the caller's, and aligned to 16 bytes. */
struct arena arena_over(void *memory, size_t size);
void arena_close(struct arena *);

/* Zeroed, aligned to 16 bytes. NULL if the arena has no room for it. */
void *arena_push(struct arena *, size_t count, size_t size);
/* The same inside a guard: never NULL. */
void *arena_take(struct arena *, size_t count, size_t size);

/* Takes back everything given out since `used` was read from the arena. */
void arena_reset_to(struct arena *, size_t used);

/*
 * Does the work, which takes from this arena and from arenas with the same guard. If memory runs
 * out, its frames are left without a return: what it holds must be found from the context.
 */
MUST_USE enum status arena_guarded(struct arena *, struct arena_guard *,
                                   enum status (*work)(void *context, struct error *),
                                   void *context, struct error *);

#endif
