/*
 * Rows of the history as rows of SQL, only as far as a condition reads them.
 */
#include "programs/machine/predicate_private.h"

#include <assert.h>
#include <stdlib.h>

#define COMPUTED_BYTES_MAX ((size_t)16 << 20) /* of texts and arrays, while a row is judged */

enum status predicate_scratch_init(struct predicate_scratch *scratch, struct error *err)
{
    scratch->row = calloc(PREDICATE_COLUMNS_MAX, sizeof *scratch->row);
    heap_init(&scratch->heap, COMPUTED_BYTES_MAX);
    if (!scratch->row)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the rows of predicates");
    return STATUS_OK;
}

void predicate_scratch_close(struct predicate_scratch *scratch)
{
    heap_close(&scratch->heap);
    free(scratch->row);
    scratch->row = NULL;
}

/* --- Values ------------------------------------------------------------------------ */

enum status predicate_column_type(const struct history *h, uint32_t column, struct type *type,
                                  struct sql_error *err)
{
    *type = type_of(TYPE_BIGINT_ARRAY);
    if (h->table_column_kind[column] == COLUMN_LIST)
        return STATUS_OK; /* whose elements are 64 bits wide in a history, whatever it is called */
    return type_parse(history_text(h, h->table_column_type[column]), type, err);
}

static enum status refuse_value(struct type type, struct text text, struct sql_error *err)
{
    char name[TYPE_PRINT_MAX];

    return sql_error_set(err, SQLSTATE_TEXT_REPRESENTATION, "\"%.*s\" is no %s", TEXT_PRINT(text),
                         type_print(type, name));
}

static enum status read_integer(struct type type, int64_t number, struct datum *out,
                                struct sql_error *err)
{
    bool fits = type.kind == TYPE_BIGINT ||
                (type.kind == TYPE_INTEGER && number >= INT32_MIN && number <= INT32_MAX) ||
                (number >= INT16_MIN && number <= INT16_MAX);
    char digits[20];

    *out = datum_of_int64(number);
    if (fits)
        return STATUS_OK;
    return refuse_value(
        type, (struct text){ digits, (size_t)(text_write_int64(digits, number) - digits) }, err);
}

/* With the declared scale, which shows once it is cast to text; that must not change it. */
static enum status read_numeric(struct type type, struct text text, struct datum *out,
                                struct sql_error *err)
{
    struct numeric number, fitted;

    if (numeric_parse(text, &number, err) != STATUS_OK)
        return refuse_value(type, text, err);
    *out = datum_of_numeric(number);
    if (type.precision == 0)
        return STATUS_OK;
    if (numeric_fit(number, type.precision, type.scale, &fitted, err) != STATUS_OK ||
        numeric_compare(number, fitted) != 0)
        return refuse_value(type, text, err);
    *out = datum_of_numeric(fitted);
    return STATUS_OK;
}

static enum status read_text(struct type type, struct text text, struct datum *out,
                             struct sql_error *err)
{
    *out = datum_of_text(text);
    if (type.length == 0 || operator_clip(text, type.length) == text.length)
        return STATUS_OK;
    return refuse_value(type, text, err);
}

static struct datum list_of(const struct history *h, int64_t list)
{
    uint64_t from = h->list_start[list];

    return (struct datum){ .kind = DATUM_ARRAY,
                           .length = (uint32_t)(h->list_start[list + 1] - from),
                           .as.array.at = h->list_element + from };
}

/* The history's kinds of values and its columns agree: history_check() has seen to it. */
static enum status read_cell(const struct history *h, struct type type, uint64_t cell,
                             struct datum *out, struct sql_error *err)
{
    int64_t bits = h->cell_value[cell];

    switch ((enum value_kind)h->cell_kind[cell]) {
    case VALUE_INTEGER:
        if (type.kind != TYPE_TIMESTAMP)
            return read_integer(type, bits, out, err);
        *out = datum_of_timestamp(bits);
        return STATUS_OK;
    case VALUE_BOOLEAN:
        *out = datum_of_bool(bits);
        return STATUS_OK;
    case VALUE_TEXT:
        if (type.kind == TYPE_NUMERIC)
            return read_numeric(type, history_text(h, (uint32_t)bits), out, err);
        return read_text(type, history_text(h, (uint32_t)bits), out, err);
    case VALUE_LIST:
        *out = list_of(h, bits);
        return STATUS_OK;
    default:
        assert(h->cell_kind[cell] == VALUE_NULL);
        *out = datum_null();
        return STATUS_OK;
    }
}

static bool is_row(const struct history *h, uint32_t table, struct value row)
{
    return row.kind == VALUE_ROW && h->row_shape[row.bits] == h->table_shape[table];
}

enum status predicates_read(const struct predicates *set, uint32_t table, struct value row,
                            uint16_t column, struct datum *out, struct sql_error *err)
{
    const struct schema_table *t = &set->tables[table];

    assert(is_row(set->history, table, row) && column < t->column_count);
    return read_cell(set->history, t->columns[column].type,
                     set->history->row_start[row.bits] + column, out, err);
}

enum status predicates_read_other(const struct predicates *set, const struct history *h,
                                  uint32_t table, struct value row, uint16_t column,
                                  struct datum *out, struct sql_error *err)
{
    const struct schema_table *t = &set->tables[table];

    assert(row.kind == VALUE_ROW && column < t->column_count);
    return read_cell(h, t->columns[column].type, h->row_start[row.bits] + column, out, err);
}

/* --- Answers ----------------------------------------------------------------------- */

static bool is_outside(const struct range *r, const struct datum *value)
{
    int low, high;

    if (!r->has_low && !r->has_high)
        return false;
    if (datum_is_null(value))
        return true;
    low = r->has_low ? datum_compare(value, &r->low) : 1;
    high = r->has_high ? datum_compare(value, &r->high) : -1;
    return low < 0 || high > 0 || (low == 0 && r->low_is_open) || (high == 0 && r->high_is_open);
}

/* Of a row that could not be judged, and perhaps not even be read. */
static enum predicate_answer answer_failure(const struct predicates *set, const struct predicate *p,
                                            struct value row)
{
    const struct schema_columns columns = p->filter.condition->columns;

    for (uint16_t i = 0; i < columns.count; i++) {
        struct range range = filter_range(&p->filter, columns.at[i]);
        struct sql_error unread;
        struct datum value;

        if (predicates_read(set, p->table, row, columns.at[i], &value, &unread) == STATUS_OK &&
            is_outside(&range, &value))
            return PREDICATE_NO;
    }
    return filter_is_empty(&p->filter) ? PREDICATE_NO : PREDICATE_UNDECIDED;
}

/* Of the commonest only what an integer has is written: all of a datum would take twice as long. */
static inline enum status read_quickly(const struct history *h, const struct schema_column *column,
                                       uint64_t cell, struct datum *out, struct sql_error *err)
{
    if (h->cell_kind[cell] != VALUE_INTEGER || column->type.kind != TYPE_BIGINT)
        return read_cell(h, column->type, cell, out, err);
    out->kind = DATUM_INTEGER;
    out->as.integer = h->cell_value[cell];
    return STATUS_OK;
}

enum predicate_answer predicates_match(const struct predicates *set, uint32_t number,
                                       struct value row, struct predicate_scratch *scratch)
{
    const struct predicate *p = predicates_get(set, number);
    const struct history *h = set->history;
    const struct schema_column *all = set->tables[p->table].columns;
    const struct schema_columns columns = p->filter.condition->columns;
    bool matches;

    if (!is_row(h, p->table, row))
        return PREDICATE_NO;
    for (uint16_t i = 0; i < columns.count; i++) {
        uint16_t column = columns.at[i];

        if (read_quickly(h, &all[column], h->row_start[row.bits] + column, &scratch->row[column],
                         &scratch->error) != STATUS_OK)
            return answer_failure(set, p, row);
    }
    if (filter_evaluate(&p->filter, scratch->row, &scratch->heap, &matches, &scratch->error) !=
        STATUS_OK)
        return answer_failure(set, p, row);
    return matches ? PREDICATE_YES : PREDICATE_NO;
}

enum predicate_answer predicates_match_datums(const struct predicates *set, uint32_t number,
                                              const struct datum *row,
                                              struct predicate_scratch *scratch)
{
    const struct predicate *p = predicates_get(set, number);
    const struct schema_columns columns = p->filter.condition->columns;
    bool matches;

    if (filter_evaluate(&p->filter, row, &scratch->heap, &matches, &scratch->error) == STATUS_OK)
        return matches ? PREDICATE_YES : PREDICATE_NO;
    for (uint16_t i = 0; i < columns.count; i++) {
        struct range range = filter_range(&p->filter, columns.at[i]);

        if (is_outside(&range, &row[columns.at[i]]))
            return PREDICATE_NO;
    }
    return filter_is_empty(&p->filter) ? PREDICATE_NO : PREDICATE_UNDECIDED;
}
