/*
 * key_distribution: chooses keys, and so how often transactions meet.
 *
 *     uniform   all alike
 *     zipf      the first most often, as zipf.h has it
 *     hot       the first few take a share of all draws; within them, and
 *               within the others, all alike
 *
 * A draw is a function of one word, so that it needs no stream.
 */
#ifndef PROGRAMS_WORKLOADS_KEY_DISTRIBUTION_H
#define PROGRAMS_WORKLOADS_KEY_DISTRIBUTION_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "programs/workloads/zipf.h"

/* X(ENUMERATOR, name) */
#define CHOICES(X) X(UNIFORM, "uniform") X(ZIPF, "zipf") X(HOT, "hot")

enum key_distribution_kind {
#define CHOICE_ENUM(kind, name) CHOICE_##kind,
    CHOICES(CHOICE_ENUM)
#undef CHOICE_ENUM
        CHOICE_KIND_COUNT
};

struct key_distribution {
    enum key_distribution_kind kind;
    uint32_t count, hot_count;
    unsigned __int128 hot_words; /* of the 2^64 words, those that stand for a hot key */
    struct zipf zipf;
};

/* All names, ending in NULL. */
const char *const *key_distribution_names(void);

void key_distribution_init_uniform(struct key_distribution *, uint32_t count);
MUST_USE enum status key_distribution_init_zipf(struct key_distribution *, uint32_t count, struct ratio theta,
                                                struct arena *, struct error *);
/* The hot ones are at least one, and fewer than all; their share is at most 1. */
MUST_USE enum status key_distribution_init_hot(struct key_distribution *, uint32_t count, uint32_t hot_count,
                                               struct ratio hot_share, struct error *);

/* The key that the word stands for. */
uint32_t key_distribution_key(const struct key_distribution *, uint64_t word);

/* How many of so many draws are of this key in expectation, rounded down; draws below 2^62. */
uint64_t key_distribution_expected(const struct key_distribution *, uint32_t key, uint64_t draws);

#endif
