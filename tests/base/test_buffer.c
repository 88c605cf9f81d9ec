#include "base/buffer.h"

#include <string.h>

#include "base/text.h"
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

static void a_buffer_grows_with_what_is_added(void)
{
    for (int i = 0; i < 1000; i++) {
        buffer_byte(&buffer, '<');
        buffer_text(&buffer, TEXT("abc"));
        buffer_print(&buffer, "%d%s", 42, ">");
    }
    ASSERT_OK(buffer_status(&buffer, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(7000, buffer.count);
    for (size_t i = 0; i < 1000; i++)
        TEST_ASSERT_EQUAL_STRING_LEN("<abc42>", buffer.at + 7 * i, 7);
    buffer_clear(&buffer);
    buffer_text(&buffer, TEXT("again"));
    assert_buffer("again");
}

static void nothing_can_be_added_to_a_new_buffer(void)
{
    buffer_text(&buffer, (struct text){ NULL, 0 });
    buffer_text(&buffer, TEXT(""));
    buffer_print(&buffer, "%s", "");
    assert_buffer("");
}

static void a_buffer_remembers_that_memory_ran_out(void)
{
    buffer_text(&buffer, TEXT("kept"));
    TEST_ASSERT_NULL(buffer_reserve(&buffer, SIZE_MAX));
    TEST_ASSERT_NULL(buffer_reserve(&buffer, SIZE_MAX / 2));
    buffer_text(&buffer, TEXT("!"));
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, buffer_status(&buffer, &err));
    TEST_ASSERT_EQUAL_STRING("no memory for output of more than 5 bytes", err.text);
}

static void json_strings_are_escaped_where_they_must_be(void)
{
    static const struct {
        const char *what;
        struct text text;
        const char *json;
    } rows[] = {
        { "nothing", TEXT(""), "\"\"" },
        { "plain", TEXT("plain"), "\"plain\"" },
        { "quote and backslash", TEXT("a\"b\\c"), "\"a\\\"b\\\\c\"" },
        { "at both ends", TEXT("\"x\""), "\"\\\"x\\\"\"" },
        { "named controls", TEXT("\n\t\r"), "\"\\n\\t\\r\"" },
        { "other controls", TEXT("\0\x01\x1f"), "\"\\u0000\\u0001\\u001f\"" },
        { "more than ASCII", TEXT("\x7f\xc3\xa9/"), "\"\x7f\xc3\xa9/\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        buffer_clear(&buffer);
        buffer_json(&buffer, rows[i].text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(strlen(rows[i].json), buffer.count, rows[i].what);
        assert_buffer(rows[i].json);
    }
    buffer_clear(&buffer);
    buffer_json(&buffer, (struct text){ NULL, 0 });
    assert_buffer("\"\"");
}

static void characters_are_written_as_utf8(void)
{
    static const struct {
        uint32_t code;
        const char *bytes;
    } rows[] = {
        { 'a', "a" },
        { 0x7f, "\x7f" },
        { 0x80, "\xc2\x80" },
        { 0x7ff, "\xdf\xbf" },
        { 0x800, "\xe0\xa0\x80" },
        { 0xffff, "\xef\xbf\xbf" },
        { 0x10000, "\xf0\x90\x80\x80" },
        { 0x10ffff, "\xf4\x8f\xbf\xbf" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        buffer_clear(&buffer);
        buffer_utf8(&buffer, rows[i].code);
        assert_buffer(rows[i].bytes);
        TEST_ASSERT_TRUE(text_is_utf8((struct text){ buffer.at, buffer.count }));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_buffer_grows_with_what_is_added);
    RUN_TEST(nothing_can_be_added_to_a_new_buffer);
    RUN_TEST(a_buffer_remembers_that_memory_ran_out);
    RUN_TEST(json_strings_are_escaped_where_they_must_be);
    RUN_TEST(characters_are_written_as_utf8);
    return UNITY_END();
}
