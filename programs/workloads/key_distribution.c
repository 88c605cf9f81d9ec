#include "programs/workloads/key_distribution.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

#define ALL_WORDS ((unsigned __int128)1 << 64)

const char *const *key_distribution_names(void)
{
#define CHOICE_NAME(kind, name) name,
    static const char *const names[] = { CHOICES(CHOICE_NAME) NULL };
#undef CHOICE_NAME

    return names;
}

void key_distribution_init_uniform(struct key_distribution *choice, uint32_t count)
{
    assert(count > 0);
    *choice = (struct key_distribution){ .kind = CHOICE_UNIFORM, .count = count };
}

enum status key_distribution_init_zipf(struct key_distribution *choice, uint32_t count, struct ratio theta,
                                       struct arena *arena, struct error *err)
{
    *choice = (struct key_distribution){ .kind = CHOICE_ZIPF, .count = count };
    return zipf_init(&choice->zipf, count, theta, arena, err);
}

enum status key_distribution_init_hot(struct key_distribution *choice, uint32_t count, uint32_t hot_count,
                                      struct ratio hot_share, struct error *err)
{
    assert(hot_share.denominator > 0 && hot_share.numerator <= hot_share.denominator);
    if (hot_count == 0 || hot_count >= count)
        return error_set(err, STATUS_BAD_INPUT,
                         "%" PRIu32 " hot of %" PRIu32 ": some must be hot, and not all", hot_count,
                         count);
    *choice = (struct key_distribution){ .kind = CHOICE_HOT, .count = count, .hot_count = hot_count };
    choice->hot_words = ((unsigned __int128)hot_share.numerator << 64) / hot_share.denominator;
    return STATUS_OK;
}

/* A word that is below the bound is uniform there: it says both which part, and which key of it. */
static uint32_t hot_key(const struct key_distribution *choice, uint64_t word)
{
    if (word < choice->hot_words)
        return (uint32_t)((unsigned __int128)word * choice->hot_count / choice->hot_words);
    return choice->hot_count +
           (uint32_t)((word - choice->hot_words) * (choice->count - choice->hot_count) /
                      (ALL_WORDS - choice->hot_words));
}

uint32_t key_distribution_key(const struct key_distribution *choice, uint64_t word)
{
    switch (choice->kind) {
    case CHOICE_ZIPF:
        return zipf_rank(&choice->zipf, word);
    case CHOICE_HOT:
        return hot_key(choice, word);
    default:
        return (uint32_t)random_scale(word, choice->count);
    }
}

uint64_t key_distribution_expected(const struct key_distribution *choice, uint32_t key, uint64_t draws)
{
    unsigned __int128 all = draws;
    unsigned __int128 hot = all * choice->hot_words >> 64;

    assert(key < choice->count && draws >> 62 == 0);
    switch (choice->kind) {
    case CHOICE_ZIPF:
        return (uint64_t)(all * zipf_weight(&choice->zipf, key) / zipf_total(&choice->zipf));
    case CHOICE_HOT:
        return (uint64_t)(key < choice->hot_count
                              ? hot / choice->hot_count
                              : (all - hot) / (choice->count - choice->hot_count));
    default:
        return draws / choice->count;
    }
}
