#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define COMPARE_AS(type)                                                                           \
    type x = *(const type *)a, y = *(const type *)b;                                               \
    return (x > y) - (x < y)

static int compare_numbers(const void *a, const void *b)
{
    COMPARE_AS(uint32_t);
}

static int compare_wide(const void *a, const void *b)
{
    COMPARE_AS(uint64_t);
}

static int compare_signed(const void *a, const void *b)
{
    COMPARE_AS(int64_t);
}

void sort_numbers(uint32_t *numbers, size_t count)
{
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
}

void sort_wide(uint64_t *numbers, size_t count)
{
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_wide);
}

void sort_signed(int64_t *numbers, size_t count)
{
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_signed);
}

size_t sort_once(uint32_t *numbers, size_t count)
{
    size_t kept = 0;

    sort_numbers(numbers, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

/* --- By distance ------------------------------------------------------------------ */

#define DIGIT_BITS 11
#define DIGIT_COUNT (1 << DIGIT_BITS)

/* By one digit of the distance, the rest as it was. */
static void sort_digit(const struct sort_item *from, struct sort_item *to, size_t count,
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

struct sort_item *sort_by_distance(struct sort_item *items, size_t count)
{
    struct sort_item *from = items, *to = items + count;
    uint64_t bits = 0;

    for (size_t i = 0; i < count; i++)
        bits |= from[i].distance;
    for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
        struct sort_item *swap = from;

        sort_digit(from, to, count, shift);
        from = to;
        to = swap;
    }
    return from;
}

void sort_stable(size_t *places, size_t *spare, size_t count,
                 int (*compare)(const void *context, size_t, size_t), const void *context)
{
    size_t half = count / 2, a = 0, b = half;

    if (count < 2)
        return;
    sort_stable(places, spare, half, compare, context);
    sort_stable(places + half, spare, count - half, compare, context);
    memcpy(spare, places, count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        bool takes_a = b == count || (a < half && compare(context, spare[a], spare[b]) <= 0);

        places[i] = takes_a ? spare[a++] : spare[b++];
    }
}
