#include "sim/latency.h"

#include "base/fixed.h"
#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define OCTAVES 32
#define STEPS 16

void setUp(void) {}
void tearDown(void) {}

/* Without libm, which not every build links: a short series on a small number, squared. */
static long double exponential(long double x)
{
    long double term = 1, sum = 1;

    x /= 4096;
    for (int i = 1; i < 20; i++)
        sum += term *= x / i;
    for (int i = 0; i < 12; i++)
        sum *= sum;
    return sum;
}

static long double density(long double z)
{
    return 0.398942280401432677939946059934L * exponential(-z * z / 2);
}

/* The share beyond z: a power series near the middle, Laplace's continued fraction outside. */
static long double share_beyond(long double z)
{
    long double term = z, sum = z, fraction = z;

    if (z < 3) {
        for (int i = 3; i < 200; i += 2)
            sum += term *= z * z / i;
        return 0.5L - density(z) * sum;
    }
    for (int i = 400; i > 0; i--)
        fraction = z + i / fraction;
    return density(z) / fraction;
}

static long double as_real(int64_t fixed)
{
    return (long double)fixed / FIXED_ONE;
}

static long double magnitude(long double x)
{
    return x < 0 ? -x : x;
}

static void every_entry_of_the_table_is_the_quantile(void)
{
    for (int octave = 1; octave <= OCTAVES; octave++) {
        for (uint64_t step = 0; step < STEPS; step++) {
            uint64_t word = (STEPS + step) << (59 - octave);
            long double share = (long double)word / 18446744073709551616.0L;
            long double z = -as_real(latency_normal_quantile(word));
            long double away = magnitude(share_beyond(z) - share) / density(z);

            TEST_ASSERT_TRUE_MESSAGE(away < 1.0L / (1 << 28), "an entry is off");
        }
    }
}

static void between_entries_it_is_off_by_less_than_the_promise(void)
{
    struct random_key key = random_key_of_seed(1);

    for (uint64_t i = 0; i < fixture_rounds(2000); i++) {
        uint64_t word = random_draw_at(&key, i) >> 1 >> i % OCTAVES;
        long double share = ((long double)word + 0.5L) / 18446744073709551616.0L;
        long double z = -as_real(latency_normal_quantile(word));

        if (word < UINT64_C(1) << (63 - OCTAVES))
            continue;
        TEST_ASSERT_TRUE(magnitude(share_beyond(z) - share) / density(z) < 0.0002L);
    }
}

static void known_quantiles_are_met(void)
{
    /* In millionths. */
    static const struct {
        const char *share;
        uint64_t word;
        int64_t z;
    } rows[] = {
        { "half", UINT64_C(1) << 63, 0 },
        { "three quarters", UINT64_C(3) << 62, 674490 },
        { "0.9", UINT64_C(16602069666338596454), 1281552 },
        { "0.975", UINT64_C(17985575471866812825), 1959964 },
        { "0.99", UINT64_C(18262276632972456099), 2326348 },
        { "0.999", UINT64_C(18428297329635842064), 3090232 },
        { "0.001", UINT64_C(18446744073709552), -3090232 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_INT64_WITHIN_MESSAGE(
            200, rows[i].z, fixed_multiply(latency_normal_quantile(rows[i].word), 1000000), rows[i].share);
    TEST_ASSERT_INT64_WITHIN(FIXED_ONE / 5000, NORMAL_99TH,
                             latency_normal_quantile(UINT64_C(18262276632972456099)));
}

static void it_never_falls_and_is_symmetric(void)
{
    struct random_key key = random_key_of_seed(2);

    for (uint64_t i = 0; i < fixture_rounds(100000); i++) {
        uint64_t word = random_draw_at(&key, i) >> i % 64;
        int64_t z = latency_normal_quantile(word);

        TEST_ASSERT_EQUAL_INT64(-z, latency_normal_quantile(~word));
        if (word < UINT64_MAX)
            TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_normal_quantile(word + 1), z);
        TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_normal_quantile(word | word >> 1), z);
    }
}

static void around_every_entry_it_never_falls(void)
{
    for (int octave = 1; octave <= OCTAVES; octave++)
        for (uint64_t step = 0; step < STEPS; step++)
            for (uint64_t i = 0; i < 8; i++) {
                uint64_t word = ((STEPS + step) << (59 - octave)) - 4 + i;
                TEST_ASSERT_LESS_OR_EQUAL_INT64(latency_normal_quantile(word + 1), latency_normal_quantile(word));
            }
}

static void the_tails_end_where_the_table_does(void)
{
    const int64_t end = latency_normal_quantile(UINT64_MAX);

    TEST_ASSERT_EQUAL_INT64(INT64_C(27221321280), end);
    TEST_ASSERT_EQUAL_INT64(-end, latency_normal_quantile(0));
    TEST_ASSERT_EQUAL_INT64(end, latency_normal_quantile(UINT64_MAX - (UINT64_C(1) << 31)));
    TEST_ASSERT_LESS_THAN_INT64(end, latency_normal_quantile(UINT64_MAX - (UINT64_C(1) << 32)));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_entry_of_the_table_is_the_quantile);
    RUN_TEST(between_entries_it_is_off_by_less_than_the_promise);
    RUN_TEST(known_quantiles_are_met);
    RUN_TEST(it_never_falls_and_is_symmetric);
    RUN_TEST(around_every_entry_it_never_falls);
    RUN_TEST(the_tails_end_where_the_table_does);
    return UNITY_END();
}
