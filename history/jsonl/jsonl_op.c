#include "history/jsonl/jsonl_private.h"

#include <stdio.h>

static const char *const op_names[] = { "r",      "w",      "append", "d", "select",
                                        "insert", "update", "delete", NULL };

/* By the places of op_names. */
static const enum op_kind op_kinds[] = { OP_READ,   OP_WRITE,  OP_APPEND, OP_REMOVE,
                                         OP_SELECT, OP_INSERT, OP_UPDATE, OP_DELETE };

enum op_field {
    FIELD_V,
    FIELD_WHERE,
    FIELD_ORDER,
    FIELD_LIMIT,
    FIELD_ROWS,
    FIELD_VALUES,
    FIELD_LOCK,
    FIELD_AT,
    FIELD_SNAPSHOT,
    FIELD_SET,
    FIELD_ERROR,
};

static const char *const op_fields[] = { "v",      "where", "order", "limit",    "rows", "values",
                                         "lock",   "at",    "snapshot", "set",   "error", NULL };

#define BIT(field) (1u << FIELD_##field)
#define FIELDS_OF_ALL (BIT(AT) | BIT(SNAPSHOT) | BIT(SET) | BIT(ERROR))

/* Which fields go with which operation, by the places of op_names. */
static const unsigned fields_of_op[] = {
    FIELDS_OF_ALL | BIT(V) | BIT(LOCK),
    FIELDS_OF_ALL | BIT(V),
    FIELDS_OF_ALL | BIT(V),
    FIELDS_OF_ALL,
    FIELDS_OF_ALL | BIT(WHERE) | BIT(ORDER) | BIT(LIMIT) | BIT(ROWS) | BIT(VALUES) | BIT(LOCK),
    FIELDS_OF_ALL | BIT(ROWS),
    FIELDS_OF_ALL | BIT(WHERE) | BIT(ROWS),
    FIELDS_OF_ALL | BIT(WHERE) | BIT(ROWS),
};

static const char *const lock_names[] = { "share", "update", NULL };

/* An operation while its fields come, in any order. */
struct op {
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

static enum status read_set(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    reader->set.count = 0;
    TRY(json_open(json, '{', "an object of keys and versions", err));
    for (size_t n = 0;; n++) {
        struct jsonl_set_entry entry;
        struct text name;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(builder_key(reader->builder, name, &entry.key, err));
        TRY(jsonl_version(reader, true, &entry.version, err));
        TRY(array_push(&reader->set, entry, err));
    }
}

/* What stands behind a row's key: the row, or null where it was deleted. */
static enum status read_row(struct jsonl *reader, const struct op *op, struct text primary_key,
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
static enum status read_row_pair(struct jsonl *reader, const struct op *op, struct error *err)
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

static enum status read_rows(struct jsonl *reader, struct op *op, struct error *err)
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

static enum status read_aggregates(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;

    reader->aggregates.count = 0;
    TRY(json_open(json, '{', "an object of aggregates and their values", err));
    for (size_t n = 0;; n++) {
        struct jsonl_aggregate aggregate;
        struct text name;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(builder_text(reader->builder, name, &aggregate.name, err));
        TRY(jsonl_value(reader, HISTORY_NONE, &aggregate.value, err));
        TRY(array_push(&reader->aggregates, aggregate, err));
    }
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

    TRY(jsonl_choice(reader, "lock", lock_names, &choice, err));
    *lock = choice == 0 ? OP_LOCK_SHARE : OP_LOCK_UPDATE;
    return STATUS_OK;
}

static enum status read_field(struct jsonl *reader, struct op *op, enum op_field field,
                              struct error *err)
{
    switch (field) {
    case FIELD_V:
        return jsonl_value(reader, builder_table_of_key(reader->builder, op->key), &op->value,
                           err);
    case FIELD_WHERE:
        return read_text(reader, "a predicate, a string", &op->statement.where, err);
    case FIELD_ORDER:
        return read_text(reader, "an order, a string", &op->statement.order, err);
    case FIELD_LIMIT:
        return read_limit(reader, &op->statement.limit, err);
    case FIELD_ROWS:
        return read_rows(reader, op, err);
    case FIELD_VALUES:
        return read_aggregates(reader, err);
    case FIELD_LOCK:
        return read_lock(reader, &op->lock, err);
    case FIELD_AT:
        return jsonl_times(reader, &op->invoked, &op->completed, err);
    case FIELD_SNAPSHOT:
        return jsonl_place(reader, &op->snapshot, err);
    case FIELD_SET:
        return read_set(reader, err);
    default: /* FIELD_ERROR */
        return json_string(&reader->json, "a string after \"error\"", &op->error, err);
    }
}

/* The fields after the first, which must go with the operation. */
static enum status read_fields(struct jsonl *reader, struct op *op, struct error *err)
{
    for (size_t n = 1;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(&reader->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(jsonl_know_field(reader, name, op_fields, &field, &op->seen, err));
        if (!(fields_of_op[op->name] >> field & 1))
            return json_refuse_token(&reader->json, err, "\"%s\" does not go with \"%s\"",
                                     op_fields[field], op_names[op->name]);
        TRY(read_field(reader, op, (enum op_field)field, err));
    }
}

/* The first field's name tells what the operation is. */
static enum status read_op_name(struct jsonl *reader, struct op *op, struct error *err)
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
static enum status read_subject(struct jsonl *reader, struct op *op, struct error *err)
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

static enum status add_statement(struct jsonl *reader, struct op *op, struct error *err)
{
    bool is_ordered = op->seen & (BIT(ORDER) | BIT(LIMIT));
    bool has_rows = op->seen & BIT(ROWS), has_values = op->seen & BIT(VALUES);

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

static enum status add_op(struct jsonl *reader, struct op *op, struct error *err)
{
    struct builder *builder = reader->builder;

    if (op_is_head(op->statement.kind))
        TRY(add_statement(reader, op, err));
    else
        TRY(builder_add_op(builder, op->statement.kind, op->key, op->value, err));
    if (op->seen & BIT(LOCK))
        builder_set_op_lock(builder, op->lock);
    if (op->seen & BIT(AT))
        TRY(builder_set_op_at(builder, op->invoked, op->completed, err));
    if (op->seen & BIT(SNAPSHOT))
        TRY(builder_set_op_snapshot(builder, op->snapshot, err));
    if (op->seen & BIT(SET))
        TRY(add_set(reader, err));
    if (op->seen & BIT(ERROR))
        TRY(builder_set_op_error(builder, op->error, err));
    return STATUS_OK;
}

enum status jsonl_op(struct jsonl *reader, struct error *err)
{
    struct op op = { .value = value_none(),
                     .statement = { .where = HISTORY_NONE, .order = HISTORY_NONE, .limit = -1 } };

    TRY(read_subject(reader, &op, err));
    TRY(read_fields(reader, &op, err));
    return add_op(reader, &op, err);
}
