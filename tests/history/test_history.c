#include "history/history.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/history/sample.h"
#include "unity.h"

static struct history history;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    sample_history(&history, false);
}

void tearDown(void)
{
    history_close(&history);
}

static void the_sample_uses_every_column(void)
{
#define HISTORY_COLUMN(group, type, name, extra, optional)                                         \
    TEST_ASSERT_NOT_NULL_MESSAGE(history.name, #name);                                             \
    TEST_ASSERT_NOT_EQUAL_MESSAGE(0, history.group##_count, #group);
    HISTORY_COLUMNS(HISTORY_COLUMN)
#undef HISTORY_COLUMN
    ASSERT_OK(history_check(&history, &err), &err);
}

static void a_closed_history_is_empty_and_may_be_closed_again(void)
{
    history_close(&history);
    TEST_ASSERT_EQUAL(0, history.txn_count);
    history_close(&history);
}

static void places_compare_from_left_to_right(void)
{
    static const struct {
        const char *which;
        struct place a, b;
        int order;
    } rows[] = {
        { "equal", { 2, { 1, 2 } }, { 2, { 1, 2 } }, 0 },
        { "first part decides", { 2, { 1, 9 } }, { 1, { 2 } }, -1 },
        { "second part decides", { 2, { 1, 9 } }, { 2, { 1, 8 } }, 1 },
        { "a missing part comes first", { 1, { 1 } }, { 2, { 1, INT64_MIN } }, -1 },
        { "no place comes before all", { 0, { 0 } }, { 1, { INT64_MIN } }, -1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].order, history_compare_places(rows[i].a, rows[i].b),
                                  rows[i].which);
        TEST_ASSERT_EQUAL_MESSAGE(-rows[i].order, history_compare_places(rows[i].b, rows[i].a),
                                  rows[i].which);
    }
}

static void the_digest_does_not_depend_on_numbers(void)
{
    struct digest digest = history_digest(&history), again;
    struct history other;

    sample_history(&other, true);
    again = history_digest(&other);
    TEST_ASSERT_NOT_EQUAL(history.initial_key[0], other.initial_key[0]);
    history_close(&other);
    TEST_ASSERT_EQUAL_MEMORY(digest.bytes, again.bytes, DIGEST_BYTES);
}

/* Histories are immutable; a test that damages one is the exception. */
#define DAMAGE(type, column, element, value) (((type *)history.column)[element] = (value))

static void the_digest_depends_on_what_is_said(void)
{
    struct digest digest = history_digest(&history), other;

#define CHANGES(type, column, element, value)                                                      \
    do {                                                                                           \
        type before = history.column[element];                                                     \
        DAMAGE(type, column, element, value);                                                      \
        other = history_digest(&history);                                                          \
        TEST_ASSERT_TRUE_MESSAGE(memcmp(digest.bytes, other.bytes, DIGEST_BYTES) != 0, #column);   \
        DAMAGE(type, column, element, before);                                                     \
    } while (0)
    CHANGES(int64_t, txn_id, 0, 99);
    CHANGES(int64_t, session_id, 0, 99);
    CHANGES(uint8_t, txn_status, 0, TXN_ABORT);
    CHANGES(int64_t, txn_completed, 0, 901);
    CHANGES(int64_t, txn_ts_third, 0, 99);
    CHANGES(int64_t, op_value, 0, 99);
    CHANGES(uint8_t, op_flags, 1, OP_LOCK_UPDATE);
    CHANGES(int64_t, op_snapshot_second, 1, 99);
    CHANGES(int64_t, list_element, 0, 99);
    CHANGES(int64_t, cell_value, 1, 4);
    CHANGES(uint32_t, statement_where, 1, 0);
    CHANGES(int64_t, aggregate_value, 0, 99);
    CHANGES(uint32_t, set_version, 0, 0);
    CHANGES(uint32_t, order_version, 0, 0);
    CHANGES(int64_t, initial_value, 0, 99);
    CHANGES(uint32_t, refusal_text, 0, 0);
    CHANGES(char, key_bytes, 0, 'q');
    other = history_digest(&history);
    TEST_ASSERT_EQUAL_MEMORY(digest.bytes, other.bytes, DIGEST_BYTES);
}

static void assert_refused(const char *why)
{
    enum status status = history_check(&history, &err);

    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
}

static void the_check_names_column_and_element(void)
{
#define REFUSED(type, column, element, value, why)                                                 \
    do {                                                                                           \
        type before = history.column[element];                                                     \
        DAMAGE(type, column, element, value);                                                      \
        assert_refused("column " #column ", element " #element ": " why);                          \
        DAMAGE(type, column, element, before);                                                     \
    } while (0)
    REFUSED(uint32_t, txn_session, 1, 2, "session 2 of 2");
    REFUSED(uint8_t, txn_status, 2, 3, "status 3");
    REFUSED(int64_t, txn_id, 2, 1, "1 is element 0 already");
    REFUSED(uint32_t, txn_op, 3, 99, "99, but there are 16");
    REFUSED(uint32_t, txn_op, 2, 1, "1 after 2");
    REFUSED(uint32_t, txn_op, 0, 1, "1 after 0");
    REFUSED(int64_t, txn_invoked, 0, 901, "from 901 to 900");
    REFUSED(uint8_t, txn_ts_parts, 2, 4, "4 parts");
    REFUSED(int64_t, txn_ts_second, 2, 4, "a part too many");
    REFUSED(uint8_t, op_kind, 3, OP_KIND_COUNT, "kind 11");
    REFUSED(uint8_t, op_flags, 0, OP_LOCK_SHARE, "flags 2 on an operation of kind 1");
    REFUSED(uint8_t, op_flags, 1, 6, "flags 6 on an operation of kind 0");
    REFUSED(uint8_t, op_value_kind, 2, VALUE_NULL, "kind 1 on an operation of kind 2");
    REFUSED(uint32_t, op_key, 3, 99, "key 99 of 7");
    REFUSED(int64_t, op_value, 3, 99, "99 of kind 5");
    REFUSED(int64_t, op_value, 1, 1, "1 of kind 1");
    REFUSED(int64_t, op_value, 8, 0, "no row of its key's table");
    REFUSED(uint32_t, statement_op, 1, 8, "operation 8 is not its head");
    REFUSED(uint32_t, statement_table, 1, 1, "table 1 of 1");
    REFUSED(uint8_t, statement_flags, 0, 1, "flags 1 do not go with the statement");
    REFUSED(uint32_t, set_op, 0, 16, "operation 16 cannot have the next set");
    REFUSED(uint32_t, set_version, 0, 0, "operation 0 is no version of key 1");
    REFUSED(uint32_t, order_key, 0, 7, "key 7 of too few");
    REFUSED(uint32_t, order_version, 1, 15, "operation 15 is in an order already");
    REFUSED(uint32_t, order_version, 1, 6, "operation 6 is of a transaction that aborted");
    REFUSED(uint32_t, order_version, 1, 1, "operation 1 is no version of the order's key");
    REFUSED(uint32_t, refusal_op, 0, 0, "operation 0 was not refused");
    REFUSED(uint32_t, initial_key, 0, 7, "key 7 of too few");
    REFUSED(uint8_t, initial_kind, 0, VALUE_NONE, "kind 0");
    REFUSED(uint8_t, cell_kind, 0, VALUE_ROW, "kind 6");
    REFUSED(uint32_t, row_shape, 0, 2, "shape 2 of 2");
    REFUSED(uint32_t, shape_column_name, 1, 99, "text 99 of too few");
    REFUSED(uint32_t, table_key_column, 1, 0, "column 0 again");
    REFUSED(uint32_t, table_key_column, 1, 4, "column 4 cannot be part of the key");
    REFUSED(uint8_t, table_column_kind, 0, COLUMN_TEXT, "2, but its type is of kind 0");
    ASSERT_OK(history_check(&history, &err), &err);
}

/* The check goes through operations in blocks: here the culprit is in the middle of one. */
static void the_check_finds_one_wrong_operation_among_many(void)
{
    enum { OP_COUNT = 3000 };
    struct builder builder;

    history_close(&history);
    builder_init(&builder);
    ASSERT_OK(builder_begin_txn(&builder, 1, 0, TXN_OK, &err), &err);
    for (int i = 0; i < OP_COUNT; i++) {
        uint32_t key;
        ASSERT_OK(builder_key(&builder, TEXT("x"), &key, &err), &err);
        ASSERT_OK(builder_add_op(&builder, i % 2 ? OP_WRITE : OP_READ, key,
                                 value_integer(i - OP_COUNT / 2), &err),
                  &err);
    }
    ASSERT_OK(builder_finish(&builder, &history, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
    REFUSED(uint32_t, op_key, 1234, 1, "key 1 of 1");
    REFUSED(uint32_t, op_key, 1234, 0x80000000, "key 2147483648 of 1");
    REFUSED(uint32_t, op_key, 2999, 1, "key 1 of 1");
    REFUSED(uint8_t, op_kind, 700, 200, "kind 200");
    REFUSED(uint8_t, op_flags, 701, OP_LOCK_SHARE, "flags 2 on an operation of kind 1");
    REFUSED(uint8_t, op_value_kind, 701, VALUE_NONE, "kind 0 on an operation of kind 1");
    REFUSED(uint8_t, op_value_kind, 700, VALUE_KIND_COUNT, "kind 7 on an operation of kind 0");
    DAMAGE(uint8_t, op_value_kind, 1699, VALUE_BOOLEAN);
    assert_refused("column op_value, element 1699: 199 of kind 3");
    DAMAGE(uint8_t, op_value_kind, 1699, VALUE_TEXT);
    assert_refused("column op_value, element 1699: 199 of kind 4");
    DAMAGE(uint8_t, op_value_kind, 1699, VALUE_INTEGER);
    DAMAGE(uint8_t, op_flags, 5, OP_ERROR);
    assert_refused("column refusal_op has 0 elements: 1 operations were refused");
    DAMAGE(uint8_t, op_flags, 5, 0);
    DAMAGE(uint8_t, op_kind, 5, OP_SELECT);
    DAMAGE(uint8_t, op_value_kind, 5, VALUE_NONE);
    DAMAGE(int64_t, op_value, 5, 0);
    assert_refused("column statement_op has 0 elements: there are 1 statements");
}

static void texts_of_a_file_are_utf8_and_differ(void)
{
    char *bytes = (char *)history.key_bytes;

    TEST_ASSERT_EQUAL('x', bytes[0]);
    bytes[0] = 'y';
    assert_refused("column key_start, element 1: \"y\" is element 0 already");
    bytes[0] = (char)0xc3;
    assert_refused("column key_start, element 0: not UTF-8");
    bytes[0] = 0;
    assert_refused("column key_start, element 0: a zero byte within");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_sample_uses_every_column);
    RUN_TEST(a_closed_history_is_empty_and_may_be_closed_again);
    RUN_TEST(places_compare_from_left_to_right);
    RUN_TEST(the_digest_does_not_depend_on_numbers);
    RUN_TEST(the_digest_depends_on_what_is_said);
    RUN_TEST(the_check_names_column_and_element);
    RUN_TEST(the_check_finds_one_wrong_operation_among_many);
    RUN_TEST(texts_of_a_file_are_utf8_and_differ);
    return UNITY_END();
}
