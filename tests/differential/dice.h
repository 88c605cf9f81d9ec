/*
 * dice: choices for a generator, drawn from a seed, or from the bytes that a fuzzer makes up:
 * the same bytes give the same choices, and where they have ended every choice is the first.
 */
#ifndef TESTS_DIFFERENTIAL_DICE_H
#define TESTS_DIFFERENTIAL_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

struct dice {
    struct random random;
    const uint8_t *bytes; /* NULL: drawn */
    size_t byte_count;
};

static inline void dice_of_seed(struct dice *dice, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    *dice = (struct dice){ .bytes = NULL };
    random_init(&dice->random, &key);
}

static inline void dice_of_bytes(struct dice *dice, const uint8_t *bytes, size_t byte_count)
{
    *dice = (struct dice){ .bytes = bytes, .byte_count = byte_count };
}

/* One of 0 to `sides` - 1. */
static inline unsigned dice_throw(struct dice *dice, unsigned sides)
{
    if (!dice->bytes)
        return (unsigned)random_below(&dice->random, sides);
    if (dice->byte_count == 0)
        return 0;
    dice->byte_count--;
    if (sides > 256 && dice->byte_count > 0) {
        dice->byte_count--;
        dice->bytes += 2;
        return (dice->bytes[-2] * 256U + dice->bytes[-1]) % sides;
    }
    return *dice->bytes++ % sides;
}

/* True once in so many times. */
static inline bool dice_rarely(struct dice *dice, unsigned times)
{
    return dice_throw(dice, times) == times - 1;
}

#endif
