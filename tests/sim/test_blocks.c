#include "sim/blocks.h"

#include <stdbool.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct blocks blocks;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    blocks_init(&blocks, (size_t)8 << 20, fixture_arena());
}

void tearDown(void) {}

static char *take(size_t size)
{
    void *block;

    ASSERT_OK(blocks_take(&blocks, size, &block, &err), &err);
    memset(block, 'x', size);
    return block;
}

static void a_block_given_back_is_the_next_of_its_size(void)
{
    static const struct {
        const char *label;
        size_t given, taken;
        bool same;
    } rows[] = {
        { "the same size", 100, 100, true },        { "both rounded up to 128", 65, 128, true },
        { "empty ones are 64 bytes", 0, 64, true }, { "a larger one", 128, 129, false },
        { "a smaller one", 129, 128, false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char *first = take(rows[i].given);
        blocks_give(&blocks, first, rows[i].given);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].same, take(rows[i].taken) == first, rows[i].label);
    }
}

static void blocks_in_use_never_overlap(void)
{
    char *at[200];

    for (size_t i = 0; i < ROW_COUNT(at); i++) {
        size_t size = 1 + i * 37 % 3000;
        at[i] = take(size);
        memset(at[i], (int)i, size);
    }
    for (size_t i = 0; i < ROW_COUNT(at); i++)
        for (size_t j = 0; j < 1 + i * 37 % 3000; j++)
            TEST_ASSERT_EQUAL_HEX8((uint8_t)i, (uint8_t)at[i][j]);
}

static void what_is_recycled_takes_nothing_from_the_arena(void)
{
    size_t used;

    blocks_give(&blocks, take(5000), 5000);
    used = blocks.arena->used;
    for (int i = 0; i < 10000; i++)
        blocks_give(&blocks, take(5000), 5000);
    TEST_ASSERT_EQUAL_UINT64(used, blocks.arena->used);
}

static void what_is_over_the_limit_is_refused(void)
{
    void *block;

    blocks_init(&blocks, 100000, fixture_arena());
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, blocks_take(&blocks, 100001, &block, &err));
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, blocks_take(&blocks, (size_t)1 << 40, &block, &err));
    take(10);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_block_given_back_is_the_next_of_its_size);
    RUN_TEST(blocks_in_use_never_overlap);
    RUN_TEST(what_is_recycled_takes_nothing_from_the_arena);
    RUN_TEST(what_is_over_the_limit_is_refused);
    return UNITY_END();
}
