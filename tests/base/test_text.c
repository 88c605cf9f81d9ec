#include "base/text.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct buffer buffer;
static struct error err;

void setUp(void)
{
    buffer = (struct buffer){ 0 };
}

void tearDown(void)
{
    buffer_close(&buffer);
}

static void assert_buffer(const char *expected)
{
    ASSERT_OK(buffer_status(&buffer, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(strlen(expected), buffer.count);
    if (buffer.count)
        TEST_ASSERT_EQUAL_STRING_LEN(expected, buffer.at, buffer.count);
}

static void texts_are_equal_by_their_bytes(void)
{
    struct text none = { NULL, 0 };

    TEST_ASSERT_TRUE(text_equal(TEXT("abc"), text_of("abc")));
    TEST_ASSERT_FALSE(text_equal(TEXT("abc"), TEXT("abd")));
    TEST_ASSERT_FALSE(text_equal(TEXT("abc"), TEXT("ab")));
    TEST_ASSERT_FALSE(text_equal(TEXT("a\0b"), TEXT("a\0c")));
    TEST_ASSERT_TRUE(text_equal(none, TEXT("")));
    TEST_ASSERT_TRUE(text_equal(none, none));
}

static void texts_are_ordered_by_bytes_and_a_prefix_comes_first(void)
{
    static const struct text rising[] = {
        TEXT(""),   TEXT("\0"), TEXT("\0\0"), TEXT("A"),    TEXT("a"),
        TEXT("aa"), TEXT("ab"), TEXT("b"),    TEXT("\x7f"), TEXT("\xc3\xa9"),
    };

    for (size_t i = 0; i < ROW_COUNT(rising); i++)
        for (size_t j = 0; j < ROW_COUNT(rising); j++) {
            int order = text_compare(rising[i], rising[j]);
            TEST_ASSERT_EQUAL_INT((i > j) - (i < j), (order > 0) - (order < 0));
        }
    TEST_ASSERT_EQUAL_INT(0, text_compare((struct text){ NULL, 0 }, TEXT("")));
}

static void utf8_is_told_from_what_only_looks_like_it(void)
{
    static const struct {
        const char *what;
        struct text text;
        bool is_utf8;
    } rows[] = {
        { "nothing", TEXT(""), true },
        { "ASCII with a zero byte", TEXT("a\0b"), true },
        { "the last of one byte", TEXT("\x7f"), true },
        { "the first of two bytes", TEXT("\xc2\x80"), true },
        { "the last of two bytes", TEXT("\xdf\xbf"), true },
        { "the first of three bytes", TEXT("\xe0\xa0\x80"), true },
        { "the last before the surrogates", TEXT("\xed\x9f\xbf"), true },
        { "the first after the surrogates", TEXT("\xee\x80\x80"), true },
        { "the last of three bytes", TEXT("\xef\xbf\xbf"), true },
        { "the first of four bytes", TEXT("\xf0\x90\x80\x80"), true },
        { "the last code point", TEXT("\xf4\x8f\xbf\xbf"), true },
        { "a continuation alone", TEXT("\x80"), false },
        { "the last continuation alone", TEXT("\xbf"), false },
        { "overlong zero", TEXT("\xc0\x80"), false },
        { "overlong two bytes", TEXT("\xc1\xbf"), false },
        { "overlong three bytes", TEXT("\xe0\x9f\xbf"), false },
        { "overlong four bytes", TEXT("\xf0\x8f\xbf\xbf"), false },
        { "the first surrogate", TEXT("\xed\xa0\x80"), false },
        { "the last surrogate", TEXT("\xed\xbf\xbf"), false },
        { "beyond the last code point", TEXT("\xf4\x90\x80\x80"), false },
        { "a lead of five bytes", TEXT("\xf8\x88\x80\x80\x80"), false },
        { "0xff", TEXT("\xff"), false },
        { "two bytes cut short", TEXT("\xc2"), false },
        { "three bytes cut short", TEXT("\xe2\x82"), false },
        { "four bytes cut short", TEXT("\xf0\x90\x80"), false },
        { "two bytes without continuation",
          TEXT("\xc2"
               "a"),
          false },
        { "three bytes, the last wrong",
          TEXT("\xe2\x82"
               "a"),
          false },
        { "four bytes, the last wrong",
          TEXT("\xf0\x90\x80"
               "a"),
          false },
        { "wrong after much that is right", TEXT("right right right \xc3\xa9 \xfe"), false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_utf8, text_is_utf8(rows[i].text), rows[i].what);
}

static void integers_are_read_whole_and_in_range_or_not_at_all(void)
{
    static const struct {
        struct text text;
        bool is_integer;
        int64_t number;
    } rows[] = {
        { TEXT("0"), true, 0 },
        { TEXT("-1"), true, -1 },
        { TEXT("1000000"), true, 1000000 },
        { TEXT("9223372036854775807"), true, INT64_MAX },
        { TEXT("-9223372036854775808"), true, INT64_MIN },
        { TEXT("9223372036854775808"), false, 0 },
        { TEXT("-9223372036854775809"), false, 0 },
        { TEXT("9999999999999999999"), false, 0 },
        { TEXT("18446744073709551617"), false, 0 },
        { TEXT("100000000000000000000000"), false, 0 },
        { TEXT("-0"), false, 0 },
        { TEXT("00"), false, 0 },
        { TEXT("007"), false, 0 },
        { TEXT("-07"), false, 0 },
        { TEXT("+1"), false, 0 },
        { TEXT("--1"), false, 0 },
        { TEXT("-"), false, 0 },
        { TEXT(""), false, 0 },
        { TEXT(" 1"), false, 0 },
        { TEXT("1 "), false, 0 },
        { TEXT("1.0"), false, 0 },
        { TEXT("1e3"), false, 0 },
        { TEXT("1\0"), false, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int64_t number = 12345;
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_integer, text_to_int64(rows[i].text, &number),
                                  rows[i].text.at);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].is_integer ? rows[i].number : 12345, number,
                                        rows[i].text.at);
    }
}

static void integers_are_written_as_they_are_read(void)
{
    static const char *const rows[] = {
        "0",
        "7",
        "-7",
        "10",
        "99",
        "100",
        "-100",
        "12345",
        "999999999999",
        "9223372036854775807",
        "-9223372036854775808",
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char written[21] = { 0 };
        int64_t number;

        TEST_ASSERT_TRUE(text_to_int64(text_of(rows[i]), &number));
        *text_write_int64(written, number) = '\0';
        TEST_ASSERT_EQUAL_STRING(rows[i], written);
        buffer_clear(&buffer);
        buffer_int64(&buffer, number);
        assert_buffer(rows[i]);
    }
}

static void a_number_is_taken_from_the_front(void)
{
    static const struct {
        struct text text;
        bool is_taken;
        uint64_t number;
        const char *rest;
    } rows[] = {
        { TEXT("12 rest"), true, 12, " rest" },
        { TEXT("007"), true, 7, "" },
        { TEXT("18446744073709551615,"), true, UINT64_MAX, "," },
        { TEXT("18446744073709551616"), false, 0, "18446744073709551616" },
        { TEXT("99999999999999999999"), false, 0, "99999999999999999999" },
        { TEXT("-1"), false, 0, "-1" },
        { TEXT(""), false, 0, "" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct text text = rows[i].text;
        uint64_t number = 0;

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_taken, text_take_uint64(&text, &number),
                                  rows[i].text.at);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].number, number, rows[i].text.at);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(strlen(rows[i].rest), text.length, rows[i].text.at);
        TEST_ASSERT_EQUAL_STRING(rows[i].rest, text.at);
    }
}

static void the_nearest_name_is_found_if_one_is_near(void)
{
    static const char *const names[] = { "run",     "sweep",    "bisect", "check",
                                         "convert", "generate", NULL };
    static const char *const none[] = { NULL };
    static const struct {
        const char *wanted, *nearest;
    } rows[] = {
        { "rnu", "run" },
        { "chekc", "check" },
        { "swep", "sweep" },
        { "bissect", "bisect" },
        { "genrate", "generate" },
        { "run", "run" },
        { "covert", "convert" },
        { "xyz", NULL },
        { "seed", NULL }, /* two letters of four are too many */
        { "", NULL },
        { "completely-different", NULL },
        { "a-name-that-is-far-longer-than-any-name-that-there-could-ever-be-in-a-list", NULL },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const char *nearest = text_nearest(text_of(rows[i].wanted), names);
        if (rows[i].nearest)
            TEST_ASSERT_EQUAL_STRING(rows[i].nearest, nearest);
        else
            TEST_ASSERT_NULL_MESSAGE(nearest, rows[i].wanted);
    }
    TEST_ASSERT_NULL(text_nearest(TEXT("run"), none));
}

static void a_prefix_is_taken_off_if_it_is_there(void)
{
    struct text text = TEXT("every=2s");

    TEST_ASSERT_FALSE(text_take(&text, TEXT("every=2s,")));
    TEST_ASSERT_FALSE(text_take(&text, TEXT("for=")));
    TEST_ASSERT_TRUE(text_take(&text, TEXT("every=")));
    TEST_ASSERT_TRUE(text_equal(text, TEXT("2s")));
}

static void what_stands_behind_the_last_byte_of_a_kind(void)
{
    TEST_ASSERT_TRUE(text_equal(text_behind_last(TEXT("0-1-57"), '-'), TEXT("57")));
    TEST_ASSERT_TRUE(text_equal(text_behind_last(TEXT("57"), '-'), TEXT("57")));
    TEST_ASSERT_TRUE(text_equal(text_behind_last(TEXT("57-"), '-'), TEXT("")));
    TEST_ASSERT_TRUE(text_equal(text_behind_last(TEXT(""), '-'), TEXT("")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(texts_are_equal_by_their_bytes);
    RUN_TEST(texts_are_ordered_by_bytes_and_a_prefix_comes_first);
    RUN_TEST(utf8_is_told_from_what_only_looks_like_it);
    RUN_TEST(integers_are_read_whole_and_in_range_or_not_at_all);
    RUN_TEST(integers_are_written_as_they_are_read);
    RUN_TEST(a_number_is_taken_from_the_front);
    RUN_TEST(the_nearest_name_is_found_if_one_is_near);
    RUN_TEST(a_prefix_is_taken_off_if_it_is_there);
    RUN_TEST(what_stands_behind_the_last_byte_of_a_kind);
    return UNITY_END();
}
