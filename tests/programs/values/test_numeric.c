#include "programs/values/numeric.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct sql_error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void) {}

static struct numeric number(const char *text)
{
    struct numeric a = { 0 };

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, numeric_parse(text_of(text), &a, &err), err.text);
    return a;
}

static void assert_prints(const char *expected, struct numeric a, const char *what)
{
    char text[NUMERIC_TEXT_MAX + 1];
    char *end = numeric_write(text, a);

    TEST_ASSERT_LESS_OR_EQUAL_INT64(NUMERIC_TEXT_MAX, end - text);
    *end = '\0';
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, text, what);
}

typedef enum status operation(struct numeric, struct numeric, struct numeric *, struct sql_error *);

struct row {
    const char *a, *b, *result; /* NULL: more digits than there may be */
};

static void assert_rows(operation *operate, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct numeric result = { 0 };
        enum status status = operate(number(rows[i].a), number(rows[i].b), &result, &err);

        if (rows[i].result) {
            TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, status, rows[i].a);
            assert_prints(rows[i].result, result, rows[i].a);
        } else {
            TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, status, rows[i].a);
            TEST_ASSERT_EQUAL_STRING("22003", err.sqlstate);
        }
    }
}

static void sums_have_the_larger_scale(void)
{
    static const struct row rows[] = {
        { "1.5", "2.25", "3.75" },
        { "1.50", "1.5", "3.00" },
        { "0.1", "-0.1", "0.0" },
        { "99999999999999999999999999999999999999", "-1",
          "99999999999999999999999999999999999998" },
        { "99999999999999999999999999999999999999", "1", NULL },
        { "99999999999999999999999999999999999999", "0.1", NULL },
    };

    assert_rows(numeric_add, rows, ROW_COUNT(rows));
}

static void products_have_both_scales(void)
{
    static const struct row rows[] = {
        { "1.5", "2.25", "3.375" },
        { "-0.10", "0.10", "-0.0100" },
        { "0", "-5.00", "0.00" },
        { "10000000000000000000", "1000000000000000000", "10000000000000000000000000000000000000" },
        { "10000000000000000000", "10000000000000000000", NULL },
        { "0.00000000000000000001", "0.00000000000000000001", NULL },
    };

    assert_rows(numeric_multiply, rows, ROW_COUNT(rows));
}

/* The scale follows digits of base 10000: 1/3 has more places than 10/3. */
static void quotients_have_postgresqls_scale(void)
{
    static const struct row rows[] = {
        { "1", "3", "0.33333333333333333333" },
        { "10", "3", "3.3333333333333333" },
        { "2", "3", "0.66666666666666666667" },
        { "-2", "3", "-0.66666666666666666667" },
        { "100000", "3", "33333.333333333333" },
        { "1", "10000", "0.000100000000000000000000" },
        { "3.0000000000000001", "2", "1.5000000000000001" }, /* a half, rounded */
        { "-3.0000000000000001", "2", "-1.5000000000000001" },
        { "0", "7", "0.00000000000000000000" },
        { "1.00000000000000000000000000000", "1", "1.00000000000000000000000000000" },
        { "99999999999999999999999999999999999999", "99999999999999999999999999999999999998",
          "1.00000000000000000000" },
        { "1", "0.00000000000000000000000000000000000001", NULL },
    };

    assert_rows(numeric_divide, rows, ROW_COUNT(rows));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      numeric_divide(number("1"), number("0.00"), &(struct numeric){ 0 }, &err));
    TEST_ASSERT_EQUAL_STRING("division by zero", err.text);
    TEST_ASSERT_EQUAL_STRING("22012", err.sqlstate);
}

static void remainders_have_the_dividends_sign(void)
{
    static const struct row rows[] = {
        { "7", "2", "1" },         { "-7", "2", "-1" },   { "7", "-2", "1" },
        { "5.5", "1.25", "0.50" }, { "1", "0.3", "0.1" },
    };

    assert_rows(numeric_modulo, rows, ROW_COUNT(rows));
}

static void halves_round_away_from_zero(void)
{
    static const struct {
        const char *from;
        int scale;
        const char *to;
    } rows[] = {
        { "2.5", 0, "3" },      { "-2.5", 0, "-3" },    { "2.4999", 0, "2" },   { "0.5", 0, "1" },
        { "1.005", 2, "1.01" }, { "1.5", 4, "1.5000" }, { "1250", -2, "1300" }, { "49", -2, "0" },
        { "50", -2, "100" },    { "7", -38, "0" },      { "7", -100, "0" },     { "-0.4", 0, "0" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct numeric result = { 0 };

        TEST_ASSERT_EQUAL(STATUS_OK,
                          numeric_round(number(rows[i].from), rows[i].scale, &result, &err));
        assert_prints(rows[i].to, result, rows[i].from);
    }
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      numeric_round(number("9e37"), -38, &(struct numeric){ 0 }, &err));
}

static void a_column_takes_what_fits_after_rounding(void)
{
    static const struct {
        const char *from;
        int precision, scale;
        const char *to; /* NULL: numeric field overflow */
    } rows[] = {
        { "999.994", 5, 2, "999.99" },  { "999.995", 5, 2, NULL }, { "-999.995", 5, 2, NULL },
        { "0.00999", 3, 5, "0.00999" }, { "0.01", 3, 5, NULL },    { "12345", 3, -2, "12300" },
        { "99950", 3, -2, NULL },       { "1e37", 38, 10, NULL },  { "0", 1, 1, "0.0" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct numeric result = { 0 };
        enum status status =
            numeric_fit(number(rows[i].from), rows[i].precision, rows[i].scale, &result, &err);

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].to ? STATUS_OK : STATUS_BAD_INPUT, status, rows[i].from);
        if (rows[i].to)
            assert_prints(rows[i].to, result, rows[i].from);
        else
            TEST_ASSERT_EQUAL_STRING("numeric field overflow", err.text);
    }
}

static void order_and_hash_do_not_see_the_scale(void)
{
    static const char *const rising[] = {
        "-99999999999999999999999999999999999999",
        "-1.01",
        "-1",
        "-1e-38",
        "0",
        "1e-38",
        "0.99",
        "1",
        "1.0000000000000000000000000000000000001",
        "99999999999999999999999999999999999998",
        "99999999999999999999999999999999999999",
    };

    for (int i = 0; i < (int)ROW_COUNT(rising); i++)
        for (int j = 0; j < (int)ROW_COUNT(rising); j++)
            TEST_ASSERT_EQUAL_INT_MESSAGE((i > j) - (i < j),
                                          numeric_compare(number(rising[i]), number(rising[j])),
                                          rising[i]);
    TEST_ASSERT_EQUAL_INT(0, numeric_compare(number("1.50"), number("1.5")));
    TEST_ASSERT_EQUAL_UINT64(numeric_hash(number("1.50")), numeric_hash(number("1.5")));
    TEST_ASSERT_EQUAL_UINT64(numeric_hash(number("0.000")), numeric_hash(number("0")));
    TEST_ASSERT_TRUE(numeric_hash(number("15")) != numeric_hash(number("1.5")));
}

static void floor_and_ceil_go_apart(void)
{
    assert_prints("-2", numeric_floor(number("-1.5")), "floor");
    assert_prints("-1", numeric_ceil(number("-1.5")), "ceil");
    assert_prints("1", numeric_floor(number("1.5")), "floor");
    assert_prints("2", numeric_ceil(number("1.5")), "ceil");
    assert_prints("0", numeric_ceil(number("-0.5")), "ceil");
    assert_prints("-1", numeric_sign(number("-0.5")), "sign");
}

static void text_that_is_no_number_is_refused(void)
{
    static const char *const texts[] = {
        "", " ", ".", "-", "1e", "1e+", "--1", "1 2", "1x", "NaN"
    };
    struct numeric a;

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, numeric_parse(text_of(texts[i]), &a, &err),
                                  texts[i]);
        TEST_ASSERT_EQUAL_STRING("22P02", err.sqlstate);
    }
    assert_prints("-0.5", number(" -.5 "), "a point first");
    assert_prints("5", number("5."), "a point last");
    assert_prints("0.0015", number("1.5e-3"), "an exponent");
    assert_prints("1500", number("1.5e3"), "an exponent");
    assert_prints("0", number("0e500"), "zero to the last");
    assert_prints("0", number("-0"), "a zero below zero");
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, numeric_parse(text_of("1e38"), &a, &err));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, numeric_parse(text_of("1e-39"), &a, &err));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, numeric_parse(text_of("1e99999999999999"), &a, &err));
}

static struct random stream(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    return random;
}

/* A number of up to `digits` digits. */
static struct numeric draw(struct random *random, unsigned digits, unsigned scale)
{
    __int128 value = 0;

    for (uint64_t n = 1 + random_below(random, digits); n > 0; n--)
        value = 10 * value + (__int128)random_below(random, 10);
    return (struct numeric){ random_below(random, 2) ? -value : value,
                             (int)random_below(random, scale + 1) };
}

/* What is divided is the quotient times the divisor, but for half a unit of the last place. */
static void a_quotient_is_as_near_as_its_scale_allows(void)
{
    struct random random = stream(1);

    for (size_t i = 0; i < fixture_rounds(20000); i++) {
        struct numeric a = draw(&random, 9, 5), b = draw(&random, 9, 5), quotient, rest;
        struct numeric product = { 0 }, twice = { 0 }, unit = { 1, 0 };

        if (b.digits == 0 || numeric_divide(a, b, &quotient, &err) != STATUS_OK)
            continue;
        if (numeric_multiply(quotient, b, &product, &err) != STATUS_OK)
            continue;
        TEST_ASSERT_EQUAL(STATUS_OK, numeric_subtract(a, product, &rest, &err));
        TEST_ASSERT_EQUAL(STATUS_OK, numeric_add(rest, rest, &twice, &err));
        unit.scale = quotient.scale;
        TEST_ASSERT_EQUAL(STATUS_OK, numeric_multiply(unit, numeric_abs(b), &unit, &err));
        TEST_ASSERT_LESS_OR_EQUAL_INT(0, numeric_compare(numeric_abs(twice), unit));
    }
}

static void what_is_printed_is_read_as_the_same(void)
{
    struct random random = stream(2);

    for (size_t i = 0; i < fixture_rounds(20000); i++) {
        struct numeric a = draw(&random, 38, 38), again = { 0 };
        char text[NUMERIC_TEXT_MAX];
        size_t length = (size_t)(numeric_write(text, a) - text);

        TEST_ASSERT_EQUAL(STATUS_OK, numeric_parse((struct text){ text, length }, &again, &err));
        TEST_ASSERT_EQUAL_INT(a.scale, again.scale);
        TEST_ASSERT_TRUE(a.digits == again.digits);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(sums_have_the_larger_scale);
    RUN_TEST(products_have_both_scales);
    RUN_TEST(quotients_have_postgresqls_scale);
    RUN_TEST(remainders_have_the_dividends_sign);
    RUN_TEST(halves_round_away_from_zero);
    RUN_TEST(a_column_takes_what_fits_after_rounding);
    RUN_TEST(order_and_hash_do_not_see_the_scale);
    RUN_TEST(floor_and_ceil_go_apart);
    RUN_TEST(text_that_is_no_number_is_refused);
    RUN_TEST(a_quotient_is_as_near_as_its_scale_allows);
    RUN_TEST(what_is_printed_is_read_as_the_same);
    return UNITY_END();
}
