/*
 * hash: mixing for hash tables and for stateless draws. Not cryptographic.
 *
 * What is hashed is multiplied, and the halves of the product are folded:
 *
 *     hash_number(x) = fold((x ^ key.word) * key.factor)
 *
 * The key of the process is fixed unless hash_set_key() changes it, and then hashes are the same
 * on every machine: runs need that. A program that reads files of strangers sets a random key
 * before it reads the first, so that nobody can choose values that meet in one slot of a table,
 * or that hash to one number. Nothing that is printed may depend on the key: tables are for
 * looking up, and their order is never told.
 *
 * hash_word() and hash_tail() are part of the `.oh` format by way of checksum(); the mixing is
 * part of no file.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

struct hash_key {
    uint64_t start, word;
    uint64_t factor; /* odd */
};

extern struct hash_key hash_key; /* changed by hash_set_key() alone */

/* Before there is any table, and any other thread. */
void hash_set_key(struct hash_key);
/* From the operating system's generator. */
struct hash_key hash_random_key(void);
bool hash_key_is_fixed(void);

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_number(uint64_t number)
{
    return hash_fold(number ^ hash_key.word, hash_key.factor);
}

/* The word is added once more, since a fold of zero forgets all that came before. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    return hash_fold(hash ^ word, hash_key.factor) + word;
}

/* Eight bytes as a little-endian word. */
static inline uint64_t hash_word(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t hash_half_word(const char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* At most eight bytes as a little-endian word. Where two loads overlap they agree. */
static inline uint64_t hash_tail(const char *bytes, size_t length)
{
    uint64_t word = 0;

    if (length == 8)
        return hash_word(bytes);
    if (length >= 4)
        return hash_half_word(bytes) |
               (uint64_t)hash_half_word(bytes + length - 4) << (8 * (length - 4));
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return word;
}

static inline uint64_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = (length * HASH_ODD_1 + 1) ^ hash_key.start;

    for (; length > 8; bytes += 8, length -= 8)
        hash = hash_mix(hash, hash_word(bytes));
    return hash_number(hash ^ hash_tail(bytes, length));
}

/* Of many words, four at a time. */
uint64_t hash_words(const int64_t *words, size_t count);

#endif
