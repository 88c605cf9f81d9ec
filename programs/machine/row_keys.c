#include "programs/machine/row_keys.h"

#include <assert.h>

/* --- Spelling ----------------------------------------------------------------------------------- */

static void spell_numeric(struct buffer *to, const struct datum *d)
{
    char text[NUMERIC_TEXT_MAX];
    size_t length = (size_t)(datum_write(text, d) - text);

    buffer_text(to, (struct text){ text, length });
}

/* One part of a key, as histories write the column's value. */
static void spell_part(struct buffer *to, const struct datum *d)
{
    switch ((enum datum_kind)d->kind) {
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        buffer_int64(to, d->as.integer);
        return;
    case DATUM_BOOLEAN:
        buffer_text(to, d->as.integer ? TEXT("true") : TEXT("false"));
        return;
    case DATUM_NUMERIC:
        spell_numeric(to, d);
        return;
    case DATUM_TEXT:
        tables_spell_text(to, datum_text(d));
        return;
    case DATUM_NULL:
    case DATUM_ARRAY:
        break;
    }
    assert(!"no part of a primary key");
}

void row_key_spell(const struct schema_table *t, const struct datum *const *parts,
                   struct buffer *to)
{
    for (uint16_t i = 0; i < t->key.count; i++) {
        if (i > 0)
            buffer_byte(to, '/');
        spell_part(to, parts[i]);
    }
}

void row_key_of(const struct schema_table *t, const struct datum *row, const struct datum **parts)
{
    assert(t->key.count <= TABLE_KEY_COLUMN_COUNT_MAX);
    for (uint16_t i = 0; i < t->key.count; i++)
        parts[i] = &row[t->key.at[i]];
}

/* --- Filters that pin the key ----------------------------------------------------------------- */

/*
 * The value as it would stand in the column, since keys are spelled. False: the column cannot hold
 * it. A numeric column without a scale holds a number in many spellings: then nothing is pinned.
 */
static bool fit_part(struct type type, struct datum *value)
{
    struct sql_error err;
    struct numeric number;

    if (value->kind != DATUM_NUMERIC)
        return true;
    if (numeric_fit(datum_numeric(value), type.precision, type.scale, &number, &err) != STATUS_OK ||
        numeric_compare(number, datum_numeric(value)) != 0)
        return false;
    *value = datum_of_numeric(number);
    return true;
}

static bool pin_part(const struct filter *f, uint16_t column, struct type type,
                     struct key_part *part)
{
    const struct restriction *r = condition_restriction(f, column);

    *part = (struct key_part){ .count = 0 };
    if (type.kind == TYPE_NUMERIC && (type.precision == 0 || (r && r->value_count > 1)))
        return false;
    if (condition_pin(f, column, &part->pinned)) {
        part->values = &part->pinned;
        part->count = !datum_is_null(&part->pinned) && fit_part(type, &part->pinned);
        return true;
    }
    if (!r)
        return false;
    part->values = r->values;
    part->count = r->value_count;
    return true;
}

bool row_keys_pin(const struct schema *schema, const struct filter *f, struct key_parts *parts)
{
    const struct schema_table *t = &schema->tables[f->condition->table];
    uint64_t product = 1;

    assert(t->key.count <= TABLE_KEY_COLUMN_COUNT_MAX);
    for (uint16_t i = 0; i < t->key.count; i++) {
        if (!pin_part(f, t->key.at[i], t->columns[t->key.at[i]].type, &parts->at[i]))
            return false;
        product *= parts->at[i].count;
        if (product > ROW_KEYS_MAX)
            return false;
    }
    return true;
}

uint32_t row_keys_count(const struct schema_table *t, const struct key_parts *parts)
{
    uint32_t product = 1;

    for (uint16_t i = 0; i < t->key.count; i++)
        product *= parts->at[i].count;
    return product;
}

void row_keys_choose(const struct schema_table *t, const struct key_parts *parts, uint32_t place,
                     const struct datum **chosen)
{
    for (uint16_t i = t->key.count; i-- > 0; place /= parts->at[i].count)
        chosen[i] = &parts->at[i].values[place % parts->at[i].count];
}

/* --- In histories ------------------------------------------------------------------------------- */

/* As histories name types. */
static void print_type(struct type type, struct buffer *to)
{
    static const char *const names[TYPE_KIND_COUNT] = {
        [TYPE_SMALLINT] = "smallint",
        [TYPE_INTEGER] = "integer",
        [TYPE_BIGINT] = "bigint",
        [TYPE_NUMERIC] = "numeric",
        [TYPE_TEXT] = "text",
        [TYPE_VARCHAR] = "varchar",
        [TYPE_BOOLEAN] = "boolean",
        [TYPE_TIMESTAMP] = "timestamp",
        [TYPE_BIGINT_ARRAY] = "bigint[]",
    };

    assert(names[type.kind]);
    buffer_text(to, text_of(names[type.kind]));
    if (type.kind == TYPE_NUMERIC && type.precision > 0)
        buffer_print(to, "(%d,%d)", type.precision, type.scale);
    if (type.kind == TYPE_VARCHAR && type.length > 0)
        buffer_print(to, "(%u)", (unsigned)type.length);
}

enum status row_tell_table(struct builder *b, const struct schema_table *table,
                           struct buffer *scratch, uint32_t *number, struct error *err)
{
    TRY(builder_add_table(b, table->name, number, err));
    for (uint16_t i = 0; i < table->column_count; i++) {
        buffer_clear(scratch);
        print_type(table->columns[i].type, scratch);
        TRY(buffer_status(scratch, err));
        TRY(builder_add_column(b, table->columns[i].name,
                               (struct text){ scratch->at, scratch->count }, err));
    }
    for (uint16_t i = 0; i < table->key.count; i++)
        TRY(builder_add_key_column(b, table->columns[table->key.at[i]].name, err));
    return builder_end_table(b, err);
}

static enum status tell_list(struct builder *b, const struct datum *d, struct value *value,
                             struct error *err)
{
    for (uint32_t i = 0; d->as.array.nulls && i < d->length; i++)
        if (datum_element_is_null(d, i))
            return error_set(err, STATUS_BAD_INPUT,
                             "histories have no form for an array with a null in it");
    return builder_list(b, d->as.array.at, d->length, value, err);
}

enum status row_tell_cell(struct builder *b, const struct datum *d, struct value *value,
                          struct error *err)
{
    char number[NUMERIC_TEXT_MAX];

    *value = value_null();
    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return STATUS_OK;
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        *value = value_integer(d->as.integer);
        return STATUS_OK;
    case DATUM_BOOLEAN:
        *value = value_boolean(d->as.integer != 0);
        return STATUS_OK;
    case DATUM_NUMERIC:
        return builder_text_value(
            b, (struct text){ number, (size_t)(datum_write(number, d) - number) }, value, err);
    case DATUM_TEXT:
        return builder_text_value(b, datum_text(d), value, err);
    case DATUM_ARRAY:
        return tell_list(b, d, value, err);
    }
    return STATUS_OK;
}

enum status row_tell(struct builder *b, uint32_t table, const struct datum *cells, uint16_t count,
                     struct value *scratch, struct value *value, struct error *err)
{
    for (uint16_t i = 0; i < count; i++)
        TRY(row_tell_cell(b, &cells[i], &scratch[i], err));
    return builder_whole_row(b, table, scratch, builder_expect_row(b, table, scratch), value, err);
}
