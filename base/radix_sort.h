/*
 * radix_sort: sorts numbers by their distance from the least, digit by digit, in linear time.
 *
 * What has equal distances stays in the order in which it was.
 */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_item {
    uint64_t distance;
    uint32_t number; /* the caller's, like the mark */
    bool is_marked;
};

/* There is room for twice as many. The half of it that holds them in order is returned. */
struct radix_item *radix_sort(struct radix_item *items, size_t count);

#endif
