#include "audit/z3/rows_private.h"

#include <string.h>

#include "audit/z3/values_private.h"
#include "base/hash.h"

/* --- Rows by their keys ----------------------------------------------------------------------------------- */

uint64_t symbolic_row_name(uint32_t table, const struct schema_table *schema,
                           const struct datum *cells)
{
    uint64_t hash = hash_number(table + UINT64_C(1));

    for (uint16_t i = 0; i < schema->key.count; i++)
        hash = hash_mix(hash, datum_hash(&cells[schema->key.at[i]]));
    return hash > 0 ? hash : 1;
}

static int compare_keys(const struct schema_table *schema, const struct datum *a,
                        const struct datum *b)
{
    int order = 0;

    for (uint16_t i = 0; i < schema->key.count && order == 0; i++)
        order = datum_compare(&a[schema->key.at[i]], &b[schema->key.at[i]]);
    return order;
}

static void put_in_order(struct symbolic *s, uint32_t table, uint32_t row)
{
    const struct schema_table *schema = &s->tree->schema.tables[table];
    size_t at = s->rows_of[table].count;

    symbolic_note(s, array_push(&s->rows_of[table], row, s->err));
    if (s->status != STATUS_OK)
        return;
    for (; at > 0 && compare_keys(schema, s->rows.at[s->rows_of[table].at[at - 1]].like,
                                  s->rows.at[row].like) > 0;
         at--)
        s->rows_of[table].at[at] = s->rows_of[table].at[at - 1];
    s->rows_of[table].at[at] = row;
}

static const struct datum *copy_cells(struct symbolic *s, const struct datum *cells, uint16_t count)
{
    struct datum *copy = arena_take(&s->arena, (size_t)count + 1, sizeof *copy);
    struct sql_error unsaid;

    for (uint16_t i = 0; i < count; i++)
        if (datum_copy(&cells[i], &s->heap, &copy[i], &unsaid) != STATUS_OK)
            symbolic_stick(s, 0, "rows of so many bytes");
    return copy;
}

uint32_t symbolic_find_row(struct symbolic *s, uint32_t table, const struct datum *cells,
                           bool makes)
{
    const struct schema_table *schema = &s->tree->schema.tables[table];
    struct sym_row row = { .table = table, .name = symbolic_row_name(table, schema, cells) };
    uint32_t number = (uint32_t)s->rows.count;
    uint64_t found;
    size_t place;

    if (map_find(&s->row_of, row.name, &found))
        return (uint32_t)found;
    if (!makes || s->status != STATUS_OK)
        return SYMBOLIC_NO_ROW;
    row.like = copy_cells(s, cells, schema->column_count);
    symbolic_note(s, map_add(&s->row_of, row.name, number, &place, s->err));
    symbolic_note(s, array_push(&s->rows, row, s->err));
    if (s->status == STATUS_OK)
        put_in_order(s, table, number);
    return s->status == STATUS_OK ? number : SYMBOLIC_NO_ROW;
}

static uint16_t width_of(const struct symbolic *s, const struct sym_row *row)
{
    return s->tree->schema.tables[row->table].column_count;
}

/* --- States ----------------------------------------------------------------------------------------------- */

void symbolic_begin_statement(struct symbolic *s)
{
    struct terms *t = &s->terms;

    s->statements = terms_add(t, s->statements, terms_as_number(t, s->begun));
    s->begun = symbolic_guard(s);
    s->first_event = s->events.count;
    if (s->mode != RUN_SNAPSHOT)
        s->has_state = false;
}

/* A state that is to be found, of the transaction, the statement, or the row. */
static term choose_state(struct symbolic *s, const struct sym_row *row)
{
    bool is_of_all = s->mode == RUN_SNAPSHOT;
    struct sym_event event = { .txn = s->txn,
                               .guard = is_of_all ? TERM_TRUE : s->begun,
                               .statement = is_of_all ? terms_number(&s->terms, 0) : s->statements,
                               .state = terms_choice(&s->terms, s->low, s->high),
                               .row = row ? row->name : 0 };

    symbolic_note(s, array_push(&s->events, event, s->err));
    symbolic_note(s, terms_assert_bounds(&s->terms, event.state, s->err));
    return event.state;
}

static term state_of(struct symbolic *s, const struct sym_row *row)
{
    if (s->mode == RUN_PAPER) {
        for (size_t i = s->first_event; i < s->events.count; i++)
            if (s->events.at[i].row == row->name)
                return s->events.at[i].state;
        return choose_state(s, row);
    }
    if (!s->has_state) {
        s->state = choose_state(s, NULL);
        s->has_state = true;
        if (s->mode == RUN_LOCKING) {
            symbolic_assert(s, terms_at_most(&s->terms, s->last_state, s->state));
            s->last_state = s->state;
        }
    }
    return s->state;
}

/* Whether there is anything to choose from. */
static bool is_steady(const struct symbolic *s, const struct sym_row *row)
{
    return s->low == s->high || row->versions.count == 0 ||
           row->versions.at[row->versions.count - 1].position <= s->low;
}

static struct sym_view merge_views(struct symbolic *s, term c, struct sym_view a, struct sym_view b,
                                   uint16_t width)
{
    struct sym_view view = { .exists = terms_if(&s->terms, c, a.exists, b.exists) };
    struct sym *cells;

    if (terms_is_constant(&s->terms, c))
        return c == TERM_TRUE ? a : b;
    /* The cells of a row that is not there mean nothing. */
    if (!a.cells || !b.cells || a.exists == TERM_FALSE || b.exists == TERM_FALSE) {
        view.cells = !a.cells || a.exists == TERM_FALSE ? b.cells : a.cells;
        return view;
    }
    cells = arena_take(&s->arena, (size_t)width + 1, sizeof *cells);
    for (uint16_t i = 0; i < width; i++)
        cells[i] = sym_merge(s, c, a.cells[i], b.cells[i]);
    view.cells = cells;
    return view;
}

/* With what H3 has found out since. */
static struct sym_view view_now(struct symbolic *s, struct sym_view view, uint16_t width)
{
    struct sym *cells = NULL;

    view.exists = terms_now(&s->terms, view.exists);
    for (uint16_t i = 0; i < width && view.cells; i++) {
        struct sym now = sym_now(s, view.cells[i]);

        if (now.value == view.cells[i].value && now.null == view.cells[i].null)
            continue;
        if (!cells) {
            cells = arena_take(&s->arena, (size_t)width + 1, sizeof *cells);
            memcpy(cells, view.cells, width * sizeof *cells);
            view.cells = cells;
        }
        cells[i] = now;
    }
    return view;
}

/* In a state from `low` to `high`: that of who runs, unless there is only one. */
static struct sym_view see_between(struct symbolic *s, const struct sym_row *row, uint32_t low,
                                   uint32_t high)
{
    struct terms *t = &s->terms;
    term state = low == high ? terms_number(t, low) : state_of(s, row);
    struct sym_view view = { .exists = TERM_FALSE };
    size_t first = row->versions.count;

    while (first > 0) {
        const struct sym_version *v = &row->versions.at[--first];

        if (v->position <= low && terms_now(t, v->written) == TERM_TRUE)
            break;
    }
    for (size_t i = first; i < row->versions.count && row->versions.at[i].position <= high; i++) {
        const struct sym_version *v = &row->versions.at[i];
        term is_seen =
            terms_and(t, terms_now(t, v->written), terms_at_least(t, state, v->position));

        view =
            merge_views(s, is_seen, view_now(s, v->view, width_of(s, row)), view, width_of(s, row));
    }
    return view;
}

static struct sym_view see_newest(struct symbolic *s, const struct sym_row *row)
{
    return see_between(s, row, s->position - 1, s->position - 1);
}

static struct sym_view see_seen(struct symbolic *s, const struct sym_row *row)
{
    return see_between(s, row, s->low, is_steady(s, row) ? s->low : s->high);
}

struct sym_view symbolic_see(struct symbolic *s, uint32_t number, bool is_newest)
{
    const struct sym_row *row = &s->rows.at[number];
    struct sym_view view;

    symbolic_note(s, array_push(&s->seen, number, s->err));
    view = is_newest || s->mode == RUN_AT_PLACE ? see_newest(s, row) : see_seen(s, row);
    return row->own.cells ? merge_views(s, row->own_written, row->own, view, width_of(s, row))
                          : view;
}

/* --- Writes ----------------------------------------------------------------------------------------------- */

void symbolic_write(struct symbolic *s, uint32_t number, term guard, struct sym_view view)
{
    struct sym_row *row = &s->rows.at[number];

    guard = terms_and(&s->terms, guard, symbolic_guard(s));
    if (guard == TERM_FALSE)
        return;
    if (!row->own.cells) {
        symbolic_note(s, array_push(&s->written, number, s->err));
        row->own_written = guard;
        row->own = view;
    } else {
        row->own = merge_views(s, guard, view, row->own, width_of(s, row));
        row->own_written = terms_or(&s->terms, row->own_written, guard);
    }
}

/* Whether two views are one row, or both none. */
static term same_views(struct symbolic *s, struct sym_view a, struct sym_view b, uint16_t width)
{
    struct terms *t = &s->terms;
    term same = TERM_TRUE;

    for (uint16_t i = 0; i < width && a.cells && b.cells; i++)
        same = terms_and(t, same, sym_same(s, a.cells[i], b.cells[i]));
    return terms_if(t, a.exists, terms_and(t, b.exists, same), terms_not(t, b.exists));
}

/* Nobody else has written the row since the state that was seen; or by value: what is changed has still its value. */
static void require_no_conflict(struct symbolic *s, const struct sym_row *row, term has_written)
{
    uint16_t width = width_of(s, row);
    struct terms *t = &s->terms;

    if (row->versions.count == 0 || row->versions.at[row->versions.count - 1].position <= s->low)
        return;
    if (s->by_value) {
        struct sym_view seen = see_seen(s, row), newest = see_newest(s, row);
        term is_kept = same_views(s, row->own, seen, width);

        symbolic_assert(s, terms_or(t, terms_or(t, terms_not(t, has_written), is_kept),
                                    same_views(s, seen, newest, width)));
        return;
    }
    for (size_t i = 0; i < row->versions.count; i++) {
        const struct sym_version *v = &row->versions.at[i];
        term state = s->low == s->high ? terms_number(t, s->low) : state_of(s, row);
        term both = terms_and(t, has_written, terms_now(t, v->written));

        symbolic_assert(
            s,
            terms_not(t, terms_and(t, both, terms_less(t, state, terms_number(t, v->position)))));
    }
}

static void push_version(struct symbolic *s, struct sym_row *row, term written,
                         struct sym_view view)
{
    struct sym_version v = { .position = s->position, .written = written, .view = view };

    symbolic_note(s, array_push(&row->versions, v, s->err));
}

/* A variable for each cell of each row after each commit: the paper's baseline. */
static void push_elements(struct symbolic *s, struct sym_row *row, struct sym_view view)
{
    struct sym_view element = { .exists = terms_free_truth(&s->terms) };
    uint16_t width = width_of(s, row);
    struct sym *cells = arena_take(&s->arena, (size_t)width + 1, sizeof *cells);

    symbolic_assert(s, terms_equal(&s->terms, element.exists, view.exists));
    for (uint16_t i = 0; i < width && view.cells; i++)
        cells[i] = sym_element(s, view.cells[i]);
    element.cells = view.cells ? cells : NULL;
    push_version(s, row, TERM_TRUE, element);
}

void symbolic_commit(struct symbolic *s)
{
    struct terms *t = &s->terms;

    for (size_t i = 0; i < s->written.count; i++) {
        struct sym_row *row = &s->rows.at[s->written.at[i]];

        row->own_written = terms_and(t, s->here, row->own_written);
        if (s->mode == RUN_SNAPSHOT)
            require_no_conflict(s, row, row->own_written);
        if (!s->is_by_elements)
            push_version(s, row, row->own_written, row->own);
    }
    for (size_t i = 0; i < s->rows.count && s->is_by_elements; i++) {
        struct sym_row *row = &s->rows.at[i];
        struct sym_view view = see_newest(s, row);

        if (row->own.cells)
            view = merge_views(s, row->own_written, row->own, view, width_of(s, row));
        push_elements(s, row, view);
    }
    symbolic_abandon(s);
}

void symbolic_abandon(struct symbolic *s)
{
    for (size_t i = 0; i < s->written.count; i++)
        s->rows.at[s->written.at[i]].own.cells = NULL;
    s->written.count = 0;
}

void symbolic_put_initial(struct symbolic *s, const struct stored_row *stored)
{
    const struct row_version *first = stored->version_count > 0 ? &stored->versions[0] : NULL;
    uint16_t width = s->tree->schema.tables[stored->table].column_count;
    struct sym *cells = arena_take(&s->arena, (size_t)width + 1, sizeof *cells);
    struct sym_view view = { .exists = TERM_TRUE, .cells = cells };
    uint32_t row;

    if (!first || first->position > 0 || !first->cells)
        return;
    row = symbolic_find_row(s, stored->table, first->cells, true);
    if (row == SYMBOLIC_NO_ROW)
        return;
    for (uint16_t i = 0; i < width; i++)
        cells[i] = sym_of_datum(s, &first->cells[i]);
    s->position = 0;
    if (s->is_by_elements)
        push_elements(s, &s->rows.at[row], view);
    else
        push_version(s, &s->rows.at[row], TERM_TRUE, view);
}
