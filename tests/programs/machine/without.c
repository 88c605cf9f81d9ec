#include "tests/programs/machine/without.h"

#include <assert.h>

#include "history/builder.h"

struct copy {
    const struct history *h;
    struct builder b;
    const int64_t *ids;
    unsigned id_count;
    struct error *err;
    size_t set; /* the next */
};

static bool is_out(const struct copy *c, size_t txn)
{
    for (unsigned i = 0; i < c->id_count; i++)
        if (c->ids[i] == c->h->txn_id[txn])
            return true;
    return false;
}

static enum status copy_tables(struct copy *c)
{
    const struct history *h = c->h;
    uint32_t table;

    for (uint32_t t = 0; t < h->table_count; t++) {
        uint32_t from = h->table_column_start[t];
        TRY(builder_add_table(&c->b, history_text(h, h->table_name[t]), &table, c->err));
        for (uint32_t i = from; i < h->table_column_start[t + 1]; i++)
            TRY(builder_add_column(&c->b, history_text(h, h->table_column_name[i]),
                                   history_text(h, h->table_column_type[i]), c->err));
        for (uint32_t i = h->table_key_start[t]; i < h->table_key_start[t + 1]; i++)
            TRY(builder_add_key_column(
                &c->b, history_text(h, h->table_column_name[from + h->table_key_column[i]]),
                c->err));
        TRY(builder_end_table(&c->b, c->err));
    }
    return STATUS_OK;
}

static enum status copy_row(struct copy *c, struct value row, struct value *copy)
{
    const struct history *h = c->h;
    struct named_value cells[8];
    uint64_t from = h->row_start[row.bits];
    size_t count = h->row_start[row.bits + 1] - from;
    uint32_t name = h->shape_start[h->row_shape[row.bits]];

    assert(count <= ROW_COUNT(cells));
    for (size_t i = 0; i < count; i++) {
        cells[i].name = history_text(h, h->shape_column_name[name + i]);
        cells[i].value = (struct value){ h->cell_kind[from + i], h->cell_value[from + i] };
    }
    return builder_row(&c->b, 0, cells, count, copy, c->err);
}

static enum status copy_value(struct copy *c, struct value value, struct value *copy)
{
    const struct history *h = c->h;

    *copy = value;
    if (value.kind == VALUE_ROW)
        return copy_row(c, value, copy);
    if (value.kind != VALUE_LIST)
        return STATUS_OK;
    return builder_list(&c->b, h->list_element + h->list_start[value.bits],
                        h->list_start[value.bits + 1] - h->list_start[value.bits], copy, c->err);
}

static enum status copy_key(struct copy *c, uint32_t key, uint32_t *copy)
{
    return builder_key(&c->b, history_key(c->h, key), copy, c->err);
}

static enum status copy_item(struct copy *c, uint32_t op)
{
    struct value value;
    uint32_t key;

    TRY(copy_key(c, c->h->op_key[op], &key));
    TRY(copy_value(c, history_value(c->h, op), &value));
    return builder_add_op(&c->b, (enum op_kind)c->h->op_kind[op], key, value, c->err);
}

static enum status copy_statement(struct copy *c, uint32_t head)
{
    const struct history *h = c->h;
    uint32_t s = h->op_key[head], key;
    struct statement statement = {
        (enum op_kind)h->op_kind[head], h->statement_table[s], HISTORY_NONE, HISTORY_NONE, -1,
        h->statement_flags[s]
    };
    struct value value;

    if (h->statement_where[s] != HISTORY_NONE)
        TRY(builder_text(&c->b, history_text(h, h->statement_where[s]), &statement.where, c->err));
    TRY(builder_begin_statement(&c->b, &statement, c->err));
    for (uint32_t op = head + 1; op <= head + h->statement_row_count[s]; op++) {
        TRY(copy_key(c, h->op_key[op], &key));
        TRY(copy_value(c, history_value(h, op), &value));
        TRY(builder_add_row(&c->b, key, value, c->err));
    }
    for (uint32_t a = h->statement_aggregate_start[s]; a < h->statement_aggregate_start[s + 1];
         a++) {
        value = (struct value){ h->aggregate_kind[a], h->aggregate_value[a] };
        TRY(builder_add_aggregate(&c->b, history_text(h, h->aggregate_name[a]), value, c->err));
    }
    return builder_end_statement(&c->b, c->err);
}

/* The version as the write number so and so of its transaction. */
static struct version_name name_of(const struct history *h, uint32_t version)
{
    struct version_name name = { .is_initial = version == VERSION_INITIAL };
    uint32_t txn;

    if (name.is_initial)
        return name;
    txn = history_txn_of(h, version);
    name.txn_id = h->txn_id[txn];
    for (uint32_t op = h->txn_op[txn]; op <= version; op++)
        name.nth += op_is_write(h->op_kind[op]) && h->op_key[op] == h->op_key[version];
    return name;
}

static enum status copy_set(struct copy *c)
{
    const struct history *h = c->h;
    size_t set = c->set++;
    uint32_t key;

    TRY(builder_begin_set(&c->b, c->err));
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        TRY(copy_key(c, h->set_key[i], &key));
        TRY(builder_add_set_entry(&c->b, key, name_of(h, h->set_version[i]), c->err));
    }
    return STATUS_OK;
}

static enum status copy_ops(struct copy *c, size_t txn)
{
    const struct history *h = c->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool is_head = op_is_head(h->op_kind[op]);
        struct place snapshot;

        TRY(is_head ? copy_statement(c, op) : copy_item(c, op));
        if (h->op_invoked)
            TRY(builder_set_op_at(&c->b, h->op_invoked[op], h->op_completed[op], c->err));
        if (h->op_snapshot_parts && h->op_snapshot_parts[op]) {
            snapshot = history_op_snapshot(h, txn, op);
            TRY(builder_set_op_snapshot(&c->b, snapshot, c->err));
        }
        while (c->set < h->set_count && h->set_op[c->set] < op)
            c->set++;
        if (c->set < h->set_count && h->set_op[c->set] == op)
            TRY(copy_set(c));
        if (is_head)
            op += h->statement_row_count[h->op_key[op]];
    }
    return STATUS_OK;
}

static enum status copy_txn(struct copy *c, size_t t)
{
    const struct history *h = c->h;
    struct place ts = history_ts(h, t), snapshot = history_txn_snapshot(h, t);

    TRY(builder_begin_txn(&c->b, h->txn_id[t], h->session_id[h->txn_session[t]],
                          (enum txn_status)h->txn_status[t], c->err));
    TRY(builder_set_txn_at(&c->b, h->txn_invoked[t], h->txn_completed[t], c->err));
    if (ts.parts > 0)
        TRY(builder_set_ts(&c->b, ts, c->err));
    if (snapshot.parts > 0)
        TRY(builder_set_snapshot(&c->b, snapshot, c->err));
    return copy_ops(c, t);
}

static enum status copy_order(struct copy *c, size_t order)
{
    const struct history *h = c->h;
    bool has_begun = false;
    uint32_t key;

    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        if (is_out(c, history_txn_of(h, h->order_version[i])))
            continue;
        if (!has_begun) {
            TRY(copy_key(c, h->order_key[order], &key));
            TRY(builder_begin_order(&c->b, key, c->err));
        }
        has_begun = true;
        TRY(builder_add_version(&c->b, name_of(h, h->order_version[i]), c->err));
    }
    return STATUS_OK;
}

static enum status copy_all(struct copy *c)
{
    const struct history *h = c->h;

    builder_set_unique(&c->b, h->unique == 1);
    TRY(copy_tables(c));
    for (size_t t = 0; t < h->txn_count; t++)
        if (!is_out(c, t))
            TRY(copy_txn(c, t));
    for (size_t i = 0; i < h->order_count; i++)
        TRY(copy_order(c, i));
    return STATUS_OK;
}

enum status history_without(const struct history *h, const int64_t *ids, unsigned id_count,
                            struct history *rest, struct error *err)
{
    struct copy c = { .h = h, .ids = ids, .id_count = id_count, .err = err };
    enum status status;

    builder_init(&c.b);
    status = copy_all(&c);
    if (status == STATUS_OK)
        status = builder_finish(&c.b, rest, err);
    builder_close(&c.b);
    return status;
}
