#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct arena arena;
static struct error err;

void setUp(void)
{
    ASSERT_OK(arena_init(&arena, 1000, &err), &err);
}

void tearDown(void)
{
    arena_close(&arena);
}

static void assert_zero(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        TEST_ASSERT_EQUAL_HEX8(0, bytes[i]);
}

static void what_it_gives_is_zero_aligned_and_apart(void)
{
    char *first = arena_push(&arena, 3, 5), *second = arena_push(&arena, 1, 1);

    TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)first % 16);
    TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)second % 16);
    TEST_ASSERT_EQUAL_INT64(16, second - first);
    assert_zero(first, 15);
}

static void memory_taken_back_is_zero_when_given_again(void)
{
    size_t mark, sizes[] = { 1, 16, 100, 500 };

    memset(arena_push(&arena, 1, 32), 0xff, 32);
    mark = arena.used;
    for (size_t i = 0; i < ROW_COUNT(sizes); i++) {
        char *again = arena_push(&arena, 1, sizes[i]);
        TEST_ASSERT_NOT_NULL(again);
        assert_zero(again, sizes[i]);
        memset(again, 0xff, sizes[i]);
        arena_reset_to(&arena, mark);
    }
    TEST_ASSERT_EQUAL_HEX8(0xff, arena.base[31]);
}

static void an_exhausted_arena_refuses_and_keeps_what_it_gave(void)
{
    static const struct {
        const char *what;
        size_t count, size;
    } rows[] = {
        { "one byte more than there is", 1, 1001 },
        { "a product that overflows", SIZE_MAX / 2 + 1, 2 },
        { "everything there could be", SIZE_MAX, 1 },
        { "a product that overflows to little", (SIZE_MAX >> 4) + 2, 16 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_NULL_MESSAGE(arena_push(&arena, rows[i].count, rows[i].size), rows[i].what);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, arena.used, rows[i].what);
    }
    TEST_ASSERT_NOT_NULL(arena_push(&arena, 1000, 1));
    TEST_ASSERT_NULL(arena_push(&arena, 1, 1));
}

static void an_arena_can_be_used_to_its_last_byte(void)
{
    char *last;

    TEST_ASSERT_NOT_NULL(arena_push(&arena, 1, 970)); /* the next starts at 976 */
    last = arena_push(&arena, 1, 24);
    TEST_ASSERT_NOT_NULL(last);
    memset(last, 1, 24);
    TEST_ASSERT_NULL(arena_push(&arena, 1, 1));
    arena_reset_to(&arena, 0);
    assert_zero(arena_push(&arena, 1, 1000), 1000);
}

static void nothing_can_be_asked_for(void)
{
    TEST_ASSERT_NOT_NULL(arena_push(&arena, 0, 8));
    TEST_ASSERT_NOT_NULL(arena_push(&arena, SIZE_MAX, 0));
    TEST_ASSERT_EQUAL_UINT64(0, arena.used);
}

static void an_arena_of_nothing_gives_nothing(void)
{
    struct arena none;

    ASSERT_OK(arena_init(&none, 0, &err), &err);
    TEST_ASSERT_NULL(arena_push(&none, 1, 1));
    arena_close(&none);
    arena_close(&none);
}

static void an_impossible_arena_is_refused_with_its_size(void)
{
    struct arena huge;

    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, arena_init(&huge, SIZE_MAX / 2, &err));
    TEST_ASSERT_EQUAL_STRING("no memory for an arena of 9223372036854775807 bytes", err.text);
    arena_close(&huge);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_it_gives_is_zero_aligned_and_apart);
    RUN_TEST(memory_taken_back_is_zero_when_given_again);
    RUN_TEST(an_exhausted_arena_refuses_and_keeps_what_it_gave);
    RUN_TEST(an_arena_can_be_used_to_its_last_byte);
    RUN_TEST(nothing_can_be_asked_for);
    RUN_TEST(an_arena_of_nothing_gives_nothing);
    RUN_TEST(an_impossible_arena_is_refused_with_its_size);
    return UNITY_END();
}
