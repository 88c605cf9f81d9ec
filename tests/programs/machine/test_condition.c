#include "programs/machine/condition.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

enum { ID, A, S, M, F, W, L, COLUMNS };

static struct machine *machine;
static struct filter filter;
static struct heap scratch;
static struct error err;

void setUp(void)
{
    machine = NULL;
    heap_init(&scratch, (size_t)1 << 16);
}

void tearDown(void)
{
    machine_close(machine);
    fixture_unload();
    heap_close(&scratch);
}

/* The filter of a statement with this WHERE, called with x = 10, y = 3, u = 'it''s' and null. */
static void filter_of(const char *where)
{
    static char sql[4096];
    struct fixture_call call;
    const struct request *request;

    snprintf(sql, sizeof sql,
             "CREATE TABLE t (id bigint PRIMARY KEY, a int, s varchar(9), m numeric(8,2), f boolean,"
             " w timestamp, l bigint[]);\n"
             "CREATE FUNCTION q(x bigint, y int, u text, nil bigint) RETURNS bigint\n"
             "LANGUAGE plpgsql AS $$ DECLARE v bigint; BEGIN\n"
             "SELECT id INTO v FROM t WHERE %s; RETURN v; END; $$;",
             where);
    fixture_load(sql);
    ASSERT_OK(machine_open(&machine, &fixture_program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, &err),
              &err);
    call = fixture_call("q(10, 3, 'it''s', NULL)");
    machine_start(machine, call.function, call.arguments);
    request = machine_run(machine);
    TEST_ASSERT_EQUAL_INT_MESSAGE(REQUEST_READ, request->kind, where);
    filter = request->filter;
}

static void next_filter(const char *where)
{
    machine_close(machine);
    machine = NULL;
    fixture_unload();
    filter_of(where);
}

static void random_row(struct random *random, struct datum row[COLUMNS])
{
    static const char *const texts[] = { "", "a", "it's", "ab", "it's10" };
    static const int64_t numbers[] = { 1, 2, 3, 10 };

    row[ID] = datum_of_int64(random_between(random, 0, 20));
    row[A] = datum_of_int64(random_between(random, -5, 12));
    row[S] = datum_of_text(text_of(texts[random_below(random, 5)]));
    row[M] = datum_of_numeric((struct numeric){ random_between(random, -500, 2000), 2 });
    row[F] = datum_of_bool(random_below(random, 2));
    row[W] = datum_of_timestamp(random_between(random, 0, 3) * 86400 * 1000000000);
    row[L] = (struct datum){ .kind = DATUM_ARRAY,
                             .length = (uint32_t)random_below(random, 5),
                             .as.array.at = numbers };
    for (int i = A; i < COLUMNS; i++)
        if (random_below(random, 6) == 0)
            row[i] = datum_null();
}

static bool matches(int64_t id, struct datum a)
{
    struct datum row[COLUMNS] = { [ID] = datum_of_int64(id), [A] = a };

    return condition_matches(&filter, row, &scratch);
}

static void a_row_matches_where_all_is_true_and_null_is_not(void)
{
    filter_of("id > x AND a = 3");
    TEST_ASSERT_TRUE(matches(11, datum_of_int64(3)));
    TEST_ASSERT_FALSE(matches(10, datum_of_int64(3)));
    TEST_ASSERT_FALSE(matches(11, datum_of_int64(4)));
    TEST_ASSERT_FALSE(matches(11, datum_null()));
    next_filter("NOT (id > x AND a = 3)");
    TEST_ASSERT_FALSE(matches(11, datum_null()));
    TEST_ASSERT_TRUE(matches(10, datum_null()));
    next_filter("a IN (1, NULL, y)");
    TEST_ASSERT_TRUE(matches(0, datum_of_int64(3)));
    TEST_ASSERT_FALSE(matches(0, datum_of_int64(2)));
    next_filter("a NOT IN (1, NULL, y)");
    TEST_ASSERT_FALSE(matches(0, datum_of_int64(2)));
}

static void a_row_that_cannot_be_decided_is_for_the_reader_to_see(void)
{
    struct datum row[COLUMNS] = { [ID] = datum_of_int64(5), [A] = datum_of_int64(0) };
    struct sql_error error;
    bool is_one;

    filter_of("id < x AND 10 / a > 2");
    TEST_ASSERT_TRUE(condition_matches(&filter, row, &scratch));
    TEST_ASSERT_TRUE(condition_evaluate(&filter, row, &scratch, &is_one, &error) != STATUS_OK);
    TEST_ASSERT_EQUAL_STRING("22012", error.sqlstate);
    row[ID] = datum_of_int64(10);
    TEST_ASSERT_FALSE(condition_matches(&filter, row, &scratch));
}

static void what_depends_on_no_column_is_computed_before(void)
{
    filter_of("s = u || x AND id = abs(-7) + y");
    TEST_ASSERT_EQUAL_UINT32(2, filter.condition->parameter_count);
    TEST_ASSERT_EQUAL_STRING("s = 'it''s10' AND id = 10", fixture_filter(&filter));
}

static void a_condition_says_which_columns_it_reads(void)
{
    filter_of("m > 1 AND (f OR id = 3)");
    TEST_ASSERT_EQUAL_UINT32(0, filter.condition->table);
    TEST_ASSERT_EQUAL_UINT16(3, filter.condition->columns.count);
    TEST_ASSERT_EQUAL_UINT16(ID, filter.condition->columns.at[0]);
    TEST_ASSERT_EQUAL_UINT16(M, filter.condition->columns.at[1]);
    TEST_ASSERT_EQUAL_UINT16(F, filter.condition->columns.at[2]);
}

static void pins_and_ranges_are_found_on_either_side(void)
{
    struct datum value;
    struct range range;

    filter_of("x = id AND a > y AND 9 >= a AND a < 100 AND s BETWEEN 'a' AND u");
    TEST_ASSERT_TRUE(condition_pin(&filter, ID, &value));
    TEST_ASSERT_EQUAL_INT64(10, value.as.integer);
    TEST_ASSERT_FALSE(condition_pin(&filter, A, &value));
    range = condition_range(&filter, A);
    TEST_ASSERT_TRUE(range.has_low && range.low_is_open && range.has_high && !range.high_is_open);
    TEST_ASSERT_EQUAL_INT64(3, range.low.as.integer);
    TEST_ASSERT_EQUAL_INT64(9, range.high.as.integer);
    range = condition_range(&filter, S);
    TEST_ASSERT_EQUAL_STRING("a", fixture_text(&range.low));
    TEST_ASSERT_EQUAL_STRING("it's", fixture_text(&range.high));
    range = condition_range(&filter, M);
    TEST_ASSERT_FALSE(range.has_low || range.has_high);
}

static void what_cannot_be_is_known_to_be_empty(void)
{
    static const struct {
        const char *where;
        bool is_empty;
    } rows[] = {
        { "id = 1", false },
        { "id = nil", true },
        { "id > 3 AND id < 3", true },
        { "id >= 3 AND id <= 3", false },
        { "id >= 3 AND id < 3", true },
        { "s > 'b' AND s < 'a'", true },
        { "a = 1 OR a = nil", false },
    };

    filter_of("true");
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        next_filter(rows[i].where);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_empty, condition_is_empty(&filter), rows[i].where);
    }
}

/* WHERE, and how it is written with the values given. */
static const char *const printed[][2] = {
    { "id = x", "id = 10" },
    { "x <= id", "10 <= id" },
    { "a + y > 2", "(a + 3) > 2" },
    { "a + x > 2", "(a + 10::bigint) > 2" },
    { "s = u", "s = 'it''s'" },
    { "s || '?' = u", "(s || '?') = 'it''s'" },
    { "m * 2 >= 1.50", "(m * 2::numeric) >= 1.50" },
    { "m > y", "m > 3" },
    { "a = 1 OR f", "((a = 1) OR f)" },
    { "NOT f", "NOT f" },
    { "f", "f" },
    { "a IS NULL", "a IS NULL" },
    { "a IN (1, y, -2)", "a IN (1, 3, -2)" },
    { "a NOT IN (1, 2)", "a NOT IN (1, 2)" },
    { "a BETWEEN 1 AND y", "a >= 1 AND a <= 3" },
    { "a - (-5) = 2", "(a - (-5)) = 2" },
    { "w < '2000-01-01'", "w < '2000-01-01 00:00:00'::timestamp without time zone" },
    { "CASE WHEN f THEN a ELSE 2 END = 2", "(CASE WHEN f THEN a ELSE 2 END) = 2" },
    { "COALESCE(a, 7) < x", "COALESCE(a, 7) < 10" },
    { "id = nil", "id = NULL::bigint" },
    { "abs(a) % 2 = 1", "(abs(a) % 2) = 1" },
    { "a::numeric / 2 > 1", "(a::numeric / 2::numeric) > 1" },
    { "length(s) > 2 AND lower(s) <> 'ab'", "length(s) > 2 AND lower(s) <> 'ab'" },
    { "s IS DISTINCT FROM u", "s IS DISTINCT FROM 'it''s'" },
    { "(a > 1) IS NOT TRUE", "(a > 1) IS NOT TRUE" },
    { "l[2] = 2", "l[2] = 2" },
    { "('{3,4}'::bigint[])[a] = 3", "('{3,4}'::bigint[])[a] = 3" },
    { "cardinality(l) > 1", "cardinality(l) > 1" },
    { "3 = ANY (l)", "3 = ANY (l)" },
    { "l = '{1,2}'", "l = '{1,2}'::bigint[]" },
    { "greatest(a, y, 4) = 4", "GREATEST(a, 3, 4) = 4" },
    { "substr(s, 1, 2) = 'it'", "substr(s, 1, 2) = 'it'" },
    { "-a > 3", "(-a) > 3" },
    { "a::text = '3'", "a::text = '3'" },
    { "f = (a > 2)", "f = (a > 2)" },
    { "a::bigint * a > 5", "(a::bigint * a::bigint) > 5" },
    { "(a + y)::bigint + x < 0", "((a + 3) + 10::bigint) < 0" },
    { "CASE WHEN f THEN -y ELSE a END = 3", "(CASE WHEN f THEN (-3::integer) ELSE a END) = 3" },
};

static void a_filter_is_written_as_sql_with_its_values(void)
{
    filter_of("true");
    for (size_t i = 0; i < ROW_COUNT(printed); i++) {
        next_filter(printed[i][0]);
        TEST_ASSERT_EQUAL_STRING(printed[i][1], fixture_filter(&filter));
    }
}

static void judge_rows(struct random *random, uint32_t count, bool *verdicts)
{
    for (uint32_t i = 0; i < count; i++) {
        struct datum row[COLUMNS];

        random_row(random, row);
        verdicts[i] = condition_matches(&filter, row, &scratch);
    }
}

static void what_is_written_reads_back_with_the_same_meaning(void)
{
    struct random_key key = random_key_of_seed(7);
    bool before[200], after[200];
    uint32_t some = 0;

    filter_of("true");
    for (size_t i = 0; i < ROW_COUNT(printed); i++) {
        char written[512];
        struct random random;

        next_filter(printed[i][0]);
        snprintf(written, sizeof written, "%s", fixture_filter(&filter));
        random_init(&random, &key);
        judge_rows(&random, ROW_COUNT(before), before);
        next_filter(written);
        TEST_ASSERT_EQUAL_STRING(written, fixture_filter(&filter));
        random_init(&random, &key);
        judge_rows(&random, ROW_COUNT(after), after);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, after, sizeof before, written);
        for (size_t k = 0; k < ROW_COUNT(before); k++)
            some += before[k];
    }
    TEST_ASSERT_TRUE(some > 1000);
}

static bool is_within(const struct range *r, const struct datum *d)
{
    int low = r->has_low ? datum_compare(d, &r->low) : 1;
    int high = r->has_high ? datum_compare(d, &r->high) : -1;

    return (r->low_is_open ? low > 0 : low >= 0) && (r->high_is_open ? high < 0 : high <= 0);
}

/* Ranges may be too wide, never too narrow. */
static void no_row_that_matches_is_out_of_range(void)
{
    struct random_key key = random_key_of_seed(8);
    struct random random;

    random_init(&random, &key);
    filter_of("true");
    for (size_t i = 0; i < ROW_COUNT(printed); i++) {
        next_filter(printed[i][0]);
        for (uint32_t k = 0; k < 100; k++) {
            struct datum row[COLUMNS];

            random_row(&random, row);
            if (!condition_matches(&filter, row, &scratch))
                continue;
            TEST_ASSERT_FALSE(condition_is_empty(&filter));
            for (uint16_t c = 0; c < COLUMNS; c++) {
                struct range range = condition_range(&filter, c);
                bool is_ranged = range.has_low || range.has_high;

                TEST_ASSERT_TRUE_MESSAGE(!is_ranged || is_within(&range, &row[c]), printed[i][0]);
            }
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_matches_where_all_is_true_and_null_is_not);
    RUN_TEST(a_row_that_cannot_be_decided_is_for_the_reader_to_see);
    RUN_TEST(what_depends_on_no_column_is_computed_before);
    RUN_TEST(a_condition_says_which_columns_it_reads);
    RUN_TEST(pins_and_ranges_are_found_on_either_side);
    RUN_TEST(what_cannot_be_is_known_to_be_empty);
    RUN_TEST(a_filter_is_written_as_sql_with_its_values);
    RUN_TEST(what_is_written_reads_back_with_the_same_meaning);
    RUN_TEST(no_row_that_matches_is_out_of_range);
    return UNITY_END();
}
