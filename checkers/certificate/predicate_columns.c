/*
 * Looks up in columns of numbers which versions of rows a predicate matches.
 *
 *     number        0    1    2    3    4        versions of t/7, then of t/9
 *     row of        t/7  t/7  t/7  t/9  t/9
 *     cells of v    10   30   -inf 35   12       -inf: no row, or null
 *
 * A predicate that confines bigint columns is asked about each version of a row
 * that anybody looked at or overwrote: by the history's rows that is four loads in
 * four places, here it is one, beside the one before.
 */
#include "checkers/certificate/predicate_columns_private.h"

#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"


#define NO_NUMBER INT64_MIN
#define SKIPPED 8 /* versions at a time */

static int64_t cell_of(struct predicate_column *column, const struct history *h, uint16_t which,
                       struct value row)
{
    int64_t cell;

    if (row.kind != VALUE_ROW || !matcher_cell(h, row, which, &cell))
        return NO_NUMBER;
    column->has_least |= cell == NO_NUMBER;
    return cell;
}

/* Half the bytes, and twice as many at a time. */
static enum status narrow_down(struct predicate_column *column, uint32_t count, struct error *err)
{
    bool fits = !column->has_least;

    for (uint32_t n = 0; n < count && fits; n++)
        fits = column->cells[n] == NO_NUMBER ||
               (column->cells[n] > INT32_MIN && column->cells[n] <= INT32_MAX);
    if (!fits)
        return STATUS_OK;
    TRY(memory_resize((void **)&column->narrow, count, sizeof *column->narrow, err));
    for (uint32_t n = 0; n < count; n++)
        column->narrow[n] = column->cells[n] == NO_NUMBER ? INT32_MIN : (int32_t)column->cells[n];
    return STATUS_OK;
}

static enum status fill_column(struct certificate *c, uint32_t table, uint16_t which,
                               struct predicate_column *column, struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    uint32_t first = c->keys.start[table], end = c->keys.start[table + 1];

    TRY(check_memory((void **)&column->cells, v->count, sizeof *column->cells, 0, err));
    TRY(memory_resize((void **)&column->initial, end - first, sizeof *column->initial, err));
    for (uint32_t i = first; i < end; i++) {
        uint32_t key = c->keys.members[i];

        column->initial[i - first] = cell_of(column, h, which, history_initial(h, key));
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++)
            column->cells[n] = cell_of(column, h, which, history_value(h, v->op[n]));
    }
    return narrow_down(column, v->count, err);
}

/* Who left a row behind, so that those of a time can be found without all others. */
static enum status sort_left(struct certificate *c, struct error *err)
{
    const struct certified_versions *v = &c->versions;
    uint32_t tables = (uint32_t)c->history->table_count, count = c->places.in_count;

    TRY(check_memory((void **)&c->left_start, (size_t)count + 2, sizeof *c->left_start, 0, err));
    TRY(memory_resize((void **)&c->left, v->count, sizeof *c->left, err));
    TRY(check_memory((void **)&c->is_in_disorder, tables, sizeof *c->is_in_disorder, 0, err));
    for (uint32_t i = 0; i < c->keys.start[tables]; i++) {
        uint32_t key = c->keys.members[i];

        c->is_in_disorder[c->keys.table[key]] |= !v->is_sorted[key];
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++)
            c->left_start[v->rank[n] + 2]++;
    }
    array_sum_prefixes(c->left_start, count + 2);
    for (uint32_t i = 0; i < c->keys.start[tables]; i++) {
        uint32_t key = c->keys.members[i];

        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++)
            c->left[c->left_start[v->rank[n] + 1]++] = key;
    }
    return STATUS_OK;
}

enum status predicate_columns_init(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    const struct predicates *predicates = c->matcher.predicates;

    if (h->statement_count == 0)
        return STATUS_OK;
    TRY(sort_left(c, err));
    TRY(check_memory((void **)&c->predicate_columns, h->table_column_count, sizeof *c->predicate_columns, 0,
                     err));
    for (uint32_t p = 0; p < predicates_count(predicates); p++) {
        const struct spans *spans = &c->matcher.spans[p];
        uint32_t table = predicates_get(predicates, p)->table;

        for (unsigned i = 0; i < spans->count; i++) {
            struct predicate_column *column =
                &c->predicate_columns[h->table_column_start[table] + spans->at[i].column];

            if (!column->cells)
                TRY(fill_column(c, table, spans->at[i].column, column, err));
        }
    }
    return STATUS_OK;
}

void predicate_columns_close(struct certificate *c)
{
    for (size_t i = 0; c->predicate_columns && i < c->history->table_column_count; i++) {
        free(c->predicate_columns[i].cells);
        free(c->predicate_columns[i].narrow);
        free(c->predicate_columns[i].initial);
    }
    free(c->predicate_columns);
    free(c->left_start);
    free(c->left);
    free(c->is_in_disorder);
}

static int32_t clamp(int64_t value)
{
    return value <= INT32_MIN ? INT32_MIN + 1 : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* Whether the one column says all there is to say. */
static void simplify(struct predicate_columns *columns)
{
    const struct spans *spans = columns->spans;

    if (!columns->by_cells || spans->count != 1 || !spans->is_exact || spans->is_empty ||
        spans->at[0].high <= INT32_MIN || columns->low[0] > INT32_MAX)
        return;
    columns->only = columns->columns[0]->narrow;
    columns->only_low = clamp(columns->low[0]);
    columns->only_high = clamp(spans->at[0].high);
}

struct predicate_columns predicate_columns_of(const struct certificate *c, uint32_t head)
{
    const struct history *h = c->history;
    uint32_t predicate = matcher_predicate(&c->matcher, head);
    struct predicate_columns columns = { .predicate = predicate, .spans = &c->matcher.spans[predicate] };
    uint32_t first = h->table_column_start[h->statement_table[h->op_key[head]]];

    columns.by_cells = columns.spans->count > 0;
    for (unsigned i = 0; i < columns.spans->count; i++) {
        const struct span *span = &columns.spans->at[i];

        columns.columns[i] = &c->predicate_columns[first + span->column];
        columns.low[i] = span->low == NO_NUMBER ? NO_NUMBER + 1 : span->low;
        columns.by_cells &= !columns.columns[i]->has_least;
    }
    simplify(&columns);
    return columns;
}

enum predicate_answer predicate_columns_match(struct certificate *c, const struct predicate_columns *columns,
                                              uint32_t key, uint32_t number)
{
    struct content content;

    if (columns->by_cells) {
        uint32_t slot = c->keys.slot[key];

        for (unsigned i = 0; i < columns->spans->count; i++) {
            const struct predicate_column *column = columns->columns[i];
            int64_t cell = number == VERSION_FIRST ? column->initial[slot] : column->cells[number];

            if (cell < columns->low[i] || cell > columns->spans->at[i].high)
                return PREDICATE_NO;
        }
        if (columns->spans->is_exact && !columns->spans->is_empty)
            return PREDICATE_YES;
    }
    content = certificate_content(c, key, number);
    return matcher_match(&c->matcher, columns->predicate,
                         (struct value){ (enum value_kind)content.kind, content.bits });
}

static inline bool is_inside(const struct predicate_columns *s, uint32_t number)
{
    return (s->only[number] >= s->only_low) & (s->only[number] <= s->only_high);
}

uint32_t predicate_columns_skip_forward(const struct predicate_columns *s, bool matched, uint32_t from, uint32_t end)
{
    for (; end - from >= SKIPPED; from += SKIPPED) {
        unsigned inside = 0;

        for (unsigned i = 0; i < SKIPPED; i++)
            inside += is_inside(s, from + i);
        if (inside != (matched ? SKIPPED : 0))
            break;
    }
    while (from < end && is_inside(s, from) == matched)
        from++;
    return from;
}

uint32_t predicate_columns_skip_back(const struct predicate_columns *s, bool matched, uint32_t from, uint32_t start)
{
    for (; from - start >= SKIPPED; from -= SKIPPED) {
        unsigned inside = 0;

        for (unsigned i = 1; i <= SKIPPED; i++)
            inside += is_inside(s, from - i);
        if (inside != (matched ? SKIPPED : 0))
            break;
    }
    while (from > start && is_inside(s, from - 1) == matched)
        from--;
    return from;
}
