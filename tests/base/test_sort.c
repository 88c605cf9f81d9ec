#include "base/sort.h"

#include <string.h>

#include "base/array.h"
#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define COUNT_MAX 300

void setUp(void) {}

void tearDown(void) {}

static void numbers_of_each_type_rise(void)
{
    uint32_t numbers[] = { 7, UINT32_MAX, 0, 7 };
    uint64_t wide[] = { UINT64_MAX, 3, (uint64_t)INT64_MAX + 1, 0 };
    int64_t with_signs[] = { 5, INT64_MIN, -1, INT64_MAX };

    sort_numbers(numbers, ROW_COUNT(numbers));
    sort_wide(wide, ROW_COUNT(wide));
    sort_signed(with_signs, ROW_COUNT(with_signs));
    TEST_ASSERT_EQUAL_UINT32_ARRAY(((uint32_t[]){ 0, 7, 7, UINT32_MAX }), numbers, 4);
    TEST_ASSERT_EQUAL_UINT64_ARRAY(((uint64_t[]){ 0, 3, (uint64_t)INT64_MAX + 1, UINT64_MAX }),
                                   wide, 4);
    TEST_ASSERT_EQUAL_INT64_ARRAY(((int64_t[]){ INT64_MIN, -1, 5, INT64_MAX }), with_signs, 4);
}

static void nothing_is_sorted_where_nothing_is(void)
{
    sort_numbers(NULL, 0);
    sort_wide(NULL, 0);
    sort_signed(NULL, 0);
    TEST_ASSERT_EQUAL(0, sort_once(NULL, 0));
}

static void sorted_once_each_number_stands_once(void)
{
    uint32_t numbers[] = { 4, 1, 4, 4, 0, 1 };

    TEST_ASSERT_EQUAL(3, sort_once(numbers, ROW_COUNT(numbers)));
    TEST_ASSERT_EQUAL_UINT32_ARRAY(((uint32_t[]){ 0, 1, 4 }), numbers, 3);
}

static int by_tens(const void *numbers, size_t a, size_t b)
{
    const unsigned *at = numbers;

    return (at[a] / 10 > at[b] / 10) - (at[a] / 10 < at[b] / 10);
}

static void equal_places_stay_as_they_were(void)
{
    static const unsigned numbers[] = { 25, 13, 29, 11, 7, 21, 17 };
    size_t places[] = { 0, 1, 2, 3, 4, 5, 6 }, spare[ROW_COUNT(places)];

    sort_stable(places, spare, ROW_COUNT(places), by_tens, numbers);
    TEST_ASSERT_EQUAL_MEMORY(((size_t[]){ 4, 1, 3, 6, 0, 2, 5 }), places, sizeof places);
}

/* Distances of one digit, of all digits, and many that are equal. */
static void by_distance_equal_ones_stay_as_they_were(void)
{
    static const uint64_t bounds[] = { 1, 3, 2048, 5000000, UINT64_MAX };
    static struct sort_item items[2 * COUNT_MAX];
    struct random_key key = random_key_of_seed(7);
    struct random random;

    random_init(&random, &key);
    for (size_t b = 0; b < ROW_COUNT(bounds); b++)
        for (uint32_t count = 0; count <= COUNT_MAX; count += 75) {
            const struct sort_item *sorted;

            for (uint32_t i = 0; i < count; i++)
                items[i] = (struct sort_item){ random_below(&random, bounds[b]), i, i % 2 };
            sorted = sort_by_distance(items, count);
            for (uint32_t i = 0; i < count; i++) {
                TEST_ASSERT_EQUAL(sorted[i].number % 2, sorted[i].is_marked);
                TEST_ASSERT_TRUE(i == 0 || sorted[i - 1].distance < sorted[i].distance ||
                                 (sorted[i - 1].distance == sorted[i].distance &&
                                  sorted[i - 1].number < sorted[i].number));
            }
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(numbers_of_each_type_rise);
    RUN_TEST(nothing_is_sorted_where_nothing_is);
    RUN_TEST(sorted_once_each_number_stands_once);
    RUN_TEST(equal_places_stay_as_they_were);
    RUN_TEST(by_distance_equal_ones_stay_as_they_were);
    return UNITY_END();
}
