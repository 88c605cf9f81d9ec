#include "checkers/interval/row_store_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

#define CONDITIONS_TOGETHER 4096

struct stored_row {
    uint32_t holders, table;
    bool is_lost; /* some column of it has no value */
    struct datum cells[];
};

/* Compiled together, and closed when nobody holds any of them. */
struct condition_set {
    struct predicates *predicates;
    struct intern texts;     /* with their tables: most conditions come again */
    ARRAY(uint32_t) numbers; /* by text */
    struct buffer name;
    uint32_t held;
    bool is_full;
};

enum status row_store_init(struct row_store *s, const struct history *h, struct error *err)
{
    *s = (struct row_store){ .schema = *h };
    s->schema.statement_count = 0;
    TRY(predicate_scratch_init(&s->scratch, err));
    TRY(predicates_open(&s->types, &s->schema, 0, err));
    TRY(array_push(&s->rows, NULL, err));
    return array_push(&s->conditions, (struct stored_condition){ 0 }, err);
}

static void close_set(struct condition_set *set)
{
    predicates_close(set->predicates);
    intern_close(&set->texts);
    array_close(&set->numbers);
    buffer_close(&set->name);
    free(set);
}

void row_store_close(struct row_store *s)
{
    for (size_t i = 1; i < s->rows.count; i++)
        free(s->rows.at[i]);
    for (size_t i = 1; i < s->conditions.count; i++)
        if (s->conditions.at[i].is_live)
            row_store_forget(s, (uint32_t)i);
    if (s->newest)
        close_set(s->newest);
    if (s->scratch.row)
        predicate_scratch_close(&s->scratch);
    predicates_close(s->types);
    array_close(&s->rows);
    array_close(&s->free_rows);
    array_close(&s->conditions);
    array_close(&s->free_conditions);
    *s = (struct row_store){ 0 };
}

/* --- Rows ------------------------------------------------------------------------- */

static size_t bytes_of(const struct datum *d)
{
    if (d->kind == DATUM_TEXT)
        return d->length;
    return d->kind == DATUM_ARRAY ? d->length * sizeof *d->as.array.at : 0;
}

/* Texts and lists of the row stand behind its cells: lists first, as numbers are aligned. */
static void copy_contents(struct stored_row *row, uint32_t columns)
{
    char *to = (char *)(row->cells + columns);

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < columns; i++) {
            struct datum *d = &row->cells[i];
            size_t bytes = bytes_of(d);

            if (d->kind != (pass == 0 ? DATUM_ARRAY : DATUM_TEXT))
                continue;
            if (bytes > 0)
                memcpy(to, pass == 0 ? (const char *)d->as.array.at : d->as.text, bytes);
            if (pass == 0)
                d->as.array.at = (const int64_t *)(const void *)to;
            else
                d->as.text = to;
            to += bytes;
        }
}

/* False: there is a column that cannot be read. */
static bool read_cells(struct row_store *s, const struct history *h, uint32_t table,
                       struct value value, uint32_t columns, size_t *bytes)
{
    struct sql_error unsaid;

    *bytes = 0;
    for (uint32_t i = 0; i < columns; i++) {
        if (predicates_read_other(s->types, h, (struct predicate_cell){ table, value, (uint16_t)i },
                                  &s->scratch.row[i], &unsaid) != STATUS_OK)
            return false;
        *bytes += bytes_of(&s->scratch.row[i]);
    }
    return true;
}

static enum status number_row(struct row_store *s, struct stored_row *row, uint32_t *number,
                              struct error *err)
{
    s->row_count++;
    if (s->free_rows.count > 0) {
        *number = s->free_rows.at[--s->free_rows.count];
        s->rows.at[*number] = row;
        return STATUS_OK;
    }
    *number = (uint32_t)s->rows.count;
    if (array_push(&s->rows, row, err) == STATUS_OK)
        return STATUS_OK;
    s->row_count--;
    free(row);
    return STATUS_OVER_LIMIT;
}

enum status row_store_take(struct row_store *s, const struct history *h, uint32_t table,
                           struct value value, uint32_t *number, struct error *err)
{
    uint32_t columns =
        s->schema.table_column_start[table + 1] - s->schema.table_column_start[table];
    struct stored_row *row = NULL;
    size_t bytes = 0;
    bool is_read;

    *number = ROW_NONE;
    if (value.kind != VALUE_ROW || h->row_shape[value.bits] != h->table_shape[table])
        return STATUS_OK;
    is_read = columns <= PREDICATE_COLUMNS_MAX && read_cells(s, h, table, value, columns, &bytes);
    if (!is_read)
        columns = 0, bytes = 0;
    TRY(memory_resize((void **)&row, sizeof *row + columns * sizeof *row->cells + bytes, 1, err));
    *row = (struct stored_row){ .holders = 1, .table = table, .is_lost = !is_read };
    memcpy(row->cells, s->scratch.row, columns * sizeof *row->cells);
    copy_contents(row, columns);
    return number_row(s, row, number, err);
}

void row_store_hold(struct row_store *s, uint32_t row)
{
    if (row != ROW_NONE)
        s->rows.at[row]->holders++;
}

void row_store_drop(struct row_store *s, uint32_t row)
{
    struct error unsaid = { 0 };

    if (row == ROW_NONE || --s->rows.at[row]->holders > 0)
        return;
    free(s->rows.at[row]);
    s->rows.at[row] = NULL;
    s->row_count--;
    /* Without memory the number is not used again, and that is all. */
    if (array_push(&s->free_rows, row, &unsaid) != STATUS_OK)
        return;
}

/* --- Conditions ------------------------------------------------------------------- */

static enum status open_set(struct row_store *s, struct error *err)
{
    struct condition_set *set;

    if (s->newest && predicates_count(s->newest->predicates) < CONDITIONS_TOGETHER)
        return STATUS_OK;
    set = calloc(1, sizeof *set);
    if (!set || predicates_open(&set->predicates, &s->schema, 0, err) != STATUS_OK) {
        free(set);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for conditions");
    }
    if (s->newest) {
        s->newest->is_full = true;
        if (s->newest->held == 0)
            close_set(s->newest);
    }
    s->newest = set;
    return STATUS_OK;
}

/* Each text is compiled once. */
static enum status find_condition(struct condition_set *set, uint32_t table, struct text text,
                                  uint32_t *number, struct error *err)
{
    uint32_t place;

    set->name.count = 0;
    buffer_text(&set->name, text);
    buffer_text(&set->name, (struct text){ (const char *)&table, sizeof table });
    TRY(buffer_status(&set->name, err));
    place = intern_find(&set->texts, (struct text){ set->name.at, set->name.count });
    if (place != INTERN_NONE) {
        *number = set->numbers.at[place];
        return STATUS_OK;
    }
    TRY(predicates_add(set->predicates, table, text, number, err));
    TRY(array_reserve(&set->numbers, 1, err));
    TRY(intern_add(&set->texts, (struct text){ set->name.at, set->name.count }, &place, err));
    return array_push(&set->numbers, *number, err);
}

enum status row_store_ask(struct row_store *s, uint32_t table, struct text text,
                          uint32_t *condition, struct error *err)
{
    struct stored_condition new = { .table = table, .is_live = true };

    *condition = CONDITION_ALL;
    if (text.length == 0)
        return STATUS_OK;
    TRY(open_set(s, err));
    new.set = s->newest;
    TRY(find_condition(s->newest, table, text, &new.number, err));
    new.spans = matcher_spans(&s->schema, predicates_get(s->newest->predicates, new.number));
    if (s->free_conditions.count > 0) {
        *condition = s->free_conditions.at[--s->free_conditions.count];
        s->conditions.at[*condition] = new;
    } else {
        TRY(array_push(&s->conditions, new, err));
        *condition = (uint32_t)s->conditions.count - 1;
    }
    s->newest->held++;
    s->condition_count++;
    return STATUS_OK;
}

void row_store_forget(struct row_store *s, uint32_t condition)
{
    struct stored_condition *c = &s->conditions.at[condition];
    struct error unsaid = { 0 };

    if (condition == CONDITION_ALL)
        return;
    assert(c->is_live);
    c->is_live = false;
    s->condition_count--;
    if (--c->set->held == 0 && c->set->is_full)
        close_set(c->set);
    if (array_push(&s->free_conditions, condition, &unsaid) != STATUS_OK)
        return; /* the number is not used again */
}

/* Null is in no span. */
static bool is_within(const struct span *span, const struct datum *cells)
{
    const struct datum *cell = &cells[span->column];

    return cell->kind == DATUM_INTEGER && cell->as.integer >= span->low &&
           cell->as.integer <= span->high;
}

static bool is_within_all(const struct spans *spans, const struct datum *cells)
{
    for (unsigned i = 0; i < spans->count; i++)
        if (!is_within(&spans->at[i], cells))
            return false;
    return true;
}

bool row_store_span(const struct row_store *s, uint32_t condition, struct span *span)
{
    const struct spans *spans = &s->conditions.at[condition].spans;

    if (condition == CONDITION_ALL || spans->count == 0)
        return false;
    *span = spans->at[0];
    return true;
}

bool row_store_is_within(const struct row_store *s, uint32_t row, const struct span *span)
{
    return row != ROW_NONE && (s->rows.at[row]->is_lost || is_within(span, s->rows.at[row]->cells));
}

enum predicate_answer row_store_match(struct row_store *s, uint32_t condition, uint32_t row)
{
    const struct stored_condition *c = &s->conditions.at[condition];
    const struct stored_row *r = s->rows.at[row];

    if (condition == CONDITION_ALL)
        return PREDICATE_YES;
    if (r->table != c->table)
        return PREDICATE_NO;
    if (r->is_lost)
        return PREDICATE_UNDECIDED;
    if (c->spans.is_empty || !is_within_all(&c->spans, r->cells))
        return PREDICATE_NO;
    return c->spans.is_exact
               ? PREDICATE_YES
               : predicates_match_datums(c->set->predicates, c->number, r->cells, &s->scratch);
}

static int64_t bound_of(const struct datum *d, int64_t otherwise)
{
    return d->kind == DATUM_INTEGER ? d->as.integer : otherwise;
}

void row_store_range(const struct row_store *s, uint32_t condition, uint16_t column, int64_t *low,
                     int64_t *high)
{
    const struct stored_condition *c = &s->conditions.at[condition];
    struct range range;

    *low = INT64_MIN;
    *high = INT64_MAX;
    if (condition == CONDITION_ALL)
        return;
    range = condition_range(&predicates_get(c->set->predicates, c->number)->filter, column);
    /* Open ends are looked at again, row by row. */
    if (range.has_low)
        *low = bound_of(&range.low, INT64_MIN);
    if (range.has_high)
        *high = bound_of(&range.high, INT64_MAX);
}

void row_store_tell(const struct row_store *s, uint32_t condition, struct buffer *out)
{
    const struct stored_condition *c = &s->conditions.at[condition];

    if (condition != CONDITION_ALL)
        predicates_print(c->set->predicates, c->number, out);
}
