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
    char *kept = arena_push(&arena, 1, 32);

    memset(kept, 0xff, 32);
    mark = arena.used;
    for (size_t i = 0; i < ROW_COUNT(sizes); i++) {
        char *again = arena_push(&arena, 1, sizes[i]);
        TEST_ASSERT_NOT_NULL(again);
        assert_zero(again, sizes[i]);
        memset(again, 0xff, sizes[i]);
        arena_reset_to(&arena, mark);
    }
    TEST_ASSERT_EQUAL_HEX8(0xff, kept[31]);
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

/* --- Many chunks ------------------------------------------------------------------ */

enum { BLOCKS = 3000, BLOCK_BYTES_MAX = 20000 };

static size_t block_bytes(size_t i)
{
    return i * 7919 % BLOCK_BYTES_MAX + 1;
}

/* Each block keeps its bytes while others come, and comes zeroed again after all went. */
static void a_growing_arena_moves_nothing_and_gives_zeroes(void)
{
    static unsigned char *blocks[BLOCKS];
    struct arena growing;

    ASSERT_OK(arena_init(&growing, ARENA_UNLIMITED, &err), &err);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < BLOCKS; i++) {
            blocks[i] = arena_push(&growing, 1, block_bytes(i + (size_t)round));
            TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)blocks[i] % 16);
            assert_zero((char *)blocks[i], block_bytes(i + (size_t)round));
            memset(blocks[i], (int)(i % 255) + 1, block_bytes(i + (size_t)round));
        }
        for (size_t i = 0; i < BLOCKS; i++)
            TEST_ASSERT_EACH_EQUAL_HEX8(i % 255 + 1, blocks[i], block_bytes(i + (size_t)round));
        arena_reset_to(&growing, 0);
    }
    arena_close(&growing);
}

static void a_reset_over_chunks_keeps_what_was_before_the_mark(void)
{
    struct arena growing;
    unsigned char *first, *again;
    size_t mark;

    ASSERT_OK(arena_init(&growing, ARENA_UNLIMITED, &err), &err);
    first = arena_push(&growing, 1, 1000);
    memset(first, 0xff, 1000);
    mark = growing.used;
    for (size_t size = 1000; size < (size_t)1 << 25; size *= 2)
        memset(arena_push(&growing, 1, size), 0xee, size);
    arena_reset_to(&growing, mark);
    again = arena_push(&growing, 1, 1000);
    TEST_ASSERT_EQUAL_PTR(first + 1008, again);
    TEST_ASSERT_EACH_EQUAL_HEX8(0, again, 1000);
    TEST_ASSERT_EACH_EQUAL_HEX8(0xff, first, 1000);
    arena_close(&growing);
}

static void the_limit_counts_all_chunks(void)
{
    struct arena growing;
    size_t given = 0;

    ASSERT_OK(arena_init(&growing, (size_t)1 << 20, &err), &err);
    while (arena_push(&growing, 1, 1000))
        given += 1000;
    TEST_ASSERT_TRUE(given <= (size_t)1 << 20);
    TEST_ASSERT_TRUE(given > (size_t)15 << 16);
    arena_close(&growing);
}

static void an_arena_over_memory_gives_out_that_memory(void)
{
    _Alignas(16) static char memory[64];
    struct arena borrowed = arena_over(memory, sizeof memory);

    memset(memory, 0xff, sizeof memory);
    TEST_ASSERT_EQUAL_PTR(memory, arena_push(&borrowed, 1, 40));
    assert_zero(memory, 40);
    TEST_ASSERT_NULL(arena_push(&borrowed, 1, 20));
    TEST_ASSERT_EQUAL_PTR(memory + 48, arena_push(&borrowed, 1, 16));
}

/* --- Work that is abandoned ------------------------------------------------------- */

struct greed {
    size_t bytes, steps, took;
};

static enum status take_much(void *context, struct error *e)
{
    struct greed *greed = context;

    (void)e;
    for (size_t i = 0; i < greed->steps; i++) {
        arena_take(&arena, 1, greed->bytes);
        greed->took++;
    }
    return STATUS_OK;
}

static void work_that_finds_no_memory_is_abandoned_with_an_error(void)
{
    struct arena_guard guard = { .is_open = false };
    struct greed modest = { 100, 3, 0 }, greedy = { 100, 1000, 0 };

    ASSERT_OK(arena_guarded(&arena, &guard, take_much, &modest, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(3, modest.took);
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT,
                          arena_guarded(&arena, &guard, take_much, &greedy, &err));
    TEST_ASSERT_EQUAL_STRING("no memory left for more than 1000 bytes", err.text);
    TEST_ASSERT_EQUAL_UINT64(6, greedy.took);
    TEST_ASSERT_FALSE(guard.is_open);
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
    RUN_TEST(a_growing_arena_moves_nothing_and_gives_zeroes);
    RUN_TEST(a_reset_over_chunks_keeps_what_was_before_the_mark);
    RUN_TEST(the_limit_counts_all_chunks);
    RUN_TEST(an_arena_over_memory_gives_out_that_memory);
    RUN_TEST(work_that_finds_no_memory_is_abandoned_with_an_error);
    return UNITY_END();
}
