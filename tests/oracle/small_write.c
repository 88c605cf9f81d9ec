#include "tests/oracle/small_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "history/builder.h"

struct writer {
    const struct small_run *run;
    struct builder builder;
    struct error error;
    uint32_t table;
    uint32_t keys[SMALL_KEYS_MAX];
};

/* What is refused here is a mistake of ours. */
static void must(struct writer *w, enum status status)
{
    if (status != STATUS_OK) {
        fprintf(stderr, "small history: %s\n", w->error.text);
        abort();
    }
}

static void write_table(struct writer *w)
{
    struct builder *b = &w->builder;

    must(w, builder_add_table(b, TEXT("t"), &w->table, &w->error));
    must(w, builder_add_column(b, TEXT("id"), TEXT("bigint"), &w->error));
    must(w, builder_add_column(b, TEXT("v"), TEXT("bigint"), &w->error));
    must(w, builder_add_key_column(b, TEXT("id"), &w->error));
    must(w, builder_end_table(b, &w->error));
}

static struct value value_of(struct writer *w, unsigned key, const struct small_value *value)
{
    struct named_value cells[] = {
        { TEXT("id"), value_integer(key) },
        { TEXT("v"), value_integer(value->number) },
    };
    struct value built;

    if (!value->exists)
        return value_null();
    switch (w->run->type[key]) {
    case SMALL_ITEM:
        return value_integer(value->number);
    case SMALL_LIST:
        must(w, builder_list(&w->builder, value->elements, value->count, &built, &w->error));
        return built;
    case SMALL_ROW:
        must(w, builder_row(&w->builder, w->table, cells, ROW_COUNT(cells), &built, &w->error));
        return built;
    }
    abort();
}

static void write_keys(struct writer *w)
{
    for (unsigned k = 0; k < w->run->options->keys; k++) {
        static const char *const items[] = { "a", "b", "c", "d" };
        static const char *const ids[] = { "0", "1", "2", "3" };
        const struct small_value *initial = &w->run->initial[k];

        if (w->run->type[k] == SMALL_ROW)
            must(w,
                 builder_row_key(&w->builder, w->table, text_of(ids[k]), &w->keys[k], &w->error));
        else
            must(w, builder_key(&w->builder, text_of(items[k]), &w->keys[k], &w->error));
        if (initial->exists)
            must(w,
                 builder_add_initial(&w->builder, w->keys[k], value_of(w, k, initial), &w->error));
    }
}

/* --- Operations -------------------------------------------------------------- */

static uint32_t text_number(struct writer *w, const char *text)
{
    uint32_t number;

    must(w, builder_text(&w->builder, text_of(text), &number, &w->error));
    return number;
}

static struct statement statement_of(struct writer *w, const struct small_op *op)
{
    struct statement statement = { .kind = op->kind,
                                   .table = w->table,
                                   .where = HISTORY_NONE,
                                   .order = HISTORY_NONE,
                                   .limit = -1,
                                   .flags = STATEMENT_ANSWERED };
    char where[80];

    if (op->kind == OP_INSERT)
        return statement;
    snprintf(where, sizeof where, "v >= %" PRId64 " AND v <= %" PRId64, op->low, op->high);
    statement.where = text_number(w, where);
    if (op->aggregate == SMALL_FIRST) {
        statement.order = text_number(w, "v");
        statement.limit = 1;
        statement.flags |= STATEMENT_ORDERED;
    } else if (op->aggregate != SMALL_ROWS) {
        statement.flags |= STATEMENT_AGGREGATES;
    }
    return statement;
}

static void write_aggregate(struct writer *w, const struct small_op *op)
{
    int64_t count = 0, least = INT64_MAX;
    struct value value = value_null();

    for (unsigned k = 0; k < SMALL_KEYS_MAX; k++)
        if (op->rows.key[k].exists) {
            count++;
            least = op->rows.key[k].number < least ? op->rows.key[k].number : least;
        }
    if (op->aggregate == SMALL_COUNT_ROWS)
        value = value_integer(count);
    else if (count > 0)
        value = value_integer(least);
    must(w, builder_add_aggregate(
                &w->builder, text_of(op->aggregate == SMALL_COUNT_ROWS ? "count(*)" : "min(v)"),
                value, &w->error));
}

static void write_rows(struct writer *w, const struct small_op *op)
{
    for (unsigned k = 0; k < SMALL_KEYS_MAX; k++) {
        const struct small_value *row = &op->rows.key[k];

        if (row->exists)
            must(w, builder_add_row(&w->builder, w->keys[k],
                                    op->kind == OP_DELETE ? value_null() : value_of(w, k, row),
                                    &w->error));
    }
}

static void write_op(struct writer *w, const struct small_op *op)
{
    struct builder *b = &w->builder;
    struct statement statement;

    if (!op_is_head((uint8_t)op->kind)) {
        struct value value = op->kind == OP_REMOVE   ? value_none()
                             : op->kind == OP_APPEND ? value_integer(op->value.number)
                                                     : value_of(w, op->key, &op->value);

        must(w, builder_add_op(b, op->kind, w->keys[op->key], value, &w->error));
        return;
    }
    statement = statement_of(w, op);
    must(w, builder_begin_statement(b, &statement, &w->error));
    if (op->kind == OP_INSERT)
        must(w, builder_add_row(b, w->keys[op->key], value_of(w, op->key, &op->value), &w->error));
    else if (op->aggregate == SMALL_COUNT_ROWS || op->aggregate == SMALL_LEAST)
        write_aggregate(w, op);
    else
        write_rows(w, op);
    must(w, builder_end_statement(b, &w->error));
}

/* --- Transactions ------------------------------------------------------------ */

/* Where what is seen is no prefix, no place tells it. */
static bool has_places(enum small_mode mode)
{
    return mode != SMALL_CAUSAL && mode != SMALL_ATOMIC;
}

/* Behind the first so many transactions. */
static struct place place_of(unsigned txn_count)
{
    return (struct place){ 1, { (int64_t)txn_count * SMALL_TICK } };
}

static void write_txn(struct writer *w, unsigned t)
{
    const struct small_options *options = w->run->options;
    const struct small_txn *txn = &w->run->txns[t];
    struct builder *b = &w->builder;

    must(w, builder_begin_txn(b, t + 1, txn->session, txn->status, &w->error));
    if (options->times)
        must(w, builder_set_txn_at(b, txn->invoked, txn->completed, &w->error));
    for (unsigned i = 0; i < txn->op_count; i++) {
        write_op(w, &txn->ops[i]);
        if (options->certificate && options->mode == SMALL_COMMITTED)
            must(w, builder_set_op_snapshot(b, place_of(txn->ops[i].prefix), &w->error));
    }
    if (options->certificate && has_places(options->mode))
        must(w, builder_set_ts(b, place_of(t + 1), &w->error));
    if (options->certificate && (options->mode == SMALL_SNAPSHOT || options->mode == SMALL_PREFIX))
        must(w, builder_set_snapshot(b, place_of(txn->prefix), &w->error));
}

static void write_orders(struct writer *w)
{
    const struct small_run *run = w->run;

    for (unsigned k = 0; k < run->options->keys; k++) {
        if (run->version_count[k] == 0)
            continue;
        must(w, builder_begin_order(&w->builder, w->keys[k], &w->error));
        for (unsigned i = 0; i < run->version_count[k]; i++)
            must(w, builder_add_version(&w->builder,
                                        (struct version_name){ .txn_id = run->versions[k][i] + 1 },
                                        &w->error));
    }
}

void small_write(const struct small_run *run, struct history *history)
{
    struct writer w = { .run = run };

    builder_init(&w.builder);
    if (!run->options->repeating)
        builder_set_unique(&w.builder, true);
    if (run->options->predicates)
        write_table(&w);
    write_keys(&w);
    for (unsigned i = 0; i < run->txn_count; i++)
        write_txn(&w, run->file_order[i]);
    if (run->options->certificate)
        write_orders(&w);
    must(&w, builder_finish(&w.builder, history, &w.error));
    builder_close(&w.builder);
}
