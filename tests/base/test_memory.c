#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void a_refused_resize_keeps_the_block(void)
{
    void *block = NULL;

    ASSERT_OK(memory_resize(&block, 4, 1, &err), &err);
    memcpy(block, "abc", 4);
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, memory_resize(&block, SIZE_MAX / 2, 3, &err));
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, memory_resize(&block, SIZE_MAX, 1, &err));
    TEST_ASSERT_EQUAL_STRING("abc", block);
    ASSERT_OK(memory_resize(&block, 0, 8, &err), &err);
    TEST_ASSERT_NOT_NULL(block);
    free(block);
}

static void large_blocks_keep_their_bytes(void)
{
    void *block = NULL;
    size_t size = (size_t)9 << 20;

    ASSERT_OK(memory_resize(&block, size, 1, &err), &err);
    memset(block, 7, size);
    ASSERT_OK(memory_resize(&block, 2 * size, 1, &err), &err);
    TEST_ASSERT_EACH_EQUAL_HEX8(7, block, size);
    free(block);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_refused_resize_keeps_the_block);
    RUN_TEST(large_blocks_keep_their_bytes);
    return UNITY_END();
}
