/* What condition_print_filter() writes means what the filter means. */
#include "programs/machine/condition.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "tests/programs/machine/random_condition.h"
#include "unity.h"

#define ROWS 60

/* What became of a row: no match, a match, or the SQLSTATE of an error. */
struct verdict {
    bool matches;
    char sqlstate[6];
};

static struct machine *machine;
static struct heap scratch;
static struct error err;

void setUp(void)
{
    machine = NULL;
    heap_init(&scratch, (size_t)1 << 20);
}

void tearDown(void)
{
    machine_close(machine);
    fixture_unload();
    heap_close(&scratch);
}

/*
 * The filter of a SELECT with this WHERE; NULL where none is needed, since what depends on no
 * column does not hold, or cannot be computed.
 */
static const struct filter *filter_of(const char *where)
{
    static char sql[1 << 16];
    struct fixture_call call;
    const struct request *request;
    int length;

    machine_close(machine);
    machine = NULL;
    fixture_unload();
    length = snprintf(sql, sizeof sql,
                      RANDOM_TABLE "CREATE FUNCTION q(" RANDOM_PARAMETERS ") RETURNS bigint\n"
                      "LANGUAGE plpgsql AS $$ DECLARE c bigint; BEGIN\n"
                      "SELECT count(*) INTO c FROM t WHERE %s; RETURN c; END; $$;",
                      where);
    TEST_ASSERT_TRUE(length > 0 && (size_t)length < sizeof sql);
    fixture_load(sql);
    ASSERT_OK(machine_open(&machine, &fixture_program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, &err),
              &err);
    call = fixture_call(RANDOM_CALL);
    machine_start(machine, call.function, call.arguments);
    request = machine_run(machine);
    return request->kind == REQUEST_READ ? &request->filter : NULL;
}

static void judge(const struct filter *filter, struct random random, struct verdict verdicts[ROWS])
{
    memset(verdicts, 0, ROWS * sizeof *verdicts);
    for (int i = 0; i < ROWS; i++) {
        struct datum row[RANDOM_COLUMNS];
        struct sql_error error;

        random_row(&random, row);
        if (condition_evaluate(filter, row, &scratch, &verdicts[i].matches, &error) != STATUS_OK)
            memcpy(verdicts[i].sqlstate, error.sqlstate, sizeof error.sqlstate);
    }
}

static void same_rows(const char *where, struct random random)
{
    static char written[1 << 16];
    struct verdict before[ROWS], after[ROWS];
    const struct filter *filter = filter_of(where);
    struct buffer text = { 0 };

    if (!filter)
        return;
    judge(filter, random, before);
    condition_print_filter(filter, &fixture_program.tree.schema, &text);
    TEST_ASSERT_TRUE(text.count < sizeof written);
    snprintf(written, sizeof written, "%.*s", (int)text.count, text.at ? text.at : "");
    buffer_close(&text);
    if (written[0] == '\0')
        return;
    filter = filter_of(written);
    TEST_ASSERT_NOT_NULL_MESSAGE(filter, written);
    judge(filter, random, after);
    for (int i = 0; i < ROWS; i++)
        if (before[i].matches != after[i].matches ||
            strcmp(before[i].sqlstate, after[i].sqlstate) != 0) {
            printf("WHERE %s\nis written %s\n", where, written);
            TEST_FAIL_MESSAGE("and means something else");
        }
}

static void conditions_read_back_with_the_same_meaning(void)
{
    struct random_key seed = random_key_of_seed(11);

    for (size_t i = 0; i < fixture_rounds(1000); i++) {
        struct random_key key = random_key_fork(&seed, "%zu", i);
        struct buffer where = { 0 };
        struct random random;
        struct dice dice;

        random_init(&random, &key);
        dice_of_seed(&dice, i);
        random_condition(&dice, 1 + (unsigned)i % 4, &where);
        buffer_byte(&where, '\0');
        same_rows(where.at, random);
        buffer_close(&where);
    }
}

static void sets_that_columns_are_restricted_to_are_written_as_in(void)
{
    static const int64_t second_ns = 1000000000;
    struct datum texts[] = { datum_of_text(TEXT("'")), datum_of_text(TEXT("\\n")) };
    struct datum times[] = { datum_of_timestamp(-second_ns), datum_of_timestamp(0) };
    struct datum numbers[] = { datum_of_int64(INT64_MIN), datum_of_int64(0) };
    struct restriction restrictions[] = { { 7, texts, 2 }, { 9, times, 2 }, { 0, numbers, 2 } };
    struct filter filter = *filter_of("a > 1");

    filter.restrictions = restrictions;
    filter.restriction_count = ROW_COUNT(restrictions);
    TEST_ASSERT_EQUAL_STRING("a > 1 AND \"it\"\"s\" IN ('''', '\\n') AND "
                             "w IN ('1969-12-31 23:59:59'::timestamp without time zone, "
                             "'1970-01-01 00:00:00'::timestamp without time zone) AND "
                             "id IN (-9223372036854775808, 0)",
                             fixture_filter(&filter));
    restrictions[0].value_count = 0;
    filter.restriction_count = 1;
    TEST_ASSERT_EQUAL_STRING("a > 1 AND false", fixture_filter(&filter));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(conditions_read_back_with_the_same_meaning);
    RUN_TEST(sets_that_columns_are_restricted_to_are_written_as_in);
    return UNITY_END();
}
