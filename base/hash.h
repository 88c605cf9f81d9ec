/*
 * hash: mixing for hash tables and for stateless draws. Not cryptographic,
 * the same on every machine, and no part of any file format.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_number(uint64_t number)
{
    return hash_fold(number ^ HASH_ODD_1, HASH_ODD_2);
}

/* At most eight bytes as a little-endian word. */
static inline uint64_t hash_tail(const char *bytes, size_t length)
{
    uint64_t word = 0;

    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return word;
}

static inline uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = length * HASH_ODD_1 + 1;

    for (; length > 8; bytes += 8, length -= 8)
        hash = hash_fold(hash ^ hash_tail(bytes, 8), HASH_ODD_2);
    return hash_fold(hash ^ hash_tail(bytes, length) ^ HASH_ODD_1, HASH_ODD_2);
}

#endif
