#include "history/builder.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct builder builder;
static struct history history;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    builder_init(&builder);
    history = (struct history){ 0 };
}

void tearDown(void)
{
    builder_close(&builder);
    history_close(&history);
}

static uint32_t key(const char *name)
{
    uint32_t number;

    ASSERT_OK(builder_key(&builder, text_of(name), &number, &err), &err);
    return number;
}

static uint32_t text(const char *content)
{
    uint32_t number;

    ASSERT_OK(builder_text(&builder, text_of(content), &number, &err), &err);
    return number;
}

static void begin(int64_t id, int64_t session, enum txn_status status)
{
    ASSERT_OK(builder_begin_txn(&builder, id, session, status, &err), &err);
}

static void add(enum op_kind kind, const char *name, struct value value)
{
    ASSERT_OK(builder_add_op(&builder, kind, key(name), value, &err), &err);
}

static void write_of(const char *name, int64_t number)
{
    add(OP_WRITE, name, value_integer(number));
}

static struct value list(const int64_t *elements, size_t count)
{
    struct value value;

    ASSERT_OK(builder_list(&builder, elements, count, &value, &err), &err);
    return value;
}

/* Whatever the builder accepts, the check of files accepts. */
static void finish(void)
{
    ASSERT_OK(builder_finish(&builder, &history, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
}

static void assert_refused(enum status status, const char *why)
{
    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
}

static void assert_key(const char *name, uint32_t number)
{
    TEST_ASSERT_TRUE_MESSAGE(text_equal(history_key(&history, number), text_of(name)), name);
}

/* t(id bigint, name text, price numeric(10,2)), key id; after it table 0. */
static void add_table(void)
{
    uint32_t table;

    ASSERT_OK(builder_add_table(&builder, TEXT("t"), &table, &err), &err);
    ASSERT_OK(builder_add_column(&builder, TEXT("id"), TEXT("bigint"), &err), &err);
    ASSERT_OK(builder_add_column(&builder, TEXT("name"), TEXT("text"), &err), &err);
    ASSERT_OK(builder_add_column(&builder, TEXT("price"), TEXT("numeric(10,2)"), &err), &err);
    ASSERT_OK(builder_add_key_column(&builder, TEXT("id"), &err), &err);
    ASSERT_OK(builder_end_table(&builder, &err), &err);
    TEST_ASSERT_EQUAL(0, table);
}

static enum status try_row(int64_t id, struct value *row)
{
    struct named_value cells[3] = { { TEXT("id"), value_integer(id) }, { TEXT("price"), { 0 } } };

    TRY(builder_text_value(&builder, TEXT("12.30"), &cells[1].value, &err));
    cells[2] = (struct named_value){ TEXT("name"), value_null() };
    return builder_row(&builder, 0, cells, 3, row, &err);
}

static struct value row(int64_t id)
{
    struct value value;

    ASSERT_OK(try_row(id, &value), &err);
    return value;
}

static struct statement statement(enum op_kind kind)
{
    return (struct statement){
        .kind = kind, .table = 0, .where = HISTORY_NONE, .order = HISTORY_NONE, .limit = -1
    };
}

static void nothing_makes_an_empty_history(void)
{
    finish();
    TEST_ASSERT_EQUAL(0, history.txn_count);
    TEST_ASSERT_EQUAL(0, history.txn_op[0]);
    TEST_ASSERT_NULL(history.txn_ts);
    TEST_ASSERT_EQUAL(-1, history.unique);
    TEST_ASSERT_EQUAL(HISTORY_NONE, history.workload);
}

static void operations_stand_in_program_order(void)
{
    begin(1, 70, TXN_OK);
    write_of("x", 5);
    add(OP_READ, "y", value_null());
    begin(2, 80, TXN_ABORT);
    begin(3, 70, TXN_UNKNOWN);
    add(OP_APPEND, "x", value_integer(-1));
    add(OP_REMOVE, "y", value_none());
    finish();

    TEST_ASSERT_EQUAL(3, history.txn_count);
    TEST_ASSERT_EQUAL(4, history.op_count);
    TEST_ASSERT_EQUAL(2, history.session_count);
    TEST_ASSERT_EQUAL(70, history.session_id[history.txn_session[2]]);
    TEST_ASSERT_EQUAL(TXN_UNKNOWN, history.txn_status[2]);
    TEST_ASSERT_EQUAL(2, history.txn_op[1]);
    TEST_ASSERT_EQUAL(2, history.txn_op[2]);
    TEST_ASSERT_EQUAL(4, history.txn_op[3]);
    TEST_ASSERT_EQUAL(OP_APPEND, history.op_kind[2]);
    assert_key("x", history.op_key[2]);
    TEST_ASSERT_EQUAL(-1, history_value(&history, 2).bits);
    TEST_ASSERT_EQUAL(0, history_txn_of(&history, 1));
    TEST_ASSERT_EQUAL(2, history_txn_of(&history, 2));
    TEST_ASSERT_EQUAL(1, history_find_key(&history, TEXT("y")));
    TEST_ASSERT_EQUAL(HISTORY_NONE, history_find_key(&history, TEXT("z")));
}

static void an_item_operation_without_times_costs_fifteen_bytes(void)
{
    size_t before;

    begin(1, 1, TXN_OK);
    write_of("x", 1);
    finish();
    before = history_bytes(&history);
    history_close(&history);
    begin(1, 1, TXN_OK);
    write_of("x", 1);
    write_of("x", 2);
    finish();
    TEST_ASSERT_EQUAL(15, history_bytes(&history) - before);
}

static void columns_come_into_being_at_the_first_value(void)
{
    for (int64_t id = 0; id < 100; id++) {
        begin(id, 0, TXN_OK);
        write_of("x", id);
        if (id == 40) {
            ASSERT_OK(builder_set_op_at(&builder, 5, TIME_NEVER, &err), &err);
            ASSERT_OK(builder_set_txn_at(&builder, -5, 7, &err), &err);
        }
    }
    finish();
    TEST_ASSERT_EQUAL(TIME_ABSENT, history.op_invoked[39]);
    TEST_ASSERT_EQUAL(5, history.op_invoked[40]);
    TEST_ASSERT_EQUAL(TIME_NEVER, history.op_completed[40]);
    TEST_ASSERT_EQUAL(TIME_ABSENT, history.op_completed[99]);
    TEST_ASSERT_EQUAL(-5, history.txn_invoked[40]);
    TEST_ASSERT_EQUAL(TIME_ABSENT, history.txn_completed[41]);
    TEST_ASSERT_NULL(history.txn_ts);
    TEST_ASSERT_NULL(history.op_snapshot);
}

static void one_part_for_every_transaction_needs_no_column_of_parts(void)
{
    for (int64_t id = 0; id < 50; id++) {
        begin(id, 0, TXN_OK);
        ASSERT_OK(builder_set_ts(&builder, (struct place){ 1, { id } }, &err), &err);
    }
    finish();
    TEST_ASSERT_NULL(history.txn_ts_parts);
    TEST_ASSERT_EQUAL(1, history_ts(&history, 49).parts);
    TEST_ASSERT_EQUAL(49, history_ts(&history, 49).part[0]);
}

static void places_of_one_to_three_parts_may_mix(void)
{
    begin(1, 0, TXN_OK);
    begin(2, 0, TXN_OK);
    ASSERT_OK(builder_set_ts(&builder, (struct place){ 3, { 7, 8, 9 } }, &err), &err);
    ASSERT_OK(builder_set_snapshot(&builder, (struct place){ 1, { 6 } }, &err), &err);
    add(OP_READ, "x", value_null());
    add(OP_READ, "x", value_null());
    ASSERT_OK(builder_set_op_snapshot(&builder, (struct place){ 2, { 6, 1 } }, &err), &err);
    begin(3, 0, TXN_OK);
    ASSERT_OK(builder_set_ts(&builder, (struct place){ 1, { 7 } }, &err), &err);
    finish();
    TEST_ASSERT_EQUAL(0, history_ts(&history, 0).parts);
    TEST_ASSERT_EQUAL(3, history_ts(&history, 1).parts);
    TEST_ASSERT_EQUAL(9, history_ts(&history, 1).part[2]);
    TEST_ASSERT_EQUAL(1, history_op_snapshot(&history, 1, 0).parts);
    TEST_ASSERT_EQUAL(2, history_op_snapshot(&history, 1, 1).parts);
    TEST_ASSERT_TRUE(history_compare_places(history_ts(&history, 2), history_ts(&history, 1)) < 0);
}

static void ids_are_unique_whether_they_rise_or_not(void)
{
    begin(5, 0, TXN_OK);
    begin(9, 0, TXN_OK);
    begin(7, 0, TXN_OK);
    begin(10, 0, TXN_OK);
    assert_refused(builder_begin_txn(&builder, 9, 0, TXN_OK, &err), "transaction 9 is here twice");
}

static void a_repeated_id_right_after_itself_is_refused(void)
{
    begin(5, 0, TXN_OK);
    assert_refused(builder_begin_txn(&builder, 5, 0, TXN_OK, &err), "transaction 5 is here twice");
}

static void times_must_make_sense(void)
{
    begin(1, 0, TXN_OK);
    assert_refused(builder_set_txn_at(&builder, 9, 8, &err), "completed before it was invoked");
    write_of("x", 1);
    assert_refused(builder_set_op_at(&builder, TIME_ABSENT, 8, &err), "a time is out of range");
    assert_refused(builder_set_op_at(&builder, TIME_NEVER, TIME_NEVER, &err),
                   "a time is out of range");
}

static void values_must_fit_their_operations(void)
{
    struct value some = list((int64_t[]){ 1, 2 }, 2);

    begin(1, 0, TXN_OK);
    add(OP_READ, "l", some);
    add(OP_READ, "l", value_none());
    add(OP_WRITE, "l", value_null());
    assert_refused(builder_add_op(&builder, OP_APPEND, 0, some, &err),
                   "an append takes an integer");
    assert_refused(builder_add_op(&builder, OP_WRITE, 0, value_none(), &err),
                   "a write needs a value");
    assert_refused(builder_add_op(&builder, OP_REMOVE, 0, value_integer(1), &err),
                   "a delete takes no value");
}

static void texts_must_be_utf8_without_zero_bytes(void)
{
    uint32_t number;
    struct text zero = { "a\0b", 3 };

    assert_refused(builder_key(&builder, TEXT("\xff"), &number, &err), "a key is not UTF-8");
    assert_refused(builder_text(&builder, zero, &number, &err), "a text has a zero byte in it");
}

static void initial_values_come_once_a_key(void)
{
    ASSERT_OK(builder_add_initial(&builder, key("x"), value_integer(3), &err), &err);
    ASSERT_OK(builder_add_initial(&builder, key("y"), value_boolean(true), &err), &err);
    assert_refused(builder_add_initial(&builder, key("x"), value_integer(3), &err),
                   "key x already has an initial value");
    builder_close(&builder);
    ASSERT_OK(builder_add_initial(&builder, key("x"), value_integer(3), &err), &err);
    (void)key("z");
    finish();
    TEST_ASSERT_EQUAL(3, history_initial(&history, 0).bits);
    TEST_ASSERT_EQUAL(VALUE_NULL, history_initial(&history, 1).kind);
}

static void the_header_is_kept(void)
{
    ASSERT_OK(builder_set_workload(&builder, TEXT("bank"), &err), &err);
    ASSERT_OK(builder_set_producer(&builder, TEXT("me"), &err), &err);
    builder_set_unique(&builder, false);
    finish();
    TEST_ASSERT_TRUE(text_equal(TEXT("bank"), history_text(&history, history.workload)));
    TEST_ASSERT_TRUE(text_equal(TEXT("me"), history_text(&history, history.producer)));
    TEST_ASSERT_EQUAL(0, history.unique);
}

static void values_are_equal_by_what_they_hold(void)
{
    struct named_value ab[2] = { { TEXT("a"), value_integer(1) }, { TEXT("b"), { 0 } } };
    struct named_value ba[2];
    struct value one = list((int64_t[]){ 1, 2 }, 2), same = list((int64_t[]){ 1, 2 }, 2);
    struct value shorter = list((int64_t[]){ 1 }, 1), first, second, third;

    ab[1].value = one;
    ba[0] = ab[1];
    ba[1] = ab[0];
    ba[0].value = same;
    ASSERT_OK(builder_row(&builder, HISTORY_NONE, ab, 2, &first, &err), &err);
    ASSERT_OK(builder_row(&builder, HISTORY_NONE, ba, 2, &second, &err), &err);
    ba[0].value = shorter;
    ASSERT_OK(builder_row(&builder, HISTORY_NONE, ba, 2, &third, &err), &err);
    finish();
    TEST_ASSERT_EQUAL(2, history.shape_count);
    TEST_ASSERT_TRUE(history_values_equal(&history, one, same));
    TEST_ASSERT_FALSE(history_values_equal(&history, one, shorter));
    TEST_ASSERT_TRUE(history_values_equal(&history, first, second));
    TEST_ASSERT_FALSE(history_values_equal(&history, first, third));
    TEST_ASSERT_FALSE(history_values_equal(&history, value_null(), value_none()));
}

static void a_row_has_each_column_once_and_no_row_within(void)
{
    struct named_value twice[2] = { { TEXT("a"), value_integer(1) },
                                    { TEXT("a"), value_integer(2) } };
    struct value value;

    assert_refused(builder_row(&builder, HISTORY_NONE, twice, 2, &value, &err),
                   "row has column a twice");
    twice[0].value = (struct value){ VALUE_ROW, 0 };
    assert_refused(builder_row(&builder, HISTORY_NONE, twice, 1, &value, &err),
                   "column a: a row cannot be within a row");
}

static void a_statement_is_a_head_and_its_rows(void)
{
    struct statement select;
    uint32_t seven, eight;

    add_table();
    ASSERT_OK(builder_row_key(&builder, 0, TEXT("7"), &seven, &err), &err);
    ASSERT_OK(builder_row_key(&builder, 0, TEXT("8"), &eight, &err), &err);
    ASSERT_OK(builder_add_initial(&builder, seven, row(7), &err), &err);
    begin(1, 0, TXN_OK);
    write_of("x", 1);
    select = statement(OP_SELECT);
    select.where = text("id > 6");
    ASSERT_OK(builder_begin_statement(&builder, &select, &err), &err);
    ASSERT_OK(builder_add_row(&builder, seven, row(7), &err), &err);
    ASSERT_OK(builder_add_row(&builder, eight, row(8), &err), &err);
    ASSERT_OK(builder_end_statement(&builder, &err), &err);
    builder_set_op_lock(&builder, OP_LOCK_UPDATE);
    ASSERT_OK(builder_set_op_at(&builder, 1, 2, &err), &err);
    select = statement(OP_DELETE);
    ASSERT_OK(builder_begin_statement(&builder, &select, &err), &err);
    ASSERT_OK(builder_add_row(&builder, eight, value_null(), &err), &err);
    ASSERT_OK(builder_end_statement(&builder, &err), &err);
    ASSERT_OK(builder_set_op_error(&builder, TEXT("no"), &err), &err);
    add(OP_READ, "x", value_integer(1));
    finish();

    TEST_ASSERT_EQUAL(7, history.op_count);
    TEST_ASSERT_EQUAL(1, history.statement_op[0]);
    TEST_ASSERT_EQUAL(2, history.statement_row_count[0]);
    TEST_ASSERT_EQUAL(STATEMENT_ANSWERED, history.statement_flags[0]);
    TEST_ASSERT_EQUAL(OP_ROW_READ, history.op_kind[3]);
    TEST_ASSERT_EQUAL(OP_LOCK_UPDATE, history.op_flags[3]);
    TEST_ASSERT_EQUAL(1, history.op_invoked[1]);
    TEST_ASSERT_EQUAL(TIME_ABSENT, history.op_invoked[2]);
    assert_key("t/8", history.op_key[3]);
    TEST_ASSERT_EQUAL(OP_ROW_REMOVE, history.op_kind[5]);
    TEST_ASSERT_EQUAL(VALUE_NONE, history.op_value_kind[5]);
    TEST_ASSERT_EQUAL(OP_ERROR, history.op_flags[5]);
    TEST_ASSERT_EQUAL(1, history.refusal_count);
    TEST_ASSERT_EQUAL(4, history.refusal_op[0]);
    TEST_ASSERT_TRUE(history_values_equal(&history, history_value(&history, 2),
                                          history_initial(&history, seven)));
}

static void an_answer_may_be_values(void)
{
    struct statement select = statement(OP_SELECT);

    add_table();
    begin(1, 0, TXN_OK);
    ASSERT_OK(builder_begin_statement(&builder, &select, &err), &err);
    ASSERT_OK(builder_add_aggregate(&builder, TEXT("min(id)"), value_integer(3), &err), &err);
    ASSERT_OK(builder_add_aggregate(&builder, TEXT("max(id)"), value_null(), &err), &err);
    assert_refused(builder_add_aggregate(&builder, TEXT("max(id)"), value_null(), &err),
                   "max(id) is here twice");
    assert_refused(builder_add_row(&builder, key("t/1"), row(1), &err),
                   "a select has either rows or values");
    ASSERT_OK(builder_end_statement(&builder, &err), &err);
    finish();
    TEST_ASSERT_EQUAL(2, history.aggregate_count);
    TEST_ASSERT_EQUAL(STATEMENT_ANSWERED | STATEMENT_AGGREGATES, history.statement_flags[0]);
}

static void rows_of_a_table_are_whole_and_of_their_types(void)
{
    struct named_value cells[4] = { { TEXT("id"), value_integer(7) },
                                    { TEXT("name"), value_null() },
                                    { TEXT("price"), value_null() },
                                    { TEXT("colour"), value_null() } };
    struct value value;

    add_table();
    ASSERT_OK(builder_row(&builder, 0, cells, 3, &value, &err), &err);
    assert_refused(builder_row(&builder, 0, cells, 2, &value, &err),
                   "row of t lacks column price");
    assert_refused(builder_row(&builder, 0, cells, 4, &value, &err), "t has no column colour");
    cells[3] = cells[0];
    assert_refused(builder_row(&builder, 0, cells, 4, &value, &err),
                   "row of t has twice its column id");
    cells[0].value = value_null();
    assert_refused(builder_row(&builder, 0, cells, 3, &value, &err),
                   "column id of t is bigint, not null: it is part of the key");
    cells[0].value = value_boolean(true);
    assert_refused(builder_row(&builder, 0, cells, 3, &value, &err),
                   "column id of t is bigint, not boolean");
    cells[0].value = value_integer(7);
    ASSERT_OK(builder_text_value(&builder, TEXT("1e5"), &cells[2].value, &err), &err);
    assert_refused(builder_row(&builder, 0, cells, 3, &value, &err),
                   "column price of t is numeric(10,2), not text");
}

static void a_row_says_the_key_that_it_has(void)
{
    add_table();
    assert_refused(builder_add_initial(&builder, key("t/8"), row(7), &err),
                   "row with key t/8 says that its key is t/7");
    assert_refused(builder_add_initial(&builder, key("t/8"), value_integer(7), &err),
                   "the value of t/8 is no row of t");
    ASSERT_OK(builder_add_initial(&builder, key("t"), value_integer(7), &err), &err);
    ASSERT_OK(builder_add_initial(&builder, key("u/7"), value_integer(7), &err), &err);
    begin(1, 0, TXN_OK);
    assert_refused(builder_add_op(&builder, OP_APPEND, key("t/8"), value_integer(7), &err),
                   "the value of t/8 is no row of t");
}

static void keys_of_rows_are_spelled_in_one_way(void)
{
    static const struct {
        const char *key, *why;
    } rows[] = {
        { "t/07", "key t/07: its column id is bigint, which \"07\" does not spell" },
        { "t/", "key t/: its column id is bigint, which \"\" does not spell" },
        { "t/7/8", "key t/7/8: the key of t has 1 column" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        builder_close(&builder);
        add_table();
        begin(1, 0, TXN_OK);
        assert_refused(builder_add_op(&builder, OP_REMOVE, key(rows[i].key), value_none(), &err),
                       rows[i].why);
    }
}

/* Left until the next row, the refusal once named that row's line, or none. */
static void a_key_is_refused_where_a_set_or_an_order_first_names_it(void)
{
    static const char why[] = "key t/07: its column id is bigint, which \"07\" does not spell";
    struct version_name initial = { 0, 0, true };

    add_table();
    begin(1, 0, TXN_OK);
    write_of("x", 1);
    assert_refused(builder_add_set_entry(&builder, key("t/07"), initial, &err), why);

    builder_close(&builder);
    add_table();
    begin(1, 0, TXN_OK);
    write_of("x", 1);
    assert_refused(builder_begin_order(&builder, key("t/07"), &err), why);
}

static void composite_keys_escape_their_slashes(void)
{
    struct named_value cells[2] = { { TEXT("a"), { 0 } }, { TEXT("b"), value_boolean(false) } };
    struct value value;
    uint32_t table, number;

    ASSERT_OK(builder_add_table(&builder, TEXT("x/y"), &table, &err), &err);
    ASSERT_OK(builder_add_column(&builder, TEXT("a"), TEXT("varchar(9)"), &err), &err);
    ASSERT_OK(builder_add_column(&builder, TEXT("b"), TEXT("boolean"), &err), &err);
    ASSERT_OK(builder_add_key_column(&builder, TEXT("b"), &err), &err);
    ASSERT_OK(builder_add_key_column(&builder, TEXT("a"), &err), &err);
    ASSERT_OK(builder_end_table(&builder, &err), &err);
    ASSERT_OK(builder_text_value(&builder, TEXT("50%/2"), &cells[0].value, &err), &err);
    ASSERT_OK(builder_row(&builder, table, cells, 2, &value, &err), &err);
    ASSERT_OK(builder_row_key(&builder, table, TEXT("false/50%25%2F2"), &number, &err), &err);
    ASSERT_OK(builder_add_initial(&builder, number, value, &err), &err);
    TEST_ASSERT_EQUAL(table, builder_table_of_key(&builder, number));
    TEST_ASSERT_EQUAL(table, builder_find_table(&builder, TEXT("x/y")));
    finish();
    assert_key("x%2Fy/false/50%25%2F2", number);
}

static void tables_are_refused_that_make_no_sense(void)
{
    uint32_t table;

    ASSERT_OK(builder_add_table(&builder, TEXT("t"), &table, &err), &err);
    assert_refused(builder_end_table(&builder, &err), "t has no columns");
    assert_refused(builder_add_column(&builder, TEXT("v"), TEXT("blob"), &err),
                   "column v of t: no type \"blob\"");
    assert_refused(builder_add_column(&builder, TEXT("v"), TEXT("numeric(3,)"), &err),
                   "column v of t: no type \"numeric(3,)\"");
    ASSERT_OK(builder_add_column(&builder, TEXT("v"), TEXT("int[]"), &err), &err);
    assert_refused(builder_end_table(&builder, &err), "t has no key");
    assert_refused(builder_add_column(&builder, TEXT("v"), TEXT("text"), &err),
                   "t has column v twice");
    assert_refused(builder_add_key_column(&builder, TEXT("w"), &err),
                   "t has no column w for its key");
    assert_refused(builder_add_key_column(&builder, TEXT("v"), &err),
                   "column v of t is a list: no part of a key");
    builder_close(&builder);
    add_table();
    assert_refused(builder_add_table(&builder, TEXT("t"), &table, &err), "table t is here twice");
}

static void statements_are_refused_that_make_no_sense(void)
{
    struct statement s = statement(OP_INSERT);

    add_table();
    begin(1, 0, TXN_OK);
    s.where = text("true");
    assert_refused(builder_begin_statement(&builder, &s, &err), "an insert has no predicate");
    s = statement(OP_UPDATE);
    s.limit = 3;
    assert_refused(builder_begin_statement(&builder, &s, &err),
                   "only a select has an order, a limit or values");
    s = statement(OP_SELECT);
    ASSERT_OK(builder_begin_statement(&builder, &s, &err), &err);
    assert_refused(builder_add_row(&builder, key("x"), row(7), &err), "key x is no row of t");
    assert_refused(builder_add_row(&builder, key("t/7"), value_null(), &err),
                   "row t/7: a row is an object");
    ASSERT_OK(builder_add_row(&builder, key("t/7"), row(7), &err), &err);
    assert_refused(builder_add_row(&builder, key("t/7"), row(7), &err), "row t/7 is here twice");
}

static void an_answer_in_order_may_repeat_a_row(void)
{
    struct statement s = statement(OP_SELECT);

    add_table();
    begin(1, 0, TXN_OK);
    s.limit = 3;
    ASSERT_OK(builder_begin_statement(&builder, &s, &err), &err);
    ASSERT_OK(builder_add_row(&builder, key("t/7"), row(7), &err), &err);
    ASSERT_OK(builder_add_row(&builder, key("t/7"), row(7), &err), &err);
    ASSERT_OK(builder_end_statement(&builder, &err), &err);
    finish();
    TEST_ASSERT_EQUAL(STATEMENT_ORDERED | STATEMENT_ANSWERED, history.statement_flags[0]);
}

static enum status list_version(int64_t id, uint32_t nth)
{
    return builder_add_version(&builder, (struct version_name){ id, nth, false }, &err);
}

static void versions_are_named_by_transaction_and_ordinal(void)
{
    begin(4, 0, TXN_OK);
    write_of("x", 1); /* operation 0 */
    write_of("y", 1);
    write_of("x", 2); /* operation 2 */
    begin(9, 0, TXN_UNKNOWN);
    add(OP_REMOVE, "x", value_none()); /* operation 3 */
    ASSERT_OK(builder_begin_order(&builder, key("x"), &err), &err);
    ASSERT_OK(list_version(4, 1), &err);
    ASSERT_OK(list_version(9, 0), &err);
    ASSERT_OK(list_version(4, 0), &err);
    finish();
    TEST_ASSERT_EQUAL(3, history.order_version_count);
    TEST_ASSERT_EQUAL(0, history.order_version[0]);
    TEST_ASSERT_EQUAL(3, history.order_version[1]);
    TEST_ASSERT_EQUAL(2, history.order_version[2]);
    TEST_ASSERT_EQUAL(0, history.key_order[0]);
    TEST_ASSERT_EQUAL(HISTORY_NONE, history.key_order[1]);
}

static void version_orders_are_refused_precisely(void)
{
    begin(4, 0, TXN_OK);
    write_of("x", 1);
    add(OP_READ, "x", value_integer(1));
    begin(9, 0, TXN_ABORT);
    write_of("x", 2);
    begin(11, 0, TXN_OK);
    write_of("x", 3);
    ASSERT_OK(builder_set_op_error(&builder, TEXT("no"), &err), &err);
    ASSERT_OK(builder_begin_order(&builder, key("x"), &err), &err);
    assert_refused(list_version(5, 0), "no transaction 5");
    assert_refused(list_version(4, 2), "transaction 4 has no write number 2 of key x");
    assert_refused(list_version(11, 0), "transaction 11 does not write key x");
    assert_refused(list_version(9, 0),
                   "transaction 9 aborted: version orders list committed writers");
    assert_refused(builder_add_version(&builder, (struct version_name){ 0, 0, true }, &err),
                   "the initial version comes first of itself: it is not listed");
    ASSERT_OK(list_version(4, 1), &err);
    assert_refused(list_version(4, 0), "a version of transaction 4 is twice in the order of key x");
    assert_refused(builder_begin_order(&builder, key("x"), &err),
                   "key x already has a version order");
    assert_refused(builder_begin_txn(&builder, 12, 0, TXN_OK, &err),
                   "version orders come after all transactions");
}

static void long_transactions_are_found_their_way_around_in(void)
{
    enum { WRITE_COUNT = 30000 };

    begin(-3, 0, TXN_OK);
    begin(INT64_MAX, 0, TXN_OK);
    for (int i = 0; i < WRITE_COUNT; i++)
        write_of(i % 3 ? "x" : "y", i);
    begin(INT64_MIN, 0, TXN_OK); /* ids do not rise: another way to find them */
    ASSERT_OK(builder_begin_order(&builder, key("x"), &err), &err);
    for (uint32_t nth = WRITE_COUNT / 3 * 2; nth > 1; nth--)
        ASSERT_OK(list_version(INT64_MAX, nth), &err);
    finish();
    TEST_ASSERT_EQUAL(WRITE_COUNT - 1, history.order_version[0]);
    TEST_ASSERT_EQUAL(2, history.order_version[history.order_version_count - 1]);
}

static void a_wrong_version_in_a_long_order_is_refused_where_it_stands(void)
{
    begin(1, 0, TXN_OK);
    for (int i = 0; i < 20000; i++)
        write_of("x", i);
    ASSERT_OK(builder_begin_order(&builder, key("x"), &err), &err);
    for (uint32_t nth = 1; nth <= 130; nth++)
        ASSERT_OK(list_version(1, nth), &err);
    assert_refused(list_version(1, 20001),
                   "transaction 1 has no write number 20001 of key x");
}

/* Looking goes on from the version before; it must find those that stand before it, too. */
static void an_order_may_name_versions_in_any_order(void)
{
    enum { TXN_COUNT = 200 };

    for (int64_t id = 0; id < TXN_COUNT; id++) {
        begin(id, 0, TXN_OK);
        write_of("x", id);
        write_of("y", id);
    }
    ASSERT_OK(builder_begin_order(&builder, key("x"), &err), &err);
    for (int64_t i = 0; i < TXN_COUNT; i++)
        ASSERT_OK(list_version(i * 77 % TXN_COUNT, 0), &err);
    ASSERT_OK(builder_begin_order(&builder, key("y"), &err), &err);
    finish();
    for (size_t i = 0; i < TXN_COUNT; i++)
        TEST_ASSERT_EQUAL(2 * (i * 77 % TXN_COUNT), history.order_version[i]);
}

static void version_sets_may_name_later_transactions(void)
{
    begin(1, 0, TXN_OK);
    add(OP_READ, "x", value_integer(2));
    ASSERT_OK(builder_add_set_entry(&builder, key("x"), (struct version_name){ 2, 1, false }, &err),
              &err);
    ASSERT_OK(builder_add_set_entry(&builder, key("y"), (struct version_name){ 0, 0, true }, &err),
              &err);
    add(OP_READ, "y", value_null());
    ASSERT_OK(builder_begin_set(&builder, &err), &err);
    begin(2, 0, TXN_OK);
    write_of("x", 2);
    finish();
    TEST_ASSERT_EQUAL(2, history.set_count);
    TEST_ASSERT_EQUAL(1, history.set_op[1]);
    TEST_ASSERT_EQUAL(2, history.set_start[1]);
    TEST_ASSERT_EQUAL(2, history.set_version[0]);
    TEST_ASSERT_EQUAL(VERSION_INITIAL, history.set_version[1]);
}

static void a_wrong_version_set_is_refused_with_its_line(void)
{
    struct version_name second = { 2, 0, false };

    begin(1, 0, TXN_OK);
    add(OP_READ, "x", value_integer(2));
    builder_set_line(&builder, 17);
    ASSERT_OK(builder_add_set_entry(&builder, key("x"), second, &err), &err);
    builder_set_line(&builder, 18);
    assert_refused(builder_finish(&builder, &history, &err), "no transaction 2");
    TEST_ASSERT_EQUAL(17, err.line);
    TEST_ASSERT_EQUAL(0, history.txn_count);

    begin(2, 0, TXN_OK);
    write_of("x", 2);
    builder_set_line(&builder, 3);
    ASSERT_OK(builder_add_set_entry(&builder, key("x"), second, &err), &err);
    ASSERT_OK(builder_add_set_entry(&builder, key("x"), second, &err), &err);
    assert_refused(builder_finish(&builder, &history, &err), "key x is twice in a version set");
    TEST_ASSERT_EQUAL(3, err.line);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_makes_an_empty_history);
    RUN_TEST(operations_stand_in_program_order);
    RUN_TEST(an_item_operation_without_times_costs_fifteen_bytes);
    RUN_TEST(columns_come_into_being_at_the_first_value);
    RUN_TEST(one_part_for_every_transaction_needs_no_column_of_parts);
    RUN_TEST(places_of_one_to_three_parts_may_mix);
    RUN_TEST(ids_are_unique_whether_they_rise_or_not);
    RUN_TEST(a_repeated_id_right_after_itself_is_refused);
    RUN_TEST(times_must_make_sense);
    RUN_TEST(values_must_fit_their_operations);
    RUN_TEST(texts_must_be_utf8_without_zero_bytes);
    RUN_TEST(initial_values_come_once_a_key);
    RUN_TEST(the_header_is_kept);
    RUN_TEST(values_are_equal_by_what_they_hold);
    RUN_TEST(a_row_has_each_column_once_and_no_row_within);
    RUN_TEST(a_statement_is_a_head_and_its_rows);
    RUN_TEST(an_answer_may_be_values);
    RUN_TEST(rows_of_a_table_are_whole_and_of_their_types);
    RUN_TEST(a_row_says_the_key_that_it_has);
    RUN_TEST(keys_of_rows_are_spelled_in_one_way);
    RUN_TEST(a_key_is_refused_where_a_set_or_an_order_first_names_it);
    RUN_TEST(composite_keys_escape_their_slashes);
    RUN_TEST(tables_are_refused_that_make_no_sense);
    RUN_TEST(statements_are_refused_that_make_no_sense);
    RUN_TEST(an_answer_in_order_may_repeat_a_row);
    RUN_TEST(versions_are_named_by_transaction_and_ordinal);
    RUN_TEST(version_orders_are_refused_precisely);
    RUN_TEST(long_transactions_are_found_their_way_around_in);
    RUN_TEST(a_wrong_version_in_a_long_order_is_refused_where_it_stands);
    RUN_TEST(an_order_may_name_versions_in_any_order);
    RUN_TEST(version_sets_may_name_later_transactions);
    RUN_TEST(a_wrong_version_set_is_refused_with_its_line);
    return UNITY_END();
}
