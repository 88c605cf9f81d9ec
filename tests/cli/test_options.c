#include "cli/options.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

struct values {
    const char *scenario, *out, *level;
    struct option_number seed;
    struct option_texts sets;
    bool twice;
};

#define AT(field) offsetof(struct values, field)

static const char *const *level_choices(void)
{
    static const char *const names[] = { "snapshot", "serializable", NULL };

    return names;
}

static const struct option rows[] = {
    OPERAND_ROW("SCENARIO", AT(scenario), "a file"),
    OUT_FILE_ROW(AT(out), "where to\nwrite"),
    NUMBER_ROW("seed", "N", AT(seed), 0, 1000, "of the run"),
    TEXT_ROW("level", "L", AT(level), "of isolation", .choices = level_choices),
    TEXTS_ROW("set", "key=value", AT(sets), "a setting"),
    FLAG_ROW("twice", AT(twice), "run twice"),
};

static const struct options options = { "run", rows, ROW_COUNT(rows), sizeof(struct values) };

static struct values values;
static struct error err;

void setUp(void)
{
    memset(&values, 0, sizeof values);
    memset(&err, 0, sizeof err);
}

void tearDown(void) {}

static char *argv[50];

/* Makes argv of words that stand between blanks. Returns their number. */
static int split(const char *line)
{
    static char copy[1000];
    int argc = 0;

    TEST_ASSERT_LESS_THAN(sizeof copy, strlen(line));
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return argc;
}

static enum status parse(const char *line)
{
    int argc = split(line);

    return options_parse(&options, argc, argv, &values, &err);
}

static void flags_and_operands_stand_in_any_order(void)
{
    ASSERT_OK(parse("--seed 7 a.toml --set x=1 -o f --twice --set=y=2"), &err);
    TEST_ASSERT_EQUAL_STRING("a.toml", values.scenario);
    TEST_ASSERT_EQUAL_STRING("f", values.out);
    TEST_ASSERT_TRUE(values.seed.given);
    TEST_ASSERT_EQUAL_INT64(7, values.seed.value);
    TEST_ASSERT_TRUE(values.twice);
    TEST_ASSERT_EQUAL(2, values.sets.count);
    TEST_ASSERT_EQUAL_STRING("x=1", values.sets.at[0]);
    TEST_ASSERT_EQUAL_STRING("y=2", values.sets.at[1]);
}

static void a_value_may_stick_to_its_flag(void)
{
    ASSERT_OK(parse("-ofile --seed=1_000 a"), &err);
    TEST_ASSERT_EQUAL_STRING("file", values.out);
    TEST_ASSERT_EQUAL_INT64(1000, values.seed.value);
}

static void after_two_dashes_everything_is_an_operand(void)
{
    ASSERT_OK(parse("-o f -- --twice"), &err);
    TEST_ASSERT_EQUAL_STRING("--twice", values.scenario);
    TEST_ASSERT_FALSE(values.twice);
}

static void a_single_dash_is_an_operand_and_a_value(void)
{
    ASSERT_OK(parse("- -o -"), &err);
    TEST_ASSERT_EQUAL_STRING("-", values.scenario);
    TEST_ASSERT_EQUAL_STRING("-", values.out);
}

static void what_is_wrong_is_said(void)
{
    static const struct {
        const char *line, *message;
    } wrongs[] = {
        { "a -o f --sed 1", "run has no flag --sed; did you mean --seed?" },
        { "a -o f --sed=1", "run has no flag --sed; did you mean --seed?" },
        { "a -o f --quuux", "run has no flag --quuux; see: ordeal help run" },
        { "a -o f -x", "run has no flag -x; see: ordeal help run" },
        { "a -o f --seed", "--seed needs its N" },
        { "a -o f --seed x", "--seed takes a number, not 'x'" },
        { "a -o f --seed 1001", "--seed must be between 0 and 1000, not 1001" },
        { "a -o f --seed -1", "--seed must be between 0 and 1000, not -1" },
        { "a -o f --seed 1 --seed 1", "--seed is given twice" },
        { "a -o f --level serialisable",
          "--level: there is no 'serialisable'; did you mean serializable?" },
        { "a -o f --level zzz", "--level: there is no 'zzz'; there is snapshot, serializable" },
        { "a -o f --twice=1", "--twice takes no value" },
        { "a b -o f", "run does not take 'b'; see: ordeal help run" },
        { "-o f", "run needs SCENARIO; see: ordeal help run" },
        { "a", "run needs -o FILE; see: ordeal help run" },
        { "a -o", "-o needs its FILE" },
    };

    for (size_t i = 0; i < ROW_COUNT(wrongs); i++) {
        setUp();
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, parse(wrongs[i].line), wrongs[i].line);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(wrongs[i].message, err.text, wrongs[i].line);
    }
}

static void usage_shows_what_must_and_what_may_be(void)
{
    struct buffer out = { 0 };

    options_print_usage(&options, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_EQUAL_STRING(
        "usage: ordeal run SCENARIO -o FILE [--seed N] [--level L] [--set key=value] [--twice]\n",
        out.at);
    buffer_close(&out);
}

static void long_explanations_are_aligned(void)
{
    struct buffer out = { 0 };

    options_print_flags(&options, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "  -o FILE          where to\n"
                                        "                   write\n"));
    buffer_close(&out);
}

static void a_flag_is_seen_even_where_the_rest_is_wrong(void)
{
    int argc = split("--sed --twice -- --seed");

    TEST_ASSERT_TRUE(options_has_flag(&options, argc, argv, "twice"));
    TEST_ASSERT_FALSE(options_has_flag(&options, argc, argv, "seed"));
    TEST_ASSERT_FALSE(options_has_flag(&options, argc, argv, "sed"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(flags_and_operands_stand_in_any_order);
    RUN_TEST(a_value_may_stick_to_its_flag);
    RUN_TEST(after_two_dashes_everything_is_an_operand);
    RUN_TEST(a_single_dash_is_an_operand_and_a_value);
    RUN_TEST(what_is_wrong_is_said);
    RUN_TEST(usage_shows_what_must_and_what_may_be);
    RUN_TEST(long_explanations_are_aligned);
    RUN_TEST(a_flag_is_seen_even_where_the_rest_is_wrong);
    return UNITY_END();
}
