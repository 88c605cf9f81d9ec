/*
 * array: growable arrays.
 *
 *     ARRAY(uint32_t) edges = { 0 };
 *     TRY(array_push(&edges, 7, err));
 *     array_close(&edges);
 *
 * An array is `at`, `count`, `room`; elements are read as edges.at[i]. Columns
 * that share one count are grown together with memory_resize(). An array whose
 * memory comes from a pool (base/pool.h) grows by pool_push() and is closed by
 * pool_close() instead.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

/* Makes room for `more` elements behind the last. */
#define array_reserve(array, more, err)                                                            \
    ((array)->room - (array)->count >= (size_t)(more)                                              \
         ? STATUS_OK                                                                               \
         : array_grow((void **)&(array)->at, (array)->count, &(array)->room, (size_t)(more),       \
                      sizeof *(array)->at, (err)))

/* Appends an element. The value is evaluated only if there is room. */
#define array_push(array, value, err)                                                              \
    (array_reserve(array, 1, err) == STATUS_OK                                                     \
         ? ((void)((array)->at[(array)->count++] = (value)), STATUS_OK)                            \
         : STATUS_OVER_LIMIT)

#define array_close(array)                                                                         \
    (free((array)->at), (array)->at = NULL, (array)->count = (array)->room = 0)

/* Takes the element at a place out; the order stays. */
#define array_remove(array, place)                                                                 \
    array_close_gap((array)->at, &(array)->count, (place), sizeof *(array)->at)

/* Each number becomes the sum of those up to and with it: counts become ends. */
#define array_sum_prefixes(numbers, count)                                                         \
    do {                                                                                           \
        for (size_t sum_place = 1; sum_place < (size_t)(count); sum_place++)                       \
            (numbers)[sum_place] += (numbers)[sum_place - 1];                                      \
    } while (0)

#define ROW_COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Behind array_remove(). */
void array_close_gap(void *at, size_t *count, size_t place, size_t element_size);
/* Behind array_reserve(): grows by half at least. */
MUST_USE enum status array_grow(void **at, size_t count, size_t *room, size_t more,
                                size_t element_size, struct error *);

#endif
