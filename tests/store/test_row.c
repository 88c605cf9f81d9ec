#include "store/row_private.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define WIDTH 12

static struct pool_memory memory;
static struct pool pool;
static struct wire_writer writer;
static struct heap heap;

void setUp(void)
{
    struct arena *arena = fixture_arena();

    pool_memory_init(&memory, arena, arena->size);
    pool_init(&pool, &memory);
    writer = (struct wire_writer){ .pool = &pool };
    heap_init(&heap, (size_t)1 << 20);
}

void tearDown(void)
{
    heap_close(&heap);
}

static struct datum array_of(const int64_t *at, const uint64_t *nulls, uint32_t length)
{
    struct datum d = { .kind = DATUM_ARRAY, .length = length };

    d.as.array.at = at;
    d.as.array.nulls = nulls;
    return d;
}

static void make_row(struct datum *row)
{
    static const int64_t elements[] = { INT64_MIN, 0, INT64_MAX, 7 };
    static const uint64_t nulls[] = { 2 };
    __int128 huge = (__int128)99999999999999999 * 1000000000000000000;

    memset(row, 0, WIDTH * sizeof *row);
    row[0] = datum_null();
    row[1] = datum_of_int64(INT64_MIN);
    row[2] = datum_of_int64(INT64_MAX);
    row[3] = datum_of_bool(true);
    row[4] = datum_of_timestamp(-1);
    row[5] = datum_of_numeric((struct numeric){ -huge, 12 });
    row[6] = datum_of_numeric((struct numeric){ huge, 0 });
    row[7] = datum_of_text(TEXT("a/b"));
    row[8] = datum_of_text(TEXT(""));
    row[9] = array_of(elements, nulls, 4);
    row[10] = array_of(elements, NULL, 0);
    row[11] = datum_of_int64(-1);
}

static struct text put(const struct datum *row, uint16_t width)
{
    wire_writer_reset(&writer);
    row_put(&writer, row, width);
    return wire_writer_text(&writer);
}

static void assert_same(const struct datum *a, const struct datum *b)
{
    TEST_ASSERT_EQUAL(a->kind, b->kind);
    TEST_ASSERT_TRUE(datum_equal(a, b));
    TEST_ASSERT_EQUAL(a->scale, b->scale);
}

static void a_row_of_every_kind_comes_back(void)
{
    struct datum row[WIDTH], back[WIDTH];

    make_row(row);
    TEST_ASSERT_TRUE(row_get(put(row, WIDTH), back, WIDTH, &heap));
    for (unsigned i = 0; i < WIDTH; i++)
        assert_same(&row[i], &back[i]);
}

static void some_columns_are_read_without_the_others(void)
{
    static const uint16_t columns[] = { 4, 7, 9, 11 };
    struct datum row[WIDTH], back[WIDTH];

    make_row(row);
    memset(back, 0, sizeof back);
    TEST_ASSERT_TRUE(row_get_some(put(row, WIDTH), columns, 4, back, &heap));
    for (unsigned i = 0; i < 4; i++)
        assert_same(&row[columns[i]], &back[columns[i]]);
    TEST_ASSERT_TRUE(datum_is_null(&back[1]));
}

static void a_row_that_is_cut_or_longer_is_none(void)
{
    struct datum row[WIDTH], back[WIDTH];
    struct text whole;

    make_row(row);
    whole = put(row, WIDTH);
    for (size_t length = 0; length < whole.length; length++) {
        heap_reset(&heap);
        TEST_ASSERT_FALSE(row_get((struct text){ whole.at, length }, back, WIDTH, &heap));
    }
    TEST_ASSERT_FALSE(row_get(whole, back, WIDTH - 1, &heap));
    TEST_ASSERT_FALSE(row_get(TEXT("\x07"), back, 1, &heap));
    TEST_ASSERT_FALSE(row_get(TEXT("\x06\xff\xff\xff\xff\x0f"), back, 1, &heap));
}

static void equal_rows_have_equal_bytes_whatever_stands_behind_nulls(void)
{
    static const int64_t one[] = { 1, 2 }, other[] = { 1, 99 };
    static const uint64_t nulls[] = { 2 }, more_nulls[] = { 2 | 4 };
    static const uint64_t none[] = { 0 };
    struct datum a = array_of(one, nulls, 2), b = array_of(other, more_nulls, 2);
    struct datum c = array_of(one, none, 2), d = array_of(one, NULL, 2);
    char first[64];
    struct text text = put(&a, 1);
    size_t length = text.length;

    memcpy(first, text.at, length);
    text = put(&b, 1);
    TEST_ASSERT_EQUAL(length, text.length);
    TEST_ASSERT_EQUAL_MEMORY(first, text.at, length);
    text = put(&c, 1);
    length = text.length;
    memcpy(first, text.at, length);
    text = put(&d, 1);
    TEST_ASSERT_EQUAL(length, text.length);
    TEST_ASSERT_EQUAL_MEMORY(first, text.at, length);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_of_every_kind_comes_back);
    RUN_TEST(some_columns_are_read_without_the_others);
    RUN_TEST(a_row_that_is_cut_or_longer_is_none);
    RUN_TEST(equal_rows_have_equal_bytes_whatever_stands_behind_nulls);
    return UNITY_END();
}
