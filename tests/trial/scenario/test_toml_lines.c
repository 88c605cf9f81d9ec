#include "trial/scenario/toml_lines_private.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static struct toml_lines lines;
static struct buffer made;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    buffer_clear(&made);
}

void tearDown(void)
{
    toml_lines_close(&lines);
    buffer_close(&made);
}

static enum status find_in(struct text text)
{
    toml_lines_close(&lines);
    return toml_lines_find(&lines, text, &err);
}

static void find(const char *text)
{
    ASSERT_OK(find_in(text_of(text)), &err);
}

static uint64_t line_of(const char *path)
{
    return toml_lines_of(&lines, text_of(path));
}

static void repeat(const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buffer_text(&made, text_of(piece));
}

static enum status guard_made(void)
{
    return find_in((struct text){ made.at, made.count });
}

static void keys_tables_and_elements_have_their_lines(void)
{
    static const char text[] = "name = 'x' # a = 1\n"
                               "\n"
                               "[network]\n"
                               "latency = { median = \"1ms\", p99 = \"2ms\" }\n"
                               "a.b.c = 1\n"
                               "[[nemesis]]\n"
                               "kind = \"crash\"\n"
                               "[[nemesis]]\n"
                               "list = [ 1,\n"
                               "  { deep = 2.5 }, # comment ]\n"
                               "  \"]\" ]\n"
                               "[nemesis.more]\n"
                               "\"quoted key\" = 1979-05-27 07:32:00\n";
    static const struct {
        const char *path;
        uint64_t line;
    } rows[] = {
        { "name", 1 },
        { "a", 0 },
        { "network", 3 },
        { "network.latency", 4 },
        { "network.latency.p99", 4 },
        { "network.a.b", 5 },
        { "network.a.b.c", 5 },
        { "nemesis", 6 },
        { "nemesis.0", 6 },
        { "nemesis.0.kind", 7 },
        { "nemesis.1", 8 },
        { "nemesis.1.kind", 0 },
        { "nemesis.1.list", 9 },
        { "nemesis.1.list.0", 9 },
        { "nemesis.1.list.1", 10 },
        { "nemesis.1.list.1.deep", 10 },
        { "nemesis.1.list.2", 11 },
        { "nemesis.1.more", 12 },
        { "nemesis.1.more.quoted key", 13 },
    };

    find(text);
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].line, line_of(rows[i].path), rows[i].path);
}

static void strings_of_many_lines_count_theirs(void)
{
    find("a = \"\"\"one\ntwo \\\"\"\" [x]\n\"\"\"\nb = '''\n[y]\n'''\nc = 1\n");
    TEST_ASSERT_EQUAL_UINT64(1, line_of("a"));
    TEST_ASSERT_EQUAL_UINT64(4, line_of("b"));
    TEST_ASSERT_EQUAL_UINT64(7, line_of("c"));
    TEST_ASSERT_EQUAL_UINT64(0, line_of("y"));
}

static void what_is_not_toml_is_walked_through_to_its_end(void)
{
    static const char *const texts[] = {
        "", "]]]}}},,,===...", "[[[[", "a = [", "a = {", "a = {b", "\"", "'''", "a..b=1",
        "= =\n[]\n",
    };

    for (size_t i = 0; i < ROW_COUNT(texts); i++)
        find(texts[i]);
}

static void nesting_is_refused_only_beyond_the_limit(void)
{
    buffer_text(&made, TEXT("x = 1\na = "));
    repeat("[", TOML_DEPTH_MAX);
    repeat("]", TOML_DEPTH_MAX);
    ASSERT_OK(guard_made(), &err);

    buffer_clear(&made);
    buffer_text(&made, TEXT("x = 1\na = "));
    repeat("{a=", TOML_DEPTH_MAX + 1);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guard_made());
    TEST_ASSERT_EQUAL_STRING("nested more than 64 deep", err.text);
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
}

static void brackets_in_strings_and_comments_nest_nothing(void)
{
    buffer_text(&made, TEXT("a = \""));
    repeat("[", 100);
    buffer_text(&made, TEXT("\" # "));
    repeat("[", 100);
    buffer_text(&made, TEXT("\nb = '"));
    repeat("{", 100);
    buffer_text(&made, TEXT("'\n"));
    ASSERT_OK(guard_made(), &err);
}

static void a_key_of_too_many_parts_is_refused(void)
{
    repeat("a.", TOML_DEPTH_MAX);
    buffer_text(&made, TEXT("a = 1\n"));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guard_made());
    TEST_ASSERT_EQUAL_STRING("nested more than 64 deep", err.text);
}

static void many_fractions_in_a_list_are_no_deep_key(void)
{
    buffer_text(&made, TEXT("a = ["));
    repeat("0.5, ", 1000);
    buffer_text(&made, TEXT("]\n"));
    ASSERT_OK(guard_made(), &err);
}

static void too_many_values_are_refused(void)
{
    buffer_text(&made, TEXT("a = ["));
    repeat("1,", TOML_VALUES_MAX);
    buffer_text(&made, TEXT("]\n"));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guard_made());
    TEST_ASSERT_EQUAL_STRING("more than 10000 values", err.text);
}

static void too_long_a_string_is_refused(void)
{
    buffer_text(&made, TEXT("a = '"));
    repeat("x", TOML_STRING_MAX);
    buffer_text(&made, TEXT("'\n"));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guard_made());
    TEST_ASSERT_EQUAL_STRING("a string of more than 65536 bytes", err.text);
}

static void a_file_of_more_than_a_megabyte_is_refused(void)
{
    repeat("# ok\n", TOML_BYTES_MAX / 5);
    ASSERT_OK(guard_made(), &err);
    buffer_byte(&made, '\n');
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guard_made());
    TEST_ASSERT_EQUAL_STRING("longer than a megabyte", err.text);
}

static void nul_and_broken_utf8_are_refused_with_their_line(void)
{
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, find_in(TEXT("a = 1\nb = '\0'\n")));
    TEST_ASSERT_EQUAL_STRING("a NUL byte", err.text);
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, find_in(TEXT("\n\na = '\xc3('\n")));
    TEST_ASSERT_EQUAL_STRING("not UTF-8", err.text);
    TEST_ASSERT_EQUAL_UINT64(3, err.line);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(keys_tables_and_elements_have_their_lines);
    RUN_TEST(strings_of_many_lines_count_theirs);
    RUN_TEST(what_is_not_toml_is_walked_through_to_its_end);
    RUN_TEST(nesting_is_refused_only_beyond_the_limit);
    RUN_TEST(brackets_in_strings_and_comments_nest_nothing);
    RUN_TEST(a_key_of_too_many_parts_is_refused);
    RUN_TEST(many_fractions_in_a_list_are_no_deep_key);
    RUN_TEST(too_many_values_are_refused);
    RUN_TEST(too_long_a_string_is_refused);
    RUN_TEST(a_file_of_more_than_a_megabyte_is_refused);
    RUN_TEST(nul_and_broken_utf8_are_refused_with_their_line);
    return UNITY_END();
}
