#include "history/jsonl/jsonl_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history/io/json_lines.h"
#include "history/jsonl/jsonl_fast_private.h"
#include "history/jsonl/jsonl_fields_private.h"
#include "history/jsonl/jsonl_value_private.h"

/* The name of the line's first field, which tells what the line is; or an empty text. */
static struct text first_field(struct jsonl *reader, struct text line)
{
    struct text name = { "", 0 };
    struct error ignored;

    json_begin(&reader->json, line);
    if (json_open(&reader->json, '{', "", &ignored) != STATUS_OK ||
        json_field(&reader->json, 0, &name, &ignored) != STATUS_OK || !name.at)
        name = TEXT("");
    return name;
}

static enum status jsonl_header(struct jsonl *, struct error *);

static enum status jsonl_order(struct jsonl *, struct error *);

static enum status jsonl_txn(struct jsonl *, struct error *);

/* A transaction or a version order. */
static enum status read_other(struct jsonl *reader, struct text line, struct error *err)
{
    bool done = false;
    struct text first;

    if (reader->fast)
        TRY(jsonl_fast_txn(reader, line, &done, err));
    if (done)
        return STATUS_OK;
    first = first_field(reader, line);
    if (text_equal(first, TEXT("ordeal-history")))
        return json_refuse_token(&reader->json, err, "the header is the first line alone");
    if (text_equal(first, TEXT(NAME_VERSION_ORDER))) {
        if (reader->is_excerpt)
            return STATUS_OK;
        json_begin(&reader->json, line);
        return jsonl_order(reader, err);
    }
    json_begin(&reader->json, line);
    if (json_peek(&reader->json) == 0 && reader->json.at == reader->json.end)
        return json_refuse(&reader->json, "one object on each line", err);
    return jsonl_txn(reader, err);
}

static enum status read_line(void *owner, struct text line, struct error *err)
{
    struct jsonl *reader = owner;
    uint64_t number = reader->source->line;

    builder_set_line(reader->builder, number);
    return number == 1 ? jsonl_header(reader, err) : read_other(reader, line, err);
}

static enum status read_all(struct jsonl *reader, unsigned flags, struct history *history,
                            struct error *err)
{
    if (!(flags & JSONL_GENERAL_ONLY))
        TRY(jsonl_fast_open(reader, err));
    TRY(json_lines_read(reader->source, &reader->json, "{\"ordeal-history\":1,...", read_line, reader,
                        err));
    if (builder_finish(reader->builder, history, err) == STATUS_OK)
        return STATUS_OK;
    error_set_file(err, reader->source->name);
    return err->status;
}

enum status jsonl_read(struct source *source, unsigned flags, struct history *history,
                       struct error *err)
{
    struct builder builder;
    struct jsonl reader = { .source = source, .builder = &builder };
    enum status status;

    reader.is_excerpt = flags & JSONL_EXCERPT;
    builder_init(&builder);
    *history = (struct history){ 0 };
    status = read_all(&reader, flags, history, err);
    builder_close(&builder);
    jsonl_fast_close(&reader);
    json_close(&reader.json);
    array_close(&reader.elements);
    array_close(&reader.cells);
    array_close(&reader.aggregates);
    array_close(&reader.rows);
    array_close(&reader.set);
    return status;
}

bool jsonl_is_it(struct text beginning)
{
    return json_lines_begin_with(beginning, NAME_HISTORY);
}

#define OP_NAME(op, fields) NAME_##op,
#define OP_KIND(op, fields) OP_##op,
#define OP_FIELD_ENUM(field) OP_FIELD_##field,
#define FIELD_NAME(field) NAME_##field,
#define OP_BIT(field) (1u << OP_FIELD_##field)
#define OP_FIELDS(op, fields) JSONL_FIELDS_OF_ALL_OPS(OP_BIT) | (fields),

enum op_field { JSONL_OP_FIELDS(OP_FIELD_ENUM) };

static const char *const op_fields[] = { JSONL_OP_FIELDS(FIELD_NAME) NULL };
static const char *const op_names[] = { JSONL_OPS(OP_NAME, OP_BIT) NULL };

/* Beside op_names: the kinds, and which fields go with them. */
static const enum op_kind op_kinds[] = { JSONL_OPS(OP_KIND, OP_BIT) };
static const unsigned fields_of_op[] = { JSONL_OPS(OP_FIELDS, OP_BIT) };

static const char *const lock_names[] = { NAME_SHARE, NAME_UPDATE_LOCK, NULL };

/* An operation while its fields come, in any order. */
struct jsonl_op {
    unsigned name; /* its place in op_names */
    unsigned seen; /* a bit for each field */
    uint32_t key, table;
    struct value value;
    struct statement statement;
    bool rows_are_array;
    enum op_flag lock;
    int64_t invoked, completed;
    struct place snapshot;
    struct text error;
};

static enum status read_set_entry(struct jsonl *reader, struct text name, struct error *err)
{
    struct jsonl_set_entry entry;

    TRY(builder_key(reader->builder, name, &entry.key, err));
    TRY(jsonl_version(reader, true, &entry.version, err));
    return array_push(&reader->set, entry, err);
}

/* What stands behind a row's key: the row, or null where it was deleted. */
static enum status read_row(struct jsonl *reader, const struct jsonl_op *op, struct text primary_key,
                            struct error *err)
{
    struct jsonl_row row = { .value = value_none() };

    TRY(builder_row_key(reader->builder, op->table, primary_key, &row.key, err));
    if (op->statement.kind == OP_DELETE) {
        if (!json_word(&reader->json, "null"))
            return json_refuse(&reader->json, "null, as the row was deleted", err);
    } else {
        TRY(jsonl_row_object(reader, op->table, &row.value, err));
    }
    return array_push(&reader->rows, row, err);
}

/* [PK,row] */
static enum status read_row_pair(struct jsonl *reader, const struct jsonl_op *op, struct error *err)
{
    struct json *json = &reader->json;
    struct text primary_key;
    bool more;

    TRY(json_open(json, '[', "[primary key, row]", err));
    TRY(json_string(json, "a primary key, a string", &primary_key, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "expected [primary key, row], found no row");
    TRY(read_row(reader, op, primary_key, err));
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse(json, "\"]\" after [primary key, row", err) : STATUS_OK;
}

static enum status read_rows(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    struct json *json = &reader->json;

    reader->rows.count = 0;
    op->rows_are_array = json_peek(json) == '[';
    TRY(json_open(json, op->rows_are_array ? '[' : '{', "an object of primary keys and rows", err));
    for (size_t n = 0;; n++) {
        struct text primary_key;
        bool more;

        if (op->rows_are_array) {
            TRY(json_element(json, n, &more, err));
            if (!more)
                return STATUS_OK;
            TRY(read_row_pair(reader, op, err));
        } else {
            TRY(json_field(json, n, &primary_key, err));
            if (!primary_key.at)
                return STATUS_OK;
            TRY(read_row(reader, op, primary_key, err));
        }
    }
}

static enum status read_aggregate(struct jsonl *reader, struct text name, struct error *err)
{
    struct jsonl_aggregate aggregate;

    TRY(builder_text(reader->builder, name, &aggregate.name, err));
    TRY(jsonl_value(reader, HISTORY_NONE, &aggregate.value, err));
    return array_push(&reader->aggregates, aggregate, err);
}

static enum status read_text(struct jsonl *reader, const char *what, uint32_t *number,
                             struct error *err)
{
    struct text text;

    TRY(json_string(&reader->json, what, &text, err));
    return builder_text(reader->builder, text, number, err);
}

static enum status read_limit(struct jsonl *reader, int64_t *limit, struct error *err)
{
    TRY(json_integer(&reader->json, "an integer after \"limit\"", limit, err));
    if (*limit < 0)
        return json_refuse_token(&reader->json, err, "a limit is not negative");
    return STATUS_OK;
}

static enum status read_lock(struct jsonl *reader, enum op_flag *lock, struct error *err)
{
    unsigned choice;

    TRY(json_choice(&reader->json, "lock", lock_names, &choice, err));
    *lock = choice == 0 ? OP_LOCK_SHARE : OP_LOCK_UPDATE;
    return STATUS_OK;
}

static enum status read_op_field(struct jsonl *reader, struct jsonl_op *op, enum op_field field,
                              struct error *err)
{
    switch (field) {
    case OP_FIELD_V:
        return jsonl_value(reader, builder_table_of_key(reader->builder, op->key), &op->value,
                           err);
    case OP_FIELD_WHERE:
        return read_text(reader, "a predicate, a string", &op->statement.where, err);
    case OP_FIELD_ORDER:
        return read_text(reader, "an order, a string", &op->statement.order, err);
    case OP_FIELD_LIMIT:
        return read_limit(reader, &op->statement.limit, err);
    case OP_FIELD_ROWS:
        return read_rows(reader, op, err);
    case OP_FIELD_VALUES:
        reader->aggregates.count = 0;
        return jsonl_each_field(reader, "an object of aggregates and their values", read_aggregate,
                                err);
    case OP_FIELD_LOCK:
        return read_lock(reader, &op->lock, err);
    case OP_FIELD_AT:
        return jsonl_times(reader, &op->invoked, &op->completed, err);
    case OP_FIELD_SNAPSHOT:
        return jsonl_place(reader, &op->snapshot, err);
    case OP_FIELD_SET:
        reader->set.count = 0;
        return jsonl_each_field(reader, "an object of keys and versions", read_set_entry, err);
    default: /* OP_FIELD_ERROR */
        return json_string(&reader->json, "a string after \"error\"", &op->error, err);
    }
}

/* The fields after the first, which must go with the operation. */
static enum status read_op_fields(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    for (size_t n = 1;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(&reader->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(json_know_field(&reader->json, name, op_fields, &field, &op->seen, err));
        if (!(fields_of_op[op->name] >> field & 1))
            return json_refuse_token(&reader->json, err, "\"%s\" does not go with \"%s\"",
                                     op_fields[field], op_names[op->name]);
        TRY(read_op_field(reader, op, (enum op_field)field, err));
    }
}

/* The first field's name tells what the operation is. */
static enum status read_op_name(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    struct text name;

    TRY(json_open(&reader->json, '{', "an operation object", err));
    TRY(json_field(&reader->json, 0, &name, err));
    if (!name.at)
        return json_refuse_token(&reader->json, err, "the operation is empty");
    while (op_names[op->name] && !text_equal(name, text_of(op_names[op->name])))
        op->name++;
    if (!op_names[op->name])
        return json_refuse_token(&reader->json, err,
                                 "unknown operation \"%.*s\": the first field must be r, w, "
                                 "append, d, select, insert, update or delete",
                                 TEXT_PRINT(name));
    op->statement.kind = op_kinds[op->name];
    return STATUS_OK;
}

/* And its value what it is done to. */
static enum status read_subject(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    struct text subject;
    bool is_item;

    TRY(read_op_name(reader, op, err));
    is_item = !op_is_head(op->statement.kind);
    if (json_peek(&reader->json) != '"') {
        char expected[64];
        snprintf(expected, sizeof expected, "a %s string after \"%s\"",
                 is_item ? "key" : "table", op_names[op->name]);
        return json_refuse(&reader->json, expected, err);
    }
    TRY(json_string(&reader->json, "a string", &subject, err));
    if (is_item)
        return builder_key(reader->builder, subject, &op->key, err);
    op->table = op->statement.table = builder_find_table(reader->builder, subject);
    if (op->table == HISTORY_NONE)
        return json_refuse_token(&reader->json, err, "the header has no table \"%.*s\"",
                                 TEXT_PRINT(subject));
    return STATUS_OK;
}

static enum status add_statement(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    bool is_ordered = op->seen & (OP_BIT(ORDER) | OP_BIT(LIMIT));
    bool has_rows = op->seen & OP_BIT(ROWS), has_values = op->seen & OP_BIT(VALUES);

    if (has_rows && has_values)
        return json_refuse_token(&reader->json, err, "a select has \"rows\" or \"values\"");
    if (has_rows && op->rows_are_array && !is_ordered)
        return json_refuse_token(&reader->json, err,
                                 "rows without \"order\" and \"limit\" are an object");
    if (has_rows && !op->rows_are_array && is_ordered)
        return json_refuse_token(&reader->json, err,
                                 "rows with \"order\" or \"limit\" are an array of [key, row]");
    op->statement.flags = (has_rows || has_values ? STATEMENT_ANSWERED : 0u) |
                          (has_values ? STATEMENT_AGGREGATES : 0u) |
                          (is_ordered ? STATEMENT_ORDERED : 0u);
    TRY(builder_begin_statement(reader->builder, &op->statement, err));
    for (size_t i = 0; has_rows && i < reader->rows.count; i++)
        TRY(builder_add_row(reader->builder, reader->rows.at[i].key, reader->rows.at[i].value,
                            err));
    for (size_t i = 0; has_values && i < reader->aggregates.count; i++)
        TRY(builder_add_aggregate_of(reader->builder, reader->aggregates.at[i].name,
                                     reader->aggregates.at[i].value, err));
    return builder_end_statement(reader->builder, err);
}

static enum status add_set(struct jsonl *reader, struct error *err)
{
    if (reader->is_excerpt)
        return STATUS_OK;
    TRY(builder_begin_set(reader->builder, err));
    for (size_t i = 0; i < reader->set.count; i++)
        TRY(builder_add_set_entry(reader->builder, reader->set.at[i].key,
                                  reader->set.at[i].version, err));
    return STATUS_OK;
}

static enum status add_op(struct jsonl *reader, struct jsonl_op *op, struct error *err)
{
    struct builder *builder = reader->builder;

    if (op_is_head(op->statement.kind))
        TRY(add_statement(reader, op, err));
    else
        TRY(builder_add_op(builder, op->statement.kind, op->key, op->value, err));
    if (op->seen & OP_BIT(LOCK))
        builder_set_op_lock(builder, op->lock);
    if (op->seen & OP_BIT(AT))
        TRY(builder_set_op_at(builder, op->invoked, op->completed, err));
    if (op->seen & OP_BIT(SNAPSHOT))
        TRY(builder_set_op_snapshot(builder, op->snapshot, err));
    if (op->seen & OP_BIT(SET))
        TRY(add_set(reader, err));
    if (op->seen & OP_BIT(ERROR))
        TRY(builder_set_op_error(builder, op->error, err));
    return STATUS_OK;
}

static enum status jsonl_op(struct jsonl *reader, struct error *err)
{
    struct jsonl_op op = { .value = value_none(),
                     .statement = { .where = HISTORY_NONE, .order = HISTORY_NONE, .limit = -1 } };

    TRY(read_subject(reader, &op, err));
    TRY(read_op_fields(reader, &op, err));
    return add_op(reader, &op, err);
}

#define TXN_FIELD_ENUM(field) TXN_FIELD_##field,

enum txn_field { JSONL_TXN_FIELDS(TXN_FIELD_ENUM) };

static const char *const txn_fields[] = { JSONL_TXN_FIELDS(FIELD_NAME) NULL };

#define TXN_BIT(field) (1u << TXN_FIELD_##field)
#define TXN_FIELDS_OF_HEAD (TXN_BIT(TXN) | TXN_BIT(SESSION) | TXN_BIT(STATUS))
#define TXN_FIELDS_REQUIRED (TXN_FIELDS_OF_HEAD | TXN_BIT(OPS))

/* By enum txn_status. */
static const char *const status_names[] = { JSONL_STATUSES(FIELD_NAME) NULL };

/* A transaction while its fields come, in any order. */
struct jsonl_txn {
    unsigned seen;      /* a bit for each field */
    bool is_named;      /* its id is known */
    bool is_begun;      /* the builder knows it */
    const char *ops_at; /* where the operations stand, if they came too early */
    int64_t id, session;
    unsigned status;
    int64_t invoked, completed;
    struct place ts, snapshot, origin;
};

static enum status read_ops(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of operations", err));
    for (size_t n = 0;; n++) {
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        if (jsonl_op(reader, err) != STATUS_OK)
            return error_wrap(err, "operation %zu", n + 1);
    }
}

static enum status begin(struct jsonl *reader, struct jsonl_txn *txn, struct error *err)
{
    txn->is_begun = true;
    reader->json.token = reader->json.begin; /* what is wrong now is wrong with all of it */
    return builder_begin_txn(reader->builder, txn->id, txn->session,
                             (enum txn_status)txn->status, err);
}

/* The builder wants the head first: operations that come before it are read again later. */
static enum status read_ops_or_wait(struct jsonl *reader, struct jsonl_txn *txn, struct error *err)
{
    if ((txn->seen & TXN_FIELDS_OF_HEAD) == TXN_FIELDS_OF_HEAD) {
        TRY(begin(reader, txn, err));
        return read_ops(reader, err);
    }
    txn->ops_at = reader->json.at;
    return json_skip(&reader->json, err);
}

static enum status read_txn_field(struct jsonl *reader, struct jsonl_txn *txn, enum txn_field field,
                              struct error *err)
{
    struct json *json = &reader->json;

    switch (field) {
    case TXN_FIELD_TXN:
        TRY(json_integer(json, "the transaction's number, an integer", &txn->id, err));
        txn->is_named = true;
        return STATUS_OK;
    case TXN_FIELD_SESSION:
        return json_integer(json, "the session's number, an integer", &txn->session, err);
    case TXN_FIELD_STATUS:
        return json_choice(&reader->json, "status", status_names, &txn->status, err);
    case TXN_FIELD_AT:
        return jsonl_times(reader, &txn->invoked, &txn->completed, err);
    case TXN_FIELD_OPS:
        return read_ops_or_wait(reader, txn, err);
    case TXN_FIELD_TS:
        return jsonl_place(reader, &txn->ts, err);
    case TXN_FIELD_SNAPSHOT:
        return jsonl_place(reader, &txn->snapshot, err);
    default: /* TXN_FIELD_ORIGIN */
        TRY(jsonl_place(reader, &txn->origin, err));
        return txn->origin.parts <= ORIGIN_PARTS_MAX
                   ? STATUS_OK
                   : json_refuse_token(json, err, "an origin is an index, or an index and a process");
    }
}

static enum status refuse_missing(struct jsonl *reader, unsigned seen, struct error *err)
{
    unsigned field = 0;

    while (seen >> field & 1 || !(TXN_FIELDS_REQUIRED >> field & 1))
        field++;
    reader->json.token = reader->json.at;
    return json_refuse_token(&reader->json, err, "\"%s\" is missing", txn_fields[field]);
}

/* What waited for the end of the line. */
static enum status finish(struct jsonl *reader, struct jsonl_txn *txn, struct error *err)
{
    if (!txn->is_begun) {
        TRY(begin(reader, txn, err));
        reader->json.at = txn->ops_at;
        TRY(read_ops(reader, err));
    }
    if (txn->seen & TXN_BIT(AT))
        TRY(builder_set_txn_at(reader->builder, txn->invoked, txn->completed, err));
    if (txn->seen & TXN_BIT(TS))
        TRY(builder_set_ts(reader->builder, txn->ts, err));
    if (txn->seen & TXN_BIT(SNAPSHOT))
        TRY(builder_set_snapshot(reader->builder, txn->snapshot, err));
    if (txn->seen & TXN_BIT(ORIGIN))
        TRY(builder_set_origin(reader->builder, txn->origin, err));
    reader->json.token = reader->json.begin; /* it is about all of the line */
    return builder_end_txn(reader->builder, err);
}

static enum status read_txn(struct jsonl *reader, struct jsonl_txn *txn, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '{', "a transaction or version-order object", err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&reader->json, name, txn_fields, &field, &txn->seen, err));
        TRY(read_txn_field(reader, txn, (enum txn_field)field, err));
    }
    TRY(json_end(json, err));
    if ((txn->seen & TXN_FIELDS_REQUIRED) != TXN_FIELDS_REQUIRED)
        return refuse_missing(reader, txn->seen, err);
    return finish(reader, txn, err);
}

static enum status jsonl_txn(struct jsonl *reader, struct error *err)
{
    struct jsonl_txn txn = { 0 };
    enum status status = read_txn(reader, &txn, err);

    if (status != STATUS_OK && txn.is_named)
        return error_wrap(err, "transaction %" PRId64, txn.id);
    return status;
}

static enum status read_versions(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of versions", err));
    for (size_t n = 0;; n++) {
        struct version_name version;
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return builder_end_order(reader->builder, err);
        TRY(jsonl_version(reader, false, &version, err));
        TRY(builder_add_version(reader->builder, version, err));
        if (reader->fast)
            TRY(jsonl_fast_versions(reader, err));
    }
}

static enum status read_order(struct jsonl *reader, struct text name, struct error *err)
{
    uint32_t key;

    TRY(builder_key(reader->builder, name, &key, err));
    TRY(builder_begin_order(reader->builder, key, err));
    if (read_versions(reader, err) != STATUS_OK)
        return error_wrap(err, "version order of \"%.*s\"", TEXT_PRINT(name));
    return STATUS_OK;
}

static enum status jsonl_order(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct text name;

    TRY(json_open(json, '{', "a version-order object", err));
    TRY(json_field(json, 0, &name, err));
    TRY(jsonl_each_field(reader, "an object of keys and version orders", read_order, err));
    TRY(json_field(json, 1, &name, err));
    if (name.at)
        return json_refuse_token(json, err, "\"version-order\" stands alone on its line");
    return json_end(json, err);
}

#define HEADER_VERSION 1

#define HEADER_ENUM(field) HEADER_##field,

enum header_field { JSONL_HEADER_FIELDS(HEADER_ENUM) };

static const char *const header_fields[] = { JSONL_HEADER_FIELDS(FIELD_NAME) NULL };

static const char header_example[] = FIRST_FIELD(NAME_HISTORY) "1,...";

enum table_field { TABLE_COLUMNS, TABLE_KEY };

static const char *const table_fields[] = { NAME_COLUMNS, NAME_KEY, NULL };

static enum status read_column(struct jsonl *reader, struct text name, struct error *err)
{
    struct text type;

    TRY(json_string(&reader->json, "the column's type, a string", &type, err));
    return builder_add_column(reader->builder, name, type, err);
}

static enum status read_key_columns(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    TRY(json_open(json, '[', "an array of the key's columns", err));
    for (size_t n = 0;; n++) {
        struct text name;
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(json_string(json, "a column's name, a string", &name, err));
        TRY(builder_add_key_column(reader->builder, name, err));
    }
}

/* {"columns":{...},"key":[...]}: the builder wants the columns first. */
static enum status read_table(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    const char *key_at = NULL, *after;
    unsigned seen = 0;

    TRY(json_open(json, '{', "a table: {\"columns\":{...},\"key\":[...]}", err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&reader->json, name, table_fields, &field, &seen, err));
        if (field == TABLE_COLUMNS) {
            TRY(jsonl_each_field(reader, "an object of columns and their types", read_column, err));
        } else {
            key_at = json->at;
            TRY(json_skip(json, err));
        }
    }
    if (seen != (1u << TABLE_COLUMNS | 1u << TABLE_KEY))
        return json_refuse_token(json, err, "a table needs \"columns\" and \"key\"");
    after = json->at;
    json->at = key_at;
    TRY(read_key_columns(reader, err));
    json->at = after;
    return builder_end_table(reader->builder, err);
}

static enum status read_named_table(struct jsonl *reader, struct text name, struct error *err)
{
    uint32_t table;

    TRY(builder_add_table(reader->builder, name, &table, err));
    if (read_table(reader, err) != STATUS_OK)
        return error_wrap(err, "table \"%.*s\"", TEXT_PRINT(name));
    return STATUS_OK;
}

static enum status read_initial(struct jsonl *reader, struct text name, struct error *err)
{
    struct value value;
    uint32_t key;

    TRY(builder_key(reader->builder, name, &key, err));
    TRY(jsonl_value(reader, builder_table_of_key(reader->builder, key), &value, err));
    return builder_add_initial(reader->builder, key, value, err);
}

static enum status read_unique(struct jsonl *reader, struct error *err)
{
    if (json_word(&reader->json, "true"))
        builder_set_unique(reader->builder, true);
    else if (json_word(&reader->json, "false"))
        builder_set_unique(reader->builder, false);
    else
        return json_refuse(&reader->json, "true or false after \"unique\"", err);
    return STATUS_OK;
}

static enum status read_header_field(struct jsonl *reader, unsigned field, struct error *err)
{
    struct json *json = &reader->json;
    struct text text;

    switch (field) {
    case HEADER_WORKLOAD:
        TRY(json_string(json, "a string after \"workload\"", &text, err));
        return builder_set_workload(reader->builder, text, err);
    case HEADER_PRODUCER:
        TRY(json_string(json, "a string after \"producer\"", &text, err));
        return builder_set_producer(reader->builder, text, err);
    case HEADER_TABLES:
        return jsonl_each_field(reader, "an object of tables", read_named_table, err);
    case HEADER_UNIQUE:
        return read_unique(reader, err);
    default: /* HEADER_INITIAL: its keys may be rows of tables that come later */
        return json_skip(json, err);
    }
}

static enum status read_version(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct text name;
    int64_t version;

    if (json_peek(json) != '{')
        return json_refuse(json, header_example, err);
    TRY(json_open(json, '{', header_example, err));
    TRY(json_field(json, 0, &name, err));
    if (!name.at || !text_equal(name, text_of(header_fields[HEADER_HISTORY])))
        return json_refuse_token(json, err, "expected %s on the first line", header_example);
    TRY(json_integer(json, "the version of the format, an integer", &version, err));
    if (version > HEADER_VERSION)
        return json_refuse_token(json, err, "version %lld is newer than this program reads (%d)",
                                 (long long)version, HEADER_VERSION);
    if (version < HEADER_VERSION)
        return json_refuse_token(json, err, "there is no version %lld of this format",
                                 (long long)version);
    return STATUS_OK;
}

/* json.at is where the line's `{` is. */
static enum status jsonl_header(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    const char *initial_at = NULL;
    unsigned seen = 1u << HEADER_HISTORY;

    TRY(read_version(reader, err));
    for (size_t n = 1;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&reader->json, name, header_fields, &field, &seen, err));
        if (field == HEADER_INITIAL)
            initial_at = json->at;
        TRY(read_header_field(reader, field, err));
    }
    TRY(json_end(json, err));
    if (!initial_at)
        return STATUS_OK;
    json->at = initial_at;
    if (jsonl_each_field(reader, "an object of keys and their initial values", read_initial, err) !=
        STATUS_OK)
        return error_wrap(err, "initial");
    return STATUS_OK;
}
