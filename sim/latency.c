#include "sim/latency.h"

#include <assert.h>
#include <inttypes.h>

#include "base/fixed.h"
#include "base/hash.h"
#include "sim/normal_private.h"

#define LN2 INT64_C(2977044472) /* as base/fixed counts */

static enum status check_given(const char *what, int64_t given_ns, struct error *err)
{
    if (given_ns < 0)
        return error_set(err, STATUS_BAD_INPUT, "%s of %" PRId64 " ns is negative", what, given_ns);
    if (given_ns > LATENCY_GIVEN_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT, "%s of %" PRId64 " ns is more than an hour", what,
                         given_ns);
    return STATUS_OK;
}

enum status latency_constant(struct latency *latency, int64_t value_ns, struct error *err)
{
    TRY(check_given("a latency", value_ns, err));
    *latency = (struct latency){ .kind = LATENCY_CONSTANT, .base_ns = value_ns };
    return STATUS_OK;
}

enum status latency_uniform(struct latency *latency, int64_t low_ns, int64_t high_ns,
                            struct error *err)
{
    TRY(check_given("a lowest latency", low_ns, err));
    TRY(check_given("a highest latency", high_ns, err));
    if (high_ns < low_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the highest latency, %" PRId64 " ns, is below the lowest, %" PRId64 " ns",
                         high_ns, low_ns);
    *latency = (struct latency){ .kind = LATENCY_UNIFORM,
                                 .base_ns = low_ns,
                                 .spread_ns = high_ns - low_ns };
    return STATUS_OK;
}

enum status latency_exponential(struct latency *latency, int64_t minimum_ns, int64_t mean_ns,
                                struct error *err)
{
    TRY(check_given("a minimum latency", minimum_ns, err));
    TRY(check_given("a mean latency", mean_ns, err));
    if (mean_ns < minimum_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the mean latency, %" PRId64 " ns, is below the minimum, %" PRId64 " ns",
                         mean_ns, minimum_ns);
    *latency = (struct latency){ .kind = LATENCY_EXPONENTIAL,
                                 .base_ns = minimum_ns,
                                 .spread_ns = mean_ns - minimum_ns };
    return STATUS_OK;
}

enum status latency_lognormal(struct latency *latency, int64_t median_ns, int64_t p99_ns,
                              struct error *err)
{
    int64_t log2_median, log2_p99;

    TRY(check_given("a median latency", median_ns, err));
    TRY(check_given("a 99th percentile", p99_ns, err));
    if (median_ns == 0)
        return error_set(err, STATUS_BAD_INPUT, "the median of a log-normal latency is not 0");
    if (p99_ns < median_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the 99th percentile, %" PRId64 " ns, is below the median, %" PRId64 " ns",
                         p99_ns, median_ns);
    log2_median = fixed_log2((uint64_t)median_ns);
    log2_p99 = fixed_log2((uint64_t)p99_ns);
    *latency = (struct latency){
        .kind = LATENCY_LOGNORMAL,
        .log2_median = log2_median,
        .log2_deviation = fixed_divide(log2_p99 - log2_median, NORMAL_99TH),
    };
    return STATUS_OK;
}

enum status latency_add_tail(struct latency *latency, struct ratio chance, int64_t longer_ns,
                             struct error *err)
{
    TRY(check_given("a slow tail", longer_ns, err));
    if (chance.denominator == 0 || chance.numerator > chance.denominator)
        return error_set(err, STATUS_BAD_INPUT, "the chance of a slow tail is not within 0 and 1");
    latency->tail_ns = longer_ns;
    latency->tail_chance = chance;
    return STATUS_OK;
}

/* The spread times -ln(1 - word / 2^64): at most 64 ln 2 = 44.4 times the spread. */
static int64_t draw_exponential(int64_t spread_ns, uint64_t word)
{
    int64_t log2 = word == 0 ? 0 : 64 * FIXED_ONE - fixed_log2(0 - word);

    return fixed_multiply(spread_ns, fixed_multiply(log2, LN2));
}

static int64_t draw_lognormal(const struct latency *latency, uint64_t word)
{
    uint64_t drawn = fixed_exp2(latency->log2_median +
                                fixed_multiply(latency->log2_deviation, normal_quantile(word)));

    return drawn < LATENCY_DRAW_MAX_NS - LATENCY_GIVEN_MAX_NS
               ? (int64_t)drawn
               : LATENCY_DRAW_MAX_NS - LATENCY_GIVEN_MAX_NS; /* leaves room for the tail */
}

static int64_t draw_ns(const struct latency *latency, uint64_t word)
{
    switch (latency->kind) {
    case LATENCY_CONSTANT:
        return latency->base_ns;
    case LATENCY_UNIFORM:
        return latency->base_ns + (int64_t)random_scale(word, (uint64_t)latency->spread_ns + 1);
    case LATENCY_EXPONENTIAL:
        return latency->base_ns + draw_exponential(latency->spread_ns, word);
    case LATENCY_LOGNORMAL:
        return draw_lognormal(latency, word);
    }
    assert(!"a kind of latency");
    return 0;
}

int64_t latency_draw_ns(const struct latency *latency, uint64_t word)
{
    int64_t drawn_ns = draw_ns(latency, word);

    /* A hash of the word decides, so that the tail takes fast and slow draws alike. */
    if (latency->tail_chance.denominator &&
        random_word_below(hash_number(word), latency->tail_chance))
        drawn_ns += latency->tail_ns;
    return drawn_ns;
}
