#include "store/stamp_private.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void stamps_are_compared_from_left_to_right(void)
{
    static const struct stamp ascending[] = {
        { INT64_MIN, UINT32_MAX, UINT64_MAX },
        { -1, 0, 0 },
        { 0, 0, 0 },
        { 0, 0, 1 },
        { 0, 1, 0 },
        { 1, 0, 0 },
        { 1, 0, UINT64_MAX },
        { INT64_MAX, UINT32_MAX, UINT64_MAX },
    };

    for (size_t i = 0; i < ROW_COUNT(ascending); i++)
        for (size_t j = 0; j < ROW_COUNT(ascending); j++) {
            struct stamp a = ascending[i], b = ascending[j];
            TEST_ASSERT_EQUAL_INT((i > j) - (i < j), stamp_compare(a, b));
            TEST_ASSERT_EQUAL_INT(i < j, stamp_less(a, b));
            TEST_ASSERT_EQUAL_INT(i == j, stamp_equal(a, b));
            TEST_ASSERT_TRUE(stamp_equal(ascending[i > j ? i : j], stamp_max(a, b)));
            TEST_ASSERT_TRUE(stamp_equal(ascending[i < j ? i : j], stamp_min(a, b)));
        }
    TEST_ASSERT_TRUE(stamp_equal(stamp_never(), ascending[ROW_COUNT(ascending) - 1]));
    TEST_ASSERT_TRUE(stamp_is_zero(ascending[2]));
    TEST_ASSERT_FALSE(stamp_is_zero(ascending[3]));
}

static void the_stamp_after_is_above_all_at_that_time(void)
{
    const struct stamp last = { 7, UINT32_MAX, 3 };
    struct stamp after = stamp_after((struct stamp){ 7, 2, UINT64_MAX }, 5);

    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 7, 3, 5 }, after));
    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 8, 0, 5 }, stamp_after(last, 5)));
    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 17, 0, 0 }, stamp_plus(last, 10)));
}

static void a_hybrid_clock_only_goes_forward(void)
{
    static const int64_t walls[] = { 100, 100, 50, 101, 101, 7, 200 };
    struct stamp_clock clock = { 0 };
    struct stamp last = { 0 };

    for (size_t i = 0; i < ROW_COUNT(walls); i++) {
        struct stamp now = stamp_clock_now(&clock, walls[i], 1);
        TEST_ASSERT_TRUE(stamp_less(last, now));
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(walls[i], now.wall_ns);
        last = now;
    }
    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 200, 0, 1 }, last));
}

static void a_hybrid_clock_is_above_all_that_it_heard(void)
{
    struct stamp_clock clock = { 0 };

    stamp_clock_now(&clock, 100, 1);
    stamp_clock_forward(&clock, (struct stamp){ 500, 3, 9 });
    TEST_ASSERT_TRUE(stamp_less((struct stamp){ 500, 3, 9 }, stamp_clock_now(&clock, 101, 1)));
    stamp_clock_forward(&clock, (struct stamp){ 400, 9, 9 });
    stamp_clock_forward(&clock, (struct stamp){ 500, 2, 9 });
    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 500, 4, 0 }, stamp_clock_last(&clock)));
    TEST_ASSERT_TRUE(stamp_equal((struct stamp){ 501, 0, 2 }, stamp_clock_now(&clock, 501, 2)));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(stamps_are_compared_from_left_to_right);
    RUN_TEST(the_stamp_after_is_above_all_at_that_time);
    RUN_TEST(a_hybrid_clock_only_goes_forward);
    RUN_TEST(a_hybrid_clock_is_above_all_that_it_heard);
    return UNITY_END();
}
