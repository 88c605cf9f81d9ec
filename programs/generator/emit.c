#include "programs/generator/emit_private.h"

#include <assert.h>

#define PRODUCER "ordeal generate"

static enum status add_table(struct generator *g, struct error *err)
{
    struct builder *b = &g->builder;

    TRY(builder_add_table(b, TEXT("t"), &g->table, err));
    TRY(builder_add_column(b, TEXT(KEY_COLUMN), TEXT("bigint"), err));
    TRY(builder_add_column(b, TEXT(VALUE_COLUMN), TEXT("bigint"), err));
    if (g->workload->mix->range == RANGE_OF_VALUES)
        TRY(builder_add_column(b, TEXT(TAG_COLUMN), TEXT("bigint"), err));
    TRY(builder_add_key_column(b, TEXT(KEY_COLUMN), err));
    return builder_end_table(b, err);
}

enum status emit_header(struct generator *g, struct error *err)
{
    TRY(builder_set_workload(&g->builder, text_of(g->workload->name), err));
    if (g->workload->shape == SHAPE_ROWS)
        TRY(add_table(g, err));
    builder_set_unique(&g->builder, true);
    return builder_set_producer(&g->builder, TEXT(PRODUCER), err);
}

/* --- Names, as they first come ------------------------------------------------- */

static enum status name_key(struct generator *g, uint32_t key, uint32_t *number, struct error *err)
{
    static const char *const prefixes[] = {
        [SHAPE_ITEMS] = "x", [SHAPE_ROWS] = "t/", [SHAPE_LISTS] = "l"
    };

    while (key >= g->key_numbers.count)
        TRY(array_push(&g->key_numbers, HISTORY_NONE, err));
    if (g->key_numbers.at[key] == HISTORY_NONE) {
        buffer_clear(&g->text);
        buffer_print(&g->text, "%s%u", prefixes[g->workload->shape], key);
        TRY(buffer_status(&g->text, err));
        TRY(builder_key(&g->builder, (struct text){ g->text.at, g->text.count },
                        &g->key_numbers.at[key], err));
    }
    *number = g->key_numbers.at[key];
    return STATUS_OK;
}

static enum status name_predicate(struct generator *g, const struct effect *effect, uint32_t *where,
                                  struct error *err)
{
    struct text column = text_of(effect->column);

    buffer_clear(&g->text);
    buffer_text(&g->text, column);
    buffer_text(&g->text, TEXT(" >= "));
    buffer_int64(&g->text, effect->low);
    buffer_text(&g->text, TEXT(" AND "));
    buffer_text(&g->text, column);
    buffer_text(&g->text, TEXT(" <= "));
    buffer_int64(&g->text, effect->high);
    TRY(buffer_status(&g->text, err));
    return builder_text(&g->builder, (struct text){ g->text.at, g->text.count }, where, err);
}

static enum status number_value(struct generator *g, const struct record *record, uint32_t key,
                                struct generated_txn draft, struct value *value, struct error *err)
{
    struct named_value cells[] = { { TEXT(KEY_COLUMN), value_integer(key) },
                                   { TEXT(VALUE_COLUMN), value_integer(draft.number) },
                                   { TEXT(TAG_COLUMN), value_integer(draft.tag) } };
    size_t cell_count = g->workload->mix->range == RANGE_OF_VALUES ? 3 : 2;

    *value = (struct value){ draft.kind, draft.number };
    if (draft.kind == VALUE_ROW)
        return builder_row(&g->builder, g->table, cells, cell_count, value, err);
    if (draft.kind == VALUE_LIST)
        return builder_list(&g->builder, record->elements.at + draft.element_start,
                            draft.element_count, value, err);
    return STATUS_OK;
}

/* --- Operations ---------------------------------------------------------------- */

static enum status emit_statement(struct generator *g, const struct record *record,
                                  const struct effect *effect, struct error *err)
{
    struct statement statement = { .kind = effect->kind,
                                   .table = g->table,
                                   .where = HISTORY_NONE,
                                   .order = HISTORY_NONE,
                                   .limit = -1,
                                   .flags = STATEMENT_ANSWERED };
    struct value value;
    uint32_t key;

    if (effect->column)
        TRY(name_predicate(g, effect, &statement.where, err));
    TRY(builder_begin_statement(&g->builder, &statement, err));
    for (uint32_t i = 0; i < effect->row_count; i++) {
        const struct effect_row *row = &record->rows.at[effect->row_start + i];
        TRY(name_key(g, row->key, &key, err));
        TRY(number_value(g, record, row->key, row->value, &value, err));
        TRY(builder_add_row(&g->builder, key, value, err));
    }
    if (effect->aggregate) {
        TRY(number_value(g, record, 0, effect->value, &value, err));
        TRY(builder_add_aggregate(&g->builder, text_of(effect->aggregate), value, err));
    }
    return builder_end_statement(&g->builder, err);
}

static enum status emit_effect(struct generator *g, const struct record *record,
                               const struct effect *effect, struct error *err)
{
    struct value value;
    uint32_t key;

    if (effect->kind > OP_REMOVE) {
        TRY(emit_statement(g, record, effect, err));
    } else {
        TRY(name_key(g, effect->key, &key, err));
        TRY(number_value(g, record, effect->key, effect->value, &value, err));
        TRY(builder_add_op(&g->builder, effect->kind, key, value, err));
        if (effect->has_source)
            TRY(builder_add_set_entry(&g->builder, key, effect->source, err));
    }
    if (effect->snapshot != PLACE_NONE) {
        struct place snapshot = { 1, { effect->snapshot } };
        TRY(builder_set_op_snapshot(&g->builder, snapshot, err));
    }
    return STATUS_OK;
}

/*
 * Operations share the time up to the commit, one after the other. One that has
 * seen a version ends after that was committed, as if it had waited for it; what
 * is left, a tick at least, the others share.
 */
static enum status emit_times(struct generator *g, const struct record *record, unsigned number,
                              int64_t *cursor, struct error *err)
{
    const struct effect *effect = &record->effects[number];
    int64_t share = (record->committed - *cursor) / (record->effect_count - number);
    uint64_t word = random_next(&g->times);
    int64_t invoked = *cursor + 1 + (int64_t)random_scale(word << 32, (uint64_t)share / 3);
    int64_t completed = invoked + 1 + (int64_t)random_scale(word, (uint64_t)share / 2);

    assert(share >= 6);
    if (completed <= effect->seen_at)
        completed = effect->seen_at + 1 + (int64_t)random_scale(word, (uint64_t)g->tick / 8);
    *cursor = completed;
    return builder_set_op_at(&g->builder, invoked, completed, err);
}

static enum status emit_record(struct generator *g, const struct record *record, struct error *err)
{
    struct builder *b = &g->builder;
    int64_t cursor = record->invoked;

    TRY(builder_begin_txn(b, record->id, record->session, record->status, err));
    TRY(builder_set_txn_at(b, record->invoked, record->completed, err));
    if (record->status == TXN_OK)
        TRY(builder_set_ts(b, (struct place){ 1, { record->place } }, err));
    if (record->snapshot != PLACE_NONE)
        TRY(builder_set_snapshot(b, (struct place){ 1, { record->snapshot } }, err));
    for (unsigned i = 0; i < record->effect_count; i++) {
        TRY(emit_effect(g, record, &record->effects[i], err));
        TRY(emit_times(g, record, i, &cursor, err));
    }
    return STATUS_OK;
}

enum status emit_done(struct generator *g, struct error *err)
{
    while (g->emitted < g->last_id && generator_record(g, g->emitted + 1)->is_done) {
        struct record *record = generator_record(g, ++g->emitted);

        TRY(emit_record(g, record, err));
        record->is_done = false;
        if (g->emitted % 65536 == 0)
            progress_report(g->options->progress, g->emitted, (uint64_t)g->options->transactions);
    }
    return STATUS_OK;
}

/* --- Version orders ------------------------------------------------------------ */

enum status emit_version(struct generator *g, uint32_t key, uint32_t txn, struct error *err)
{
    TRY(array_reserve(&g->writers, 1, err));
    TRY(array_push(&g->written, key, err));
    g->writers.at[g->writers.count++] = txn;
    return STATUS_OK;
}

/* Writers by key: those of key k stand in `sorted` from start[k] to start[k + 1]. */
static enum status sort_writers(struct generator *g, uint32_t **start, uint32_t **sorted,
                                struct error *err)
{
    size_t key_count = g->key_numbers.count;

    TRY(memory_resize((void **)start, key_count + 2, sizeof **start, err));
    TRY(memory_resize((void **)sorted, g->writers.count + 1, sizeof **sorted, err));
    for (size_t k = 0; k < key_count + 2; k++)
        (*start)[k] = 0;
    for (size_t i = 0; i < g->written.count; i++)
        (*start)[g->written.at[i] + 2]++;
    for (size_t k = 2; k < key_count + 2; k++)
        (*start)[k] += (*start)[k - 1];
    for (size_t i = 0; i < g->written.count; i++)
        (*sorted)[(*start)[g->written.at[i] + 1]++] = g->writers.at[i];
    return STATUS_OK;
}

static enum status emit_order(struct generator *g, uint32_t number, const uint32_t *writers,
                              uint32_t count, struct error *err)
{
    if (count == 0)
        return STATUS_OK;
    TRY(builder_begin_order(&g->builder, number, err));
    for (uint32_t i = 0; i < count; i++)
        TRY(builder_add_version(&g->builder, (struct version_name){ .txn_id = writers[i] }, err));
    return STATUS_OK;
}

/* In the order in which the keys have come, as their numbers say. */
static enum status emit_orders(struct generator *g, uint32_t *keys, const uint32_t *start,
                               const uint32_t *sorted, struct error *err)
{
    size_t named = 0;

    for (uint32_t k = 0; k < g->key_numbers.count; k++)
        if (g->key_numbers.at[k] != HISTORY_NONE) {
            keys[g->key_numbers.at[k]] = k;
            named++;
        }
    for (uint32_t number = 0; number < named; number++) {
        uint32_t k = keys[number];
        TRY(emit_order(g, number, sorted + start[k], start[k + 1] - start[k], err));
    }
    return STATUS_OK;
}

enum status emit_version_orders(struct generator *g, struct error *err)
{
    uint32_t *start = NULL, *sorted = NULL, *keys = NULL;
    enum status status = sort_writers(g, &start, &sorted, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&keys, g->key_numbers.count + 1, sizeof *keys, err);
    if (status == STATUS_OK)
        status = emit_orders(g, keys, start, sorted, err);
    free(start);
    free(sorted);
    free(keys);
    return status;
}
