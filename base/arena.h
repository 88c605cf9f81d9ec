/*
 * arena: the memory of one run, given out from one end and taken back at once.
 *
 *     base          used            dirty                       size
 *     |==given out==|--was given out-|...never touched.............|
 *
 * Address space is reserved whole at arena_init(); pages come as they are
 * touched and stay, so that the next run of a sweep reuses warm memory. What
 * arena_push() returns is zero; only memory below `dirty` costs a memset.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

struct arena {
    char *base;
    size_t used, dirty, size;
};

MUST_USE enum status arena_init(struct arena *, size_t size, struct error *);
void arena_close(struct arena *);

/* Zeroed, aligned to 16 bytes. NULL if the arena has no room for it. */
void *arena_push(struct arena *, size_t count, size_t size);

/* Takes back everything given out since `used` was read from the arena. */
void arena_reset_to(struct arena *, size_t used);

#endif
