/*
 * Single statements as functions, run on the embedded engine.
 */
#include <string.h>

#include "programs/machine/engine.h"
#include "tests/fixture.h"
#include "unity.h"

static const char tables[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, v text);\n"
    "CREATE FUNCTION twice(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN RETURN 2 * n; END; $$;\n";

static struct program program;
static struct engine *engine;
static struct buffer given;
static struct error err;

static void watch(void *context, const struct request *request, const struct datum *const *rows,
                  uint32_t count)
{
    (void)context;
    (void)rows;
    (void)count;
    if (request->kind != REQUEST_RETURNED)
        return;
    for (uint32_t i = 0; i < request->row_count; i++) {
        for (uint32_t k = 0; k < request->row_width; k++) {
            buffer_text(&given, k ? TEXT(" ") : TEXT(""));
            datum_print(&request->rows[i * request->row_width + k], &given);
        }
        buffer_text(&given, TEXT("; "));
    }
}

void setUp(void)
{
    err = (struct error){ 0 };
    engine = NULL;
    ASSERT_OK(program_load(&program, text_of(tables), &err), &err);
}

void tearDown(void)
{
    if (engine)
        engine_close(engine);
    program_close(&program);
    buffer_close(&given);
}

static enum status add(const char *sql)
{
    struct program_statement statement = { text_of(sql), 42 };

    return program_add_statements(&program, &statement, 1, &err);
}

/* The statements one after another, and what the last of them gave. */
static const char *do_all(const char *const *sql, uint32_t count)
{
    uint32_t first = program.tree.function_count;
    struct engine_outcome outcome;

    for (uint32_t i = 0; i < count; i++)
        ASSERT_OK(add(sql[i]), &err);
    ASSERT_OK(engine_open(&engine, &program, &err), &err);
    engine_watch(engine, watch, NULL);
    for (uint32_t i = 0; i < count; i++) {
        buffer_clear(&given);
        ASSERT_OK(engine_call(engine, first + i, NULL, &outcome, &err), &err);
        TEST_ASSERT_TRUE_MESSAGE(outcome.is_done, outcome.message);
    }
    buffer_byte(&given, '\0');
    return given.at;
}

#define DO(...)                                                                                    \
    do_all((const char *const[]){ __VA_ARGS__ },                                                   \
           sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static void a_select_gives_its_rows(void)
{
    TEST_ASSERT_EQUAL_STRING("2 b; 1 a; ", DO("INSERT INTO t VALUES (1, 'a'), (2, 'b')",
                                              "SELECT id, v FROM t ORDER BY id DESC;"));
}

static void columns_need_no_names_of_their_own(void)
{
    TEST_ASSERT_EQUAL_STRING("1 a 1; ", DO("INSERT INTO t VALUES (1, 'a')",
                                           "SELECT id, v, id FROM t"));
}

static void an_aggregate_is_one_row(void)
{
    TEST_ASSERT_EQUAL_STRING("0; ", DO("SELECT count(*) FROM t"));
}

static void what_gives_no_rows_gives_none(void)
{
    TEST_ASSERT_EQUAL_STRING("", DO("INSERT INTO t VALUES (1, 'a')", "UPDATE t SET v = 'b'"));
}

static void a_write_may_return_rows(void)
{
    TEST_ASSERT_EQUAL_STRING("1; ", DO("INSERT INTO t VALUES (1, 'a'), (2, 'b')",
                                       "DELETE FROM t WHERE v = 'a' RETURNING id"));
}

static void a_statement_may_call_a_function(void)
{
    TEST_ASSERT_EQUAL_STRING("14; ", DO("SELECT twice(7)"));
}

static void functions_that_were_there_keep_their_numbers(void)
{
    ASSERT_OK(add("SELECT 1"), &err);
    TEST_ASSERT_EQUAL_UINT32(0, program_find_function(&program, TEXT("twice")));
    TEST_ASSERT_EQUAL_UINT32(2, program.tree.function_count);
}

static void what_is_refused_names_its_line_and_leaves_the_program_alone(void)
{
    static const struct {
        const char *sql, *text;
    } rows[] = {
        { "SELECT nothing FROM t", "column \"nothing\" does not exist" },
        { "SELECT $1", "there is no parameter $1" },
        { "SELECT 1; SELECT 2", "one statement is expected here" },
        { "", "one statement is expected here" },
        { "CREATE TABLE u (id bigint PRIMARY KEY)",
          "CREATE TABLE is not supported here: a SELECT, INSERT, UPDATE or DELETE is" },
        { "BEGIN", "is not supported here: a SELECT, INSERT, UPDATE or DELETE is" },
        { "SELEC 1", "syntax error" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, add(rows[i].sql), rows[i].sql);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, rows[i].text), err.text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(42, err.line, rows[i].sql);
        TEST_ASSERT_EQUAL_UINT32(1, program.tree.function_count);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_select_gives_its_rows);
    RUN_TEST(columns_need_no_names_of_their_own);
    RUN_TEST(an_aggregate_is_one_row);
    RUN_TEST(what_gives_no_rows_gives_none);
    RUN_TEST(a_write_may_return_rows);
    RUN_TEST(a_statement_may_call_a_function);
    RUN_TEST(functions_that_were_there_keep_their_numbers);
    RUN_TEST(what_is_refused_names_its_line_and_leaves_the_program_alone);
    return UNITY_END();
}
