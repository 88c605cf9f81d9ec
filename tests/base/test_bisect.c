#include "base/bisect.h"

#include <stdbool.h>

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void) {}

static void the_place_found_is_the_first_at_which_the_test_fails(void)
{
    uint32_t numbers[20];

    for (uint32_t count = 0; count <= ROW_COUNT(numbers); count++) {
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = i / 3 * 2; /* 0 0 0 2 2 2 4 ... */
        for (uint32_t wanted = 0; wanted < 16; wanted++) {
            uint32_t expected = 0, place;

            while (expected < count && numbers[expected] < wanted)
                expected++;
            BISECT(place, 0, count, numbers[place] < wanted);
            TEST_ASSERT_EQUAL_UINT32(expected, place);
        }
    }
}

static void the_search_keeps_to_its_bounds(void)
{
    uint32_t asked_min = UINT32_MAX, asked_max = 0, place;

    BISECT(place, 5, 9,
           (asked_min = place < asked_min ? place : asked_min,
            asked_max = place > asked_max ? place : asked_max, place < 100));
    TEST_ASSERT_EQUAL_UINT32(9, place);
    BISECT(place, 5, 9,
           (asked_min = place < asked_min ? place : asked_min,
            asked_max = place > asked_max ? place : asked_max, false));
    TEST_ASSERT_EQUAL_UINT32(5, place);
    TEST_ASSERT_EQUAL_UINT32(5, asked_min);
    TEST_ASSERT_EQUAL_UINT32(8, asked_max);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_place_found_is_the_first_at_which_the_test_fails);
    RUN_TEST(the_search_keeps_to_its_bounds);
    return UNITY_END();
}
