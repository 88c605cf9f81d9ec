#include "base/pool.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct pool_memory memory;
static struct pool pool;

void setUp(void)
{
    pool_memory_init(&memory, fixture_arena(), (size_t)8 << 20);
    pool_init(&pool, &memory);
}

void tearDown(void) {}

static void a_block_is_zeroed_and_aligned_whatever_was_there(void)
{
    static const size_t sizes[] = { 1, 16, 17, 100, 4096, 20000, 1 << 20 };

    for (size_t i = 0; i < ROW_COUNT(sizes); i++) {
        char *first = pool_take(&pool, sizes[i]), *second;

        memset(first, 0xee, sizes[i]);
        pool_give(&pool, first, sizes[i]);
        second = pool_take(&pool, sizes[i]);
        TEST_ASSERT_EQUAL_PTR(first, second);
        TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)second % 16);
        for (size_t at = 0; at < sizes[i]; at++)
            TEST_ASSERT_EQUAL_HEX8(0, second[at]);
    }
}

static void blocks_do_not_overlap(void)
{
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];

    for (int i = 0; i < COUNT; i++) {
        blocks[i] = pool_take(&pool, (size_t)i * 7 + 1);
        memset(blocks[i], i, (size_t)i * 7 + 1);
    }
    for (int i = 0; i < COUNT; i++)
        for (size_t at = 0; at < (size_t)i * 7 + 1; at++)
            TEST_ASSERT_EQUAL_HEX8(i, blocks[i][at]);
}

static void what_a_pool_dropped_serves_the_next(void)
{
    size_t bytes = 0;

    for (int life = 0; life < 10; life++) {
        for (int i = 0; i < 1000; i++)
            pool_take(&pool, 300);
        pool_take(&pool, 100000);
        if (life == 0)
            bytes = memory.bytes;
        TEST_ASSERT_EQUAL_UINT64(bytes, pool.held_bytes);
        pool_drop(&pool);
        TEST_ASSERT_EQUAL_UINT64(0, pool.held_bytes);
    }
    TEST_ASSERT_EQUAL_UINT64(bytes, memory.bytes);
}

static void growing_keeps_the_bytes_and_zeroes_the_rest(void)
{
    char *block = pool_take(&pool, 20);

    memcpy(block, "twenty bytes, no less", 20);
    block = pool_grow(&pool, block, 20, 30);
    TEST_ASSERT_EQUAL_MEMORY("twenty bytes, no less", block, 20);
    block = pool_grow(&pool, block, 30, 5000);
    TEST_ASSERT_EQUAL_MEMORY("twenty bytes, no less", block, 20);
    for (size_t at = 20; at < 5000; at++)
        TEST_ASSERT_EQUAL_HEX8(0, block[at]);
}

static void a_vector_keeps_its_order(void)
{
    ARRAY(uint32_t) numbers = { 0 };
    size_t bytes;

    for (uint32_t i = 0; i < 1000; i++)
        pool_push(&pool, &numbers, i);
    array_remove(&numbers, 0);
    array_remove(&numbers, 500);
    array_remove(&numbers, 997);
    TEST_ASSERT_EQUAL_UINT32(997, numbers.count);
    TEST_ASSERT_EQUAL_UINT32(1, numbers.at[0]);
    TEST_ASSERT_EQUAL_UINT32(500, numbers.at[499]);
    TEST_ASSERT_EQUAL_UINT32(502, numbers.at[500]);
    TEST_ASSERT_EQUAL_UINT32(998, numbers.at[996]);
    bytes = memory.bytes;
    pool_close(&pool, &numbers);
    TEST_ASSERT_NULL(numbers.at);
    for (uint32_t i = 0; i < 1000; i++)
        pool_push(&pool, &numbers, i);
    TEST_ASSERT_EQUAL_UINT64(bytes, memory.bytes);
}

static void it_says_in_time_that_it_runs_short(void)
{
    struct arena arena = { 0 };
    struct error err = { 0 };

    ASSERT_OK(arena_init(&arena, (size_t)1 << 30, &err), &err);
    pool_memory_init(&memory, &arena, (size_t)8 << 20);
    pool_init(&pool, &memory);
    TEST_ASSERT_FALSE(pool_memory_is_short(&memory));
    while (memory.bytes <= (size_t)8 << 20) {
        TEST_ASSERT_FALSE(pool_memory_is_short(&memory));
        pool_take(&pool, 1 << 20);
    }
    TEST_ASSERT_TRUE(pool_memory_is_short(&memory));
    arena_close(&arena);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_block_is_zeroed_and_aligned_whatever_was_there);
    RUN_TEST(blocks_do_not_overlap);
    RUN_TEST(what_a_pool_dropped_serves_the_next);
    RUN_TEST(growing_keeps_the_bytes_and_zeroes_the_rest);
    RUN_TEST(a_vector_keeps_its_order);
    RUN_TEST(it_says_in_time_that_it_runs_short);
    return UNITY_END();
}
