/*
 * predict_private: memory of arenas, for all files of the room.
 */
#ifndef PREDICT_PREDICT_PRIVATE_H
#define PREDICT_PREDICT_PRIVATE_H

#include "base/arena.h"

/* So many zeroed elements, or one. */
#define PREDICT_TAKE(arena, at, count, err)                                                        \
    do {                                                                                           \
        (at) = arena_push((arena), (count) > 0 ? (count) : 1, sizeof *(at));                       \
        if (!(at))                                                                                 \
            return error_set((err), STATUS_OVER_LIMIT, "out of memory");                           \
    } while (0)

#endif
