#include "audit/guess_private.h"

#include <stdlib.h>
#include <string.h>

#include "audit/programs/used_columns.h"
#include "audit/runner_private.h"
#include "programs/values/datum.h"

#define HEAP_BYTES ((size_t)64 << 20)
#define CELLS_BYTES_MAX ((size_t)256 << 20) /* then nothing more is guessed */
#define PASSES_MAX 8
#define RUNS_PER_TXN 16
#define RUNS_MIN 100000
#define MISSING_ROUNDS 4 /* a row that is there may make a program look for another one */
#define TRIES_MAX 256  /* of one transaction in a pass */
#define LOOKED_MAX 256 /* rows of a transaction that are tried */
#define KEYS_MAX 64    /* of one IN */
#define OLDER_TXNS 256 /* a transaction may have seen what was there so many before it */
#define OLDER_RUNS 32
#define LARGE 1000000  /* enough for who only asks whether there is enough */

/* --- What a run looked for -------------------------------------------------------------------------- */

struct looked {
    uint32_t row; /* of the first rows */
    uint64_t used;
    bool is_insert; /* to see that it is not there */
};

typedef ARRAY(struct looked) looked_list;

/* Before a change, to take it back. */
struct undo {
    uint32_t row;
    struct first_row before;
};

/* A cell that an answer should have had. */
struct expected {
    struct text cell;
    bool is_number; /* what came out instead */
    struct numeric got;
};

struct guess {
    const struct plan *plan;
    struct rows *rows;
    struct runner runner;
    struct first_rows *first;
    struct pace *pace;
    uint64_t runs_max;
    looked_list looked;     /* by the last run */
    looked_list tried;      /* by the run that is to be mended */
    ARRAY(struct expected) expected;
    ARRAY(struct undo) undo; /* each is a commit on top of the others */
    const struct request *answer;
    struct datum key[1600]; /* one that is looked for: only its columns hold */
    struct heap scratch;
    uint64_t best;
    uint32_t tries;
    ARRAY(uint32_t) positions; /* in which each of the transactions before was run */
    bool is_changed;        /* in this pass */
};

static const struct schema_table *table_of(const struct guess *g, uint32_t table)
{
    return &g->first->schema->tables[table];
}

static enum status note_looked(struct guess *g, uint32_t row, uint64_t used, bool is_insert,
                               struct error *err)
{
    for (size_t i = 0; i < g->looked.count; i++)
        if (g->looked.at[i].row == row) {
            g->looked.at[i].used |= used;
            g->looked.at[i].is_insert &= is_insert;
            return STATUS_OK;
        }
    if (g->looked.count >= LOOKED_MAX)
        return STATUS_OK;
    return array_push(&g->looked, ((struct looked){ row, used, is_insert }), err);
}

/* A row with this key was looked for, and was not found. */
static enum status miss(struct guess *g, uint32_t table, const struct datum *key, uint64_t used,
                        bool is_insert, struct error *err)
{
    const struct stored_row *stored = audit_rows_get(g->rows, table, key);
    uint32_t row = first_rows_find(g->first, table, key);

    if (row == FIRST_ROWS_NONE) {
        if (stored && stored->version_count > 0)
            return STATUS_OK;
        TRY(first_rows_add(g->first, table, key, &row, err));
    }
    return note_looked(g, row, used, is_insert, err);
}

/* The keys that a filter names, whole: one, or some of which only the last column differs. */
static enum status miss_keys(struct guess *g, const struct filter *filter, uint64_t used, bool is_insert,
                             struct error *err)
{
    uint32_t table = filter->condition->table;
    const struct schema_table *t = table_of(g, table);
    const struct restriction *set = NULL;
    struct datum *cells = g->key;
    uint16_t open = 0;

    for (uint16_t i = 0; i < t->key.count; i++) {
        uint16_t column = t->key.at[i];

        if (condition_pin(filter, column, &cells[column])) {
            if (datum_is_null(&cells[column]))
                return STATUS_OK;
            continue;
        }
        set = condition_restriction(filter, column);
        open = column;
        if (!set || i + 1 < t->key.count)
            return STATUS_OK;
    }
    if (!set)
        return miss(g, table, cells, used, is_insert, err);
    for (uint32_t i = 0; i < set->value_count && i < KEYS_MAX; i++) {
        cells[open] = set->values[i];
        if (!datum_is_null(&cells[open]))
            TRY(miss(g, table, cells, used, is_insert, err));
    }
    return STATUS_OK;
}

static enum status on_read(void *context, const struct request *request, const struct datum *const *rows,
                           uint32_t count, struct error *err)
{
    struct guess *g = context;
    const struct filter *filter = &request->filter;
    uint32_t table = filter->condition->table;
    const struct schema_table *t = table_of(g, table);
    bool is_insert = request->purpose == READ_INSERT || request->purpose == READ_UNIQUE;
    uint64_t used = 0;

    if (t->is_numbered || t->key.count == 0)
        return STATUS_OK;
    if (request->source != REQUEST_NO_SOURCE)
        used = used_columns_of(request->query, request->source);
    for (uint16_t i = 0; i < filter->condition->columns.count; i++)
        used |= used_bit(filter->condition->columns.at[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = first_rows_find(g->first, table, rows[i]);

        if (row != FIRST_ROWS_NONE)
            TRY(note_looked(g, row, used, is_insert, err));
    }
    return condition_is_empty(filter) ? STATUS_OK : miss_keys(g, filter, used, is_insert, err);
}

static void on_answer(void *context, uint32_t step, enum type_kind type, const struct request *q)
{
    struct guess *g = context;

    (void)step;
    (void)type;
    g->answer = q;
}

/* --- Runs ------------------------------------------------------------------------------------------- */

static bool number_of(const struct datum *d, struct numeric *number)
{
    if (d->kind == DATUM_INTEGER)
        *number = numeric_from_int64(d->as.integer);
    else if (d->kind == DATUM_NUMERIC)
        *number = datum_numeric(d);
    return d->kind == DATUM_INTEGER || d->kind == DATUM_NUMERIC;
}

static enum status expect(struct guess *g, struct text cell, const struct datum *got, uint64_t *right,
                          struct error *err)
{
    struct expected e = { .cell = cell };

    if (compare_cell(&g->runner.compare, got, cell)) {
        ++*right;
        return STATUS_OK;
    }
    e.is_number = number_of(got, &e.got);
    return array_push(&g->expected, e, err);
}

/* How far the last run is right: by answers, then by the cells of the first wrong one. */
static enum status judge(struct guess *g, uint32_t txn, uint64_t *score, struct error *err)
{
    const struct plan_txn *t = &g->plan->txns.at[txn];
    const struct runner *r = &g->runner;
    const struct request *q = g->answer;
    const struct call_answer *a;
    const struct text *cells;
    uint64_t right = 0;

    g->expected.count = 0;
    *score = r->end == RUN_RIGHT ? UINT64_MAX : (uint64_t)(r->step + 1) << 32;
    if (r->end != RUN_WRONG || r->step >= t->logged->answer_count)
        return STATUS_OK;
    a = &g->plan->log->answers.at[t->logged->answer + r->step];
    if (a->kind != CALL_ANSWER_ROWS || a->row_count == 0)
        return STATUS_OK;
    cells = &g->plan->log->cells.at[a->cell];
    if (t->step_count == 0) {
        if (a->row_count == 1 && a->width == 1)
            TRY(expect(g, cells[0], &q->value, &right, err));
    } else if (a->row_count == q->row_count && a->width == q->row_width) {
        for (size_t i = 0; i < (size_t)a->row_count * a->width; i++)
            TRY(expect(g, cells[i], &q->rows[i], &right, err));
        right++;
    }
    *score += right;
    return STATUS_OK;
}

static enum status run(struct guess *g, uint32_t txn, uint64_t *score, struct error *err)
{
    TRY(audit_rows_abandon(g->rows, err));
    g->looked.count = 0;
    g->answer = NULL;
    g->tries++;
    TRY(runner_run(&g->runner, txn, err));
    return judge(g, txn, score, err);
}

/* --- Changes ------------------------------------------------------------------------------------------ */

/* The row is so at first, and now. */
static enum status change(struct guess *g, uint32_t row, const struct first_row *to,
                          const struct datum *now, struct error *err)
{
    struct first_row *r = &g->first->list.at[row];
    struct row_write write = { .row = now ? now : r->cells, .is_removed = !now, .is_insert = now != NULL };

    TRY(array_push(&g->undo, ((struct undo){ row, *r }), err));
    *r = *to;
    TRY(audit_rows_abandon(g->rows, err));
    TRY(audit_rows_write(g->rows, r->table, &write, UINT64_MAX, err));
    return audit_rows_commit(g->rows, err);
}

static enum status take_back(struct guess *g, size_t to, struct error *err)
{
    TRY(audit_rows_abandon(g->rows, err));
    while (g->undo.count > to) {
        const struct undo *u = &g->undo.at[--g->undo.count];

        g->first->list.at[u->row] = u->before;
        TRY(audit_rows_pop(g->rows, NOBODY, err));
    }
    return STATUS_OK;
}

static bool may_go_on(const struct guess *g)
{
    return !g->pace->is_over && g->tries < TRIES_MAX && g->runner.runs < g->runs_max &&
           !g->runner.limit[0];
}

/* What was changed since `from` stays, if that is better than all before. */
static enum status keep_if_better(struct guess *g, uint32_t txn, size_t from, bool *is_better,
                                  struct error *err)
{
    uint64_t score;

    TRY(run(g, txn, &score, err));
    *is_better = score > g->best;
    if (*is_better)
        g->best = score;
    else
        TRY(take_back(g, from, err));
    return STATUS_OK;
}

static const struct datum *cells_now(const struct guess *g, uint32_t row)
{
    const struct first_row *r = &g->first->list.at[row];
    const struct stored_row *stored = audit_rows_get(g->rows, r->table, r->cells);
    const struct row_version *v = stored ? audit_rows_visible(stored, STATE_NEWEST) : NULL;

    return v ? v->cells : NULL;
}

/* `by` is added to a number of this type; false: it does not fit. */
static bool move_number(struct type type, struct numeric by, struct datum *d)
{
    struct numeric from, sum;
    struct sql_error error;
    int64_t integer;

    if (!number_of(d, &from) || numeric_add(from, by, &sum, &error) != STATUS_OK)
        return false;
    if (type.kind == TYPE_NUMERIC) {
        if (type.precision && numeric_fit(sum, type.precision, type.scale, &sum, &error) != STATUS_OK)
            return false;
        *d = datum_of_numeric(sum);
        return true;
    }
    if (!numeric_to_int64(sum, &integer) || numeric_compare(sum, numeric_from_int64(integer)) != 0 ||
        (type.kind == TYPE_SMALLINT && integer != (int16_t)integer) ||
        (type.kind == TYPE_INTEGER && integer != (int32_t)integer))
        return false;
    *d = datum_of_int64(integer);
    return true;
}

/* A change of one column: a number is moved, anything else is set. */
struct move {
    uint16_t column;
    bool is_set;
    struct numeric by;
    struct datum value;
};

static bool is_moved(const struct schema_table *t, const struct move *m, struct datum *cells)
{
    if (m->is_set)
        cells[m->column] = m->value;
    return m->is_set || move_number(t->columns[m->column].type, m->by, &cells[m->column]);
}

static enum status try_move(struct guess *g, uint32_t txn, uint32_t row, const struct move *m,
                            enum fixed fixed, bool *is_better, struct error *err)
{
    const struct first_row before = g->first->list.at[row];
    const struct schema_table *t = table_of(g, before.table);
    const struct datum *now = cells_now(g, row);
    struct first_row after = before;
    struct datum *cells = NULL, *changed = NULL;
    size_t from = g->undo.count;

    *is_better = false;
    if (!before.is_there || !now)
        return STATUS_OK;
    TRY(first_rows_copy(g->first, before.table, before.cells, &cells, err));
    TRY(first_rows_copy(g->first, before.table, now, &changed, err));
    if (!is_moved(t, m, cells) || !is_moved(t, m, changed) ||
        !program_admits_row(g->plan->program, before.table, cells, &g->scratch))
        return STATUS_OK;
    after.cells = cells;
    TRY(change(g, row, &after, changed, err));
    TRY(keep_if_better(g, txn, from, is_better, err));
    if (*is_better)
        g->first->list.at[row].fixed[m->column] = (uint8_t)fixed;
    return STATUS_OK;
}

/* --- Which changes ---------------------------------------------------------------------------------------- */

/* Rows that were looked for come to be there, which alone need not make an answer right. */
static enum status put_missing(struct guess *g, uint32_t txn, bool inserts, bool *is_any, struct error *err)
{
    uint64_t score;

    *is_any = false;
    for (size_t i = 0; i < g->looked.count; i++) {
        uint32_t row = g->looked.at[i].row;
        struct first_row after = g->first->list.at[row];

        if (after.is_there || g->looked.at[i].is_insert != inserts ||
            !program_admits_row(g->plan->program, after.table, after.cells, &g->scratch))
            continue;
        after.is_there = true;
        TRY(change(g, row, &after, after.cells, err));
        *is_any = true;
    }
    if (!*is_any)
        return STATUS_OK;
    TRY(run(g, txn, &score, err));
    g->best = score;
    return STATUS_OK;
}

static enum status try_removals(struct guess *g, uint32_t txn, bool *is_better, struct error *err)
{
    for (size_t i = 0; i < g->tried.count && may_go_on(g); i++) {
        struct first_row after = g->first->list.at[g->tried.at[i].row];
        size_t from = g->undo.count;

        if (!after.is_there || !cells_now(g, g->tried.at[i].row))
            continue;
        after.is_there = false;
        TRY(change(g, g->tried.at[i].row, &after, NULL, err));
        TRY(keep_if_better(g, txn, from, is_better, err));
        if (*is_better)
            return STATUS_OK;
    }
    return STATUS_OK;
}

static bool may_move(const struct guess *g, const struct looked *l, uint16_t column)
{
    const struct first_row *r = &g->first->list.at[l->row];

    return r->is_there && !schema_has_column(table_of(g, r->table)->key, column) &&
           (l->used & used_bit(column));
}

/* Columns of which one may have made the answer. */
static uint32_t count_movable(const struct guess *g, const struct expected *e)
{
    uint32_t count = 0;

    for (size_t i = 0; i < g->tried.count; i++) {
        const struct first_row *r = &g->first->list.at[g->tried.at[i].row];
        const struct schema_table *t = table_of(g, r->table);

        for (uint16_t c = 0; c < t->column_count; c++)
            count += may_move(g, &g->tried.at[i], c) &&
                     type_is_number(t->columns[c].type.kind) == e->is_number;
    }
    return count;
}

/* By how much an answer is off; false: it is no number. */
static bool distance(const struct expected *e, struct numeric *off)
{
    struct numeric wanted;
    struct sql_error error;

    return e->is_number && e->cell.at && numeric_parse(e->cell, &wanted, &error) == STATUS_OK &&
           numeric_subtract(wanted, e->got, off, &error) == STATUS_OK;
}

/* What a column may be set to, so that a cell of the answer comes out. */
static bool value_for(struct guess *g, const struct schema_table *t, uint16_t column, struct text cell,
                      struct datum *value)
{
    const struct type type = t->columns[column].type;
    struct numeric wanted;
    struct sql_error error;

    *value = datum_null();
    if (!cell.at)
        return true;
    if (type.length > 0 && cell.length > type.length)
        return false;
    if (!type_is_number(type.kind))
        return datum_parse(cell, type.kind, &g->first->heap, value, &error) == STATUS_OK;
    *value = type.kind == TYPE_NUMERIC ? datum_of_numeric(numeric_from_int64(0)) : datum_of_int64(0);
    return numeric_parse(cell, &wanted, &error) == STATUS_OK && move_number(type, wanted, value);
}

/* The changes of a column that may make a cell of the answer right. */
static uint32_t moves_for(struct guess *g, const struct schema_table *t, uint16_t column,
                          const struct expected *e, struct move moves[2])
{
    struct numeric off;

    if (type_is_number(t->columns[column].type.kind) && distance(e, &off)) {
        moves[0] = (struct move){ .column = column, .by = off };
        moves[1] = (struct move){ .column = column, .by = numeric_negate(off) };
        return 2;
    }
    moves[0] = (struct move){ .column = column, .is_set = true };
    return value_for(g, t, column, e->cell, &moves[0].value);
}

/* Of the columns that are fixed so. */
static enum status try_columns(struct guess *g, uint32_t txn, const struct expected *e, enum fixed fixed,
                               bool *is_better, struct error *err)
{
    enum fixed how = count_movable(g, e) > 1 ? FIXED_TOGETHER : FIXED_ALONE;

    for (size_t i = 0; i < g->tried.count; i++) {
        uint32_t row = g->tried.at[i].row;
        const struct schema_table *t = table_of(g, g->first->list.at[row].table);

        for (uint16_t c = 0; c < t->column_count; c++) {
            struct move moves[2];
            uint32_t count;

            if (!may_move(g, &g->tried.at[i], c) || g->first->list.at[row].fixed[c] != fixed)
                continue;
            count = moves_for(g, t, c, e, moves);
            for (uint32_t m = 0; m < count && may_go_on(g); m++) {
                TRY(try_move(g, txn, row, &moves[m], how, is_better, err));
                if (*is_better)
                    return STATUS_OK;
            }
        }
    }
    return STATUS_OK;
}

static enum status try_expected(struct guess *g, uint32_t txn, bool *is_better, struct error *err)
{
    ARRAY(struct expected) wanted = { 0 };
    enum status status = array_reserve(&wanted, g->expected.count, err);

    if (status != STATUS_OK)
        return status;
    /* Runs forget what was expected of the one that is to be mended, but not what the cells were. */
    for (size_t i = 0; i < g->expected.count; i++)
        wanted.at[wanted.count++] = g->expected.at[i];
    for (enum fixed f = FIXED_NOT; f <= FIXED_ALONE && status == STATUS_OK && !*is_better; f++)
        for (size_t i = 0; i < wanted.count && status == STATUS_OK && !*is_better && may_go_on(g); i++)
            status = try_columns(g, txn, &wanted.at[i], f, is_better, err);
    array_close(&wanted);
    return status;
}

/* A program that looks whether there is enough answers neither with the number nor with a part of it. */
static enum status try_large(struct guess *g, uint32_t txn, bool *is_better, struct error *err)
{
    for (int sign = 0; sign < 2; sign++)
        for (size_t i = 0; i < g->tried.count; i++) {
            uint32_t row = g->tried.at[i].row;
            const struct schema_table *t = table_of(g, g->first->list.at[row].table);

            for (uint16_t c = 0; c < t->column_count && may_go_on(g); c++) {
                struct move m = { .column = c, .by = numeric_from_int64(sign ? -LARGE : LARGE) };

                if (!may_move(g, &g->tried.at[i], c) || g->first->list.at[row].fixed[c] == FIXED_ALONE ||
                    !type_is_number(t->columns[c].type.kind))
                    continue;
                TRY(try_move(g, txn, row, &m, FIXED_NOT, is_better, err));
                if (*is_better)
                    return STATUS_OK;
            }
        }
    return STATUS_OK;
}

/* --- Passes ---------------------------------------------------------------------------------------------------- */

static enum status remember_tried(struct guess *g, struct error *err)
{
    g->tried.count = 0;
    TRY(array_reserve(&g->tried, g->looked.count, err));
    for (size_t i = 0; i < g->looked.count; i++)
        g->tried.at[g->tried.count++] = g->looked.at[i];
    return STATUS_OK;
}

/* Until the answers are right, or nothing makes them better. */
static enum status mend(struct guess *g, uint32_t txn, struct error *err)
{
    bool goes_on = true;

    g->tries = 0;
    TRY(run(g, txn, &g->best, err));
    for (int i = 0; i < MISSING_ROUNDS && goes_on && g->best != UINT64_MAX; i++)
        TRY(put_missing(g, txn, false, &goes_on, err));
    for (goes_on = true; goes_on && g->best != UINT64_MAX && may_go_on(g);) {
        uint64_t score;

        goes_on = false;
        TRY(run(g, txn, &score, err));
        TRY(remember_tried(g, err));
        TRY(try_expected(g, txn, &goes_on, err));
        if (!goes_on)
            TRY(try_removals(g, txn, &goes_on, err));
        if (!goes_on)
            TRY(try_large(g, txn, &goes_on, err));
        if (!goes_on && g->best >> 32 == score >> 32) {
            TRY(run(g, txn, &score, err));
            TRY(put_missing(g, txn, true, &goes_on, err));
        }
    }
    if (g->best == UINT64_MAX)
        return STATUS_OK;
    return take_back(g, 0, err);
}

/* It may be that the transaction saw an older state. If so, what it has written is pending. */
static enum status run_older(struct guess *g, uint32_t txn, bool *is_right, struct error *err)
{
    struct runner *r = &g->runner;
    struct choice choice = { .state = audit_rows_position(g->rows) };
    size_t before = g->positions.count;
    uint64_t score;

    *is_right = false;
    r->mode = RUN_SNAPSHOT;
    r->tracks = true;
    r->window = (struct run_window){ before > OLDER_TXNS ? g->positions.at[before - OLDER_TXNS] : 0, choice.state };
    r->path = &choice;
    r->path_count = 1;
    for (int i = 0; i < OLDER_RUNS && !*is_right && may_go_on(g); i++) {
        TRY(run(g, txn, &score, err));
        *is_right = score == UINT64_MAX;
        if (r->choices.count == 0 || r->choices.at[0].low <= r->window.floor)
            break;
        choice.state = r->choices.at[0].low - 1;
    }
    r->mode = RUN_AT_PLACE;
    r->tracks = false;
    r->path_count = 0;
    return STATUS_OK;
}

static enum status take(struct guess *g, uint32_t txn, struct error *err)
{
    bool is_right;
    uint64_t score;

    g->undo.count = 0;
    g->tries = 0;
    TRY(run(g, txn, &g->best, err));
    is_right = g->best == UINT64_MAX || g->plan->txns.at[txn].is_unknown;
    if (!is_right)
        TRY(run_older(g, txn, &is_right, err));
    if (!is_right) {
        TRY(mend(g, txn, err));
        g->is_changed |= g->undo.count > 0;
        TRY(run(g, txn, &score, err));
    }
    /* Of a wrong one it is known only as far as it was run what it did. */
    if (g->runner.end == RUN_FAILED)
        TRY(audit_rows_abandon(g->rows, err));
    TRY(array_push(&g->positions, audit_rows_position(g->rows), err));
    return audit_rows_commit(g->rows, err);
}

static enum status pass(struct guess *g, const uint32_t *order, uint32_t count, struct error *err)
{
    audit_rows_close(g->rows);
    g->rows = NULL;
    TRY(audit_rows_open(&g->rows, g->plan->program, g->plan->is_called, err));
    TRY(first_rows_put(g->first, g->rows, err));
    g->runner.rows = g->rows;
    g->positions.count = 0;
    g->is_changed = false;
    for (uint32_t i = 0; i < count && pace_spend(g->pace, 256); i++) {
        TRY(take(g, order[i], err));
        if (g->runner.limit[0] || g->runner.runs >= g->runs_max || g->first->heap.held_bytes > CELLS_BYTES_MAX)
            break;
    }
    return STATUS_OK;
}

enum status guess_rows(struct first_rows *f, const struct plan *plan, const uint32_t *order,
                             uint32_t count, struct pace *pace, uint64_t *runs, struct error *err)
{
    struct guess g = { .plan = plan, .first = f, .pace = pace };
    enum status status;

    heap_init(&g.scratch, HEAP_BYTES);
    g.runs_max = (uint64_t)count * RUNS_PER_TXN + RUNS_MIN;
    status = runner_open(&g.runner, plan, NULL, RUN_AT_PLACE, err);
    g.runner.listener = on_answer;
    g.runner.read_listener = on_read;
    g.runner.context = &g;
    for (int i = 0; i < PASSES_MAX && status == STATUS_OK && (i == 0 || g.is_changed); i++)
        status = pass(&g, order, count, err);
    audit_rows_close(g.rows);
    if (status == STATUS_OK)
        status = first_rows_drop_twins(f, err);
    *runs += g.runner.runs;
    runner_close(&g.runner);
    array_close(&g.looked);
    array_close(&g.tried);
    array_close(&g.expected);
    array_close(&g.undo);
    array_close(&g.positions);
    heap_close(&g.scratch);
    return status;
}
