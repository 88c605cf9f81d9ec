#include "base/hash.h"

#include <assert.h>
#include <sys/random.h>

#define LANES 4

static const struct hash_key fixed_key = { 0, HASH_ODD_1, HASH_ODD_2 };

struct hash_key hash_key = { 0, HASH_ODD_1, HASH_ODD_2 };

void hash_set_key(struct hash_key key)
{
    assert(key.factor % 2 == 1); /* an even one loses bits */
    hash_key = key;
}

bool hash_key_is_fixed(void)
{
    return hash_key.start == fixed_key.start && hash_key.word == fixed_key.word &&
           hash_key.factor == fixed_key.factor;
}

struct hash_key hash_random_key(void)
{
    struct hash_key key = fixed_key;
    uint64_t words[3];

    /* A kernel may forbid the call: then an attacker can slow the tables, and no more. */
    if (getrandom(words, sizeof words, 0) == (ssize_t)sizeof words)
        key = (struct hash_key){ words[0], words[1], words[2] | 1 };
    return key;
}

uint64_t hash_words(const int64_t *words, size_t count)
{
    uint64_t lanes[LANES], hash = hash_number(count);
    size_t i = 0;

    for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] = hash + lane * HASH_ODD_1;
    for (; count - i >= LANES; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] = hash_mix(lanes[lane], (uint64_t)words[i + lane]);
    for (; i < count; i++)
        hash = hash_mix(hash, (uint64_t)words[i]);
    for (size_t lane = 0; count >= LANES && lane < LANES; lane++)
        hash = hash_mix(hash, lanes[lane]);
    return hash_number(hash);
}
