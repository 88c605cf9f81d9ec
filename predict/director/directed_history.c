#include "predict/director/directed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder.h"
#include "history/call_log_write.h"
#include "predict/director/directed_private.h"
#include "predict/dataflow.h"

/* Numbers of the history: made as they first come. */
struct directed_teller {
    struct directed *d;
    const struct directed_telling *telling;
    struct builder builder;
    uint32_t *tables; /* by table */
    uint32_t *keys;   /* by key: the history's, or HISTORY_NONE */
    struct value *cells;
    struct buffer scratch;
};

static int64_t id_of(const struct directed_teller *t, uint32_t txn)
{
    return t->telling->ids ? t->telling->ids[txn] : txn + INT64_C(1);
}

static enum status tell_key(struct directed_teller *t, uint32_t key, uint32_t *number,
                            struct error *err)
{
    if (t->keys[key] == HISTORY_NONE)
        TRY(builder_key(&t->builder, directed_key_text(t->d, key), &t->keys[key], err));
    *number = t->keys[key];
    return STATUS_OK;
}

static enum status tell_row(struct directed_teller *t, uint32_t table, const struct datum *row,
                            struct value *value, struct error *err)
{
    *value = value_null();
    if (!row)
        return STATUS_OK;
    return row_tell(&t->builder, t->tables[table], row, t->d->schema->tables[table].column_count,
                    t->cells, value, err);
}

static enum status tell_initial(struct directed_teller *t, struct error *err)
{
    for (uint32_t i = 0; i < t->d->keys.keys.count; i++) {
        const struct directed_key *k = &t->d->keys.keys.at[i];
        struct value value;
        uint32_t key;

        if (!k->versions.at[0].row)
            continue;
        TRY(tell_key(t, i, &key, err));
        TRY(tell_row(t, k->table, k->versions.at[0].row, &value, err));
        TRY(builder_add_initial(&t->builder, key, value, err));
    }
    return STATUS_OK;
}

/* --- Operations --------------------------------------------------------------------------------- */

static enum status tell_statement(struct directed_teller *t, const struct kept_op *op,
                                  struct error *err)
{
    struct statement statement = {
        .kind = (enum op_kind)op->kind,
        .table = t->tables[op->table],
        .where = HISTORY_NONE,
        .order = HISTORY_NONE,
        .limit = -1,
        .flags = STATEMENT_ANSWERED,
    };

    if (op->where.length > 0 && op->kind != OP_INSERT)
        TRY(builder_text(&t->builder, op->where, &statement.where, err));
    TRY(builder_begin_statement(&t->builder, &statement, err));
    for (size_t i = op->rows; i < op->rows + op->row_count; i++) {
        const struct kept_row *row = &t->d->rows.at[i];
        struct value value;
        uint32_t key;

        TRY(tell_key(t, row->key, &key, err));
        TRY(tell_row(t, op->table, row->row, &value, err));
        TRY(builder_add_row(&t->builder, key, value, err));
    }
    return builder_end_statement(&t->builder, err);
}

static enum status tell_item(struct directed_teller *t, const struct kept_op *op, struct error *err)
{
    const struct kept_row *row = &t->d->rows.at[op->rows];
    struct value value = value_none();
    uint32_t key;

    TRY(tell_key(t, row->key, &key, err));
    if (op->kind != OP_REMOVE)
        TRY(tell_row(t, op->table, row->row, &value, err));
    return builder_add_op(&t->builder, (enum op_kind)op->kind, key, value, err);
}

static enum status tell_set(struct directed_teller *t, const struct kept_op *op, struct error *err)
{
    if (t->telling->has_places || op->kind == OP_INSERT || op->kind == OP_WRITE ||
        op->kind == OP_REMOVE)
        return STATUS_OK;
    TRY(builder_begin_set(&t->builder, err));
    for (size_t i = op->set; i < op->set + op->set_count; i++) {
        const struct kept_version *v = &t->d->set.at[i];
        struct version_name name = { .is_initial = v->writer == DIRECTED_INITIAL };
        uint32_t key;

        if (!name.is_initial)
            name.txn_id = id_of(t, v->writer);
        TRY(tell_key(t, v->key, &key, err));
        TRY(builder_add_set_entry(&t->builder, key, name, err));
    }
    return STATUS_OK;
}

static enum status tell_op(struct directed_teller *t, const struct kept_op *op, struct error *err)
{
    TRY(op_is_head(op->kind) ? tell_statement(t, op, err) : tell_item(t, op, err));
    if (op->lock != ROW_LOCK_NONE && (op->kind == OP_READ || op->kind == OP_SELECT))
        builder_set_op_lock(&t->builder,
                            op->lock == ROW_LOCK_SHARE ? OP_LOCK_SHARE : OP_LOCK_UPDATE);
    return tell_set(t, op, err);
}

/* --- The whole ---------------------------------------------------------------------------------- */

static enum status tell_txn(struct directed_teller *t, size_t number, struct error *err)
{
    const struct directed *d = t->d;
    const struct executed *txn = &d->txns.at[number];
    size_t end = number + 1 < d->txns.count ? d->txns.at[number + 1].from.ops : d->ops.count;
    bool is_committed = txn->end == DIRECTED_COMMITTED;

    TRY(builder_begin_txn(&t->builder, id_of(t, (uint32_t)number), txn->session,
                          is_committed ? TXN_OK : TXN_ABORT, err));
    for (size_t i = txn->from.ops; i < end; i++)
        TRY(tell_op(t, &d->ops.at[i], err));
    if (!is_committed || !t->telling->has_places)
        return STATUS_OK;
    return builder_set_ts(&t->builder,
                          (struct place){ .parts = 1, .part = { (int64_t)number + 1 } }, err);
}

static enum status begin_telling(struct directed_teller *t, struct error *err)
{
    const struct schema *schema = t->d->schema;
    uint16_t width = 1;

    for (uint32_t i = 0; i < schema->table_count; i++)
        if (schema->tables[i].column_count > width)
            width = schema->tables[i].column_count;
    t->tables = calloc(schema->table_count + (size_t)1, sizeof *t->tables);
    t->keys = malloc((t->d->keys.keys.count + 1) * sizeof *t->keys);
    t->cells = calloc(width, sizeof *t->cells);
    if (!t->tables || !t->keys || !t->cells)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the history of a run");
    memset(t->keys, 0xff, (t->d->keys.keys.count + 1) * sizeof *t->keys);
    return STATUS_OK;
}

/* Of each key that was written, if only by who did not commit. */
static enum status tell_orders(struct directed_teller *t, struct error *err)
{
    const struct directed *d = t->d;
    bool *is_told = calloc(d->keys.keys.count + 1, sizeof *is_told);
    enum status status =
        is_told ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for version orders");

    for (size_t i = 0; status == STATUS_OK && i < d->writes.count; i++) {
        const struct directed_key *k = &d->keys.keys.at[d->writes.at[i].key];
        uint32_t key;

        if (is_told[d->writes.at[i].key])
            continue;
        is_told[d->writes.at[i].key] = true;
        status = tell_key(t, d->writes.at[i].key, &key, err);
        if (status == STATUS_OK)
            status = builder_begin_order(&t->builder, key, err);
        for (size_t v = 1; status == STATUS_OK && v < k->versions.count; v++)
            status = builder_add_version(
                &t->builder,
                (struct version_name){ .txn_id = id_of(t, k->versions.at[v].writer) }, err);
    }
    free(is_told);
    return status;
}

static enum status tell(struct directed_teller *t, struct error *err)
{
    TRY(begin_telling(t, err));
    if (t->telling->workload.length > 0)
        TRY(builder_set_workload(&t->builder, t->telling->workload, err));
    if (t->telling->producer.length > 0)
        TRY(builder_set_producer(&t->builder, t->telling->producer, err));
    for (uint32_t i = 0; i < t->d->schema->table_count; i++)
        TRY(row_tell_table(&t->builder, &t->d->schema->tables[i], &t->scratch, &t->tables[i], err));
    TRY(tell_initial(t, err));
    for (size_t i = 0; i < t->d->txns.count; i++)
        TRY(tell_txn(t, i, err));
    return t->telling->has_places ? tell_orders(t, err) : STATUS_OK;
}

enum status directed_history(struct directed *d, const struct directed_telling *telling,
                             struct history *h, struct error *err)
{
    struct directed_teller t = { .d = d, .telling = telling };
    enum status status;

    assert(d->options.keeps);
    builder_init(&t.builder);
    status = tell(&t, err);
    if (status == STATUS_OK)
        status = builder_finish(&t.builder, h, err);
    else
        builder_close(&t.builder);
    free(t.tables);
    free(t.keys);
    free(t.cells);
    buffer_close(&t.scratch);
    return status;
}

enum status directed_items(const struct history *h, struct history *items, struct error *err)
{
    struct arena arena;
    struct dataflow trace;
    enum status status;

    TRY(arena_init(&arena, ARENA_UNLIMITED, err));
    status = dataflow_of_history(&trace, h, &arena, err);
    assert(status != STATUS_OK || trace.unjudged == 0);
    if (status == STATUS_OK)
        status = dataflow_to_history(&trace, items, err);
    arena_close(&arena);
    return status;
}

enum status directed_call_log(struct directed *d, const struct directed_telling *telling,
                              struct buffer *out, struct error *err)
{
    assert(d->options.keeps);
    call_log_write_head(
        out, &(struct call_log_head){ .producer = telling->producer, .load = telling->load });
    for (size_t i = 0; i < d->txns.count; i++) {
        const struct executed *txn = &d->txns.at[i];
        struct call_log_line line = {
            .txn = (int64_t)i + 1,
            .session = txn->session,
            .call = txn->call,
            .status = txn->end == DIRECTED_COMMITTED ? TXN_OK : TXN_ABORT,
            .invoked_ns = TIME_NEVER,
            .completed_ns = TIME_NEVER,
        };

        if (telling->has_places && line.status == TXN_OK) {
            line.ts_parts = 1;
            line.ts[0] = line.txn;
        }
        call_log_write_line(out, &line);
    }
    return buffer_status(out, err);
}
