#include "programs/values/datum.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct heap heap;
static struct sql_error err;

void setUp(void)
{
    heap_init(&heap, 1 << 16);
}

void tearDown(void)
{
    heap_close(&heap);
}

static struct datum value(enum type_kind kind, const char *text)
{
    struct datum d = datum_null();

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, datum_parse(text_of(text), kind, &heap, &d, &err),
                              err.text);
    return d;
}

static void assert_prints(const char *expected, struct datum d)
{
    struct buffer out = { 0 };

    datum_print(&d, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_EQUAL_STRING(expected, out.at);
    buffer_close(&out);
}

static void values_print_as_psql_shows_them(void)
{
    assert_prints("", datum_null());
    assert_prints("-9223372036854775808", datum_of_int64(INT64_MIN));
    assert_prints("t", datum_of_bool(true));
    assert_prints("f", datum_of_bool(false));
    assert_prints("1.50", value(TYPE_NUMERIC, "1.50"));
    assert_prints("", value(TYPE_TEXT, ""));
    assert_prints(" x ", value(TYPE_VARCHAR, " x "));
    assert_prints("{}", value(TYPE_BIGINT_ARRAY, "{}"));
    assert_prints("{1,NULL,-9223372036854775808}",
                  value(TYPE_BIGINT_ARRAY, " { 1 , null,\"-9223372036854775808\" } "));
}

static void time_zero_is_1970_and_time_ends_where_its_number_does(void)
{
    assert_prints("1970-01-01 00:00:00", datum_of_timestamp(0));
    assert_prints("1970-01-01 00:00:00", datum_of_timestamp(999));
    assert_prints("1970-01-01 00:00:00.000001", datum_of_timestamp(1000));
    assert_prints("1969-12-31 23:59:59.5", datum_of_timestamp(-500000000));
    assert_prints("1677-09-21 00:12:43.145224", datum_of_timestamp(INT64_MIN));
    assert_prints("2262-04-11 23:47:16.854775", datum_of_timestamp(INT64_MAX));
    assert_prints("2024-02-29 12:30:00", value(TYPE_TIMESTAMP, "2024-02-29 12:30"));
    TEST_ASSERT_EQUAL_INT64(1709209800000000000,
                            value(TYPE_TIMESTAMP, "2024-02-29T12:30:00.000000").as.integer);
}

static void every_day_is_written_as_it_is_read(void)
{
    const int64_t day_ns = INT64_C(86400) * 1000000000;

    for (int64_t day = -100000; day <= 100000; day += 1) {
        char text[64];
        struct datum d = datum_of_timestamp(day * day_ns), again;
        size_t length = (size_t)(datum_write(text, &d) - text);

        TEST_ASSERT_EQUAL(STATUS_OK, datum_parse((struct text){ text, length }, TYPE_TIMESTAMP,
                                                 &heap, &again, &err));
        TEST_ASSERT_EQUAL_INT64(day * day_ns, again.as.integer);
    }
}

static void texts_that_are_no_values_are_refused(void)
{
    static const struct {
        enum type_kind kind;
        const char *text, *sqlstate, *message;
    } rows[] = {
        { TYPE_INTEGER, "abc", "22P02", "invalid input syntax for type integer: \"abc\"" },
        { TYPE_INTEGER, "", "22P02", "invalid input syntax for type integer: \"\"" },
        { TYPE_INTEGER, "2147483649x", "22003",
          "value \"2147483649x\" is out of range for type integer" },
        { TYPE_SMALLINT, "-32769", "22003", "value \"-32769\" is out of range for type smallint" },
        { TYPE_BIGINT, "9223372036854775808", "22003",
          "value \"9223372036854775808\" is out of range for type bigint" },
        { TYPE_BOOLEAN, "o", "22P02", "invalid input syntax for type boolean: \"o\"" },
        { TYPE_BIGINT_ARRAY, "{1,}", "22P02", "malformed array literal: \"{1,}\"" },
        { TYPE_BIGINT_ARRAY, "{1}x", "22P02", "malformed array literal: \"{1}x\"" },
        { TYPE_BIGINT_ARRAY, "{a", "22P02", "malformed array literal: \"{a\"" },
        { TYPE_BIGINT_ARRAY, "{\"a", "22P02", "malformed array literal: \"{\"a\"" },
        { TYPE_BIGINT_ARRAY, "{a}", "22P02", "invalid input syntax for type bigint: \"a\"" },
        { TYPE_TIMESTAMP, "2023-02-29", "22008",
          "date/time field value out of range: \"2023-02-29\"" },
        { TYPE_TIMESTAMP, "2263-01-01", "22008", "timestamp out of range: \"2263-01-01\"" },
        { TYPE_TIMESTAMP, "yesterday", "22007",
          "invalid input syntax for type timestamp: \"yesterday\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct datum d;

        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT,
                                  datum_parse(text_of(rows[i].text), rows[i].kind, &heap, &d, &err),
                                  rows[i].text);
        TEST_ASSERT_EQUAL_STRING(rows[i].message, err.text);
        TEST_ASSERT_EQUAL_STRING(rows[i].sqlstate, err.sqlstate);
    }
}

static void assert_rising(enum type_kind kind, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            struct datum a = value(kind, texts[i]), b = value(kind, texts[j]);
            int order = datum_compare(&a, &b);

            TEST_ASSERT_EQUAL_INT_MESSAGE((i > j) - (i < j), (order > 0) - (order < 0), texts[i]);
            TEST_ASSERT_EQUAL_MESSAGE(i == j, datum_equal(&a, &b), texts[i]);
            TEST_ASSERT_EQUAL_MESSAGE(i == j, datum_hash(&a) == datum_hash(&b), texts[i]);
        }
}

static void order_is_that_of_the_type(void)
{
    static const char *const numbers[] = { "-9223372036854775808", "-1", "0", "10" };
    static const char *const texts[] = { "", "B", "a", "ab", "b", "\303\251" };
    static const char *const arrays[] = { "{}", "{1}", "{1,1}", "{1,NULL}", "{2}", "{NULL}" };
    static const char *const truths[] = { "f", "t" };

    assert_rising(TYPE_BIGINT, numbers, ROW_COUNT(numbers));
    assert_rising(TYPE_TEXT, texts, ROW_COUNT(texts));
    assert_rising(TYPE_BIGINT_ARRAY, arrays, ROW_COUNT(arrays));
    assert_rising(TYPE_BOOLEAN, truths, ROW_COUNT(truths));
}

static void null_equals_null_alone(void)
{
    struct datum null = datum_null(), zero = datum_of_int64(0);

    TEST_ASSERT_TRUE(datum_equal(&null, &null));
    TEST_ASSERT_FALSE(datum_equal(&null, &zero));
    TEST_ASSERT_FALSE(datum_equal(&zero, &null));
    TEST_ASSERT_FALSE(datum_is_true(&null));
}

static void a_copy_lives_on_when_the_original_is_gone(void)
{
    static const struct {
        enum type_kind kind;
        const char *text;
    } rows[] = {
        { TYPE_TEXT, "hello" },
        { TYPE_TEXT, "" },
        { TYPE_BIGINT_ARRAY, "{1,2,NULL,4}" },
        { TYPE_BIGINT_ARRAY, "{}" },
        { TYPE_NUMERIC, "1.50" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char text[32];
        struct heap other;
        struct datum d, copy;

        heap_init(&other, 1 << 12);
        strcpy(text, rows[i].text);
        d = value(rows[i].kind, text);
        TEST_ASSERT_EQUAL(STATUS_OK, datum_copy(&d, &other, &copy, &err));
        memset(text, 'x', sizeof text);
        heap_close(&heap);
        assert_prints(rows[i].text, copy);
        heap_close(&other);
    }
}

static void a_heap_stops_at_its_limit_and_starts_anew(void)
{
    struct heap small;
    void *at;
    size_t given = 0;

    heap_init(&small, 5000);
    for (int round = 0; round < 2; round++) {
        for (given = 0; heap_push(&small, 100, &at, &err) == STATUS_OK; given += 100) {
            TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)at % 16);
            memset(at, 0xff, 100);
        }
        TEST_ASSERT_EQUAL_STRING("53200", err.sqlstate);
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(5000, given);
        TEST_ASSERT_GREATER_THAN_UINT64(1500, given);
        heap_reset(&small);
    }
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT, heap_push(&small, SIZE_MAX, &at, &err));
    TEST_ASSERT_EQUAL(STATUS_OK, heap_push(&small, 0, &at, &err));
    heap_close(&small);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(values_print_as_psql_shows_them);
    RUN_TEST(time_zero_is_1970_and_time_ends_where_its_number_does);
    RUN_TEST(every_day_is_written_as_it_is_read);
    RUN_TEST(texts_that_are_no_values_are_refused);
    RUN_TEST(order_is_that_of_the_type);
    RUN_TEST(null_equals_null_alone);
    RUN_TEST(a_copy_lives_on_when_the_original_is_gone);
    RUN_TEST(a_heap_stops_at_its_limit_and_starts_anew);
    return UNITY_END();
}
