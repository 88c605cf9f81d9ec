#include "programs/values/operator_evaluate.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/values/sql_row.h"
#include "unity.h"

#define GOLDEN "tests/programs/values/operators.txt"

static struct heap heap;
static struct sql_error err;

void setUp(void)
{
    heap_init(&heap, 4096);
    memset(&err, 0, sizeof err);
}

void tearDown(void)
{
    heap_close(&heap);
}

static void assert_answer(const char *line, const char *expected)
{
    char answer[SQL_ROW_ANSWER_MAX];

    sql_row_answer(line, answer);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, answer, line);
}

/* Written by tests/postgres/operators.sh --golden. */
static void answers_are_those_that_postgresql_once_gave(void)
{
    FILE *file = fopen(GOLDEN, "r");
    char line[2 * SQL_ROW_ANSWER_MAX];
    int count = 0;

    TEST_ASSERT_NOT_NULL_MESSAGE(file, GOLDEN " (tests run where the Makefile is)");
    for (; fgets(line, sizeof line, file); count++) {
        char *expected = strchr(line, '\t');

        line[strcspn(line, "\n")] = '\0';
        TEST_ASSERT_NOT_NULL_MESSAGE(expected, line);
        *expected++ = '\0';
        assert_answer(line, expected);
    }
    fclose(file);
    TEST_ASSERT_GREATER_THAN_INT(300, count);
}

static void types_decide_what_an_operator_means(void)
{
    static const struct {
        const char *line, *answer;
    } rows[] = {
        { "'7'::int / '2'::int", "integer=3" },
        { "'7'::int / '2'::numeric", "numeric=3.5000000000000000" },
        { "'-7'::int % '2'::int", "integer=-1" },
        { "'7'::smallint + '2'::bigint", "bigint=9" },
        { "'7'::int + '2'", "integer=9" },
        { "'2147483647'::int + '1'::int", "22003 integer out of range" },
        { "'2147483647'::int + '1'::bigint", "bigint=2147483648" },
        { "'-9223372036854775808'::bigint / '-1'::bigint", "22003 bigint out of range" },
        { "'-9223372036854775808'::bigint % '-1'::bigint", "bigint=0" },
        { "- '-32768'::smallint", "22003 smallint out of range" },
        { "abs('-2147483648'::int)", "22003 integer out of range" },
        { "'1'::int % '0'::int", "22012 division by zero" },
        { "'1' || '2'::int", "text=12" },
        { "'a'::text || 't'::boolean", "text=atrue" },
        { "'{1}'::bigint[] || '2'::int", "bigint[]={1,2}" },
        { "'1'::int || '{2}'::bigint[]", "bigint[]={1,2}" },
        { "'{1}'::bigint[] || '{2}'", "bigint[]={1,2}" },
        { "'{1}'::bigint[] || NULL", "bigint[]={1}" },
        { "'{1}'::bigint[] || NULL::bigint", "bigint[]={1,NULL}" },
        { "ARRAY['1'::int, NULL, '3']", "bigint[]={1,NULL,3}" },
        { "'1' < '1'", "boolean=f" },
        { "'10' < '9'", "boolean=t" },
        { "'10'::int < '9'", "boolean=f" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        assert_answer(rows[i].line, rows[i].answer);
}

static void what_does_not_fit_together_is_refused_in_postgresqls_words(void)
{
    static const struct {
        const char *line, *answer;
    } rows[] = {
        { "'a'::text + '1'::int", "42883 operator does not exist: text + integer" },
        { "'1'::int = 'a'::text", "42883 operator does not exist: integer = text" },
        { "'1' + '1'", "42725 operator is not unique: unknown + unknown" },
        { "- 't'::boolean", "42883 operator does not exist: - boolean" },
        { "length('1'::int)", "42883 function length(integer) does not exist" },
        { "mod('1', '2')", "42725 function mod(unknown, unknown) is not unique" },
        { "foo('1'::int, NULL)", "42883 function foo(integer, unknown) does not exist" },
        { "NOT '1'::int", "42804 argument of NOT must be type boolean, not type integer" },
        { "COALESCE('1'::int, 'a'::text)",
          "42804 COALESCE types integer and text cannot be matched" },
        { "ARRAY['1'::int, 't'::boolean]",
          "42804 ARRAY types integer and boolean cannot be matched" },
        { "integer <- 'a'::text",
          "42804 column \"x\" is of type integer but expression is of type text" },
        { "'1'::bigint::boolean", "42846 cannot cast type bigint to boolean" },
        { "('{1}'::bigint[])['t'::boolean]", "42804 array subscript must have type integer" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        assert_answer(rows[i].line, rows[i].answer);
}

static void what_postgresql_computes_in_other_types_is_refused(void)
{
    static const char *const lines[] = {
        "floor('1'::int)",
        "round('1.5')",
        "'2024-01-01'::timestamp - '2024-01-01'::timestamp",
        "'{1}'::bigint[] || '1.5'::numeric",
        "'9e37'::numeric * '10'::numeric",
        "'[0:1]={1,2}'::bigint[]",
    };
    char answer[SQL_ROW_ANSWER_MAX];

    for (size_t i = 0; i < ROW_COUNT(lines); i++) {
        sql_row_answer(lines[i], answer);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(answer, "not supported"), lines[i]);
    }
}

static void logic_has_three_values(void)
{
    static const char *const values[] = { "'t'::boolean", "'f'::boolean", "NULL::boolean" };
    static const char *const ands[] = { "=t", "=f",       " IS NULL", "=f",      "=f",
                                        "=f", " IS NULL", "=f",       " IS NULL" };
    static const char *const ors[] = { "=t",       "=t", "=t",       "=t",      "=f",
                                       " IS NULL", "=t", " IS NULL", " IS NULL" };
    char line[64], expected[64];

    for (size_t i = 0; i < 9; i++) {
        snprintf(line, sizeof line, "%s AND %s", values[i / 3], values[i % 3]);
        snprintf(expected, sizeof expected, "boolean%s", ands[i]);
        assert_answer(line, expected);
        snprintf(line, sizeof line, "%s OR %s", values[i / 3], values[i % 3]);
        snprintf(expected, sizeof expected, "boolean%s", ors[i]);
        assert_answer(line, expected);
    }
    assert_answer("NOT NULL::boolean", "boolean IS NULL");
    assert_answer("NULL IS DISTINCT FROM '1'::int", "boolean=t");
    assert_answer("NULL = ANY ('{}'::bigint[])", "boolean=f");
    assert_answer("'1'::int = ANY ('{2,NULL}'::bigint[])", "boolean IS NULL");
}

static void a_cast_cuts_and_an_assignment_refuses(void)
{
    assert_answer("'abcd'::varchar(3)", "character varying=abc");
    assert_answer("varchar(3) <- 'abcd'::text",
                  "22001 value too long for type character varying(3)");
    assert_answer("varchar(3) <- 'abc  '::text", "character varying=abc");
    assert_answer("varchar(3) := '1234'::int",
                  "22001 value too long for type character varying(3)");
    assert_answer("integer <- '2.5'::numeric", "integer=3");
    assert_answer("integer <- '-2.5'::numeric", "integer=-3");
    assert_answer("smallint <- '32767.5'::numeric", "22003 smallint out of range");
    assert_answer("numeric(5,2) <- '999.995'::numeric", "22003 numeric field overflow");
    assert_answer("boolean := '1'::int", "boolean=t");
    assert_answer("boolean := '2'::int", "22P02 invalid input syntax for type boolean: \"2\"");
}

static void aggregates_pass_over_nulls(void)
{
    assert_answer("(SELECT sum(x) FROM (VALUES (NULL::int)) AS t (x))", "bigint IS NULL");
    assert_answer("(SELECT count(x) FROM (VALUES (NULL::int), ('1'::int)) AS t (x))", "bigint=1");
    assert_answer("(SELECT count(*) FROM (VALUES (NULL::int), ('1'::int)) AS t (x))", "bigint=2");
    assert_answer("(SELECT avg(x) FROM (VALUES ('1'::int), (NULL), ('2'::int)) AS t (x))",
                  "numeric=1.5000000000000000");
    assert_answer("(SELECT sum(x) FROM (VALUES ('9223372036854775807'::bigint), "
                  "('1'::bigint)) AS t (x))",
                  "numeric=9223372036854775808");
    assert_answer("(SELECT max(x) FROM (VALUES ('b'::text), ('a'::text)) AS t (x))", "text=b");
}

static void a_result_may_take_an_arguments_place(void)
{
    struct type types[] = { type_of(TYPE_NUMERIC), type_of(TYPE_NUMERIC) };
    struct datum arguments[2];
    struct operator_choice choice;

    TEST_ASSERT_EQUAL(STATUS_OK, operator_resolve("*", types, 2, &choice, &err));
    for (int at = 0; at < 2; at++) {
        arguments[0] = datum_of_numeric((struct numeric){ 15, 1 });
        arguments[1] = datum_of_numeric((struct numeric){ 25, 1 });
        TEST_ASSERT_EQUAL(STATUS_OK,
                          operator_evaluate(&choice, arguments, &arguments[at], &heap, &err));
        TEST_ASSERT_EQUAL_INT64(375, (int64_t)arguments[at].as.digits);
        TEST_ASSERT_EQUAL_UINT8(2, arguments[at].scale);
    }
}

static void a_heap_that_is_full_is_an_error_and_changes_nothing(void)
{
    struct type types[] = { type_of(TYPE_TEXT), type_of(TYPE_INTEGER) };
    struct datum arguments[] = { datum_of_text(TEXT("x")), datum_of_int64(5000) };
    struct datum result = datum_of_int64(7);
    struct operator_choice choice;

    TEST_ASSERT_EQUAL(STATUS_OK, operator_resolve("lpad", types, 2, &choice, &err));
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT,
                      operator_evaluate(&choice, arguments, &result, &heap, &err));
    TEST_ASSERT_EQUAL_STRING("53200", err.sqlstate);
    TEST_ASSERT_EQUAL_INT64(7, result.as.integer);
    arguments[1] = datum_of_int64(1000);
    TEST_ASSERT_EQUAL(STATUS_OK, operator_evaluate(&choice, arguments, &result, &heap, &err));
    TEST_ASSERT_EQUAL_UINT32(1000, result.length);
}

static void functions_that_are_built_in_are_known_by_name(void)
{
    TEST_ASSERT_TRUE(operator_is_function("abs"));
    TEST_ASSERT_FALSE(operator_is_function("transfer"));
    TEST_ASSERT_FALSE(operator_is_function("COALESCE"));
}

/* For tests/postgres/operators.sh: each line of the input, and what we say to it. */
static int answer_all(void)
{
    char line[4096], answer[SQL_ROW_ANSWER_MAX];

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        sql_row_answer(line, answer);
        printf("%s\t%s\n", line, answer);
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--answer") == 0)
        return answer_all();
    UNITY_BEGIN();
    RUN_TEST(answers_are_those_that_postgresql_once_gave);
    RUN_TEST(types_decide_what_an_operator_means);
    RUN_TEST(what_does_not_fit_together_is_refused_in_postgresqls_words);
    RUN_TEST(what_postgresql_computes_in_other_types_is_refused);
    RUN_TEST(logic_has_three_values);
    RUN_TEST(a_cast_cuts_and_an_assignment_refuses);
    RUN_TEST(aggregates_pass_over_nulls);
    RUN_TEST(a_result_may_take_an_arguments_place);
    RUN_TEST(a_heap_that_is_full_is_an_error_and_changes_nothing);
    RUN_TEST(functions_that_are_built_in_are_known_by_name);
    return UNITY_END();
}
