/*
 * Tables of streams. The first header that has some says what they are like; statements of streams
 * that have others are judged by the rows that they returned alone.
 */
#include "checkers/interval/watcher_private.h"

#include <stdlib.h>

static bool text_is_same(const struct history *h, uint32_t x, const struct history *g, uint32_t y)
{
    return text_equal(history_text(h, x), history_text(g, y));
}

static bool columns_are_same(const struct history *h, const struct history *g)
{
    for (size_t i = 0; i < h->table_column_count; i++)
        if (h->table_column_kind[i] != g->table_column_kind[i] ||
            !text_is_same(h, h->table_column_name[i], g, g->table_column_name[i]) ||
            !text_is_same(h, h->table_column_type[i], g, g->table_column_type[i]))
            return false;
    for (size_t i = 0; i < h->table_key_count; i++)
        if (h->table_key_column[i] != g->table_key_column[i])
            return false;
    return true;
}

/* In the same order: that is what tables are numbered by. */
static bool tables_are_same(const struct history *h, const struct history *g)
{
    if (h->table_count != g->table_count || h->table_column_count != g->table_column_count ||
        h->table_key_count != g->table_key_count)
        return false;
    for (size_t t = 0; t < h->table_count; t++)
        if (!text_is_same(h, h->table_name[t], g, g->table_name[t]) ||
            h->table_column_start[t] != g->table_column_start[t] ||
            h->table_key_start[t] != g->table_key_start[t])
            return false;
    return columns_are_same(h, g);
}

static enum status take_initial(struct watcher *w, const struct history *h, struct error *err)
{
    bool has_rows = w->has_rows && tables_are_same(&w->schema, h);
    struct traces traces = { .history = h,
                             .rows = has_rows ? &w->rows : NULL,
                             .mirror = &w->mirror };
    uint32_t *key_of = NULL;
    enum status status = watcher_map_keys(w, h, &key_of, err);

    traces.key_of = key_of;
    if (status == STATUS_OK && has_rows)
        status = keys_init(&traces.keys, h, err);
    if (status == STATUS_OK)
        status = traces_initial(&traces, &w->mirror, err);
    traces_close(&traces);
    free(key_of);
    return status;
}

enum status tables_take_header(struct watcher *w, struct history *initial, struct error *err)
{
    enum status status = STATUS_OK;

    if (w->has_rows || initial->table_count == 0) {
        status = take_initial(w, initial, err);
        history_close(initial);
        return status;
    }
    w->schema = *initial;
    w->has_rows = true;
    TRY(row_store_init(&w->rows, &w->schema, err));
    w->mirror.rows = &w->rows;
    return take_initial(w, &w->schema, err);
}

/* After the mirror, which holds rows. */
void tables_close(struct watcher *w)
{
    if (!w->has_rows)
        return;
    row_store_close(&w->rows);
    history_close(&w->schema);
}

enum status tables_begin_batch(struct watcher *w, struct watcher_batch *batch, struct error *err)
{
    batch->has_rows = w->has_rows && tables_are_same(&w->schema, &batch->history);
    return batch->has_rows ? keys_init(&batch->keys, &batch->history, err) : STATUS_OK;
}

static enum status examine_condition(struct watcher *w, const struct history *h, uint32_t head,
                                     struct error *err)
{
    uint32_t statement = h->op_key[head], where = h->statement_where[statement], condition;

    if (where == HISTORY_NONE)
        return STATUS_OK;
    TRY(row_store_ask(&w->rows, h->statement_table[statement], history_text(h, where), &condition,
                      err));
    row_store_forget(&w->rows, condition);
    return STATUS_OK;
}

enum status tables_examine(struct watcher *w, const struct watcher_batch *batch, uint32_t txn,
                           struct error *err)
{
    const struct history *h = &batch->history;

    for (uint32_t op = h->txn_op[txn]; batch->has_rows && op < h->txn_op[txn + 1]; op++)
        if (op_is_head(h->op_kind[op]) && h->op_kind[op] != OP_INSERT)
            TRY(examine_condition(w, h, op, err));
    return STATUS_OK;
}
