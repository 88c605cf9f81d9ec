#include "programs/machine/predicates.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/machine/predicate_fixture.h"
#include "unity.h"

static struct history history;
static struct predicates *set;
static struct predicate_scratch scratch;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    history = predicate_history(NULL);
    ASSERT_OK(predicates_open(&set, &history, 0, &err), &err);
    ASSERT_OK(predicate_scratch_init(&scratch, &err), &err);
}

void tearDown(void)
{
    predicate_scratch_close(&scratch);
    predicates_close(set);
    history_close(&history);
}

/* Another history, with these operations in transaction 7. */
static enum status reopen(const char *operations)
{
    predicates_close(set);
    history_close(&history);
    history = predicate_history(operations);
    return predicates_open(&set, &history, 0, &err);
}

static uint32_t add(const char *text)
{
    uint32_t number = PREDICATE_NONE;

    if (predicates_add(set, PREDICATE_TABLE, text_of(text), &number, &err) != STATUS_OK)
        TEST_FAIL_MESSAGE(err.text);
    return number;
}

static const struct filter *filter_of(const char *text)
{
    return &predicates_get(set, add(text))->filter;
}

/* "1.?..." : yes, no, undecided, for the rows of t in order. */
static const char *answers_of(uint32_t number)
{
    static char answers[PREDICATE_ROWS + 1];

    for (uint32_t i = 0; i < PREDICATE_ROWS; i++)
        answers[i] = ".1?"[predicates_match(set, number, predicate_row(&history, i), &scratch)];
    return answers;
}

/* --- Answers ---------------------------------------------------------------------- */

static const char *const judged[][2] = {
    { "", "111111" },
    { " \t\n", "111111" },
    { "true", "111111" },
    { "NULL", "......" },
    { "1 = 1 AND 2 > 1", "111111" },
    { "a = 10", "1....." },
    { "a <> 10", ".1.111" },
    { "a < 0", "...1.." },
    { "a >= -3 AND a <= 10", "1..11." },
    { "10 <= a", "11...1" },
    { "a BETWEEN 0 AND 20", "11..1." },
    { "a NOT BETWEEN 0 AND 20", "...1.1" },
    { "NOT a = 10", ".1.111" },
    { "NOT (a = 10 AND id = 1)", ".11111" },
    { "a = 10 OR id = 3", "1.1..." },
    { "a IS NULL", "..1..." },
    { "a IS NOT NULL AND f IS NOT TRUE", ".1..11" },
    { "a IN (10, 0, NULL)", "1...1." },
    { "a NOT IN (10, 0, NULL)", "......" },
    { "a NOT IN (10, 0)", ".1.1.1" },
    { "a IS DISTINCT FROM 10", ".11111" },
    { "(a = 10) IS UNKNOWN", "..1..." },
    { "a + z = 11", "1....." },
    { "a > z", "11...1" },
    { "a % 2 = 0 AND -a < 5", "11..1." },
    { "abs(a) = 3", "...1.." },
    { "a = 2147483647", ".....1" },
    { "\"Order\" = 9223372036854775807", ".....1" },
    { "t.a = 10 AND t.\"Order\" = 7", "1....." },
    { "m = 12.3", "1...1." },
    { "m > 0", "1...11" },
    { "m * 2 = 24.60", "1...1." },
    { "m::text = '12.30'", "1...1." },
    { "m + a > 22", "1....1" },
    { "s = 'ab'", "1....." },
    { "s = 'it''s'", "...1.." },
    { "s < 'a'", ".1..1." },
    { "lower(s) = 'ab'", "1...1." },
    { "length(s) = 2", "1...11" },
    { "s || '!' = '!'", ".1...." },
    { "f", "1..1.." },
    { "f = false", ".1...1" },
    { "NOT f", ".1...1" },
    { "w = '1970-01-01 00:00:01'", "1....." },
    { "w > timestamp '1970-01-01 00:00:01'", "....11" },
    { "l[1] = 2", "....1." },
    { "2 = ANY (l)", "1...1." },
    { "l = '{1,2}'", "1....." },
    { "cardinality(l) = 0", ".1...." },
    { "CASE WHEN f THEN a ELSE 1 END = 1", ".11.11" },
    { "COALESCE(a, 7) = 7", "..1..." },
    { "GREATEST(a, z, 4) = 4", "..111." },
    { "a::bigint * 4 = 8589934588", ".....1" },
};

static void a_row_matches_where_the_condition_is_true_and_never_where_it_is_null(void)
{
    TEST_ASSERT_EQUAL_STRING(".1..11", answers_of(add("a >= 0 AND f IS NOT TRUE")));
    for (size_t i = 0; i < ROW_COUNT(judged); i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(judged[i][1], answers_of(add(judged[i][0])), judged[i][0]);
}

static void what_is_no_row_of_the_table_never_matches(void)
{
    uint32_t everything = add("");
    struct value others[] = {
        { VALUE_NULL, 0 }, { VALUE_NONE, 0 }, { VALUE_INTEGER, 10 }, predicate_other_row(&history)
    };

    for (size_t i = 0; i < ROW_COUNT(others); i++)
        TEST_ASSERT_EQUAL(PREDICATE_NO, predicates_match(set, everything, others[i], &scratch));
}

static void a_row_that_cannot_be_computed_is_undecided_and_the_scratch_says_why(void)
{
    uint32_t division = add("100 / a > 5");

    TEST_ASSERT_EQUAL_STRING("1...?.", answers_of(division));
    TEST_ASSERT_EQUAL(PREDICATE_UNDECIDED,
                      predicates_match(set, division, predicate_row(&history, 4), &scratch));
    TEST_ASSERT_EQUAL_STRING("division by zero", scratch.error.text);
    TEST_ASSERT_EQUAL_STRING(".....?", answers_of(add("a + 1 > 2000000000")));
}

static void an_error_does_not_bring_back_what_a_range_excludes(void)
{
    TEST_ASSERT_EQUAL_STRING("1...?.", answers_of(add("100 / a > 5 AND id <= 5")));
    TEST_ASSERT_EQUAL_STRING("1.....", answers_of(add("100 / a > 5 AND id < 5")));
    TEST_ASSERT_EQUAL_STRING("1.....", answers_of(add("100 / a > 5 AND f = true")));
    TEST_ASSERT_EQUAL_STRING("......", answers_of(add("100 / a > 5 AND id > 5 AND id < 5")));
    TEST_ASSERT_EQUAL_STRING("......", answers_of(add("100 / a > 5 AND id = NULL")));
    TEST_ASSERT_EQUAL_STRING("1.....", answers_of(add("id < 5 AND 100 / a > 5")));
}

/* --- Values ------------------------------------------------------------------------ */

static const char *const ill_typed =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"a\":\"int\",\"z\":"
    "\"smallint\",\"m\":\"numeric(8,2)\",\"n\":\"numeric\",\"s\":\"varchar(4)\"},\"key\":[\"id\"]}}"
    "}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"t/1\",\"v\":{\"id\":1,\"a\":"
    "2147483648,\"z\":32768,\"m\":\"1.234\",\"n\":\"1234567890123456789012345678901234567890\","
    "\"s\":\"abcde\"}}]}\n";

static void a_value_that_its_type_cannot_have_is_undecided(void)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        { "a > 0", "\"2147483648\" is no integer" },
        { "z > 0", "\"32768\" is no smallint" },
        { "m > 0", "\"1.234\" is no numeric(8,2)" },
        { "n > 0", "\"1234567890123456789012345678901234567890\" is no numeric" },
        { "s <> ''", "\"abcde\" is no character varying(4)" },
    };
    struct history bad = predicate_history_of(ill_typed);
    struct predicates *own;
    struct datum value;
    uint32_t number;

    ASSERT_OK(predicates_open(&own, &bad, 0, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        ASSERT_OK(predicates_add(own, 0, text_of(rows[i].text), &number, &err), &err);
        TEST_ASSERT_EQUAL_MESSAGE(PREDICATE_UNDECIDED,
                                  predicates_match(own, number, history_value(&bad, 0), &scratch),
                                  rows[i].text);
        TEST_ASSERT_EQUAL_STRING(rows[i].error, scratch.error.text);
    }
    ASSERT_OK(predicates_add(own, 0, TEXT("a > 0 AND id > 1"), &number, &err), &err);
    TEST_ASSERT_EQUAL(PREDICATE_NO,
                      predicates_match(own, number, history_value(&bad, 0), &scratch));
    TEST_ASSERT_TRUE(predicates_read(own, 0, history_value(&bad, 0), 1, &value, &scratch.error) !=
                     STATUS_OK);
    predicates_close(own);
    history_close(&bad);
}

static void columns_are_read_as_their_types_are(void)
{
    static const char *const printed[] = {
        "1", "10", "1", "12.30", "ab", "t", "1970-01-01 00:00:01", "{1,2}", "7",
    };

    for (uint16_t column = 0; column < ROW_COUNT(printed); column++) {
        struct buffer text = { 0 };
        struct datum value;

        TEST_ASSERT_EQUAL(STATUS_OK,
                          predicates_read(set, PREDICATE_TABLE, predicate_row(&history, 0), column,
                                          &value, &scratch.error));
        datum_print(&value, &text);
        buffer_byte(&text, '\0');
        TEST_ASSERT_EQUAL_STRING(printed[column], text.at);
        buffer_close(&text);
    }
}

/* --- What a predicate says of itself ------------------------------------------------- */

static void the_canonical_text_has_lost_its_blanks_and_reads_back_the_same(void)
{
    static const char *const texts[][2] = {
        { "  ", "" },
        { " a>=10\tand  A<=-20 ", "a >= 10 AND a <= -20" },
        { "\"Order\" = 3000000000", "\"Order\" = 3000000000" },
        { "m > 3", "m > 3" },
        { "a = 1 OR (f)", "((a = 1) OR f)" },
        { "s = 'it''s'", "s = 'it''s'" },
        { "a BETWEEN 1 AND 2 + 3", "a >= 1 AND a <= 5" },
    };

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        struct buffer once = { 0 }, twice = { 0 };

        predicates_print(set, add(texts[i][0]), &once);
        buffer_byte(&once, '\0');
        TEST_ASSERT_EQUAL_STRING(texts[i][1], once.at);
        predicates_print(set, add(once.at), &twice);
        buffer_byte(&twice, '\0');
        TEST_ASSERT_EQUAL_STRING(once.at, twice.at);
        buffer_close(&once);
        buffer_close(&twice);
    }
}

static void a_predicate_says_what_it_reads_and_where_its_rows_can_be(void)
{
    const struct filter *filter = filter_of("a >= 2 + 3 AND 8 > a AND id = 7 AND length(s) > z");
    struct range range = condition_range(filter, 1);
    struct datum pin;

    TEST_ASSERT_EQUAL_UINT16(4, filter->condition->columns.count);
    TEST_ASSERT_EQUAL_UINT16(0, filter->condition->columns.at[0]);
    TEST_ASSERT_EQUAL_UINT16(4, filter->condition->columns.at[3]);
    TEST_ASSERT_TRUE(condition_pin(filter, 0, &pin));
    TEST_ASSERT_EQUAL_INT64(7, pin.as.integer);
    TEST_ASSERT_TRUE(range.has_low && !range.low_is_open && range.has_high && range.high_is_open);
    TEST_ASSERT_EQUAL_INT64(5, range.low.as.integer);
    TEST_ASSERT_EQUAL_INT64(8, range.high.as.integer);
    TEST_ASSERT_TRUE(condition_is_empty(filter_of("a > 3 AND a < 3")));
    TEST_ASSERT_FALSE(condition_is_empty(filter_of("a > 3 AND a < 5")));
}

/* --- Refusals ------------------------------------------------------------------------ */

static const struct {
    const char *text, *error;
} refused[] = {
    { "a >=", "column 5: syntax error at end of input" },
    { "a = 1 a = 2", "column 7: syntax error at or near \"a\"" },
    { "a = 1) OR (a = 2", "column 6: syntax error at or near \")\"" },
    { "a = 'x", "column 5: unterminated quoted string at or near \"'x\"" },
    { "a = 'x'", "column 3: invalid input syntax for type integer: \"x\"" },
    { "b = 1", "column 1: column \"b\" does not exist" },
    { "A = 1 AND Order = 2", "column 11: syntax error at or near \"Order\"" },
    { "u.v = 1", "column 1: missing FROM-clause entry for table \"u\"" },
    { "t.v = 1", "column 1: column t.v does not exist" },
    { "a", "column 1: argument of WHERE must be type boolean, not type integer" },
    { "s + 1 = 2", "column 3: operator does not exist: character varying + integer" },
    { "a = $1", "column 5: there is no parameter $1" },
    { "a = (SELECT 1)", "column 5: a subquery is not supported" },
    { "EXISTS (SELECT 1)", "column 1: a subquery is not supported" },
    { "a IN (SELECT a FROM t)", "column 3: a subquery is not supported" },
    { "count(*) > 1", "column 1: aggregate functions are not allowed in WHERE" },
    { "max(a) = a", "column 1: aggregate functions are not allowed in WHERE" },
    { "random() > 1", "column 1: function random() does not exist" },
    { "s ILIKE 'a%'", "column 3: ILIKE is not supported" },
    { "a = 1 ORDER BY a", "ORDER BY in an expression is not supported" },
    { "a = 1 LIMIT 1", "column 13: LIMIT in an expression is not supported" },
    { "a = 1 FOR UPDATE", "FOR UPDATE in an expression is not supported" },
    { "a = 1 GROUP BY a", "column 16: GROUP BY in an expression is not supported" },
    { "a = 1 UNION SELECT 2", "UNION, INTERSECT or EXCEPT is not supported" },
    { "a = 1;", "column 6: ; is not supported here" },
    { "a = 1; DROP TABLE t", "one statement is expected here" },
    { "-- all", "column 7: syntax error at end of input" },
    { "a = 10 / (3 - 3)", "division by zero" },
    { "c = 'x'", "column c: type char(3) is not supported" },
    { "a IN (1,\n 2,, 3)", "column 13: syntax error at or near \",\"" },
};

static void what_is_no_condition_on_the_table_is_refused_by_name_and_place(void)
{
    for (size_t i = 0; i < ROW_COUNT(refused); i++) {
        char wanted[256];
        uint32_t number;
        enum status status =
            predicates_add(set, PREDICATE_TABLE, text_of(refused[i].text), &number, &err);

        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, status, refused[i].text);
        snprintf(wanted, sizeof wanted, "where of t: %s", refused[i].error);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, err.text, refused[i].text);
        TEST_ASSERT_EQUAL_UINT64(0, err.line);
        TEST_ASSERT_EQUAL_UINT64(0, err.offset);
    }
    TEST_ASSERT_EQUAL_UINT32(0, predicates_count(set));
}

/* --- Hostile texts ------------------------------------------------------------------- */

struct hostile {
    const char *what, *before, *repeated;
    size_t times;
    const char *middle, *repeated_behind, *error;
};

static const struct hostile hostiles[] = {
    { "a hundred thousand parentheses", "", "(", 100000, "a = 1", ")",
      "more than 10000 words in one statement" },
    { "nine thousand open parentheses", "", "(", 9000, "", "", NULL },
    { "four thousand parentheses", "", "(", 4000, "a = 1", ")", "" },
    { "three thousand negations", "", "NOT ", 3000, "f", "", "the nesting is too deep" },
    { "a sum of three thousand", "a = 1", " + 1", 3000, "", "", "the nesting is too deep" },
    { "a sum of a hundred", "a = 1", " + 1", 100, "", "", "" },
    { "many conjuncts", "a < 9", " AND a > -9", 1500, "", "", "" },
    { "many disjuncts", "a < 9", " OR a > -9", 1500, "", "", "" },
    { "a list of four thousand", "a IN (10", ", 7", 4000, ")", "", "" },
    { "a list of a million", "a IN (10", ",7", 1000000, ")", "", "more than 1 MB of SQL" },
    { "a name of megabytes", "", "x", 3000000, " = 1", "", "more than 1 MB of SQL" },
    { "a name of kilobytes", "", "x", 30000, " = 1", "", NULL },
    { "blanks of megabytes", "", " ", 3000000, "", "", "" },
    { "comments within comments", "", "/*", 100000, "a = 1", "*/", "operators in a row" },
    { "a hundred thousand signs", "a = ", "+", 100000, "1", "", "operators in a row" },
    { "comments within spaced comments", "", "/* ", 30000, "a = 1", " */", NULL },
    { "nested ranges", "f", " BETWEEN f AND f", 1, "", "", "" },
};

static void write_hostile(const struct hostile *h, struct buffer *text)
{
    buffer_clear(text);
    buffer_text(text, text_of(h->before));
    for (size_t i = 0; i < h->times; i++)
        buffer_text(text, text_of(h->repeated));
    buffer_text(text, text_of(h->middle));
    for (size_t i = 0; i < h->times && *h->repeated_behind; i++)
        buffer_text(text, text_of(h->repeated_behind));
}

static void no_text_is_too_large_or_too_deep_to_be_refused(void)
{
    struct buffer text = { 0 };

    for (size_t i = 0; i < ROW_COUNT(hostiles); i++) {
        const struct hostile *h = &hostiles[i];
        enum status status;
        uint32_t number;

        write_hostile(h, &text);
        err.text[0] = '\0';
        status = predicates_add(set, PREDICATE_TABLE, (struct text){ text.at, text.count }, &number,
                                &err);
        if (h->error && !*h->error) {
            ASSERT_OK(status, &err);
            continue;
        }
        TEST_ASSERT_TRUE_MESSAGE(status != STATUS_OK && err.text[0], h->what);
        TEST_ASSERT_TRUE_MESSAGE(!h->error || strstr(err.text, h->error), err.text);
    }
    buffer_close(&text);
}

static void bytes_that_are_no_text_are_refused(void)
{
    static const struct {
        struct text text;
        const char *error;
    } rows[] = {
        { { "a = 1\0 OR true", 14 }, "where of t: the text has a zero byte in it" },
        { { "s = '\0'", 7 }, "where of t: the text has a zero byte in it" },
        { { "s = '\xff'", 7 }, "where of t: the text is not UTF-8" },
        { { "s = '\xc3' AND a = 1", 17 }, "where of t: the text is not UTF-8" },
        { { "a = \1", 5 }, "where of t: column 5: syntax error at or near \" \"" },
        { { "s = '\1' AND a = \2", 17 }, "where of t: column 17: syntax error at or near \" \"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        uint32_t number;

        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                          predicates_add(set, PREDICATE_TABLE, rows[i].text, &number, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].error, err.text);
    }
}

/* --- Sets ---------------------------------------------------------------------------- */

static void statements_with_the_same_text_have_one_predicate(void)
{
    ASSERT_OK(reopen("{\"select\":\"t\",\"where\":\"a >= 10\",\"rows\":{}},"
                     "{\"select\":\"t\",\"where\":\"a >= 20\",\"rows\":{}},"
                     "{\"delete\":\"t\",\"where\":\"a >= 10\",\"rows\":{}},"
                     "{\"select\":\"t\",\"rows\":{}},"
                     "{\"select\":\"u\",\"where\":\"v > 1\",\"rows\":{}},"
                     "{\"update\":\"u\",\"rows\":{}}"),
              &err);
    TEST_ASSERT_EQUAL_UINT32(5, predicates_count(set));
    TEST_ASSERT_EQUAL_UINT32(PREDICATE_NONE, predicates_of_statement(set, 0)); /* the insert */
    TEST_ASSERT_EQUAL_UINT32(0, predicates_of_statement(set, 2));
    TEST_ASSERT_EQUAL_UINT32(1, predicates_of_statement(set, 3));
    TEST_ASSERT_EQUAL_UINT32(0, predicates_of_statement(set, 4));
    TEST_ASSERT_EQUAL_UINT32(2, predicates_of_statement(set, 5));
    TEST_ASSERT_EQUAL_UINT32(PREDICATE_OTHER_TABLE, predicates_get(set, 3)->table);
    TEST_ASSERT_EQUAL_STRING("11...1", answers_of(0));
    TEST_ASSERT_EQUAL_STRING(".1...1", answers_of(1));
    TEST_ASSERT_EQUAL_STRING("111111", answers_of(2));
    TEST_ASSERT_EQUAL(PREDICATE_YES,
                      predicates_match(set, 4, predicate_other_row(&history), &scratch));
}

static void a_text_that_the_store_refused_may_be_anything(void)
{
    ASSERT_OK(reopen("{\"select\":\"t\",\"where\":\"nonsense(\",\"error\":\"42601\"}"), &err);
    TEST_ASSERT_EQUAL_UINT32(0, predicates_count(set));
    TEST_ASSERT_EQUAL_UINT32(PREDICATE_NONE, predicates_of_statement(set, 2));
}

static void an_error_names_the_transaction(void)
{
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      reopen("{\"select\":\"t\",\"where\":\"a = 1 AND\",\"rows\":{}}"));
    TEST_ASSERT_EQUAL_STRING("transaction 7: where of t: column 10: syntax error at end of input",
                             err.text);
    TEST_ASSERT_NULL(set);
}

static void a_table_that_is_too_wide_is_refused_only_if_it_is_asked(void)
{
    struct buffer lines = { 0 };
    struct history wide;
    struct predicates *own;
    uint32_t number;

    buffer_text(&lines,
                TEXT("{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"int\""));
    for (int i = 0; i < PREDICATE_COLUMNS_MAX; i++)
        buffer_print(&lines, ",\"c%d\":\"int\"", i);
    buffer_text(&lines, TEXT("},\"key\":[\"id\"]}}}\n"));
    buffer_byte(&lines, '\0');
    wide = predicate_history_of(lines.at);
    ASSERT_OK(predicates_open(&own, &wide, 0, &err), &err);
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT, predicates_add(own, 0, TEXT("id = 1"), &number, &err));
    TEST_ASSERT_EQUAL_STRING("where of t: the table has more than 1600 columns", err.text);
    predicates_close(own);
    history_close(&wide);
    buffer_close(&lines);
}

/* --- Shapes -------------------------------------------------------------------------- */

static const struct condition *condition_of(const char *text)
{
    return filter_of(text)->condition;
}

static void texts_that_differ_in_their_numbers_share_a_condition(void)
{
    TEST_ASSERT_EQUAL_PTR(condition_of("a >= 10 AND s = 'x1'"),
                          condition_of("a >= 7 AND s = 'x1'"));
    TEST_ASSERT_TRUE(condition_of("a >= 10 AND s = 'x1'") != condition_of("a >= 10 AND s = 'x2'"));
    /* A number that is no integer has other operators. */
    TEST_ASSERT_TRUE(condition_of("a + 2147483647 > 1") != condition_of("a + 2147483649 > 1"));
    TEST_ASSERT_EQUAL_STRING("??.11?", answers_of(add("a + 2147483647 > 1")));
    TEST_ASSERT_EQUAL_STRING("11.111", answers_of(add("a + 2147483649 > 1")));
}

static void a_shape_is_of_one_table(void)
{
    uint32_t number;

    ASSERT_OK(predicates_add(set, PREDICATE_OTHER_TABLE, TEXT("v > 0"), &number, &err), &err);
    TEST_ASSERT_EQUAL(PREDICATE_YES,
                      predicates_match(set, number, predicate_other_row(&history), &scratch));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      predicates_add(set, PREDICATE_TABLE, TEXT("v > 1"), &number, &err));
    ASSERT_OK(predicates_add(set, PREDICATE_OTHER_TABLE, TEXT("v > 1"), &number, &err), &err);
    TEST_ASSERT_EQUAL(PREDICATE_NO,
                      predicates_match(set, number, predicate_other_row(&history), &scratch));
}

/* Texts in which digits are no numbers, or what looks like text is none. */
static const char *const tricks[] = {
    "a = 1.5 OR a = 10",
    "a = 1e1",
    "a = .5 + 9.5",
    "a = 010",
    "a = 0x0a",
    "a = 10and id = 1",
    "s = 'ab' -- it's 5\n AND s <> '7'",
    "s = 'ab' /* it's 5 */ AND s <> '7'",
    "s <> E'\\'7' AND s = 'ab'",
    "s <> e'7' AND a = 10",
    "s <> U&'\\0061' AND a = 10",
    "s <> $$7'7$$ AND a = 10",
    "s <> $1$7$1$ AND a = 10",
    "s <> $$7$$ AND a = 10",
    "s <> $x$7$x$ AND a = 10",
    "s = 'ab' -- it's\n AND s <> '7' -- it's",
    "s = 'ab' /* it's */ AND s <> '7' /* it's */",
    "s <> E'\\'7' || E'8\\'' AND a = 10",
    "s <> e'\\\\' || '7' AND s <> x'10'::text",
    "s = '1' OR a = 10 OR s <> '''1' AND id = 4",
    "\"Order\" = 7 AND s <> '\"7' AND s = 'ab'",
    "\"Order7\" = 7",
    "a1 = 1",
    "a::numeric(10,2) = 10",
    "a::numeric(1,0) = 10",
    "s::varchar(1) = 'a'",
    "l[1] = 1",
    "l = ARRAY[1, 2]",
    "l = '{5}'::bigint[3]",
    "a = 9223372036854775808",
    "\"Order\" > -9223372036854775808",
    "a = - 10 + 20 AND a > -5",
    "a >-5",
    "a + -2147483648 < 1",
    "a + - 2147483648 < 1 AND \"Order\" + -9223372036854775808 < 1",
    "z - -2147483649 > 1",
    "a = 10 / (1 - 1)",
    "id = 3 OR a = 10 / (1 - 1)",
    "40000::smallint > z",
    "id < 3 AND z < 40000::smallint",
    "a IN (1, 2, 3, 10, 20)",
    "id = 3 OR a IN (1, 2, 3, 10, 20)",
    "id = 3 OR a IN (1, 2, 3, 10, 3000000000)",
    "m = 12 + 1 OR m >= 99 AND m <= 100",
    "a = 1 ORDER BY 1",
    "a = 10 7",
    "a = '1'7",
    "a = 1\xc3\xa9",
    "count(1) > 5",
    "a = bigint 10",
    "f OR a = integer 10 OR w > timestamp 5",
    "CASE 10 WHEN a THEN 1 ELSE 2 END = 1",
    "COALESCE(a, 5) = 5",
    "substr(s, 1, 1) = 'a'",
    "w = timestamp '1970-01-01 00:00:01' AND a = 10",
    "a = 10::text::int",
    "NULL = 5",
    "5 = 5 AND a = 10",
};

static void print_to(const struct predicates *from, uint32_t number, struct buffer *text)
{
    buffer_clear(text);
    predicates_print(from, number, text);
    buffer_byte(text, '\0');
}

static void a_text_means_the_same_whether_its_numbers_are_cut_out_or_not(void)
{
    struct buffer cut_text = { 0 }, whole_text = { 0 };
    struct predicates *whole;

    ASSERT_OK(predicates_open(&whole, &history, PREDICATES_WHOLE, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(tricks); i++) {
        struct error cut_err = { 0 }, whole_err = { 0 };
        struct text text = text_of(tricks[i]);
        uint32_t a, b;
        enum status cut = predicates_add(set, PREDICATE_TABLE, text, &a, &cut_err);

        TEST_ASSERT_EQUAL_MESSAGE(cut, predicates_add(whole, PREDICATE_TABLE, text, &b, &whole_err),
                                  tricks[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(whole_err.text, cut_err.text, tricks[i]);
        if (cut != STATUS_OK)
            continue;
        for (uint32_t row = 0; row < PREDICATE_ROWS; row++)
            TEST_ASSERT_EQUAL_MESSAGE(
                predicates_match(whole, b, predicate_row(&history, row), &scratch),
                predicates_match(set, a, predicate_row(&history, row), &scratch), tricks[i]);
        print_to(set, a, &cut_text);
        print_to(whole, b, &whole_text);
        TEST_ASSERT_EQUAL_STRING(whole_text.at, cut_text.at);
    }
    predicates_close(whole);
    buffer_close(&cut_text);
    buffer_close(&whole_text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_matches_where_the_condition_is_true_and_never_where_it_is_null);
    RUN_TEST(what_is_no_row_of_the_table_never_matches);
    RUN_TEST(a_row_that_cannot_be_computed_is_undecided_and_the_scratch_says_why);
    RUN_TEST(an_error_does_not_bring_back_what_a_range_excludes);
    RUN_TEST(a_value_that_its_type_cannot_have_is_undecided);
    RUN_TEST(columns_are_read_as_their_types_are);
    RUN_TEST(the_canonical_text_has_lost_its_blanks_and_reads_back_the_same);
    RUN_TEST(a_predicate_says_what_it_reads_and_where_its_rows_can_be);
    RUN_TEST(what_is_no_condition_on_the_table_is_refused_by_name_and_place);
    RUN_TEST(no_text_is_too_large_or_too_deep_to_be_refused);
    RUN_TEST(bytes_that_are_no_text_are_refused);
    RUN_TEST(statements_with_the_same_text_have_one_predicate);
    RUN_TEST(a_text_that_the_store_refused_may_be_anything);
    RUN_TEST(an_error_names_the_transaction);
    RUN_TEST(a_table_that_is_too_wide_is_refused_only_if_it_is_asked);
    RUN_TEST(texts_that_differ_in_their_numbers_share_a_condition);
    RUN_TEST(a_shape_is_of_one_table);
    RUN_TEST(a_text_means_the_same_whether_its_numbers_are_cut_out_or_not);
    return UNITY_END();
}
