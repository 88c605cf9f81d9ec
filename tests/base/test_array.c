#include "base/array.h"

#include <stdint.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void elements_keep_their_order_and_value_as_it_grows(void)
{
    ARRAY(uint32_t) array = { 0 };

    for (uint32_t i = 0; i < 100000; i++)
        ASSERT_OK(array_push(&array, i * 3, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(100000, array.count);
    for (uint32_t i = 0; i < 100000; i++)
        TEST_ASSERT_EQUAL_UINT32(i * 3, array.at[i]);
    array_close(&array);
    TEST_ASSERT_NULL(array.at);
    TEST_ASSERT_EQUAL_UINT64(0, array.count);
    TEST_ASSERT_EQUAL_UINT64(0, array.room);
}

static void elements_may_be_structures(void)
{
    ARRAY(struct {
        uint8_t small;
        uint64_t large;
    })
    array = { 0 };

    for (uint64_t i = 0; i < 1000; i++) {
        ASSERT_OK(array_reserve(&array, 1, &err), &err);
        array.at[array.count].small = (uint8_t)i;
        array.at[array.count++].large = UINT64_MAX - i;
    }
    TEST_ASSERT_EQUAL_UINT8(999 & 0xff, array.at[999].small);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX - 999, array.at[999].large);
    array_close(&array);
}

static void reserved_room_is_not_moved_again(void)
{
    ARRAY(char) array = { 0 };
    const char *at;

    ASSERT_OK(array_reserve(&array, 1000, &err), &err);
    at = array.at;
    for (size_t i = 0; i < 1000; i++)
        ASSERT_OK(array_push(&array, 'x', &err), &err);
    TEST_ASSERT_EQUAL_PTR(at, array.at);
    array_close(&array);
}

static void growing_by_one_does_not_move_each_time(void)
{
    ARRAY(uint64_t) array = { 0 };
    size_t moves = 0, room = 0;

    for (uint64_t i = 0; i < 100000; i++) {
        ASSERT_OK(array_push(&array, i, &err), &err);
        moves += array.room != room;
        room = array.room;
    }
    TEST_ASSERT_LESS_THAN_UINT64(30, moves);
    array_close(&array);
}

static void impossible_sizes_are_refused_and_change_nothing(void)
{
    ARRAY(uint64_t) array = { 0 };
    const uint64_t *at;
    size_t wanted[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 8, SIZE_MAX / 8 - 2 };

    ASSERT_OK(array_push(&array, 42, &err), &err);
    at = array.at;
    for (size_t i = 0; i < ROW_COUNT(wanted); i++) {
        TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, array_reserve(&array, wanted[i], &err));
        TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, err.status);
        TEST_ASSERT_EQUAL_PTR(at, array.at);
        TEST_ASSERT_EQUAL_UINT64(1, array.count);
        TEST_ASSERT_EQUAL_UINT64(42, array.at[0]);
    }
    array_close(&array);
}

static void an_element_that_is_removed_leaves_the_others_in_order(void)
{
    static const uint32_t left[] = { 1, 2, 4 };
    ARRAY(uint32_t) array = { 0 };

    for (uint32_t i = 0; i < 5; i++)
        ASSERT_OK(array_push(&array, i, &err), &err);
    array_remove(&array, 3);
    array_remove(&array, 0);
    TEST_ASSERT_EQUAL_UINT64(ROW_COUNT(left), array.count);
    TEST_ASSERT_EQUAL_UINT32_ARRAY(left, array.at, ROW_COUNT(left));
    array_remove(&array, 2);
    TEST_ASSERT_EQUAL_UINT64(2, array.count);
    array_close(&array);
}

static void counts_become_ends(void)
{
    static const uint32_t ends[] = { 3, 3, 5, 6 };
    uint32_t counts[] = { 3, 0, 2, 1 };

    array_sum_prefixes(counts, ROW_COUNT(counts));
    TEST_ASSERT_EQUAL_UINT32_ARRAY(ends, counts, ROW_COUNT(ends));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(elements_keep_their_order_and_value_as_it_grows);
    RUN_TEST(elements_may_be_structures);
    RUN_TEST(reserved_room_is_not_moved_again);
    RUN_TEST(growing_by_one_does_not_move_each_time);
    RUN_TEST(an_element_that_is_removed_leaves_the_others_in_order);
    RUN_TEST(counts_become_ends);
    RUN_TEST(impossible_sizes_are_refused_and_change_nothing);
    return UNITY_END();
}
