#include "nemesis/network_fault_private.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define NODES_MAX 9

static bool cuts[NODES_MAX * NODES_MAX];
static uint32_t order[NODES_MAX];
static struct random randomness;

void setUp(void)
{
    struct random_key key = random_key_of_seed(11);

    random_init(&randomness, &key);
}

void tearDown(void) {}

static void fill(enum nemesis_shape shape, uint32_t node_count)
{
    for (uint32_t i = 0; i < node_count; i++)
        order[i] = i;
    random_shuffle(&randomness, order, node_count);
    network_fault_fill(shape, order, 0, node_count, cuts);
}

static bool hears(uint32_t node_count, uint32_t node, uint32_t from)
{
    return !cuts[from * node_count + node];
}

/* How many a node hears, itself included. */
static uint32_t count_heard(uint32_t node_count, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t from = 0; from < node_count; from++)
        count += hears(node_count, node, from);
    return count;
}

static bool is_symmetric(uint32_t node_count)
{
    for (uint32_t i = 0; i < node_count; i++)
        for (uint32_t j = 0; j < node_count; j++)
            if (cuts[i * node_count + j] != cuts[j * node_count + i])
                return false;
    return true;
}

static bool hear_the_same(uint32_t node_count, uint32_t a, uint32_t b)
{
    for (uint32_t from = 0; from < node_count; from++)
        if (hears(node_count, a, from) != hears(node_count, b, from))
            return false;
    return true;
}

static void no_shape_cuts_a_node_from_itself(void)
{
    for (int shape = SHAPE_PARTITION_HALVES; shape <= SHAPE_PARTITION_ONE_WAY; shape++)
        for (uint32_t count = 3; count <= NODES_MAX; count++) {
            fill((enum nemesis_shape)shape, count);
            for (uint32_t node = 0; node < count; node++)
                TEST_ASSERT_TRUE_MESSAGE(hears(count, node, node),
                                         nemesis_shape_name((enum nemesis_shape)shape));
        }
}

static void every_shape_cuts_something(void)
{
    for (int shape = SHAPE_PARTITION_HALVES; shape <= SHAPE_PARTITION_ONE_WAY; shape++)
        for (uint32_t count = 3; count <= NODES_MAX; count++) {
            uint32_t cut = 0;
            fill((enum nemesis_shape)shape, count);
            for (uint32_t i = 0; i < count * count; i++)
                cut += cuts[i];
            TEST_ASSERT_TRUE_MESSAGE(cut > 0, nemesis_shape_name((enum nemesis_shape)shape));
        }
}

static void halves_are_the_lower_and_the_upper_numbers(void)
{
    fill(SHAPE_PARTITION_HALVES, 5);
    TEST_ASSERT_TRUE(is_symmetric(5));
    for (uint32_t node = 0; node < 5; node++)
        for (uint32_t from = 0; from < 5; from++)
            TEST_ASSERT_EQUAL((node < 2) == (from < 2), hears(5, node, from));
}

static void random_halves_hear_their_own_half(void)
{
    for (int round = 0; round < 50; round++) {
        uint32_t small = 0;
        fill(SHAPE_PARTITION_RANDOM_HALVES, 5);
        TEST_ASSERT_TRUE(is_symmetric(5));
        for (uint32_t node = 0; node < 5; node++) {
            small += count_heard(5, node) == 2;
            for (uint32_t from = 0; from < 5; from++)
                TEST_ASSERT_EQUAL(hears(5, node, from), hear_the_same(5, node, from));
        }
        TEST_ASSERT_EQUAL_UINT32(2, small);
    }
}

static void isolate_one_leaves_one_alone(void)
{
    uint32_t alone = 0;

    fill(SHAPE_PARTITION_ISOLATE_ONE, 5);
    TEST_ASSERT_TRUE(is_symmetric(5));
    for (uint32_t node = 0; node < 5; node++) {
        alone += count_heard(5, node) == 1;
        TEST_ASSERT_TRUE(count_heard(5, node) == 1 || count_heard(5, node) == 4);
    }
    TEST_ASSERT_EQUAL_UINT32(1, alone);
}

static void in_a_ring_each_hears_just_a_majority_and_no_two_the_same(void)
{
    for (uint32_t count = 3; count <= NODES_MAX; count++) {
        fill(SHAPE_PARTITION_MAJORITIES_RING, count);
        for (uint32_t node = 0; node < count; node++) {
            TEST_ASSERT_EQUAL_UINT32(count / 2 + 1, count_heard(count, node));
            for (uint32_t other = 0; other < node; other++)
                TEST_ASSERT_FALSE(hear_the_same(count, node, other));
        }
        /* A window of odd size reaches as far back as ahead. */
        TEST_ASSERT_EQUAL((count / 2 + 1) % 2 == 1, is_symmetric(count));
    }
}

static void only_the_bridge_hears_everybody(void)
{
    for (uint32_t count = 3; count <= NODES_MAX; count++) {
        uint32_t bridges = 0;
        fill(SHAPE_PARTITION_BRIDGE, count);
        TEST_ASSERT_TRUE(is_symmetric(count));
        for (uint32_t node = 0; node < count; node++)
            bridges += count_heard(count, node) == count;
        TEST_ASSERT_EQUAL_UINT32(1, bridges);
    }
}

static void one_way_silences_one_half_for_the_other(void)
{
    uint32_t deaf = 0;

    fill(SHAPE_PARTITION_ONE_WAY, 5);
    for (uint32_t node = 0; node < 5; node++) {
        TEST_ASSERT_TRUE(count_heard(5, node) == 5 || count_heard(5, node) == 3);
        deaf += count_heard(5, node) == 3;
    }
    TEST_ASSERT_EQUAL_UINT32(3, deaf);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(no_shape_cuts_a_node_from_itself);
    RUN_TEST(every_shape_cuts_something);
    RUN_TEST(halves_are_the_lower_and_the_upper_numbers);
    RUN_TEST(random_halves_hear_their_own_half);
    RUN_TEST(isolate_one_leaves_one_alone);
    RUN_TEST(in_a_ring_each_hears_just_a_majority_and_no_two_the_same);
    RUN_TEST(only_the_bridge_hears_everybody);
    RUN_TEST(one_way_silences_one_half_for_the_other);
    return UNITY_END();
}
