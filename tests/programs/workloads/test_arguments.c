#include "programs/workloads/arguments_private.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static struct random_key key, other, run;
static struct heap heap;
static const struct argument *argument;

void setUp(void)
{
    run = random_key_of_seed(1);
    key = random_key_fork(&run, "client/0");
    other = random_key_fork(&run, "client/1");
    heap_init(&heap, (size_t)1 << 20);
}

void tearDown(void)
{
    heap_close(&heap);
}

static void parse(const char *text, enum type_kind type)
{
    ASSERT_OK(argument_parse(&argument, text_of(text), type_of(type), fixture_arena(), &err), &err);
}

static struct datum draw_of(const struct random_key *client, uint64_t ordinal)
{
    struct argument_source source = { .key = client,
                                      .run = &run,
                                      .ordinal = ordinal,
                                      .fresh = 5000 + 10 * (int64_t)ordinal,
                                      .now_ns = 7 };
    struct sql_error error;
    struct datum value;

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, argument_draw(argument, &source, &heap, &value, &error),
                              error.text);
    return value;
}

static struct datum draw(uint64_t ordinal)
{
    return draw_of(&key, ordinal);
}

static const char *shown(const char *text, enum type_kind type)
{
    static char to[256];
    struct buffer buffer = { 0 };
    struct datum value;

    parse(text, type);
    value = draw(0);
    datum_print(&value, &buffer);
    snprintf(to, sizeof to, "%.*s", (int)buffer.count, buffer.count ? buffer.at : "");
    buffer_close(&buffer);
    return to;
}

static void constants_are_what_postgresql_makes_of_them(void)
{
    static const struct {
        const char *text;
        enum type_kind type;
        const char *shown;
    } rows[] = {
        { "17", TYPE_BIGINT, "17" },
        { " - 17 ", TYPE_INTEGER, "-17" },
        { "5000000000", TYPE_BIGINT, "5000000000" },
        { "1.30", TYPE_NUMERIC, "1.30" },
        { "-20.20", TYPE_NUMERIC, "-20.20" },
        { "2 + 3 * 4 - 10 / 4", TYPE_BIGINT, "12" },
        { "(2 + 3) * 4 % 7", TYPE_BIGINT, "6" },
        { "10 - 3 - 2", TYPE_BIGINT, "5" },
        { "'it''s'", TYPE_TEXT, "it's" },
        { "'nr ' || 1 + 2", TYPE_TEXT, "nr 3" },
        { "'7'", TYPE_BIGINT, "7" },
        { "lpad(42::text, 5, '0')", TYPE_TEXT, "00042" },
        { "true", TYPE_BOOLEAN, "t" },
        { "null", TYPE_BIGINT, "" },
        { "timestamp '2000-01-01 00:00:00'", TYPE_TIMESTAMP, "2000-01-01 00:00:00" },
        { "1.256::numeric(5,2)", TYPE_NUMERIC, "1.26" },
        { "choose('a')", TYPE_TEXT, "a" },
        { "choice(1: 'a')", TYPE_VARCHAR, "a" },
        { "array(3, 2 + 2)", TYPE_BIGINT_ARRAY, "{4,4,4}" },
        { "array(0, 1)", TYPE_BIGINT_ARRAY, "{}" },
        { "uniform(3, 1 + 2)", TYPE_SMALLINT, "3" },
        { "fresh", TYPE_BIGINT, "5000" },
        { "array(3, fresh)", TYPE_BIGINT_ARRAY, "{5000,5001,5002}" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].shown, shown(rows[i].text, rows[i].type),
                                         rows[i].text);
    parse("now", TYPE_TIMESTAMP);
    TEST_ASSERT_EQUAL(7, draw(0).as.integer);
}

static void numbers_lie_between_their_limits_and_reach_them(void)
{
    static const char *const texts[] = { "uniform(-2, 3)", "zipf(-2, 3)", "zipf(-2, 3, 0.5)" };

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        unsigned counts[6] = { 0 };

        parse(texts[i], TYPE_BIGINT);
        for (uint64_t n = 0; n < 600; n++) {
            int64_t number = draw(n).as.integer;

            TEST_ASSERT_TRUE_MESSAGE(number >= -2 && number <= 3, texts[i]);
            counts[number + 2]++;
        }
        for (unsigned k = 0; k < 6; k++)
            TEST_ASSERT_TRUE_MESSAGE(counts[k] > 10, texts[i]);
        TEST_ASSERT_TRUE_MESSAGE(i == 0 || counts[0] > 2 * counts[5], texts[i]);
    }
}

static void nurand_is_not_uniform_and_the_same_for_all_clients(void)
{
    unsigned first[100] = { 0 }, second[100] = { 0 }, differing = 0;

    parse("nurand(63, 0, 99)", TYPE_BIGINT);
    for (uint64_t n = 0; n < 20000; n++) {
        first[draw_of(&key, n).as.integer]++;
        second[draw_of(&other, n).as.integer]++;
    }
    for (unsigned i = 0; i < 100; i++) {
        bool is_hot = first[i] > 400;

        differing += is_hot != (second[i] > 400) && first[i] > 450;
    }
    TEST_ASSERT_EQUAL(0, differing);
    TEST_ASSERT_TRUE(first[0] != first[1]);
}

static void weights_are_kept(void)
{
    unsigned counts[3] = { 0 };

    parse("choose(80: 0, 15: 1, 5: uniform(2, 2))", TYPE_BIGINT);
    for (uint64_t n = 0; n < 10000; n++)
        counts[draw(n).as.integer]++;
    TEST_ASSERT_TRUE(counts[0] > 7800 && counts[0] < 8200);
    TEST_ASSERT_TRUE(counts[1] > 1350 && counts[1] < 1650);
    TEST_ASSERT_TRUE(counts[2] > 400 && counts[2] < 600);
}

static void a_draw_is_a_function_of_client_and_ordinal(void)
{
    unsigned same = 0;

    parse("uniform(1, 1000000)", TYPE_BIGINT);
    for (uint64_t n = 0; n < 100; n++) {
        TEST_ASSERT_EQUAL(draw(n).as.integer, draw(n).as.integer);
        same += draw(n).as.integer == draw_of(&other, n).as.integer;
        same += draw(n).as.integer == draw(n + 1).as.integer;
    }
    TEST_ASSERT_TRUE(same < 3);
}

static void a_text_is_small_letters(void)
{
    struct datum value;

    parse("text(8)", TYPE_TEXT);
    value = draw(0);
    TEST_ASSERT_EQUAL(8, value.length);
    for (uint32_t i = 0; i < 8; i++)
        TEST_ASSERT_TRUE(value.as.text[i] >= 'a' && value.as.text[i] <= 'z');
    value = draw(1);
    TEST_ASSERT_NOT_EQUAL(0, memcmp(value.as.text, draw(0).as.text, 8));
}

static void fresh_integers_are_counted(void)
{
    static const struct {
        const char *text;
        uint32_t count;
    } rows[] = {
        { "fresh", 1 },
        { "7", 0 },
        { "fresh + fresh", 2 },
        { "array(15, fresh)", 15 },
        { "choose(fresh, fresh + fresh, 1)", 2 },
        { "'nick ' || fresh", 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        ASSERT_OK(argument_parse(&argument, text_of(rows[i].text),
                                 type_of(i == 3   ? TYPE_BIGINT_ARRAY
                                         : i == 5 ? TYPE_TEXT
                                                  : TYPE_BIGINT),
                                 fixture_arena(), &err),
                  &err);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].count, argument_fresh_max(argument), rows[i].text);
    }
}

static void deep_nesting_is_refused(void)
{
    char text[400];

    memset(text, '(', 200);
    strcpy(text + 200, "1");
    TEST_ASSERT_EQUAL(
        STATUS_BAD_INPUT,
        argument_parse(&argument, text_of(text), type_of(TYPE_BIGINT), fixture_arena(), &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "less nesting"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(constants_are_what_postgresql_makes_of_them);
    RUN_TEST(numbers_lie_between_their_limits_and_reach_them);
    RUN_TEST(nurand_is_not_uniform_and_the_same_for_all_clients);
    RUN_TEST(weights_are_kept);
    RUN_TEST(a_draw_is_a_function_of_client_and_ordinal);
    RUN_TEST(a_text_is_small_letters);
    RUN_TEST(fresh_integers_are_counted);
    RUN_TEST(deep_nesting_is_refused);
    return UNITY_END();
}
