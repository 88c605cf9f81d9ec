#include "history/builder_tables_private.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "history/builder.h"

/*
 * Lists and rows of the builder. An equal list or row is kept once and shares
 * its number, as texts do: most reads return what some other read returned, and
 * the numbering is then a function of what the history says.
 */

#define SLOT_COUNT_MIN 64

static enum status widen(struct value_slots *table, struct error *err)
{
    size_t wider_count = table->slot_count ? table->slot_count * 2 : SLOT_COUNT_MIN;
    struct intern_slot *wider = calloc(wider_count, sizeof *wider);

    if (!wider)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to share %zu values", wider_count / 2);
    for (size_t i = 0; i < table->slot_count; i++) {
        size_t to = table->slots[i].tag & (wider_count - 1);
        if (table->slots[i].number_plus_one == 0)
            continue;
        while (wider[to].number_plus_one)
            to = (to + 1) & (wider_count - 1);
        wider[to] = table->slots[i];
    }
    free(table->slots);
    table->slots = wider;
    table->slot_count = wider_count;
    return STATUS_OK;
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* Where the search for a value begins. */
static struct intern_slot *first_slot(const struct value_slots *table, uint32_t tag)
{
    return &table->slots[tag & (table->slot_count - 1)];
}

/*
 * The slot of the value that equals number `last`, which has just been added
 * behind the others, or a free slot.
 */
static struct intern_slot *slot_of(const struct builder *b, const struct value_slots *table,
                                   uint32_t tag, size_t last,
                                   bool (*equal)(const struct builder *, size_t, size_t))
{
    size_t mask = table->slot_count - 1;

    for (size_t i = tag & mask;; i = (i + 1) & mask) {
        struct intern_slot *slot = &table->slots[i];
        if (slot->number_plus_one == 0 ||
            (slot->tag == tag && equal(b, slot->number_plus_one - 1, last)))
            return slot;
    }
}

/* Lists, or rows, by what is in them. */
struct shared_values {
    struct value_slots *slots;
    bool (*equal)(const struct builder *, size_t, size_t);
};

/* The number that value `last` is to have: an older one's, or its own. */
static enum status share(const struct builder *b, struct shared_values of, uint64_t hash,
                         size_t last, size_t *number, struct error *err)
{
    struct value_slots *table = of.slots;
    uint32_t tag = tag_of(hash);
    struct intern_slot *slot;

    if (last >= UINT32_MAX - 1)
        return error_set(err, STATUS_OVER_LIMIT, "more than %u different values", UINT32_MAX - 1);
    /* Two thirds full at most: these tables are far larger than any cache. */
    if (last * 3 >= table->slot_count * 2)
        TRY(widen(table, err));
    slot = slot_of(b, table, tag, last, of.equal);
    if (slot->number_plus_one == 0)
        *slot = (struct intern_slot){ tag, (uint32_t)last + 1 };
    *number = slot->number_plus_one - 1;
    return STATUS_OK;
}

static bool lists_equal(const struct builder *b, size_t list, size_t last)
{
    uint64_t from = b->list_start[list], last_from = b->list_start[last];
    uint64_t count = b->list_start[list + 1] - from;

    return count == b->element_count - last_from &&
           (count == 0 || memcmp(b->list_element + from, b->list_element + last_from,
                                 count * sizeof *b->list_element) == 0);
}

enum status builder_list(struct builder *b, const int64_t *elements, size_t count,
                         struct value *value, struct error *err)
{
    size_t from = b->element_count, last = b->list_count, number = last;
    uint64_t hash;

    TRY(BUILDER_RESERVE(b, list, 1, err));
    TRY(BUILDER_RESERVE(b, element, count, err));
    hash = hash_words(elements, count);
    if (count)
        memcpy(b->list_element + from, elements, count * sizeof *elements);
    b->list_start[last] = from;
    b->element_count += count;
    TRY(share(b, (struct shared_values){ &b->list_slots, lists_equal }, hash, last, &number, err));
    if (number == last)
        b->list_start[++b->list_count] = b->element_count;
    else
        b->element_count = from;
    *value = (struct value){ VALUE_LIST, (int64_t)number };
    return STATUS_OK;
}

static bool rows_equal(const struct builder *b, size_t row, size_t last)
{
    uint64_t from = b->row_start[row], last_from = b->row_start[last];
    uint64_t count = b->row_start[row + 1] - from;

    return b->row_shape[row] == b->row_shape[last] && count == b->cell_count - last_from &&
           (count == 0 || (memcmp(b->cell_value + from, b->cell_value + last_from,
                                  count * sizeof *b->cell_value) == 0 &&
                           memcmp(b->cell_kind + from, b->cell_kind + last_from, count) == 0));
}

static uint64_t hash_row(uint32_t shape, const struct value *cells, size_t count)
{
    uint64_t hash = hash_number(shape);

    for (size_t i = 0; i < count; i++)
        hash = hash_fold(hash ^ (uint64_t)cells[i].bits, hash_key.factor + cells[i].kind) +
               (uint64_t)cells[i].bits;
    return hash;
}

struct row_cells {
    uint32_t shape;
    const struct value *at;
    size_t count;
};

static enum status push_row(struct builder *b, struct row_cells cells, uint64_t hash,
                            struct value *value, struct error *err)
{
    size_t from = b->cell_count, last = b->row_count, number = last;

    TRY(BUILDER_RESERVE(b, row, 1, err));
    TRY(BUILDER_RESERVE(b, cell, cells.count, err));
    for (size_t i = 0; i < cells.count; i++) {
        b->cell_kind[from + i] = (uint8_t)cells.at[i].kind;
        b->cell_value[from + i] = cells.at[i].bits;
    }
    b->row_shape[last] = cells.shape;
    b->row_start[last] = from;
    b->cell_count += cells.count;
    TRY(share(b, (struct shared_values){ &b->row_slots, rows_equal }, hash, last, &number, err));
    if (number == last)
        b->row_start[++b->row_count] = b->cell_count;
    else
        b->cell_count = from;
    *value = (struct value){ VALUE_ROW, (int64_t)number };
    return STATUS_OK;
}

/* A row whose cells have been checked. */
static enum status builder_push_row(struct builder *b, uint32_t shape, const struct value *cells,
                                    size_t count, struct value *value, struct error *err)
{
    return push_row(b, (struct row_cells){ shape, cells, count }, hash_row(shape, cells, count), value, err);
}

static size_t column_count(const struct builder *b, uint32_t table)
{
    return b->table_column_start[table + 1] - b->table_column_start[table];
}

bool builder_row_is(const struct builder *b, size_t row, const struct value *cells)
{
    uint64_t from = b->row_start[row], count = b->row_start[row + 1] - from, i = 0;

    while (i < count && b->cell_value[from + i] == cells[i].bits &&
           b->cell_kind[from + i] == cells[i].kind)
        i++;
    return i == count;
}

uint64_t builder_expect_row(const struct builder *b, uint32_t table, const struct value *cells)
{
    uint64_t hash = hash_row(b->table_shape[table], cells, column_count(b, table));

    if (b->row_slots.slot_count)
        __builtin_prefetch(first_slot(&b->row_slots, tag_of(hash)));
    return hash;
}

enum status builder_whole_row(struct builder *b, uint32_t table, const struct value *cells,
                              uint64_t hash, struct value *value, struct error *err)
{
    return push_row(b, (struct row_cells){ b->table_shape[table], cells, column_count(b, table) }, hash, value, err);
}

static struct text text_of_builder(const void *owner, uint32_t number)
{
    const struct builder *b = owner;

    return intern_text(&b->texts, number);
}

static struct tables tables_of(const struct builder *b)
{
    return (struct tables){
        .names = &b->table_names,
        .column_start = b->table_column_start,
        .column_name = b->table_column_name,
        .column_type = b->table_column_type,
        .column_kind = b->table_column_kind,
        .key_start = b->table_key_start,
        .key_column = b->table_key_column,
        .text = text_of_builder,
        .owner = b,
    };
}

static struct text table_name(const struct builder *b, uint32_t table)
{
    return intern_text(&b->table_names, table);
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Adds a name to the shape; `repeated` is whether it has it already. */
static enum status add_shape_column(struct builder *b, uint32_t shape, uint32_t name,
                                    uint32_t column, bool *repeated, struct error *err)
{
    size_t count = b->shape_columns.keys.count, place;

    TRY(map_add(&b->shape_columns, pair(shape, name), column, &place, err));
    *repeated = place < count;
    return STATUS_OK;
}

/* The shape's number, which is new if none had these names in this order for this table. */
static enum status number_shape(struct builder *b, uint32_t table, const uint32_t *names,
                                size_t count, uint32_t *shape, struct error *err)
{
    struct text bytes;

    buffer_clear(&b->scratch);
    buffer_text(&b->scratch, (struct text){ (const char *)&table, sizeof table });
    buffer_text(&b->scratch, (struct text){ (const char *)names, count * sizeof *names });
    TRY(buffer_status(&b->scratch, err));
    bytes = (struct text){ b->scratch.at, b->scratch.count };
    TRY(intern_add(&b->shapes, bytes, shape, err));
    if (*shape < b->shape_count)
        return STATUS_OK;
    TRY(BUILDER_RESERVE(b, shape, 1, err));
    TRY(BUILDER_RESERVE(b, shape_column, count, err));
    b->shape_start[b->shape_count++] = (uint32_t)b->shape_column_count;
    if (count)
        memcpy(b->shape_column_name + b->shape_column_count, names, count * sizeof *names);
    b->shape_column_count += count;
    return STATUS_OK;
}

enum status builder_add_table(struct builder *b, struct text name, uint32_t *table,
                              struct error *err)
{
    size_t t = b->table_count;
    uint32_t number;

    assert(!b->in_table && b->txn_count == 0);
    if (b->initial_count || b->row_count)
        return error_set(err, STATUS_BAD_INPUT, "tables come before initial values");
    TRY(intern_add(&b->table_names, name, table, err));
    if (*table < t)
        return error_set(err, STATUS_BAD_INPUT, "table %.*s is here twice", TEXT_PRINT(name));
    TRY(builder_text(b, name, &number, err));
    TRY(BUILDER_RESERVE(b, table, 1, err));
    b->table_name[t] = number;
    b->table_column_start[t] = (uint32_t)b->table_column_count;
    b->table_key_start[t] = (uint32_t)b->table_key_count;
    b->table_shape[t] = (uint32_t)b->shape_count;
    b->table_count++;
    b->key_table.count = 0; /* keys seen before may be its rows */
    b->in_table = true;
    return STATUS_OK;
}

enum status builder_add_column(struct builder *b, struct text name, struct text type,
                               struct error *err)
{
    uint32_t t = (uint32_t)b->table_count - 1;
    size_t c = b->table_column_count;
    enum column_kind kind;
    bool repeated;

    assert(b->in_table && b->table_key_count == b->table_key_start[t]);
    if (!tables_column_kind(type, &kind))
        return error_set(err, STATUS_BAD_INPUT, "column %.*s of %.*s: no type \"%.*s\"",
                         TEXT_PRINT(name), TEXT_PRINT(table_name(b, t)), TEXT_PRINT(type));
    TRY(BUILDER_RESERVE(b, table_column, 1, err));
    TRY(builder_text(b, name, &b->table_column_name[c], err));
    TRY(builder_text(b, type, &b->table_column_type[c], err));
    TRY(add_shape_column(b, b->table_shape[t], b->table_column_name[c],
                         (uint32_t)(c - b->table_column_start[t]), &repeated, err));
    if (repeated)
        return error_set(err, STATUS_BAD_INPUT, "%.*s has column %.*s twice",
                         TEXT_PRINT(table_name(b, t)), TEXT_PRINT(name));
    b->table_column_kind[c] = (uint8_t)kind;
    b->table_column_count++;
    return STATUS_OK;
}

static bool find_column(const struct builder *b, uint32_t table, struct text name,
                        uint32_t *column)
{
    uint32_t number = intern_find(&b->texts, name);
    uint64_t value;

    if (number == INTERN_NONE ||
        !map_find(&b->shape_columns, pair(b->table_shape[table], number), &value))
        return false;
    *column = (uint32_t)value;
    return true;
}

enum status builder_add_key_column(struct builder *b, struct text name, struct error *err)
{
    uint32_t t = (uint32_t)b->table_count - 1, from = b->table_key_start[t], column;

    assert(b->in_table);
    if (!find_column(b, t, name, &column))
        return error_set(err, STATUS_BAD_INPUT, "%.*s has no column %.*s for its key",
                         TEXT_PRINT(table_name(b, t)), TEXT_PRINT(name));
    if (b->table_column_kind[b->table_column_start[t] + column] == COLUMN_LIST)
        return error_set(err, STATUS_BAD_INPUT, "column %.*s of %.*s is a list: no part of a key",
                         TEXT_PRINT(name), TEXT_PRINT(table_name(b, t)));
    for (size_t k = from; k < b->table_key_count; k++)
        if (b->table_key_column[k] == column)
            return error_set(err, STATUS_BAD_INPUT, "the key of %.*s has column %.*s twice",
                             TEXT_PRINT(table_name(b, t)), TEXT_PRINT(name));
    if (b->table_key_count - from == TABLE_KEY_COLUMN_COUNT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "the key of %.*s has more than %d columns",
                         TEXT_PRINT(table_name(b, t)), TABLE_KEY_COLUMN_COUNT_MAX);
    TRY(BUILDER_RESERVE(b, table_key, 1, err));
    b->table_key_column[b->table_key_count++] = column;
    return STATUS_OK;
}

enum status builder_end_table(struct builder *b, struct error *err)
{
    uint32_t t = (uint32_t)b->table_count - 1, shape;
    uint32_t from = b->table_column_start[t];

    assert(b->in_table);
    if (b->table_column_count == from)
        return error_set(err, STATUS_BAD_INPUT, "%.*s has no columns",
                         TEXT_PRINT(table_name(b, t)));
    if (b->table_key_count == b->table_key_start[t])
        return error_set(err, STATUS_BAD_INPUT, "%.*s has no key", TEXT_PRINT(table_name(b, t)));
    TRY(number_shape(b, t, b->table_column_name + from, b->table_column_count - from, &shape,
                     err));
    assert(shape == b->table_shape[t]);
    b->table_column_start[t + 1] = (uint32_t)b->table_column_count;
    b->table_key_start[t + 1] = (uint32_t)b->table_key_count;
    b->in_table = false;
    return STATUS_OK;
}

uint32_t builder_find_table(const struct builder *b, struct text name)
{
    return intern_find(&b->table_names, name);
}

enum status builder_row_key(struct builder *b, uint32_t table, struct text primary_key,
                            uint32_t *key, struct error *err)
{
    assert(table < b->table_count);
    buffer_clear(&b->scratch);
    tables_spell_text(&b->scratch, table_name(b, table));
    buffer_byte(&b->scratch, '/');
    buffer_text(&b->scratch, primary_key);
    TRY(buffer_status(&b->scratch, err));
    return builder_key(b, (struct text){ b->scratch.at, b->scratch.count }, key, err);
}

/* Looks at the first `count` keys that it has not looked at. */
static enum status know_keys(struct builder *b, size_t count, struct error *err)
{
    struct tables tables = tables_of(b);

    if (b->table_count == 0 || count <= b->key_table.count)
        return STATUS_OK;
    TRY(array_reserve(&b->key_table, count - b->key_table.count, err));
    for (size_t k = b->key_table.count; k < count; k++) {
        struct text key = intern_text(&b->keys, (uint32_t)k);
        uint32_t table = tables_of_key(&tables, key, &b->scratch);
        if (table != HISTORY_NONE)
            TRY(tables_check_key(&tables, table, key, err));
        b->key_table.at[b->key_table.count++] = table;
    }
    return STATUS_OK;
}

enum status builder_know_key(struct builder *b, uint32_t key, struct error *err)
{
    return know_keys(b, (size_t)key + 1, err);
}

enum status builder_check_keys(struct builder *b, struct error *err)
{
    return know_keys(b, intern_count(&b->keys), err);
}

uint32_t builder_table_of_key(const struct builder *b, uint32_t key)
{
    struct buffer scratch = { 0 };
    struct tables tables = tables_of(b);
    uint32_t table;

    if (b->table_count == 0)
        return HISTORY_NONE;
    if (key < b->key_table.count)
        return b->key_table.at[key];
    table = tables_of_key(&tables, intern_text(&b->keys, key), &scratch);
    buffer_close(&scratch);
    return table;
}

enum status builder_check_row_value(struct builder *b, uint32_t key, struct value value,
                                    struct error *err)
{
    struct text name = intern_text(&b->keys, key);
    struct tables tables;
    uint32_t table;
    uint64_t cell;

    if (b->table_count == 0)
        return STATUS_OK;
    TRY(builder_know_key(b, key, err));
    table = b->key_table.at[key];
    if (table == HISTORY_NONE || value.kind == VALUE_NONE || value.kind == VALUE_NULL)
        return STATUS_OK;
    if (value.kind != VALUE_ROW || b->row_shape[value.bits] != b->table_shape[table])
        return error_set(err, STATUS_BAD_INPUT, "the value of %.*s is no row of %.*s",
                         TEXT_PRINT(name), TEXT_PRINT(table_name(b, table)));
    tables = tables_of(b);
    cell = b->row_start[value.bits];
    return tables_check_row_key(&tables,
                                (struct tables_row){ table, b->cell_kind + cell, b->cell_value + cell }, name,
                                &b->scratch, err);
}

static enum status refuse_column(const struct builder *b, uint32_t table, const char *what,
                                 struct text column, struct error *err)
{
    struct text name = table_name(b, table);

    return error_set(err, STATUS_BAD_INPUT, "row of %.*s %s %.*s", TEXT_PRINT(name), what,
                     TEXT_PRINT(column));
}

/* Puts each value into its column's cell. */
static enum status place_cells(struct builder *b, uint32_t table, const struct named_value *values,
                               size_t count, struct error *err)
{
    struct tables tables = tables_of(b);
    uint32_t from = b->table_column_start[table];
    uint32_t column_count = b->table_column_start[table + 1] - from;

    for (size_t i = 0; i < count; i++) {
        uint32_t column = (uint32_t)i;
        struct text name = values[i].name;
        /* Most rows name their columns in the table's order. */
        if (i >= column_count ||
            !text_equal(name, intern_text(&b->texts, b->table_column_name[from + i])))
            if (!find_column(b, table, name, &column))
                return error_set(err, STATUS_BAD_INPUT, "%.*s has no column %.*s",
                                 TEXT_PRINT(table_name(b, table)), TEXT_PRINT(name));
        if (b->cells.at[column].kind != VALUE_NONE)
            return refuse_column(b, table, "has twice its column", name, err);
        TRY(tables_check_cell(&tables, table, column, values[i].value, err));
        b->cells.at[column] = values[i].value;
    }
    return STATUS_OK;
}

static enum status add_table_row(struct builder *b, uint32_t table,
                                 const struct named_value *values, size_t count,
                                 struct value *row, struct error *err)
{
    uint32_t from = b->table_column_start[table];
    uint32_t column_count = b->table_column_start[table + 1] - from;

    b->cells.count = 0;
    TRY(array_reserve(&b->cells, column_count, err));
    for (uint32_t c = 0; c < column_count; c++)
        b->cells.at[c] = value_none();
    TRY(place_cells(b, table, values, count, err));
    for (uint32_t c = 0; c < column_count; c++)
        if (b->cells.at[c].kind == VALUE_NONE)
            return refuse_column(b, table, "lacks column",
                                 intern_text(&b->texts, b->table_column_name[from + c]), err);
    return builder_push_row(b, b->table_shape[table], b->cells.at, column_count, row, err);
}

static enum status add_free_row(struct builder *b, const struct named_value *values, size_t count,
                                struct value *row, struct error *err)
{
    size_t shape_count = b->shape_count;
    uint32_t name, shape;
    bool repeated;

    b->names.count = b->cells.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].value.kind == VALUE_NONE || values[i].value.kind == VALUE_ROW)
            return error_set(err, STATUS_BAD_INPUT, "column %.*s: a row cannot be within a row",
                             TEXT_PRINT(values[i].name));
        TRY(builder_text(b, values[i].name, &name, err));
        TRY(array_push(&b->names, name, err));
        TRY(array_push(&b->cells, values[i].value, err));
    }
    TRY(number_shape(b, HISTORY_NONE, b->names.at, count, &shape, err));
    for (size_t i = 0; i < count && shape == shape_count; i++) {
        TRY(add_shape_column(b, shape, b->names.at[i], (uint32_t)i, &repeated, err));
        if (repeated)
            return error_set(err, STATUS_BAD_INPUT, "row has column %.*s twice",
                             TEXT_PRINT(values[i].name));
    }
    return builder_push_row(b, shape, b->cells.at, count, row, err);
}

enum status builder_row(struct builder *b, uint32_t table, const struct named_value *values,
                        size_t count, struct value *row, struct error *err)
{
    assert(!b->in_table && (table == HISTORY_NONE || table < b->table_count));
    if (table == HISTORY_NONE)
        return add_free_row(b, values, count, row, err);
    return add_table_row(b, table, values, count, row, err);
}

/* What the parts of a statement may not be beside each other. */
static enum status check_statement(const struct statement *s, struct error *err)
{
    if (s->kind == OP_INSERT && s->where != HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT, "an insert has no predicate");
    if (s->kind != OP_SELECT &&
        (s->order != HISTORY_NONE || s->limit != -1 ||
         (s->flags & (STATEMENT_ORDERED | STATEMENT_AGGREGATES))))
        return error_set(err, STATUS_BAD_INPUT, "only a select has an order, a limit or values");
    if (s->limit < -1)
        return error_set(err, STATUS_BAD_INPUT, "a limit below zero");
    return STATUS_OK;
}

enum status builder_begin_statement(struct builder *b, const struct statement *s,
                                    struct error *err)
{
    size_t n = b->statement_count;
    unsigned flags = s->flags;

    assert(b->txn_count > 0 && !b->in_statement && b->order_count == 0);
    assert(op_is_head((uint8_t)s->kind) && s->table < b->table_count);
    TRY(check_statement(s, err));
    if (s->order != HISTORY_NONE || s->limit != -1)
        flags |= STATEMENT_ORDERED;
    if (flags & STATEMENT_AGGREGATES)
        flags |= STATEMENT_ANSWERED;
    TRY(BUILDER_RESERVE(b, statement, 1, err));
    b->statement_op[n] = (uint32_t)b->op_count;
    b->statement_row_count[n] = 0;
    b->statement_table[n] = s->table;
    b->statement_where[n] = s->where;
    b->statement_order[n] = s->order;
    b->statement_limit[n] = s->limit;
    b->statement_flags[n] = (uint8_t)flags;
    b->statement_aggregate_start[n] = (uint32_t)b->aggregate_count;
    TRY(builder_add_sound_op(b, s->kind, (uint32_t)n, value_none(), err));
    b->statement_count++;
    b->in_statement = true;
    b->op_is_careful = true;
    return STATUS_OK;
}

/* A key comes once in an answer without order; in one with order, a store may repeat itself. */
static enum status check_row_is_new(struct builder *b, uint32_t key, struct error *err)
{
    uint32_t stamp = (uint32_t)b->statement_count;
    size_t count = b->key_statement.count;

    if (b->statement_flags[b->statement_count - 1] & STATEMENT_ORDERED)
        return STATUS_OK;
    if (key >= count) {
        TRY(array_reserve(&b->key_statement, intern_count(&b->keys) - count, err));
        b->key_statement.count = intern_count(&b->keys);
        memset(b->key_statement.at + count, 0, (b->key_statement.count - count) * sizeof stamp);
    }
    if (b->key_statement.at[key] == stamp)
        return error_set(err, STATUS_BAD_INPUT, "row %.*s is here twice",
                         TEXT_PRINT(intern_text(&b->keys, key)));
    b->key_statement.at[key] = stamp;
    return STATUS_OK;
}

enum status builder_add_row(struct builder *b, uint32_t key, struct value value, struct error *err)
{
    size_t n = b->statement_count - 1;
    uint8_t kind = op_kind_of_rows(b->op_kind[b->statement_op[n]]);

    assert(b->in_statement);
    if (b->statement_flags[n] & STATEMENT_AGGREGATES)
        return error_set(err, STATUS_BAD_INPUT, "a select has either rows or values");
    if (kind == OP_ROW_REMOVE && value.kind == VALUE_NULL)
        value = value_none();
    if (!op_may_have_value(kind, value.kind))
        return error_set(err, STATUS_BAD_INPUT, "row %.*s: %s",
                         TEXT_PRINT(intern_text(&b->keys, key)),
                         kind == OP_ROW_REMOVE ? "a deleted row is null" : "a row is an object");
    TRY(builder_check_row_value(b, key, value, err));
    if (b->key_table.at[key] != b->statement_table[n])
        return error_set(err, STATUS_BAD_INPUT, "key %.*s is no row of %.*s",
                         TEXT_PRINT(intern_text(&b->keys, key)),
                         TEXT_PRINT(table_name(b, b->statement_table[n])));
    TRY(check_row_is_new(b, key, err));
    TRY(builder_add_sound_op(b, kind, key, value, err));
    builder_count_rows(b, 1);
    return STATUS_OK;
}

void builder_count_rows(struct builder *b, size_t count)
{
    size_t n = b->statement_count - 1;

    assert(b->in_statement);
    if (count > 0)
        b->statement_flags[n] |= STATEMENT_ANSWERED;
    b->statement_row_count[n] += (uint32_t)count;
}

enum status builder_add_aggregate(struct builder *b, struct text name, struct value value,
                                  struct error *err)
{
    uint32_t number;

    TRY(builder_text(b, name, &number, err));
    return builder_add_aggregate_of(b, number, value, err);
}

/* A name comes once in a statement. */
static enum status check_name_is_new(struct builder *b, uint32_t name, struct error *err)
{
    uint32_t stamp = (uint32_t)b->statement_count;
    size_t count = b->text_statement.count;

    if (name >= count) {
        TRY(array_reserve(&b->text_statement, name + 1 - count, err));
        b->text_statement.count = name + 1;
        memset(b->text_statement.at + count, 0, (name + 1 - count) * sizeof stamp);
    }
    if (b->text_statement.at[name] == stamp)
        return error_set(err, STATUS_BAD_INPUT, "%.*s is here twice",
                         TEXT_PRINT(intern_text(&b->texts, name)));
    b->text_statement.at[name] = stamp;
    return STATUS_OK;
}

enum status builder_add_aggregate_of(struct builder *b, uint32_t name, struct value value,
                                     struct error *err)
{
    size_t n = b->statement_count - 1, a = b->aggregate_count;

    assert(b->in_statement && name < intern_count(&b->texts));
    if (b->op_kind[b->statement_op[n]] != OP_SELECT || b->statement_row_count[n])
        return error_set(err, STATUS_BAD_INPUT, "a select has either rows or values");
    if (value.kind == VALUE_NONE || value.kind == VALUE_ROW)
        return error_set(err, STATUS_BAD_INPUT, "%.*s: no row is the value of an aggregate",
                         TEXT_PRINT(intern_text(&b->texts, name)));
    TRY(check_name_is_new(b, name, err));
    TRY(BUILDER_RESERVE(b, aggregate, 1, err));
    b->aggregate_name[a] = name;
    b->aggregate_kind[a] = value.kind;
    b->aggregate_value[a] = value.bits;
    b->aggregate_count++;
    b->statement_flags[n] |= STATEMENT_ANSWERED | STATEMENT_AGGREGATES;
    return STATUS_OK;
}

enum status builder_end_statement(struct builder *b, struct error *err)
{
    assert(b->in_statement);
    (void)err;
    b->in_statement = false;
    return STATUS_OK;
}
