#include "sim/latency.h"

#include "base/fixed.h"
#include "tests/fixture.h"
#include "unity.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define HOUR (3600 * SECOND)
#define DRAWS 40000

static struct error err;
static struct random_key key;

void setUp(void)
{
    err = (struct error){ 0 };
    key = random_key_of_seed(3);
}

void tearDown(void) {}

static struct latency constant(int64_t value_ns)
{
    struct latency latency;

    ASSERT_OK(latency_constant(&latency, value_ns, &err), &err);
    return latency;
}

static struct latency uniform(int64_t low_ns, int64_t high_ns)
{
    struct latency latency;

    ASSERT_OK(latency_uniform(&latency, low_ns, high_ns, &err), &err);
    return latency;
}

static struct latency exponential(int64_t minimum_ns, int64_t mean_ns)
{
    struct latency latency;

    ASSERT_OK(latency_exponential(&latency, minimum_ns, mean_ns, &err), &err);
    return latency;
}

static struct latency lognormal(int64_t median_ns, int64_t p99_ns)
{
    struct latency latency;

    ASSERT_OK(latency_lognormal(&latency, median_ns, p99_ns, &err), &err);
    return latency;
}

/* The word below which this share of all words lies. */
static uint64_t word_at(uint64_t per_thousand)
{
    return (uint64_t)(((unsigned __int128)per_thousand << 64) / 1000);
}

/* How many of many draws stay below a bound, per thousand. */
static int64_t share_below(const struct latency *latency, int64_t bound_ns)
{
    int64_t below = 0;

    for (uint64_t i = 0; i < DRAWS; i++)
        below += latency_draw_ns(latency, random_draw_at(&key, i)) < bound_ns;
    return below * 1000 / DRAWS;
}

static int64_t mean_ns(const struct latency *latency)
{
    int64_t sum = 0;

    for (uint64_t i = 0; i < DRAWS; i++)
        sum += latency_draw_ns(latency, random_draw_at(&key, i));
    return sum / DRAWS;
}

static void a_constant_never_changes(void)
{
    struct latency latency = constant(5 * MS), none = { 0 };

    for (uint64_t i = 0; i < 100; i++) {
        TEST_ASSERT_EQUAL_INT64(5 * MS, latency_draw_ns(&latency, random_draw_at(&key, i)));
        TEST_ASSERT_EQUAL_INT64(0, latency_draw_ns(&none, random_draw_at(&key, i)));
    }
}

static void a_uniform_one_reaches_both_ends_and_is_even(void)
{
    struct latency latency = uniform(2 * MS, 6 * MS), narrow = uniform(7, 8);

    TEST_ASSERT_EQUAL_INT64(2 * MS, latency_draw_ns(&latency, 0));
    TEST_ASSERT_EQUAL_INT64(6 * MS, latency_draw_ns(&latency, UINT64_MAX));
    TEST_ASSERT_INT64_WITHIN(10, 250, share_below(&latency, 3 * MS));
    TEST_ASSERT_INT64_WITHIN(10, 500, share_below(&narrow, 8));
}

static void an_exponential_one_has_its_minimum_mean_and_quantiles(void)
{
    struct latency latency = exponential(10 * MS, 40 * MS);

    TEST_ASSERT_EQUAL_INT64(10 * MS, latency_draw_ns(&latency, 0));
    TEST_ASSERT_INT64_WITHIN(MS / 2, 40 * MS, mean_ns(&latency));
    /* Half lie below 10 ms + 30 ms * ln 2, nine in ten below 10 ms + 30 ms * ln 10. */
    TEST_ASSERT_INT64_WITHIN(US, 30794416, latency_draw_ns(&latency, word_at(500)));
    TEST_ASSERT_INT64_WITHIN(US, 79077553, latency_draw_ns(&latency, word_at(900)));
    TEST_ASSERT_INT64_WITHIN(10, 500, share_below(&latency, 30794416));
    TEST_ASSERT_INT64_WITHIN(6, 900, share_below(&latency, 79077553));
}

static void a_lognormal_one_has_its_median_and_99th_percentile(void)
{
    static const struct {
        const char *what;
        int64_t median_ns, p99_ns;
    } rows[] = {
        { "a network", 1 * MS, 20 * MS }, { "a disk", 80 * US, 3 * MS },
        { "no spread", 5 * MS, 5 * MS },  { "almost no spread", 1000 * MS, 1001 * MS },
        { "the widest", 1, HOUR },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct latency latency = lognormal(rows[i].median_ns, rows[i].p99_ns);
        int64_t p99_ns = latency_draw_ns(&latency, word_at(990));

        TEST_ASSERT_INT64_WITHIN_MESSAGE(rows[i].median_ns / 1000000, rows[i].median_ns,
                                         latency_draw_ns(&latency, UINT64_C(1) << 63),
                                         rows[i].what);
        TEST_ASSERT_INT64_WITHIN_MESSAGE(rows[i].p99_ns / 500 + 1, rows[i].p99_ns, p99_ns,
                                         rows[i].what);
        if (rows[i].p99_ns > rows[i].median_ns)
            TEST_ASSERT_INT64_WITHIN_MESSAGE(3, 990, share_below(&latency, rows[i].p99_ns),
                                             rows[i].what);
    }
}

static void what_it_draws_never_falls_as_the_word_grows(void)
{
    const struct latency rows[] = {
        constant(MS),           uniform(0, HOUR),      uniform(3, 5),
        exponential(0, MS),     exponential(MS, HOUR), exponential(MS, MS),
        lognormal(MS, 20 * MS), lognormal(1, HOUR),    lognormal(HOUR, HOUR),
    };

    for (size_t r = 0; r < ROW_COUNT(rows); r++)
        for (uint64_t i = 0; i < fixture_rounds(5000); i++) {
            uint64_t word = random_draw_at(&key, i) >> i % 64;
            uint64_t above = word | word >> 1;
            int64_t drawn_ns = latency_draw_ns(&rows[r], word);

            TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_draw_ns(&rows[r], above), drawn_ns);
            TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_draw_ns(&rows[r], ~word),
                                            latency_draw_ns(&rows[r], ~above));
            if (word < UINT64_MAX)
                TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_draw_ns(&rows[r], word + 1), drawn_ns);
        }
}

static void the_widest_stay_within_what_is_promised(void)
{
    struct latency rows[] = { constant(HOUR), uniform(0, HOUR), exponential(0, HOUR),
                              lognormal(1, HOUR), lognormal(HOUR, HOUR) };

    for (size_t r = 0; r < ROW_COUNT(rows); r++) {
        ASSERT_OK(latency_add_tail(&rows[r], (struct ratio){ 1, 1 }, HOUR, &err), &err);
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(HOUR, latency_draw_ns(&rows[r], 0));
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(HOUR, latency_draw_ns(&rows[r], UINT64_MAX));
        TEST_ASSERT_LESS_OR_EQUAL_INT64(LATENCY_DRAW_MAX_NS, latency_draw_ns(&rows[r], UINT64_MAX));
    }
}

static void a_tail_slows_its_share_of_fast_and_slow_draws_alike(void)
{
    struct latency latency = uniform(MS, 2 * MS), plain = latency;
    int64_t slow[2] = { 0, 0 };

    ASSERT_OK(latency_add_tail(&latency, (struct ratio){ 5, 100 }, SECOND, &err), &err);
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t word = random_draw_at(&key, i);
        int64_t longer_ns = latency_draw_ns(&latency, word) - latency_draw_ns(&plain, word);

        TEST_ASSERT_TRUE(longer_ns == 0 || longer_ns == SECOND);
        slow[word >> 63] += longer_ns != 0;
    }
    TEST_ASSERT_INT64_WITHIN(DRAWS / 400, DRAWS / 40, slow[0]);
    TEST_ASSERT_INT64_WITHIN(DRAWS / 400, DRAWS / 40, slow[1]);
}

static void the_same_words_give_the_same_draws_everywhere(void)
{
    /* Golden: whoever changes one of these changes every run of every seed. */
    const struct latency exponential_ = exponential(MS, 30 * MS);
    const struct latency lognormal_ = lognormal(MS, 20 * MS);
    static const struct {
        uint64_t word;
        int64_t exponential_ns, lognormal_ns;
    } rows[] = {
        { UINT64_C(0x0000000000000000), INT64_C(1000000), INT64_C(285) },
        { UINT64_C(0x0000000000000001), INT64_C(1000000), INT64_C(285) },
        { UINT64_C(0x0000000080000000), INT64_C(1000000), INT64_C(285) },
        { UINT64_C(0x1000000000000000), INT64_C(2871617), INT64_C(138685) },
        { UINT64_C(0x0123456789abcdef), INT64_C(1129176), INT64_C(34417) },
        { UINT64_C(0x3333333333333333), INT64_C(7471162), INT64_C(338277) },
        { UINT64_C(0x8000000000000000), INT64_C(21101268), INT64_C(1000000) },
        { UINT64_C(0xb504f333f9de6484), INT64_C(36610468), INT64_C(2017578) },
        { UINT64_C(0xfd70a3d70a3d70a3), INT64_C(134549935), INT64_C(20002507) },
        { UINT64_C(0xffffffff00000000), INT64_C(644240583), INT64_C(3050186557) },
        { UINT64_C(0xffffffffffffffff), INT64_C(1287481167), INT64_C(3503944499) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_EQUAL_INT64(rows[i].exponential_ns,
                                latency_draw_ns(&exponential_, rows[i].word));
        TEST_ASSERT_EQUAL_INT64(rows[i].lognormal_ns, latency_draw_ns(&lognormal_, rows[i].word));
    }
}

static void impossible_values_are_refused_with_the_reason(void)
{
    struct latency latency;

#define REFUSED(call, reason)                                                                      \
    do {                                                                                           \
        TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, call);                                             \
        TEST_ASSERT_EQUAL_STRING(reason, err.text);                                                \
    } while (0)
    REFUSED(latency_constant(&latency, -1, &err), "a latency of -1 ns is negative");
    REFUSED(latency_constant(&latency, HOUR + 1, &err),
            "a latency of 3600000000001 ns is more than an hour");
    REFUSED(latency_constant(&latency, INT64_MIN, &err),
            "a latency of -9223372036854775808 ns is negative");
    REFUSED(latency_uniform(&latency, -2, 5, &err), "a lowest latency of -2 ns is negative");
    REFUSED(latency_uniform(&latency, 0, INT64_MAX, &err),
            "a highest latency of 9223372036854775807 ns is more than an hour");
    REFUSED(latency_uniform(&latency, 6, 5, &err),
            "the highest latency, 5 ns, is below the lowest, 6 ns");
    REFUSED(latency_exponential(&latency, 6, 5, &err),
            "the mean latency, 5 ns, is below the minimum, 6 ns");
    REFUSED(latency_exponential(&latency, -6, 5, &err), "a minimum latency of -6 ns is negative");
    REFUSED(latency_lognormal(&latency, 0, 5, &err), "the median of a log-normal latency is not 0");
    REFUSED(latency_lognormal(&latency, 20, 5, &err),
            "the 99th percentile, 5 ns, is below the median, 20 ns");
    REFUSED(latency_lognormal(&latency, 20, -5, &err), "a 99th percentile of -5 ns is negative");
    latency = constant(1);
    REFUSED(latency_add_tail(&latency, (struct ratio){ 2, 1 }, 5, &err),
            "the chance of a slow tail is not within 0 and 1");
    REFUSED(latency_add_tail(&latency, (struct ratio){ 0, 0 }, 5, &err),
            "the chance of a slow tail is not within 0 and 1");
    REFUSED(latency_add_tail(&latency, (struct ratio){ 1, 2 }, -5, &err),
            "a slow tail of -5 ns is negative");
    TEST_ASSERT_EQUAL_INT64(1, latency_draw_ns(&latency, 0));
#undef REFUSED
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_constant_never_changes);
    RUN_TEST(a_uniform_one_reaches_both_ends_and_is_even);
    RUN_TEST(an_exponential_one_has_its_minimum_mean_and_quantiles);
    RUN_TEST(a_lognormal_one_has_its_median_and_99th_percentile);
    RUN_TEST(what_it_draws_never_falls_as_the_word_grows);
    RUN_TEST(the_widest_stay_within_what_is_promised);
    RUN_TEST(a_tail_slows_its_share_of_fast_and_slow_draws_alike);
    RUN_TEST(the_same_words_give_the_same_draws_everywhere);
    RUN_TEST(impossible_values_are_refused_with_the_reason);
    return UNITY_END();
}
