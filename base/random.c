#include "base/random.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/digest.h"
#include "base/fixed.h"
#include "base/hash.h"

static struct random_key key_of_digest(const struct digest *digest)
{
    struct random_key key;

    for (size_t i = 0; i < 4; i++)
        key.words[i] = hash_tail((const char *)digest->bytes + 8 * i, 8);
    return key;
}

struct random_key random_key_of_seed(uint64_t seed)
{
    struct digest_stream stream;
    struct digest digest;

    /* Lets libsodium choose the fastest of its equal implementations; later calls do nothing. */
    if (sodium_init() < 0)
        abort();
    digest_begin(&stream);
    digest_add(&stream, "ordeal seed", 11);
    digest_add_number(&stream, seed);
    digest = digest_end(&stream);
    return key_of_digest(&digest);
}

struct random_key random_key_fork(const struct random_key *parent, const char *format, ...)
{
    char label[256];
    struct digest_stream stream;
    struct digest digest;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    assert(length > 0 && (size_t)length < sizeof label);
    digest_begin(&stream);
    for (size_t i = 0; i < 4; i++)
        digest_add_number(&stream, parent->words[i]);
    digest_add(&stream, label, (size_t)length);
    digest = digest_end(&stream);
    return key_of_digest(&digest);
}

void random_init(struct random *random, const struct random_key *key)
{
    *random = (struct random){ .key = *key, .used = RANDOM_WORDS };
}

/* ChaCha20 speaks little-endian bytes: on other machines words are turned round. */
static void turn_words(uint64_t *words, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < count; i++)
        words[i] = __builtin_bswap64(words[i]);
#else
    (void)words;
    (void)count;
#endif
}

static void refill(struct random *random)
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
    struct random_key key = random->key;
    uint8_t *bytes = (uint8_t *)random->words;

    turn_words(key.words, ROW_COUNT(key.words));
    memset(random->words, 0, sizeof random->words);
    crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof random->words, nonce, random->block,
                                  (const uint8_t *)key.words);
    turn_words(random->words, RANDOM_WORDS);
    random->block += sizeof random->words / 64;
    random->used = 0;
}

uint64_t random_next(struct random *random)
{
    if (random->used == RANDOM_WORDS)
        refill(random);
    return random->words[random->used++];
}

void random_seek(struct random *random, uint64_t buffers)
{
    random->block = buffers * (sizeof random->words / 64);
    random->used = RANDOM_WORDS;
}

uint64_t random_scale(uint64_t word, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)word * bound) >> 64);
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    unsigned __int128 product;

    assert(bound > 0);
    /* Lemire's method: redraw the words that would favour some results. */
    product = (unsigned __int128)random_next(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t unfair = (0 - bound) % bound;
        while ((uint64_t)product < unfair)
            product = (unsigned __int128)random_next(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

int64_t random_between(struct random *random, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;

    assert(low <= high);
    if (span == UINT64_MAX)
        return (int64_t)random_next(random);
    return (int64_t)((uint64_t)low + random_below(random, span + 1));
}

bool random_word_below(uint64_t word, struct ratio ratio)
{
    assert(ratio.denominator > 0);
    if (ratio.numerator >= ratio.denominator)
        return true;
    return (unsigned __int128)word * ratio.denominator < ((unsigned __int128)ratio.numerator << 64);
}

int64_t random_magnitude(struct random *random, int64_t low, int64_t high)
{
    int64_t from = fixed_log2((uint64_t)low), to = fixed_log2((uint64_t)high);
    int64_t number = (int64_t)fixed_exp2(random_between(random, from, to));

    return number < low ? low : number > high ? high : number;
}

bool random_chance(struct random *random, struct ratio ratio)
{
    return random_word_below(random_next(random), ratio);
}

void random_shuffle(struct random *random, uint32_t *numbers, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        uint32_t swapped = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = swapped;
    }
}

uint64_t random_draw_at(const struct random_key *key, uint64_t ordinal)
{
    uint64_t word = hash_fold(ordinal ^ key->words[0], key->words[1] | 1);

    return hash_fold(word ^ key->words[2], (ordinal * HASH_ODD_1) ^ key->words[3]);
}

#define RATIO_MAX UINT64_C(1000000000000000000)

bool random_ratio_of_text(struct text text, struct ratio *ratio)
{
    struct ratio sum = { 0, 1 };
    bool in_fraction = false;

    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        if (c == '.' && !in_fraction && i > 0) {
            in_fraction = true;
            continue;
        }
        if (c < '0' || c > '9' || sum.numerator >= RATIO_MAX / 10)
            return false;
        sum.numerator = sum.numerator * 10 + (uint64_t)(c - '0');
        if (!in_fraction)
            continue;
        if (sum.denominator == RATIO_MAX)
            return false;
        sum.denominator *= 10;
    }
    if (text.length == 0 || text.at[text.length - 1] == '.')
        return false;
    *ratio = sum;
    return true;
}
