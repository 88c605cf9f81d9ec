#include "cli/output.h"

#include <string.h>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/progress_bar.h"
#include "tests/fixture.h"
#include "unity.h"

static struct buffer out;

void setUp(void)
{
    buffer_clear(&out);
}

void tearDown(void)
{
    buffer_close(&out);
}

static const char *printed(void)
{
    buffer_byte(&out, '\0');
    return out.at;
}

static void an_error_is_described_with_as_much_place_as_is_known(void)
{
    output_describe(&(struct error){ .file = "x", .line = 3, .text = "bad" }, &out);
    buffer_byte(&out, '|');
    output_describe(&(struct error){ .file = "x", .text = "bad" }, &out);
    buffer_byte(&out, '|');
    output_describe(&(struct error){ .text = "bad" }, &out);
    TEST_ASSERT_EQUAL_STRING("x:3: bad|x: bad|ordeal: bad", printed());
}

static void an_error_does_not_steer_the_terminal(void)
{
    output_describe(&(struct error){ .text = "a\033[2Jb\nc" }, &out);
    TEST_ASSERT_EQUAL_STRING("ordeal: a?[2Jb?c", printed());
}

static void an_answer_has_its_commas(void)
{
    struct json_writer json = { .out = &out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "a", "x\"y");
    json_writer_open(&json, "b", '[');
    json_writer_number(&json, NULL, 1);
    json_writer_number(&json, NULL, UINT64_MAX);
    json_writer_close(&json, ']');
    json_writer_open(&json, "c", '{');
    json_writer_close(&json, '}');
    json_writer_null(&json, "d");
    json_writer_seconds(&json, "e", INT64_C(1500000001));
    json_writer_close(&json, '}');
    TEST_ASSERT_EQUAL_STRING("{\"a\":\"x\\\"y\",\"b\":[1,18446744073709551615],\"c\":{},\"d\":null,"
                             "\"e\":1.500000001}",
                             printed());
}

static void an_answer_is_utf8_whatever_it_is_given(void)
{
    struct json_writer json = { .out = &out };

    json_writer_text(&json, NULL, "a\xff\xc3");
    json_writer_text(&json, NULL, "ü");
    TEST_ASSERT_EQUAL_STRING("\"a??\",\"ü\"", printed());
}

static void the_worse_of_two_exit_codes_is_taken(void)
{
    static const enum exit_code rising[] = { EXIT_VALID, EXIT_UNDECIDED, EXIT_VIOLATION,
                                             EXIT_WRONG };

    for (size_t i = 0; i < ROW_COUNT(rising); i++)
        for (size_t k = i; k < ROW_COUNT(rising); k++) {
            TEST_ASSERT_EQUAL(rising[k], command_exit_combine(rising[i], rising[k]));
            TEST_ASSERT_EQUAL(rising[k], command_exit_combine(rising[k], rising[i]));
        }
}

static void a_progress_bar_shows_fraction_rate_and_time_left(void)
{
    struct progress_bar bar = { .what = "reading", .unit = "B" };

    progress_bar_print(&bar, 50000000, 200000000, INT64_C(2000000000), &out);
    TEST_ASSERT_EQUAL_STRING("reading  [######                  ]  25%   25.0 MB/s   6 s left",
                             printed());
}

static void a_progress_bar_without_a_total_counts(void)
{
    struct progress_bar bar = { .what = "reading", .unit = "B" };

    progress_bar_print(&bar, 1500, 0, INT64_C(1000000000), &out);
    TEST_ASSERT_EQUAL_STRING("reading  1.5 kB   1.5 kB/s", printed());
}

static void a_progress_bar_survives_extremes(void)
{
    struct progress_bar bar = { .what = "reading", .unit = "" };

    progress_bar_print(&bar, 0, 1, 0, &out);
    progress_bar_print(&bar, UINT64_MAX, 1, 0, &out);
    progress_bar_print(&bar, UINT64_MAX - 1, UINT64_MAX, INT64_MAX, &out);
    progress_bar_print(&bar, 1, UINT64_MAX, INT64_MAX, &out);
    TEST_ASSERT_NOT_NULL(strstr(printed(), "100%"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_error_is_described_with_as_much_place_as_is_known);
    RUN_TEST(an_error_does_not_steer_the_terminal);
    RUN_TEST(an_answer_has_its_commas);
    RUN_TEST(an_answer_is_utf8_whatever_it_is_given);
    RUN_TEST(the_worse_of_two_exit_codes_is_taken);
    RUN_TEST(a_progress_bar_shows_fraction_rate_and_time_left);
    RUN_TEST(a_progress_bar_without_a_total_counts);
    RUN_TEST(a_progress_bar_survives_extremes);
    return UNITY_END();
}
