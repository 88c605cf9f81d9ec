/*
 * predict_private: memory of arenas, for all files of the room.
 */
#ifndef PREDICT_PREDICT_PRIVATE_H
#define PREDICT_PREDICT_PRIVATE_H

#include <string.h>

#include "base/arena.h"

static inline MUST_USE enum status predict_take(struct arena *arena, void *at, size_t count,
                                                size_t size, struct error *err)
{
    void *memory = arena_push(arena, count ? count : 1, size);

    memcpy(at, &memory, sizeof memory);
    return memory ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "out of memory");
}

/* So many zeroed elements, or one. */
#define PREDICT_TAKE(arena, at, count, err)                                                        \
    TRY(predict_take((arena), &(at), (count), sizeof *(at), (err)))

#endif
