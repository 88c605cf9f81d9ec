#include "history/jsonl/jsonl_fast_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* A transaction until the line has turned out to be canonical. */
struct fast_txn {
    int64_t id, session;
    enum txn_status status;
    bool has_at;
    int64_t invoked, completed;
    struct place ts, snapshot, origin;
};

enum status jsonl_fast_open(struct jsonl *reader, struct error *err)
{
    reader->fast = calloc(1, sizeof *reader->fast);
    if (!reader->fast)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a reader");
    return STATUS_OK;
}

void jsonl_fast_close(struct jsonl *reader)
{
    struct jsonl_fast *fast = reader->fast;

    if (!fast)
        return;
    array_close(&fast->tables);
    array_close(&fast->columns);
    buffer_close(&fast->literals);
    array_close(&fast->ops);
    array_close(&fast->statements);
    array_close(&fast->rows);
    array_close(&fast->cells);
    array_close(&fast->aggregates);
    array_close(&fast->set);
    array_close(&fast->known);
    array_close(&fast->elements);
    buffer_close(&fast->scratch);
    free(fast);
    reader->fast = NULL;
}

static inline bool pass_head(const char **at, struct fast_txn *txn)
{
    if (!PASS(at, "{\"txn\":") || !pass_integer(at, &txn->id) || !PASS(at, ",\"session\":") ||
        !pass_integer(at, &txn->session) || !PASS(at, ",\"status\":\""))
        return false;
    if (PASS(at, "ok\""))
        txn->status = TXN_OK;
    else if (PASS(at, "abort\""))
        txn->status = TXN_ABORT;
    else if (PASS(at, "unknown\""))
        txn->status = TXN_UNKNOWN;
    else
        return false;
    txn->has_at = PASS(at, ",\"at\":[");
    if (txn->has_at && !pass_times(at, &txn->invoked, &txn->completed))
        return false;
    return PASS(at, ",\"ops\":");
}

static inline bool pass_tail(const char **at, struct fast_txn *txn)
{
    txn->ts.parts = txn->snapshot.parts = txn->origin.parts = 0;
    if (PASS(at, ",\"ts\":") && !pass_place(at, &txn->ts))
        return false;
    if (PASS(at, ",\"snapshot\":") && !pass_place(at, &txn->snapshot))
        return false;
    if (PASS(at, ",\"origin\":") &&
        (!pass_place(at, &txn->origin) || txn->origin.parts > ORIGIN_PARTS_MAX))
        return false;
    return PASS(at, "}");
}

/* The builder's value: of a row, the number that it gives to the cells. */
static inline enum status settle_value(struct jsonl *reader, struct value *value,
                                       struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    const struct fast_row *row;

    if (value->kind != VALUE_ROW)
        return STATUS_OK;
    row = &fast->rows.at[value->bits];
    value->bits = row->number;
    if (row->number == HISTORY_NONE) {
        TRY(builder_whole_row(reader->builder, row->table, fast->cells.at + row->cell, row->hash,
                              value, err));
        fast->known.at[row->key].row = (uint32_t)value->bits;
    }
    return STATUS_OK;
}

static enum status add_set(struct jsonl *reader, const struct fast_op *op, struct error *err)
{
    if (reader->is_excerpt)
        return STATUS_OK;
    TRY(builder_begin_set(reader->builder, err));
    for (size_t i = op->set; i < op->set + op->set_count; i++) {
        const struct jsonl_set_entry *entry = &reader->fast->set.at[i];
        TRY(builder_add_set_entry(reader->builder, entry->key, entry->version, err));
    }
    return STATUS_OK;
}

/* Head and rows, which stand behind it. */
static enum status add_statement(struct jsonl *reader, struct fast_op *head, struct error *err)
{
    const struct fast_statement *statement = &reader->fast->statements.at[head->key];
    struct builder *builder = reader->builder;

    TRY(builder_begin_statement(builder, &statement->head, err));
    for (size_t i = 0; i < statement->aggregate_count; i++) {
        const struct jsonl_aggregate *aggregate =
            &reader->fast->aggregates.at[statement->aggregate + i];
        TRY(builder_add_aggregate_of(builder, aggregate->name, aggregate->value, err));
    }
    for (size_t i = 1; i <= statement->row_count; i++) {
        TRY(settle_value(reader, &head[i].value, err));
        TRY(builder_add_sound_op(builder, (enum op_kind)head[i].kind, head[i].key, head[i].value,
                                 err));
    }
    builder_count_rows(builder, statement->row_count);
    return builder_end_statement(builder, err);
}

static inline enum status add_op(struct jsonl *reader, struct fast_op *op, struct error *err)
{
    struct builder *builder = reader->builder;

    if (op_is_head(op->kind)) {
        TRY(add_statement(reader, op, err));
    } else {
        TRY(settle_value(reader, &op->value, err));
        TRY(builder_add_sound_op(builder, (enum op_kind)op->kind, op->key, op->value, err));
    }
    if (op->lock)
        builder_set_op_lock(builder, (enum op_flag)op->lock);
    if (op->has_at)
        TRY(builder_set_op_at(builder, op->invoked, op->completed, err));
    if (op->snapshot.parts)
        TRY(builder_set_op_snapshot(builder, op->snapshot, err));
    return op->has_set ? add_set(reader, op, err) : STATUS_OK;
}

static enum status add_ops(struct jsonl *reader, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;

    for (size_t i = 0, n = 1; i < fast->ops.count; i++, n++) {
        struct fast_op *op = &fast->ops.at[i];
        if (add_op(reader, op, err) != STATUS_OK)
            return error_wrap(err, "operation %zu", n);
        if (op_is_head(op->kind))
            i += fast->statements.at[op->key].row_count;
    }
    return STATUS_OK;
}

static enum status add_txn(struct jsonl *reader, const struct fast_txn *txn, struct error *err)
{
    struct builder *builder = reader->builder;

    TRY(builder_begin_txn(builder, txn->id, txn->session, txn->status, err));
    TRY(add_ops(reader, err));
    if (txn->has_at)
        TRY(builder_set_txn_at(builder, txn->invoked, txn->completed, err));
    if (txn->ts.parts)
        TRY(builder_set_ts(builder, txn->ts, err));
    if (txn->snapshot.parts)
        TRY(builder_set_snapshot(builder, txn->snapshot, err));
    if (txn->origin.parts)
        TRY(builder_set_origin(builder, txn->origin, err));
    return builder_end_txn(builder, err);
}

enum status jsonl_fast_txn(struct jsonl *reader, struct text line, bool *done, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    const char *at = line.at;
    struct fast_txn txn;

    *done = false;
    if (!fast->is_ready)
        TRY(fast_learn_tables(reader, err));
    fast->end = line.at + line.length;
    if (fast->is_off || !pass_head(&at, &txn) || !fast_pass_ops(reader, &at) ||
        !pass_tail(&at, &txn) || at != fast->end)
        return STATUS_OK;
    *done = true;
    if (add_txn(reader, &txn, err) != STATUS_OK)
        return error_wrap(err, "transaction %" PRId64, txn.id);
    return STATUS_OK;
}

enum status jsonl_fast_versions(struct jsonl *reader, struct error *err)
{
    struct json *json = &reader->json;
    struct version_name version = { 0 };

    for (;;) {
        const char *at = json->at;
        if (!PASS(&at, ",") || !pass_integer(&at, &version.txn_id) || (*at != ',' && *at != ']'))
            return STATUS_OK;
        json->token = json->at + 1;
        json->at = at;
        TRY(builder_add_version(reader->builder, version, err));
    }
}
