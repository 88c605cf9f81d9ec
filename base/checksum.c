#include "base/checksum.h"

#include <string.h>

#include "base/hash.h"

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define STRIPE 32

static inline uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline uint64_t step(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

/* A bijection, so that what the lanes noticed is not lost. */
static uint64_t finish(uint64_t word)
{
    word = (word ^ word >> 33) * PRIME_2;
    word = (word ^ word >> 29) * PRIME_1;
    return word ^ word >> 32;
}

uint64_t checksum(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t lanes[4] = { PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1 };
    uint64_t sum = size * PRIME_1;
    size_t left = size;

    for (; left >= STRIPE; at += STRIPE, left -= STRIPE)
        for (size_t i = 0; i < 4; i++)
            lanes[i] = step(lanes[i], hash_word((const char *)at + 8 * i));
    for (size_t i = 0; i < 4; i++)
        sum = step(sum, finish(lanes[i]));
    for (; left >= 8; at += 8, left -= 8)
        sum = step(sum, hash_word((const char *)at));
    return finish(step(sum, hash_tail((const char *)at, left)));
}
