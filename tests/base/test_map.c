#include "base/map.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct map map;
static struct error err;

void setUp(void)
{
    map = (struct map){ 0 };
}

void tearDown(void)
{
    map_close(&map);
}

static size_t add(uint64_t key, uint64_t value)
{
    size_t place = SIZE_MAX;

    ASSERT_OK(map_add(&map, key, value, &place, &err), &err);
    return place;
}

static void assert_maps(uint64_t key, uint64_t value)
{
    uint64_t found = ~value;

    TEST_ASSERT_TRUE(map_find(&map, key, &found));
    TEST_ASSERT_EQUAL_UINT64(value, found);
}

static void an_empty_map_finds_nothing(void)
{
    uint64_t value = 77;

    TEST_ASSERT_FALSE(map_find(&map, 0, &value));
    TEST_ASSERT_EQUAL_UINT64(77, value);
}

static void every_number_can_be_a_key_and_a_value(void)
{
    static const uint64_t numbers[] = { 0, UINT64_MAX, 1, UINT64_C(1) << 63, UINT32_MAX };
    uint64_t value;

    for (size_t i = 0; i < ROW_COUNT(numbers); i++)
        TEST_ASSERT_EQUAL_UINT64(i, add(numbers[i], ~numbers[i]));
    for (size_t i = 0; i < ROW_COUNT(numbers); i++)
        assert_maps(numbers[i], ~numbers[i]);
    TEST_ASSERT_FALSE(map_find(&map, 2, &value));
}

static void adding_a_key_again_shows_where_its_value_stands(void)
{
    TEST_ASSERT_EQUAL_UINT64(0, add(5, 50));
    TEST_ASSERT_EQUAL_UINT64(1, add(6, 60));
    TEST_ASSERT_EQUAL_UINT64(0, add(5, 99));
    assert_maps(5, 50);
    map.values.at[add(5, 0)] = 51;
    assert_maps(5, 51);
    TEST_ASSERT_EQUAL_UINT64(2, map.keys.count);
}

static void entries_stand_in_the_order_they_came(void)
{
    for (uint64_t i = 0; i < 1000; i++)
        (void)add(i * 1000003 % 1009, i);
    for (uint64_t i = 0; i < 1000; i++) {
        TEST_ASSERT_EQUAL_UINT64(i * 1000003 % 1009, map.keys.at[i]);
        TEST_ASSERT_EQUAL_UINT64(i, map.values.at[i]);
    }
}

static void a_cleared_map_has_forgotten_all_and_can_be_filled_again(void)
{
    uint64_t value;

    map_clear(&map);
    for (uint64_t i = 0; i < 1000; i++)
        (void)add(i, i);
    map_clear(&map);
    for (uint64_t i = 0; i < 1000; i++)
        TEST_ASSERT_FALSE(map_find(&map, i, &value));
    TEST_ASSERT_EQUAL_UINT64(0, add(7, 70));
    assert_maps(7, 70);
}

static void a_map_agrees_with_a_plain_list(void)
{
    static uint64_t keys[2000], values[2000];
    struct random_key seed = random_key_of_seed(11);
    struct random random;
    size_t count = 0;

    random_init(&random, &seed);
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t shift = 40 * random_below(&random, 2);
        uint64_t key = random_below(&random, 1500) << shift;
        uint64_t value = 0;
        size_t at = 0;

        while (at < count && keys[at] != key)
            at++;
        TEST_ASSERT_EQUAL(at < count, map_find(&map, key, &value));
        if (at < count)
            TEST_ASSERT_EQUAL_UINT64(values[at], value);
        TEST_ASSERT_EQUAL_UINT64(at, add(key, i));
        if (at == count) {
            keys[count] = key;
            values[count++] = i;
        }
    }
    TEST_ASSERT_EQUAL_UINT64(count, map.keys.count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_empty_map_finds_nothing);
    RUN_TEST(every_number_can_be_a_key_and_a_value);
    RUN_TEST(adding_a_key_again_shows_where_its_value_stands);
    RUN_TEST(entries_stand_in_the_order_they_came);
    RUN_TEST(a_cleared_map_has_forgotten_all_and_can_be_filled_again);
    RUN_TEST(a_map_agrees_with_a_plain_list);
    return UNITY_END();
}
