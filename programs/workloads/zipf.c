#include "programs/workloads/zipf.h"

#include <assert.h>

#include "base/bisect.h"
#include "base/fixed.h"

/* 2^20 ranks of at most 2^40 each have a sum below 2^61. */
#define FIRST_WEIGHT_LOG2 40

static uint64_t weight_of(uint32_t rank, struct ratio theta)
{
    /* Below 2^37 units times at most 10^18. */
    unsigned __int128 scaled = (unsigned __int128)fixed_log2(rank + UINT64_C(1)) * theta.numerator;
    uint64_t weight =
        fixed_exp2(FIRST_WEIGHT_LOG2 * FIXED_ONE - (int64_t)(scaled / theta.denominator));

    return weight > 0 ? weight : 1;
}

enum status zipf_init(struct zipf *zipf, uint32_t count, struct ratio theta, struct arena *arena,
                      struct error *err)
{
    uint64_t *end = arena_push(arena, count, sizeof *end);
    uint64_t sum = 0;

    assert(count >= 1 && count <= ZIPF_RANKS_MAX);
    assert(theta.denominator > 0 && theta.numerator / theta.denominator <= ZIPF_THETA_MAX);
    if (!end)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a distribution over %u keys",
                         (unsigned)count);
    for (uint32_t rank = 0; rank < count; rank++) {
        sum += weight_of(rank, theta);
        end[rank] = sum;
    }
    *zipf = (struct zipf){ end, count };
    return STATUS_OK;
}

/* The first rank whose sum is above the point. */
uint32_t zipf_rank(const struct zipf *zipf, uint64_t word)
{
    uint64_t point = random_scale(word, zipf_total(zipf));
    uint32_t place;

    BISECT(place, 0, zipf->count - 1, !(zipf->end[place] > point));
    return place;
}

uint64_t zipf_weight(const struct zipf *zipf, uint32_t rank)
{
    assert(rank < zipf->count);
    return zipf->end[rank] - (rank ? zipf->end[rank - 1] : 0);
}

uint64_t zipf_total(const struct zipf *zipf)
{
    return zipf->end[zipf->count - 1];
}
