#include "base/radix_sort.h"

#define DIGIT_BITS 11
#define DIGIT_COUNT (1 << DIGIT_BITS)

/* By one digit of the distance, the rest as it was. */
static void sort_digit(const struct radix_item *from, struct radix_item *to, size_t count,
                       unsigned shift)
{
    size_t next[DIGIT_COUNT] = { 0 }, sum = 0;

    for (size_t i = 0; i < count; i++)
        next[from[i].distance >> shift & (DIGIT_COUNT - 1)]++;
    for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
        size_t here = next[digit];

        next[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[next[from[i].distance >> shift & (DIGIT_COUNT - 1)]++] = from[i];
}

struct radix_item *radix_sort(struct radix_item *items, size_t count)
{
    struct radix_item *from = items, *to = items + count;
    uint64_t bits = 0;

    for (size_t i = 0; i < count; i++)
        bits |= from[i].distance;
    for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
        struct radix_item *swap = from;

        sort_digit(from, to, count, shift);
        from = to;
        to = swap;
    }
    return from;
}
