/*
 * binary_heap: a heap in an array. at[0] is before all others.
 *
 *     #define PUT(place, element) (heap[place] = (element))
 *     BINARY_HEAP_UP(heap, count, event, is_before, PUT);       puts it in, at the end or above
 *     BINARY_HEAP_DOWN(heap, count, 0, last, is_before, PUT);   puts it at the top or below
 *
 * is_before(a, b) is a function or macro, and a total order: so what comes out does not depend on
 * how it came in. PUT(place, element) stores an element, and may note where it is. The element is a
 * variable that does not stand in the array.
 */
#ifndef BASE_BINARY_HEAP_H
#define BASE_BINARY_HEAP_H

#include <stddef.h>

#define BINARY_HEAP_UP(at, from, element, is_before, PUT)                                          \
    do {                                                                                           \
        size_t heap_hole = (from);                                                                 \
        for (; heap_hole > 0 && is_before(element, (at)[(heap_hole - 1) / 2]);                     \
             heap_hole = (heap_hole - 1) / 2)                                                      \
            PUT(heap_hole, (at)[(heap_hole - 1) / 2]);                                             \
        PUT(heap_hole, element);                                                                   \
    } while (0)

#define BINARY_HEAP_DOWN(at, count, from, element, is_before, PUT)                                 \
    do {                                                                                           \
        size_t heap_hole = (from), heap_child;                                                     \
        for (; (heap_child = 2 * heap_hole + 1) < (count); heap_hole = heap_child) {               \
            heap_child +=                                                                          \
                heap_child + 1 < (count) && is_before((at)[heap_child + 1], (at)[heap_child]);     \
            if (!is_before((at)[heap_child], element))                                             \
                break;                                                                             \
            PUT(heap_hole, (at)[heap_child]);                                                      \
        }                                                                                          \
        PUT(heap_hole, element);                                                                   \
    } while (0)

#endif
