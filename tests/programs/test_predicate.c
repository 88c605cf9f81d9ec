#include "programs/predicate.h"

#include <string.h>

#include "history/builder.h"
#include "tests/fixture.h"
#include "unity.h"

static struct history history;
static struct error err;

/* Rows of t(id, v, name): 0 has v 10, 1 has v 20, 2 has no v. */
void setUp(void)
{
    static const struct {
        const char *key;
        struct value v;
    } rows[] = { { "t/0", { VALUE_INTEGER, 10 } },
                 { "t/1", { VALUE_INTEGER, 20 } },
                 { "t/2", { VALUE_NULL, 0 } } };
    struct builder b;
    uint32_t table, key;

    builder_init(&b);
    ASSERT_OK(builder_add_table(&b, TEXT("t"), &table, &err), &err);
    ASSERT_OK(builder_add_column(&b, TEXT("id"), TEXT("bigint"), &err), &err);
    ASSERT_OK(builder_add_column(&b, TEXT("v"), TEXT("bigint"), &err), &err);
    ASSERT_OK(builder_add_column(&b, TEXT("name"), TEXT("text"), &err), &err);
    ASSERT_OK(builder_add_key_column(&b, TEXT("id"), &err), &err);
    ASSERT_OK(builder_end_table(&b, &err), &err);
    ASSERT_OK(builder_begin_txn(&b, 1, 0, TXN_OK, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct named_value cells[] = { { TEXT("id"), value_integer((int64_t)i) },
                                       { TEXT("v"), rows[i].v },
                                       { TEXT("name"), value_null() } };
        struct value row;

        ASSERT_OK(builder_key(&b, text_of(rows[i].key), &key, &err), &err);
        ASSERT_OK(builder_row(&b, table, cells, ROW_COUNT(cells), &row, &err), &err);
        ASSERT_OK(builder_add_op(&b, OP_WRITE, key, row, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
}

void tearDown(void)
{
    history_close(&history);
}

static void parse(struct predicate *predicate, const char *text)
{
    ASSERT_OK(predicate_parse(predicate, text_of(text), &err), &err);
}

static void each_comparison_matches_what_it_says_and_never_a_null(void)
{
    static const struct {
        const char *text;
        bool matches[3]; /* by row: v is 10, 20, null */
    } rows[] = {
        { "", { true, true, true } },
        { "v = 10", { true, false, false } },
        { "v < 20", { true, false, false } },
        { "v > 10", { false, true, false } },
        { "v <= 10", { true, false, false } },
        { "v >= 20", { false, true, false } },
        { "v >= 10 AND v <= 20", { true, true, false } },
        { "v >= 10 AND v <= 20 AND id = 1", { false, true, false } },
        { "v > 10 AND v < 20", { false, false, false } },
        { "v >= -9223372036854775808", { true, true, false } },
        { "v = 10 AND v = 20", { false, false, false } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct predicate predicate;

        parse(&predicate, rows[i].text);
        ASSERT_OK(predicate_bind(&predicate, &history, 0, &err), &err);
        for (size_t row = 0; row < 3; row++)
            TEST_ASSERT_EQUAL_MESSAGE(
                rows[i].matches[row],
                predicate_matches(&predicate, &history, history_value(&history, row)),
                rows[i].text);
    }
}

static void what_is_no_row_never_matches(void)
{
    struct predicate everything;

    parse(&everything, "");
    TEST_ASSERT_FALSE(predicate_matches(&everything, &history, value_null()));
    TEST_ASSERT_FALSE(predicate_matches(&everything, &history, value_integer(10)));
}

static void blanks_and_case_are_lost_in_the_canonical_text(void)
{
    struct predicate predicate;
    struct buffer text = { 0 };

    parse(&predicate, " v>=10\tand  v <=-20 ");
    predicate_print(&predicate, &text);
    buffer_byte(&text, 0);
    TEST_ASSERT_EQUAL_STRING("v >= 10 AND v <= -20", text.at);
    buffer_close(&text);
}

static void what_is_not_a_predicate_is_refused_with_the_byte(void)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        { "10 <= v", "predicate, byte 1: expected a column" },
        { "v", "predicate, byte 2: expected =, <, >, <= or >=" },
        { "v <> 3", "predicate, byte 4: expected a 64-bit integer" },
        { "v = x", "predicate, byte 5: expected a 64-bit integer" },
        { "v = 9223372036854775808", "predicate, byte 5: expected a 64-bit integer" },
        { "v = 1 v = 2", "predicate, byte 7: expected AND or the end" },
        { "v = 1 OR v = 2", "predicate, byte 7: expected AND or the end" },
        { "v = 1 AND", "predicate, byte 10: expected a column" },
        { "AND v = 1", "predicate, byte 1: expected a column" },
        { "v = 1;", "predicate, byte 6: expected AND or the end" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct predicate predicate;
        enum status status = predicate_parse(&predicate, text_of(rows[i].text), &err);

        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, status, rows[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].error, err.text, rows[i].text);
    }
}

static void more_comparisons_than_there_is_room_for_are_refused(void)
{
    struct predicate predicate;
    struct buffer text = { 0 };

    for (int i = 0; i < PREDICATE_TERMS_MAX; i++)
        buffer_print(&text, "%sv >= %d", i ? " AND " : "", i);
    ASSERT_OK(predicate_parse(&predicate, (struct text){ text.at, text.count }, &err), &err);
    TEST_ASSERT_EQUAL(PREDICATE_TERMS_MAX, predicate.term_count);
    buffer_print(&text, " AND v = 1");
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT,
                      predicate_parse(&predicate, (struct text){ text.at, text.count }, &err));
    buffer_close(&text);
}

static void a_column_that_is_missing_or_no_integer_is_refused(void)
{
    struct predicate predicate;

    parse(&predicate, "w = 1");
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, predicate_bind(&predicate, &history, 0, &err));
    TEST_ASSERT_EQUAL_STRING("predicate: table t has no column w", err.text);
    parse(&predicate, "v = 1 AND name = 1");
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, predicate_bind(&predicate, &history, 0, &err));
    TEST_ASSERT_EQUAL_STRING("predicate: column name is not an integer", err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_comparison_matches_what_it_says_and_never_a_null);
    RUN_TEST(what_is_no_row_never_matches);
    RUN_TEST(blanks_and_case_are_lost_in_the_canonical_text);
    RUN_TEST(what_is_not_a_predicate_is_refused_with_the_byte);
    RUN_TEST(more_comparisons_than_there_is_room_for_are_refused);
    RUN_TEST(a_column_that_is_missing_or_no_integer_is_refused);
    return UNITY_END();
}
