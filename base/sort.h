/*
 * sort: sorts numbers, and items by their distance from the least.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The array may be NULL if the count is 0. */
void sort_numbers(uint32_t *, size_t count);
void sort_wide(uint64_t *, size_t count);
void sort_signed(int64_t *, size_t count);
/* Each number once: how many are left. */
size_t sort_once(uint32_t *, size_t count);

/*
 * Merge sort of places by what is there, which the context knows: of equals the first stay first. The spare has as
 * much room as the places.
 */
void sort_stable(size_t *places, size_t *spare, size_t count,
                 int (*compare)(const void *context, size_t, size_t), const void *context);

struct sort_item {
    uint64_t distance;
    uint32_t number; /* the caller's, like the mark */
    bool is_marked;
};

/*
 * In linear time, digit by digit; items of equal distance stay as they were. There is room for
 * twice as many, and the half of it that holds them in order is returned.
 */
struct sort_item *sort_by_distance(struct sort_item *, size_t count);

#endif
