/*
 * random: streams of numbers that depend on who draws, not on who drew before.
 *
 * A key is forked from its parent's key by a stable label ("network/link/3-4",
 * "client/17") with BLAKE2b; a stream is ChaCha20 under its key. Adding a
 * consumer forks one more key and disturbs no other stream. Where even the
 * number of draws must not matter (one fate per message), random_draw_at()
 * mixes key and ordinal without any state.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define RANDOM_WORDS 64 /* one buffer: 8 ChaCha20 blocks, what AVX2 makes at once */

struct random_key {
    uint64_t words[4];
};

struct random {
    struct random_key key;
    uint64_t block; /* the next ChaCha20 block */
    size_t used;    /* words of the buffer already drawn */
    uint64_t words[RANDOM_WORDS];
};

/* A probability or a rate, exact. The denominator is at most 10^18 and never 0. */
struct ratio {
    uint64_t numerator, denominator;
};

struct random_key random_key_of_seed(uint64_t seed);
struct random_key random_key_fork(const struct random_key *parent, const char *format, ...)
    PRINTF_LIKE(2, 3);

void random_init(struct random *, const struct random_key *);
uint64_t random_next(struct random *);
/* As if so many buffers' worth of words had been drawn since random_init(). */
void random_seek(struct random *, uint64_t buffers);
/* Uniform in [0, bound), without bias; bound is at least 1. */
uint64_t random_below(struct random *, uint64_t bound);
/* Uniform in [low, high]. */
int64_t random_between(struct random *, int64_t low, int64_t high);
/* Log-uniform in [low, high], low at least 1: each magnitude is as likely as any other. */
int64_t random_magnitude(struct random *, int64_t low, int64_t high);
bool random_chance(struct random *, struct ratio);
void random_shuffle(struct random *, uint32_t *numbers, size_t count);

/* The word number `ordinal` of the key, without a stream. */
uint64_t random_draw_at(const struct random_key *, uint64_t ordinal);
/* Scales a word to [0, bound): biased by less than bound / 2^64. */
uint64_t random_scale(uint64_t word, uint64_t bound);
/* Whether a word, seen as a fraction of 2^64, is below the ratio. */
bool random_word_below(uint64_t word, struct ratio);

/*
 * A decimal such as "1", "0.001" or "12.5", without sign or exponent, and with digits on both
 * sides of the point: at most 18 of them behind it, and 18 from the first that is not 0.
 */
bool random_ratio_of_text(struct text, struct ratio *);

#endif
