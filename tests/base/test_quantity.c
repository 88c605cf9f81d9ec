#include "base/quantity.h"
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

static void integers_may_be_grouped_by_underscores(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t number;
    } rows[] = {
        { "0", true, 0 },
        { "10_000_000", true, 10000000 },
        { "-3", true, -3 },
        { "+7", true, 7 },
        { "9223372036854775807", true, INT64_MAX },
        { "9223372036854775808", false, 0 },
        { "_1", false, 0 },
        { "1_", false, 0 },
        { "1__0", false, 0 },
        { "-_1", false, 0 },
        { "+-1", false, 0 },
        { "", false, 0 },
        { "1.5", false, 0 },
        { "12x", false, 0 },
        { "1000000000000000000000000000000000000000000000000000", false, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int64_t number = 0;
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].good,
                                  quantity_to_integer(text_of(rows[i].text), &number),
                                  rows[i].text);
        if (rows[i].good)
            TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].number, number, rows[i].text);
    }
}

static void durations_are_exact_or_refused(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t ns;
    } rows[] = {
        { "5ns", true, 5 },
        { "1us", true, 1000 },
        { "100ms", true, 100000000 },
        { "1.5ms", true, 1500000 },
        { "0.000001ms", true, 1 },
        { "2s", true, 2000000000 },
        { "1m", true, 60000000000 },
        { "1h", true, 3600000000000 },
        { "1_000ms", true, 1000000000 },
        { "-100ms", true, -100000000 },
        { "0.3ns", false, 0 },
        { "1", false, 0 },
        { "ms", false, 0 },
        { "", false, 0 },
        { "1 ms", false, 0 },
        { "1msec", false, 0 },
        { ".5s", false, 0 },
        { "1.s", false, 0 },
        { "1e3s", false, 0 },
        { "--1s", false, 0 },
        { "999999999999999999h", false, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int64_t ns = 0;
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].good, quantity_to_duration(text_of(rows[i].text), &ns),
                                  rows[i].text);
        if (rows[i].good)
            TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].ns, ns, rows[i].text);
    }
}

static void a_printed_duration_reads_back_the_same(void)
{
    static const int64_t durations[] = { 0,       1,          999,           1000,         1500000,
                                         2000000, 1000000001, 3600000000000, 90000000000, -5000 };

    for (size_t i = 0; i < ROW_COUNT(durations); i++) {
        int64_t ns = -1;
        buffer_clear(&out);
        quantity_print_duration(&out, durations[i]);
        TEST_ASSERT_TRUE(quantity_to_duration((struct text){ out.at, out.count }, &ns));
        TEST_ASSERT_EQUAL_INT64(durations[i], ns);
    }
}

static void a_printed_probability_reads_back_the_same(void)
{
    static const char *const texts[] = { "0",     "1",     "0.5",
                                         "0.001", "1.000", "0.000000000000000001" };

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        struct ratio before, after;
        buffer_clear(&out);
        TEST_ASSERT_TRUE(quantity_to_probability(text_of(texts[i]), &before));
        quantity_print_probability(&out, before);
        TEST_ASSERT_TRUE(quantity_to_probability((struct text){ out.at, out.count }, &after));
        TEST_ASSERT_TRUE((unsigned __int128)before.numerator * after.denominator ==
                         (unsigned __int128)after.numerator * before.denominator);
    }
}

static void what_is_no_probability_is_refused(void)
{
    static const char *const texts[] = { "1.1", "2", "-0.5", "1e-3", "nan", "0,5", "", "0._5" };
    struct ratio ratio;

    for (size_t i = 0; i < ROW_COUNT(texts); i++)
        TEST_ASSERT_FALSE_MESSAGE(quantity_to_probability(text_of(texts[i]), &ratio), texts[i]);
}

static void counts_are_printed_in_groups_of_three(void)
{
    quantity_print_count(&out, 0);
    buffer_byte(&out, '|');
    quantity_print_count(&out, 999);
    buffer_byte(&out, '|');
    quantity_print_count(&out, 48213);
    buffer_byte(&out, '|');
    quantity_print_count(&out, 1234567);
    TEST_ASSERT_EQUAL_STRING("0|999|48 213|1 234 567", printed());
}

static void rounded_durations_have_a_unit_that_suits_them(void)
{
    quantity_print_rounded(&out, 60000000000);
    buffer_byte(&out, '|');
    quantity_print_rounded(&out, 1234567);
    buffer_byte(&out, '|');
    quantity_print_rounded(&out, 7);
    buffer_byte(&out, '|');
    quantity_print_rounded(&out, 0);
    TEST_ASSERT_EQUAL_STRING("60 s|1.23 ms|7 ns|0 ns", printed());
}

static void sizes_have_units_of_1024_and_read_back_the_same(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t bytes;
        const char *printed;
    } rows[] = {
        { "4G", true, INT64_C(4) << 30, "4G" },
        { "512M", true, INT64_C(512) << 20, "512M" },
        { "1.5K", true, 1536, "1536" },
        { "1024M", true, INT64_C(1) << 30, "1G" },
        { "2T", true, INT64_C(2) << 40, "2T" },
        { "1_000", true, 1000, "1000" },
        { "0", true, 0, "0" },
        { "0.3K", false, 0, NULL },
        { "-1G", false, 0, NULL },
        { "4GB", false, 0, NULL },
        { "4g", false, 0, NULL },
        { "G", false, 0, NULL },
        { "", false, 0, NULL },
        { "99999999T", false, 0, NULL },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int64_t bytes = -1;

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].good, quantity_to_bytes(text_of(rows[i].text), &bytes),
                                  rows[i].text);
        if (!rows[i].good)
            continue;
        TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].bytes, bytes, rows[i].text);
        buffer_clear(&out);
        quantity_print_bytes(&out, bytes);
        TEST_ASSERT_EQUAL_STRING(rows[i].printed, printed());
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(integers_may_be_grouped_by_underscores);
    RUN_TEST(durations_are_exact_or_refused);
    RUN_TEST(a_printed_duration_reads_back_the_same);
    RUN_TEST(a_printed_probability_reads_back_the_same);
    RUN_TEST(what_is_no_probability_is_refused);
    RUN_TEST(counts_are_printed_in_groups_of_three);
    RUN_TEST(rounded_durations_have_a_unit_that_suits_them);
    RUN_TEST(sizes_have_units_of_1024_and_read_back_the_same);
    return UNITY_END();
}
