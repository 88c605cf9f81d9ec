#include "store/equality_private.h"

#include "tests/fixture.h"
#include "unity.h"

static struct pool_memory memory;
static struct pool pool;
static struct equality *equality;

void setUp(void)
{
    pool_memory_init(&memory, fixture_arena(), (size_t)32 << 20);
    pool_init(&pool, &memory);
    equality = equality_open(&pool, 2, 3);
}

void tearDown(void) {}

static bool differs(void)
{
    uint32_t shard, node;
    uint64_t index;

    return equality_differs(equality, &shard, &node, &index);
}

static uint64_t apply(uint32_t node, uint64_t index, const char *command, uint64_t chain)
{
    return equality_applied(equality,
                            &(struct equality_entry){ 0, node, index, 1, text_of(command) }, chain);
}

static void replicas_that_apply_the_same_are_equal(void)
{
    uint64_t a = 0, b = 0;

    for (uint64_t i = 1; i < 100; i++)
        a = apply(0, i, i % 2 ? "x" : "yy", a);
    for (uint64_t i = 1; i < 100; i++)
        b = apply(1, i, i % 2 ? "x" : "yy", b);
    TEST_ASSERT_EQUAL_UINT64(a, b);
    TEST_ASSERT_FALSE(differs());
}

static void the_first_difference_is_told(void)
{
    uint32_t shard = 9, node = 9;
    uint64_t index = 9, a = apply(0, 1, "x", 0), b;

    a = apply(0, 2, "x", a);
    apply(0, 3, "x", a);
    b = apply(2, 1, "x", 0);
    b = apply(2, 2, "y", b);
    apply(2, 3, "x", b);
    TEST_ASSERT_TRUE(equality_differs(equality, &shard, &node, &index));
    TEST_ASSERT_EQUAL_UINT32(0, shard);
    TEST_ASSERT_EQUAL_UINT32(2, node);
    TEST_ASSERT_EQUAL_UINT64(2, index);
}

static void a_term_or_an_empty_command_that_differs_is_a_difference(void)
{
    equality_applied(equality, &(struct equality_entry){ 0, 0, 1, 1, TEXT("") }, 0);
    equality_applied(equality, &(struct equality_entry){ 0, 1, 1, 2, TEXT("") }, 0);
    TEST_ASSERT_TRUE(differs());
}

static void shards_have_nothing_to_do_with_each_other(void)
{
    equality_applied(equality, &(struct equality_entry){ 0, 0, 1, 1, TEXT("x") }, 0);
    equality_applied(equality, &(struct equality_entry){ 1, 0, 1, 1, TEXT("y") }, 0);
    TEST_ASSERT_FALSE(differs());
}

static void a_replica_that_lags_far_behind_is_compared_when_it_comes_near(void)
{
    uint64_t a = 0, b = 0;

    for (uint64_t i = 1; i <= 20000; i++)
        a = apply(0, i, "x", a);
    for (uint64_t i = 1; i <= 10000; i++)
        b = apply(1, i, i == 5 ? "y" : "x", b);
    TEST_ASSERT_FALSE(differs());
    for (uint64_t i = 10001; i <= 20000; i++)
        b = apply(1, i, "x", b);
    TEST_ASSERT_TRUE(differs());
}

static void states_are_compared_where_two_were_taken_at_one_index(void)
{
    equality_state(equality, 0, 0, 100, TEXT("state"));
    equality_state(equality, 0, 1, 200, TEXT("another"));
    equality_state(equality, 0, 1, 100, TEXT("state"));
    TEST_ASSERT_FALSE(differs());
    equality_state(equality, 0, 2, 200, TEXT("different"));
    TEST_ASSERT_TRUE(differs());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(replicas_that_apply_the_same_are_equal);
    RUN_TEST(the_first_difference_is_told);
    RUN_TEST(a_term_or_an_empty_command_that_differs_is_a_difference);
    RUN_TEST(shards_have_nothing_to_do_with_each_other);
    RUN_TEST(a_replica_that_lags_far_behind_is_compared_when_it_comes_near);
    RUN_TEST(states_are_compared_where_two_were_taken_at_one_index);
    return UNITY_END();
}
