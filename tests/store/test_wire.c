#include "store/wire_private.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct pool_memory memory;
static struct pool pool;
static struct wire_writer writer;

void setUp(void)
{
    pool_memory_init(&memory, fixture_arena(), (size_t)8 << 20);
    pool_init(&pool, &memory);
    writer = (struct wire_writer){ .pool = &pool };
}

void tearDown(void) {}

static const uint64_t numbers[] = {
    0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX
};

static void numbers_come_back(void)
{
    struct wire_reader reader;

    for (size_t i = 0; i < ROW_COUNT(numbers); i++) {
        wire_put_number(&writer, numbers[i]);
        wire_put_signed(&writer, (int64_t)numbers[i]);
    }
    reader = wire_reader_of(wire_writer_text(&writer));
    for (size_t i = 0; i < ROW_COUNT(numbers); i++) {
        TEST_ASSERT_EQUAL_UINT64(numbers[i], wire_get_number(&reader));
        TEST_ASSERT_EQUAL_INT64((int64_t)numbers[i], wire_get_signed(&reader));
    }
    TEST_ASSERT_TRUE(wire_reader_is_done(&reader));
}

static void small_numbers_are_short(void)
{
    static const struct {
        int64_t number;
        size_t size;
    } rows[] = { { 0, 1 }, { 63, 1 }, { -64, 1 }, { 64, 2 }, { -65, 2 }, { INT64_MIN, 10 } };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        wire_writer_reset(&writer);
        wire_put_signed(&writer, rows[i].number);
        TEST_ASSERT_EQUAL_UINT64(rows[i].size, writer.count);
    }
}

static void texts_and_stamps_come_back(void)
{
    const struct stamp stamp = { .wall_ns = -5, .logical = UINT32_MAX, .txn = UINT64_MAX };
    struct wire_reader reader;
    struct stamp got;

    wire_put_text(&writer, TEXT("one"));
    wire_put_text(&writer, (struct text){ 0 });
    wire_put_stamp(&writer, stamp);
    wire_put_bytes(&writer, "raw", 3);
    reader = wire_reader_of(wire_writer_text(&writer));
    TEST_ASSERT_TRUE(text_equal(TEXT("one"), wire_get_text(&reader)));
    TEST_ASSERT_EQUAL_UINT64(0, wire_get_text(&reader).length);
    got = wire_get_stamp(&reader);
    TEST_ASSERT_TRUE(stamp_equal(stamp, got));
    TEST_ASSERT_TRUE(text_equal(TEXT("raw"), wire_get_bytes(&reader, 3)));
    TEST_ASSERT_TRUE(wire_reader_is_done(&reader));
}

static void a_writer_grows_and_keeps_its_room(void)
{
    size_t bytes;

    for (int i = 0; i < 100000; i++)
        wire_put_number(&writer, (uint64_t)i);
    bytes = memory.bytes;
    for (int round = 0; round < 5; round++) {
        wire_writer_reset(&writer);
        TEST_ASSERT_EQUAL_UINT64(0, wire_writer_text(&writer).length);
        for (int i = 0; i < 100000; i++)
            wire_put_number(&writer, (uint64_t)i);
    }
    TEST_ASSERT_EQUAL_UINT64(bytes, memory.bytes);
    wire_writer_close(&writer);
    TEST_ASSERT_EQUAL_UINT64(0, writer.room);
}

static void what_no_writer_makes_is_bad(void)
{
    static const struct {
        const char *label;
        struct text bytes;
    } rows[] = {
        { "nothing", { "", 0 } },
        { "a number that does not end", { "\xff\xff", 2 } },
        { "a number beyond 64 bits", { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 } },
        { "a number of eleven bytes", { "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11 } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct wire_reader reader = wire_reader_of(rows[i].bytes);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, wire_get_number(&reader), rows[i].label);
        TEST_ASSERT_TRUE_MESSAGE(reader.bad, rows[i].label);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, wire_get_number(&reader), rows[i].label);
    }
}

static void lengths_beyond_the_end_are_bad(void)
{
    struct wire_reader text = wire_reader_of((struct text){ "\x05"
                                                            "abc",
                                                            4 });
    struct wire_reader count = wire_reader_of((struct text){ "\x04"
                                                             "abc",
                                                             4 });
    struct wire_reader fits = wire_reader_of((struct text){ "\x03"
                                                            "abc",
                                                            4 });

    TEST_ASSERT_EQUAL_UINT64(0, wire_get_text(&text).length);
    TEST_ASSERT_TRUE(text.bad);
    TEST_ASSERT_EQUAL_UINT32(0, wire_get_count(&count));
    TEST_ASSERT_TRUE(count.bad);
    TEST_ASSERT_EQUAL_UINT32(3, wire_get_count(&fits));
    TEST_ASSERT_FALSE(fits.bad);
}

/* Whatever the bytes are, a reader stays within them: the sanitizers watch. */
static void no_bytes_lead_a_reader_astray(void)
{
    struct random_key key = random_key_of_seed(1);
    struct random random;

    random_init(&random, &key);
    for (int i = 0; i < 20000; i++) {
        char bytes[24];
        struct wire_reader reader;

        for (size_t at = 0; at < sizeof bytes; at++)
            bytes[at] = (char)random_next(&random);
        reader = wire_reader_of((struct text){ bytes, random_below(&random, sizeof bytes) });
        while (reader.at < reader.end) {
            wire_get_text(&reader);
            wire_get_stamp(&reader);
            wire_get_count(&reader);
            wire_get_byte(&reader);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(numbers_come_back);
    RUN_TEST(small_numbers_are_short);
    RUN_TEST(texts_and_stamps_come_back);
    RUN_TEST(a_writer_grows_and_keeps_its_room);
    RUN_TEST(what_no_writer_makes_is_bad);
    RUN_TEST(lengths_beyond_the_end_are_bad);
    RUN_TEST(no_bytes_lead_a_reader_astray);
    return UNITY_END();
}
