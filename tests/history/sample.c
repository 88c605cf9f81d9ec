#include "tests/history/sample.h"

#include <assert.h>

/* Takes numbers for what comes later. */
static enum status renumber(struct builder *b, struct error *err)
{
    uint32_t number;

    TRY(builder_key(b, TEXT("z"), &number, err));
    TRY(builder_key(b, TEXT("accounts/2/b%2Fc"), &number, err));
    return builder_text(b, TEXT("12.30"), &number, err);
}

static enum status add_header(struct builder *b, struct error *err)
{
    uint32_t table, x;

    TRY(builder_set_workload(b, TEXT("sample"), err));
    TRY(builder_set_producer(b, TEXT("tests"), err));
    builder_set_unique(b, true);
    TRY(builder_add_table(b, TEXT("accounts"), &table, err));
    TRY(builder_add_column(b, TEXT("id"), TEXT("bigint"), err));
    TRY(builder_add_column(b, TEXT("name"), TEXT("text"), err));
    TRY(builder_add_column(b, TEXT("open"), TEXT("boolean"), err));
    TRY(builder_add_column(b, TEXT("balance"), TEXT("numeric(10,2)"), err));
    TRY(builder_add_column(b, TEXT("log"), TEXT("bigint[]"), err));
    TRY(builder_add_key_column(b, TEXT("id"), err));
    TRY(builder_add_key_column(b, TEXT("name"), err));
    TRY(builder_end_table(b, err));
    TRY(builder_key(b, TEXT("x"), &x, err));
    return builder_add_initial(b, x, value_integer(0), err);
}

static enum status account(struct builder *b, int64_t id, bool open, struct value *row,
                           struct error *err)
{
    int64_t log[] = { 1, 2, id };
    struct named_value cells[] = { { TEXT("id"), value_integer(id) },
                                   { TEXT("name"), { 0 } },
                                   { TEXT("open"), value_boolean(open) },
                                   { TEXT("balance"), { 0 } },
                                   { TEXT("log"), { 0 } } };

    TRY(builder_text_value(b, TEXT("b/c"), &cells[1].value, err));
    TRY(builder_text_value(b, TEXT("12.30"), &cells[3].value, err));
    TRY(builder_list(b, log, 3, &cells[4].value, err));
    return builder_row(b, 0, cells, 5, row, err);
}

static enum status add_op(struct builder *b, enum op_kind kind, const char *name,
                          struct value value, struct error *err)
{
    uint32_t key;

    TRY(builder_key(b, text_of(name), &key, err));
    return builder_add_op(b, kind, key, value, err);
}

static enum status add_items(struct builder *b, struct error *err)
{
    struct named_value cells[] = { { TEXT("a"), value_null() }, { TEXT("b"), value_integer(3) } };
    struct value value;
    uint32_t y;

    TRY(builder_begin_txn(b, 1, 10, TXN_OK, err));
    TRY(builder_set_txn_at(b, 100, 900, err));
    TRY(builder_set_ts(b, (struct place){ 3, { 57, 1, 2 } }, err));
    TRY(builder_set_snapshot(b, (struct place){ 3, { 50, 8, 9 } }, err));
    TRY(builder_set_origin(b, (struct place){ 2, { 41, 3 } }, err));
    TRY(add_op(b, OP_WRITE, "x", value_integer(7), err));
    TRY(builder_set_op_at(b, 110, 120, err));
    TRY(add_op(b, OP_READ, "y", value_null(), err));
    builder_set_op_lock(b, OP_LOCK_SHARE);
    TRY(builder_set_op_snapshot(b, (struct place){ 3, { 49, 3, 4 } }, err));
    TRY(builder_key(b, TEXT("y"), &y, err));
    TRY(builder_add_set_entry(b, y, (struct version_name){ 0, 0, true }, err));
    TRY(builder_begin_txn(b, -2, 11, TXN_ABORT, err));
    TRY(add_op(b, OP_APPEND, "l", value_integer(3), err));
    TRY(builder_list(b, (int64_t[]){ 3, -4 }, 2, &value, err));
    TRY(add_op(b, OP_READ, "l", value, err));
    TRY(builder_row(b, HISTORY_NONE, cells, 2, &value, err));
    TRY(add_op(b, OP_WRITE, "z", value, err));
    TRY(builder_text_value(b, TEXT("na\xc3\xafve"), &value, err));
    TRY(add_op(b, OP_WRITE, "z", value, err));
    TRY(builder_set_op_error(b, TEXT("busy"), err));
    return add_op(b, OP_REMOVE, "x", value_none(), err);
}

static enum status add_select(struct builder *b, struct error *err)
{
    struct statement s = { .kind = OP_SELECT, .limit = 2 };
    uint32_t key;
    struct value value;

    TRY(builder_text(b, TEXT("open"), &s.where, err));
    TRY(builder_text(b, TEXT("id desc"), &s.order, err));
    TRY(builder_begin_statement(b, &s, err));
    TRY(builder_row_key(b, 0, TEXT("2/b%2Fc"), &key, err));
    TRY(account(b, 2, true, &value, err));
    TRY(builder_add_row(b, key, value, err));
    TRY(builder_row_key(b, 0, TEXT("1/b%2Fc"), &key, err));
    TRY(account(b, 1, true, &value, err));
    TRY(builder_add_row(b, key, value, err));
    TRY(builder_end_statement(b, err));
    s = (struct statement){ .kind = OP_SELECT, .where = HISTORY_NONE, .order = HISTORY_NONE,
                            .limit = -1 };
    TRY(builder_begin_statement(b, &s, err));
    TRY(builder_add_aggregate(b, TEXT("min(id)"), value_integer(1), err));
    TRY(builder_add_aggregate(b, TEXT("max(id)"), value_null(), err));
    return builder_end_statement(b, err);
}

static enum status add_statements(struct builder *b, struct error *err)
{
    struct statement s = { .where = HISTORY_NONE, .order = HISTORY_NONE, .limit = -1 };
    uint32_t key;
    struct value value;

    TRY(builder_begin_txn(b, 3, 10, TXN_UNKNOWN, err));
    TRY(builder_set_txn_at(b, 950, TIME_NEVER, err));
    TRY(builder_set_ts(b, (struct place){ 1, { 60 } }, err));
    TRY(add_select(b, err));
    s.kind = OP_INSERT;
    TRY(builder_begin_statement(b, &s, err));
    TRY(builder_row_key(b, 0, TEXT("3/b%2Fc"), &key, err));
    TRY(account(b, 3, false, &value, err));
    TRY(builder_add_row(b, key, value, err));
    TRY(builder_end_statement(b, err));
    s.kind = OP_DELETE;
    TRY(builder_text(b, TEXT("not open"), &s.where, err));
    TRY(builder_begin_statement(b, &s, err));
    TRY(builder_add_row(b, key, value_null(), err));
    TRY(builder_end_statement(b, err));
    return add_op(b, OP_WRITE, "x", value_boolean(true), err);
}

static enum status add_orders(struct builder *b, struct error *err)
{
    uint32_t x;

    TRY(builder_key(b, TEXT("x"), &x, err));
    TRY(builder_begin_order(b, x, err));
    TRY(builder_add_version(b, (struct version_name){ 3, 1, false }, err));
    return builder_add_version(b, (struct version_name){ 1, 0, false }, err);
}

enum status sample_build(struct builder *b, bool renumbered, struct error *err)
{
    if (renumbered)
        TRY(renumber(b, err));
    TRY(add_header(b, err));
    TRY(add_items(b, err));
    TRY(add_statements(b, err));
    return add_orders(b, err);
}

void sample_history(struct history *h, bool renumbered)
{
    struct error err = { 0 };
    struct builder builder;
    enum status status;

    builder_init(&builder);
    status = sample_build(&builder, renumbered, &err);
    assert(status == STATUS_OK);
    status = builder_finish(&builder, h, &err);
    assert(status == STATUS_OK);
}
