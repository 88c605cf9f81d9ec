#include "programs/values/type.h"

#include "tests/fixture.h"
#include "unity.h"

static struct sql_error err;

void setUp(void) {}

void tearDown(void) {}

static void types_have_many_names_and_print_one(void)
{
    static const struct {
        const char *written, *printed;
    } rows[] = {
        { "smallint", "smallint" },
        { "INT2", "smallint" },
        { "int", "integer" },
        { "pg_catalog.int4", "integer" },
        { " int8 ", "bigint" },
        { "numeric", "numeric" },
        { "decimal ( 10 , 2 )", "numeric(10,2)" },
        { "numeric(10)", "numeric(10,0)" },
        { "numeric(3,-2)", "numeric(3,-2)" },
        { "text", "text" },
        { "varchar", "character varying" },
        { "character  varying(3)", "character varying(3)" },
        { "bool", "boolean" },
        { "timestamp", "timestamp without time zone" },
        { "timestamp without time zone", "timestamp without time zone" },
        { "bigint[]", "bigint[]" },
        { "int8[3]", "bigint[]" },
        { "void", "void" },
        { "record", "record" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct type type;
        char text[TYPE_PRINT_MAX];

        TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, type_parse(text_of(rows[i].written), &type, &err),
                                  rows[i].written);
        TEST_ASSERT_EQUAL_STRING(rows[i].printed, type_print(type, text));
    }
}

static void other_types_are_refused_by_name(void)
{
    static const struct {
        const char *written, *text;
    } rows[] = {
        { "real", "type real is not supported" },
        { "timestamp with time zone", "type timestamp with time zone is not supported" },
        { "timestamp(3)", "type timestamp(3) is not supported" },
        { "text[]", "type text[] is not supported: of arrays there is only bigint[]" },
        { "numeric(39,2)", "type numeric(39,2) is not supported: no more than 38 digits" },
        { "numeric(0)", "NUMERIC precision 0 must be between 1 and 1000" },
        { "varchar(0)", "length for type varchar must be at least 1" },
        { "varchar(10485761)", "length for type varchar cannot exceed 10485760" },
        { "bigint(3)", "type modifier is not allowed for type \"bigint\"" },
        { "", "type  is not supported" },
        { "varchar(", "type varchar( is not supported" },
        { "varchar(3", "type varchar(3 is not supported" },
        { "varchar(99999999999999999999)", "type varchar(99999999999999999999) is not supported" },
        { "bigint[", "type bigint[ is not supported" },
        { "bigint[] x", "type bigint[] x is not supported" },
        { "numeric(1,2,3)", "type numeric(1,2,3) is not supported" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct type type;

        TEST_ASSERT_EQUAL_MESSAGE(
            STATUS_BAD_INPUT, type_parse(text_of(rows[i].written), &type, &err), rows[i].written);
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(types_have_many_names_and_print_one);
    RUN_TEST(other_types_are_refused_by_name);
    return UNITY_END();
}
