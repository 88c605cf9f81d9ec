#include "record/postgres_decoding_private.h"
#include "tests/fixture.h"
#include "unity.h"

static struct recovered_order order;
static struct error err;

static const struct stored_table rows = { .shape = SHAPE_ROWS,
                                          .name = "ordeal_accounts",
                                          .key_column = "id",
                                          .value_column = "balance",
                                          .tag_column = "tag" };
static const struct stored_table lists = {
    .shape = SHAPE_LISTS, .name = "ordeal_lists", .key_column = "key", .value_column = "elements"
};

void setUp(void)
{
    order = (struct recovered_order){ 0 };
}

void tearDown(void)
{
    array_close(&order.commits);
    array_close(&order.changes);
}

static enum status read_lines(const struct stored_table *table, uint64_t now,
                              const char *const *lines)
{
    struct decoding decoding = { .order = &order, .table = table, .xid_now = now };

    for (; *lines; lines++)
        TRY(postgres_decoding_line(&decoding, text_of(*lines), &err));
    return STATUS_OK;
}

static void changes_stand_with_their_commit(void)
{
    static const char *const lines[] = {
        "BEGIN 771",
        "table public.ordeal_accounts: INSERT: id[bigint]:5 balance[bigint]:-17 tag[bigint]:3",
        "table public.other: INSERT: id[bigint]:5",
        "table public.ordeal_accounts: DELETE: id[bigint]:6",
        "COMMIT 771",
        "BEGIN 772",
        "COMMIT 772",
        NULL,
    };

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_lines(&rows, 800, lines), err.text);
    TEST_ASSERT_EQUAL(2, order.commits.count);
    TEST_ASSERT_EQUAL(771, order.commits.at[0].xid);
    TEST_ASSERT_EQUAL(2, order.commits.at[0].count);
    TEST_ASSERT_EQUAL(0, order.commits.at[1].count);
    TEST_ASSERT_EQUAL(RECOVERED_ROW, order.changes.at[0].kind);
    TEST_ASSERT_EQUAL(-17, order.changes.at[0].value);
    TEST_ASSERT_EQUAL(RECOVERED_REMOVAL, order.changes.at[1].kind);
    TEST_ASSERT_EQUAL(6, order.changes.at[1].key);
}

static void of_a_list_the_last_element_counts(void)
{
    static const char *const lines[] = {
        "BEGIN 1",
        "table public.ordeal_lists: INSERT: key[bigint]:5 elements[bigint[]]:'{9}'",
        "table public.ordeal_lists: UPDATE: key[bigint]:5 elements[bigint[]]:'{9,12,-4}'",
        "COMMIT 1",
        NULL,
    };

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_lines(&lists, 2, lines), err.text);
    TEST_ASSERT_EQUAL(9, order.changes.at[0].value);
    TEST_ASSERT_EQUAL(-4, order.changes.at[1].value);
}

static void a_table_is_known_by_its_schema(void)
{
    static const char *const lines[] = {
        "BEGIN 7",
        "table \"a.b\".ordeal_lists: INSERT: key[bigint]:5 elements[bigint[]]:'{9}'",
        "table public.ordeal_lists: INSERT: key[bigint]:6 elements[bigint[]]:'{9}'",
        "COMMIT 7",
        NULL,
    };
    struct decoding decoding = {
        .order = &order, .table = &lists, .schema = "\"a.b\"", .xid_now = 100
    };

    for (size_t i = 0; lines[i]; i++)
        TEST_ASSERT_EQUAL(STATUS_OK, postgres_decoding_line(&decoding, text_of(lines[i]), &err));
    TEST_ASSERT_EQUAL(1, order.changes.count);
    TEST_ASSERT_EQUAL(5, order.changes.at[0].key);
}

static void numbers_of_the_log_are_the_lower_half_of_full_ones(void)
{
    static const char *const lines[] = { "BEGIN 4294967290", "COMMIT 4294967290", "BEGIN 7",
                                         "COMMIT 7", NULL };

    TEST_ASSERT_EQUAL(STATUS_OK, read_lines(&rows, (UINT64_C(3) << 32) + 9, lines));
    TEST_ASSERT_EQUAL_UINT64((UINT64_C(2) << 32) + 4294967290u, order.commits.at[0].xid);
    TEST_ASSERT_EQUAL_UINT64((UINT64_C(3) << 32) + 7, order.commits.at[1].xid);
}

static void what_is_not_understood_is_refused(void)
{
    static const char *const bad[][3] = {
        { "BEGIN", NULL },
        { "BEGIN 1 2", NULL },
        { "COMMIT 1", NULL },
        { "BEGIN 1", "BEGIN 2", NULL },
        { "BEGIN 1", "table public.ordeal_accounts: TRUNCATE: (no-flags)", NULL },
        { "BEGIN 1", "table public.ordeal_accounts: INSERT: id[bigint]:5", NULL },
        { "BEGIN 1", "table public.ordeal_accounts: INSERT: id[bigint]:null balance[bigint]:1",
          NULL },
        { "table public.ordeal_accounts: INSERT: id[bigint]:5 balance[bigint]:1 tag[bigint]:1",
          NULL },
        { "message: hello", NULL },
    };

    for (size_t i = 0; i < ROW_COUNT(bad); i++) {
        tearDown();
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_lines(&rows, 10, bad[i]), bad[i][0]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(changes_stand_with_their_commit);
    RUN_TEST(of_a_list_the_last_element_counts);
    RUN_TEST(a_table_is_known_by_its_schema);
    RUN_TEST(numbers_of_the_log_are_the_lower_half_of_full_ones);
    RUN_TEST(what_is_not_understood_is_refused);
    return UNITY_END();
}
