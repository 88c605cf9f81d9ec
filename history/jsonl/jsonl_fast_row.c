#include "history/jsonl/jsonl_fast_private.h"

#include "history/tables.h"

/*
 * Every row of a table names the same columns in the same order, so each name
 * with its quotes, and what is before and behind it, is compared as a word or
 * two that were made ready when the header had been read.
 */

static uint64_t mask_of(size_t length)
{
    return length >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * length)) - 1;
}

/* Of `before`, the name as JSON, `behind`. */
static struct literal make_literal(struct buffer *literals, const char *before, struct text name,
                                   const char *behind)
{
    struct literal literal = { .from = literals->count };
    char words[16] = { 0 };

    buffer_text(literals, text_of(before));
    buffer_json(literals, name);
    buffer_text(literals, text_of(behind));
    literal.length = literals->count - literal.from;
    if (literals->out_of_memory)
        return literal;
    memcpy(words, literals->at + literal.from, literal.length < 16 ? literal.length : 16);
    literal.low = hash_word(words);
    literal.high = hash_word(words + 8);
    literal.low_mask = mask_of(literal.length);
    literal.high_mask = mask_of(literal.length > 8 ? literal.length - 8 : 0);
    return literal;
}

static inline bool pass_literal(const struct jsonl_fast *fast, const char **at,
                                const struct literal *literal)
{
    uint64_t low = hash_word(*at) ^ literal->low, high = hash_word(*at + 8) ^ literal->high;
    size_t length = literal->length;

    if ((low & literal->low_mask) | (high & literal->high_mask))
        return false;
    if (length > 16 && ((size_t)(fast->end - *at) < length ||
                        memcmp(*at + 16, fast->literals.at + literal->from + 16, length - 16) != 0))
        return false;
    *at += length;
    return true;
}

static enum status learn_column(struct jsonl *reader, uint32_t c, bool is_first, struct error *err)
{
    const struct builder *builder = reader->builder;
    struct text name = intern_text(&builder->texts, builder->table_column_name[c]);
    struct text type = intern_text(&builder->texts, builder->table_column_type[c]);
    struct fast_column column = {
        .name = make_literal(&reader->fast->literals, is_first ? "{" : ",", name, ":"),
        .kind = builder->table_column_kind[c],
        .is_numeric = tables_type_is_numeric(type),
    };

    return array_push(&reader->fast->columns, column, err);
}

static enum status learn_table(struct jsonl *reader, uint32_t t, struct error *err)
{
    const struct builder *builder = reader->builder;
    struct jsonl_fast *fast = reader->fast;
    uint32_t from = builder->table_column_start[t], to = builder->table_column_start[t + 1];
    uint32_t key = builder->table_key_start[t], key_end = builder->table_key_start[t + 1];
    struct fast_table table = {
        .name = make_literal(&fast->literals, "", intern_text(&builder->table_names, t), ""),
        .column = (uint32_t)fast->columns.count,
        .column_count = to - from,
        .integer_key = HISTORY_NONE,
    };

    for (uint32_t c = from; c < to; c++)
        TRY(learn_column(reader, c, c == from, err));
    for (uint32_t k = key; k < key_end; k++)
        fast->columns.at[table.column + builder->table_key_column[k]].is_key = true;
    if (key_end - key == 1 &&
        fast->columns.at[table.column + builder->table_key_column[key]].kind == COLUMN_INTEGER)
        table.integer_key = builder->table_key_column[key];
    return array_push(&fast->tables, table, err);
}

enum status fast_learn_tables(struct jsonl *reader, struct error *err)
{
    struct jsonl_fast *fast = reader->fast;
    size_t count = reader->builder->table_count;

    fast->is_ready = true;
    fast->has_tables = count > 0;
    fast->is_off = count > FAST_TABLE_COUNT_MAX;
    for (uint32_t t = 0; t < count && !fast->is_off; t++)
        TRY(learn_table(reader, t, err));
    return buffer_status(&fast->literals, err);
}

bool fast_pass_table(struct jsonl_fast *fast, const char **at, uint32_t *table)
{
    for (size_t i = 0; i < fast->tables.count; i++) {
        *table = (uint32_t)((fast->table_last + i) % fast->tables.count);
        if (pass_literal(fast, at, &fast->tables.at[*table].name)) {
            fast->table_last = *table;
            return true;
        }
    }
    return false;
}

/* Behind the bracket. */
static bool pass_list(struct jsonl *reader, const char **at, struct value *value)
{
    struct jsonl_fast *fast = reader->fast;

    fast->elements.count = 0;
    if (!PASS(at, "]")) {
        do {
            int64_t element;
            if (!pass_integer(at, &element) ||
                array_push(&fast->elements, element, &fast->ignored) != STATUS_OK)
                return false;
        } while (PASS(at, ","));
        if (!PASS(at, "]"))
            return false;
    }
    return builder_list(reader->builder, fast->elements.at, fast->elements.count, value,
                        &fast->ignored) == STATUS_OK;
}

bool fast_pass_plain(struct jsonl *reader, const char **at, struct value *value)
{
    struct text text;

    if (PASS(at, "null"))
        *value = value_null();
    else if (PASS(at, "true"))
        *value = value_boolean(true);
    else if (PASS(at, "false"))
        *value = value_boolean(false);
    else if (PASS(at, "["))
        return pass_list(reader, at, value);
    else if (PASS(at, "\""))
        return pass_string(at, &text) && builder_text_value(reader->builder, text, value,
                                                            &reader->fast->ignored) == STATUS_OK;
    else {
        value->kind = VALUE_INTEGER;
        return pass_integer(at, &value->bits);
    }
    return true;
}

/* What a column holds that is no integer, or null. */
static bool pass_other_cell(struct jsonl *reader, const char **at,
                            const struct fast_column *column, struct value *cell)
{
    static const enum value_kind kinds[] = {
        [COLUMN_INTEGER] = VALUE_INTEGER,
        [COLUMN_BOOLEAN] = VALUE_BOOLEAN,
        [COLUMN_TEXT] = VALUE_TEXT,
        [COLUMN_LIST] = VALUE_LIST,
    };

    if (!fast_pass_plain(reader, at, cell))
        return false;
    if (cell->kind == VALUE_NULL)
        return !column->is_key;
    if (cell->kind != kinds[column->kind])
        return false;
    return !column->is_numeric ||
           tables_is_decimal(intern_text(&reader->builder->texts, (uint32_t)cell->bits));
}

static inline bool pass_cell(struct jsonl *reader, const char **at,
                             const struct fast_column *column, struct value *cell)
{
    if (column->kind == COLUMN_INTEGER && **at != 'n') {
        cell->kind = VALUE_INTEGER;
        return pass_integer(at, &cell->bits);
    }
    return pass_other_cell(reader, at, column, cell);
}

/* Whether the cells of the key's columns spell the key. */
static bool cells_spell_key(struct jsonl *reader, uint32_t table, const struct value *cells,
                            uint32_t key)
{
    const struct builder *builder = reader->builder;
    struct buffer *scratch = &reader->fast->scratch;
    struct text text = intern_text(&builder->keys, key);
    const char *slash = memchr(text.at, '/', text.length);
    struct text spelled = { slash, text.length - (size_t)(slash - text.at) };

    buffer_clear(scratch);
    for (uint32_t k = builder->table_key_start[table]; k < builder->table_key_start[table + 1];
         k++) {
        struct value value = cells[builder->table_key_column[k]];
        buffer_byte(scratch, '/');
        tables_spell_part(scratch, value,
                          value.kind == VALUE_TEXT
                              ? intern_text(&builder->texts, (uint32_t)value.bits)
                              : TEXT(""));
    }
    return !scratch->out_of_memory &&
           text_equal(spelled, (struct text){ scratch->at, scratch->count });
}

static inline bool has_key(struct jsonl *reader, uint32_t table, const struct value *cells,
                           uint32_t key)
{
    struct jsonl_fast *fast = reader->fast;
    uint32_t column = fast->tables.at[table].integer_key;

    if (column == HISTORY_NONE)
        return cells_spell_key(reader, table, cells, key);
    return cells[column].bits == fast->known.at[key].integer;
}

bool fast_pass_row(struct jsonl *reader, const char **at, uint32_t table, uint32_t key,
                   struct value *value)
{
    struct jsonl_fast *fast = reader->fast;
    const struct fast_table *shape = &fast->tables.at[table];
    const struct fast_column *column = fast->columns.at + shape->column;
    struct value *cells, *cell, *end;
    struct fast_row *row;

    if (array_reserve(&fast->cells, shape->column_count, &fast->ignored) != STATUS_OK ||
        array_reserve(&fast->rows, 1, &fast->ignored) != STATUS_OK)
        return false;
    cells = fast->cells.at + fast->cells.count;
    end = cells + shape->column_count;
    for (cell = cells; cell < end; cell++, column++)
        if (!pass_literal(fast, at, &column->name) || !pass_cell(reader, at, column, cell))
            return false;
    if (!PASS(at, "}") || !has_key(reader, table, cells, key))
        return false;
    *value = (struct value){ VALUE_ROW, (int64_t)fast->rows.count };
    row = &fast->rows.at[fast->rows.count++];
    row->number = fast->known.at[key].row;
    if (row->number != HISTORY_NONE && builder_row_is(reader->builder, row->number, cells))
        return true;
    row->number = HISTORY_NONE;
    row->table = table;
    row->key = key;
    row->cell = fast->cells.count;
    row->hash = builder_expect_row(reader->builder, table, cells);
    fast->cells.count += shape->column_count;
    return true;
}
