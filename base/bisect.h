/*
 * bisect: binary search in anything that is sorted.
 *
 *     BISECT(i, 0, rows->count, rows->at[i].key < key);
 *
 * The test is an expression in `place`, a variable: true up to some place in [from, to) and false
 * from there on. Afterwards `place` is the first for which it is false, `to` if there is none.
 */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include <stddef.h>

#define BISECT(place, from, to, test)                                                              \
    do {                                                                                           \
        size_t bisect_low = (from), bisect_high = (to);                                            \
        while (bisect_low < bisect_high) {                                                         \
            (place) = (__typeof__(place))(bisect_low + (bisect_high - bisect_low) / 2);            \
            if (test)                                                                              \
                bisect_low = (size_t)(place) + 1;                                                  \
            else                                                                                   \
                bisect_high = (place);                                                             \
        }                                                                                          \
        (place) = (__typeof__(place))bisect_low;                                                   \
    } while (0)

#endif
