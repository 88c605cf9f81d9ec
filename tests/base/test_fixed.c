#include "base/fixed.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define ERROR_BITS 46 /* fixed_exp2() is off by less than one part in 2^46 */

static struct random draws;

void setUp(void)
{
    struct random_key key = random_key_of_seed(7);

    random_init(&draws, &key);
}

void tearDown(void) {}

static void assert_nearly(uint64_t expected, uint64_t actual, const char *what)
{
    uint64_t away = expected > actual ? expected - actual : actual - expected;

    TEST_ASSERT_LESS_OR_EQUAL_UINT64_MESSAGE((expected >> ERROR_BITS) + 1, away, what);
}

static void a_power_of_two_has_a_whole_logarithm_and_back(void)
{
    for (int64_t i = 0; i < 64; i++) {
        TEST_ASSERT_EQUAL_INT64(i * FIXED_ONE, fixed_log2(UINT64_C(1) << i));
        TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << i, fixed_exp2(i * FIXED_ONE));
    }
}

static void logarithms_are_the_known_ones_rounded_down(void)
{
    /* floor(log2(number) * 2^32), by mpmath with 300 bits. */
    static const struct {
        uint64_t number;
        int64_t log2;
    } rows[] = {
        { 3, INT64_C(6807362105) },
        { 5, INT64_C(9972605231) },
        { 7, INT64_C(12057497578) },
        { 10, INT64_C(14267572527) },
        { 1000, INT64_C(42802717581) },
        { 1000000007, INT64_C(128408152788) },
        { UINT64_C(1000000000000000), INT64_C(214013587908) },
        { UINT64_C(9223372036854775809), INT64_C(270582939648) },
        { UINT64_MAX, INT64_C(274877906943) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_INT64(rows[i].log2, fixed_log2(rows[i].number));
}

static void powers_are_the_known_ones(void)
{
    /* 2^(units / 2^32) with 62 bits behind the point, by mpmath with 300 bits. */
    static const struct {
        const char *what;
        uint32_t units;
        uint64_t power;
    } rows[] = {
        { "one", UINT32_C(0), UINT64_C(4611686018427387904) },
        { "the least step", UINT32_C(1), UINT64_C(4611686019171649022) },
        { "the square root of 2", UINT32_C(2147483648), UINT64_C(6521908912666391106) },
        { "the fourth root of 2", UINT32_C(1073741824), UINT64_C(5484249825272419512) },
        { "three quarters", UINT32_C(3221225472), UINT64_C(7755900482342532474) },
        { "just below the second entry", UINT32_C(67108863), UINT64_C(4661903985910305700) },
        { "the second entry", UINT32_C(67108864), UINT64_C(4661903986662671290) },
        { "the last entry", UINT32_C(4227858432), UINT64_C(9124017994966720698) },
        { "just below 2", UINT32_C(4294967295), UINT64_C(9223372035366253572) },
        { "0.123", UINT32_C(528280977), UINT64_C(5022112309403994321) },
        { "0.7314", UINT32_C(3141592653), UINT64_C(7656862401996238828) },
        { "0.6329", UINT32_C(2718281828), UINT64_C(7151240881420141825) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        assert_nearly(rows[i].power, fixed_exp2(62 * FIXED_ONE + rows[i].units), rows[i].what);
}

static void powers_multiply_as_their_exponents_add(void)
{
    /* Every entry of the table is met, and each is measured against two others. */
    for (int64_t i = 0; i < 64; i++) {
        for (int64_t j = 0; i + j <= 64; j++) {
            uint64_t a = fixed_exp2(62 * FIXED_ONE + i * FIXED_ONE / 64);
            uint64_t b = fixed_exp2(62 * FIXED_ONE + j * FIXED_ONE / 64);
            uint64_t product = (uint64_t)((unsigned __int128)a * b >> 62);
            assert_nearly(fixed_exp2(62 * FIXED_ONE + (i + j) * FIXED_ONE / 64), product,
                          "2^(i/64) 2^(j/64)");
        }
    }
}

static void powers_never_fall(void)
{
    for (int64_t i = 1; i <= 64; i++) {
        int64_t boundary = 62 * FIXED_ONE + i * FIXED_ONE / 64;
        for (int64_t d = -20; d < 20; d++)
            TEST_ASSERT_LESS_THAN_UINT64(fixed_exp2(boundary + d + 1), fixed_exp2(boundary + d));
    }
    for (size_t i = 0; i < fixture_rounds(100000); i++) {
        int64_t exponent = random_between(&draws, -3 * FIXED_ONE, 65 * FIXED_ONE);
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(fixed_exp2(exponent + 1), fixed_exp2(exponent));
    }
}

static void logarithms_never_fall_and_lead_back(void)
{
    for (size_t i = 0; i < fixture_rounds(100000); i++) {
        unsigned shift = (unsigned)random_below(&draws, 63);
        uint64_t number = (random_next(&draws) | UINT64_C(1) << 63) >> shift;
        int64_t log2 = fixed_log2(number);
        uint64_t back = fixed_exp2(log2);

        TEST_ASSERT_LESS_OR_EQUAL_INT64(log2, fixed_log2(number - 1));
        /* One unit of the logarithm is ln 2 / 2^32 of the number. */
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(number + 1, back);
        if (back < number)
            TEST_ASSERT_LESS_OR_EQUAL_UINT64((number >> 32) + 1, number - back);
    }
}

static void powers_out_of_range_stop_at_the_ends(void)
{
    static const struct {
        const char *what;
        int64_t exponent;
        uint64_t power;
    } rows[] = {
        { "the largest exponent", INT64_MAX, UINT64_MAX },
        { "2^64", 64 * FIXED_ONE, UINT64_MAX },
        { "a half rounds up", -FIXED_ONE, 1 },
        { "a little less than a half", -FIXED_ONE - 8, 0 },
        { "a quarter", -2 * FIXED_ONE, 0 },
        { "the smallest exponent", INT64_MIN, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].power, fixed_exp2(rows[i].exponent), rows[i].what);
}

static void products_round_down_and_quotients_towards_zero(void)
{
    TEST_ASSERT_EQUAL_INT64(6 * FIXED_ONE, fixed_multiply(2 * FIXED_ONE, 3 * FIXED_ONE));
    TEST_ASSERT_EQUAL_INT64(0, fixed_multiply(1, FIXED_ONE - 1));
    TEST_ASSERT_EQUAL_INT64(-1, fixed_multiply(-1, FIXED_ONE - 1));
    TEST_ASSERT_EQUAL_INT64(INT64_MIN, fixed_multiply(INT64_MIN, FIXED_ONE));
    TEST_ASSERT_EQUAL_INT64(FIXED_ONE / 4, fixed_divide(FIXED_ONE, 4 * FIXED_ONE));
    TEST_ASSERT_EQUAL_INT64(FIXED_ONE / 3, fixed_divide(FIXED_ONE, 3 * FIXED_ONE));
    TEST_ASSERT_EQUAL_INT64(-(FIXED_ONE / 3), fixed_divide(-FIXED_ONE, 3 * FIXED_ONE));
    TEST_ASSERT_EQUAL_INT64(INT64_MAX, fixed_divide(INT64_MAX, FIXED_ONE));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_power_of_two_has_a_whole_logarithm_and_back);
    RUN_TEST(logarithms_are_the_known_ones_rounded_down);
    RUN_TEST(powers_are_the_known_ones);
    RUN_TEST(powers_multiply_as_their_exponents_add);
    RUN_TEST(powers_never_fall);
    RUN_TEST(logarithms_never_fall_and_lead_back);
    RUN_TEST(powers_out_of_range_stop_at_the_ends);
    RUN_TEST(products_round_down_and_quotients_towards_zero);
    return UNITY_END();
}
