#include "programs/machine/machine_write_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine_join_private.h"
#include "programs/machine/machine_statement_private.h"

static const struct schema_table *schema_of(const struct machine *m)
{
    return &m->program->tree.schema.tables[machine_write_table(m)];
}

static bool columns_equal(struct schema_columns columns, const struct datum *a, const struct datum *b)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (!datum_equal(&a[columns.at[i]], &b[columns.at[i]]))
            return false;
    return true;
}

/*
 * Constraints, by reads: keys and uniques before a row is written, references
 * after all are. Rows of the same statement are not there yet when keys are
 * looked for, so they are looked through here.
 */

static bool is_delete(const struct machine *m)
{
    return m->statement.query->tree->kind == QUERY_DELETE;
}

static bool is_insert(const struct machine *m)
{
    return m->statement.query->tree->kind == QUERY_INSERT;
}

/* Whether the row was not there before the statement. */
static bool is_new(const struct machine *m, const struct datum *before)
{
    return is_insert(m) && datum_is_null(&before[schema_of(m)->key.at[0]]);
}

static bool has_null(struct schema_columns columns, const struct datum *row)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (datum_is_null(&row[columns.at[i]]))
            return true;
    return false;
}

static enum status ask(struct machine *m, const struct condition *condition,
                       enum read_purpose purpose, struct schema_columns columns,
                       const struct datum *row)
{
    struct machine_statement *s = &m->statement;
    bool is_locked = purpose == READ_INSERT && is_insert(m) &&
                     s->query->tree->as.insert.action == CONFLICT_UPDATE;

    assert(condition->parameter_count == columns.count);
    s->parameters.count = 0;
    TRY(machine_add_rows(m, &s->parameters, columns.count));
    for (uint32_t i = 0; i < columns.count; i++)
        s->parameters.cells[i] = row[columns.at[i]];
    machine_ask_rows(m, condition->table, condition, purpose,
                     is_locked ? ROW_LOCK_UPDATE : ROW_LOCK_NONE);
    return STATUS_OK;
}

static enum status write_conflict(struct machine *m, uint32_t unique, const struct datum *taker);

/* What ON CONFLICT names comes first; -1: nothing, or any. */
static int32_t first_unique(const struct machine *m, const struct datum *before)
{
    const struct insert *insert = &m->statement.query->tree->as.insert;

    if (!is_new(m, before) || insert->action == CONFLICT_ERROR || insert->arbiter == -2)
        return -1;
    return insert->arbiter + 1;
}

/* The unique that is looked at in this step. */
static uint32_t unique_of_step(uint32_t step, int32_t first)
{
    if (first < 0)
        return step;
    if (step == 0)
        return (uint32_t)first;
    return step <= (uint32_t)first ? step - 1 : step;
}

static bool is_taken_within(const struct machine *m, struct schema_columns columns)
{
    const struct machine_statement *s = &m->statement;
    const struct datum *row = rows_at(&s->after, s->after.count - 1);

    for (size_t i = 0; i + 1 < s->after.count; i++)
        if (columns_equal(columns, rows_at(&s->after, i), row))
            return true;
    return false;
}

/* Asks for the next rows that could be in the way of the row just made; *done: there are none. */
static enum status check_next(struct machine *m, bool *done)
{
    struct machine_statement *s = &m->statement;
    const struct table_code *t = &m->program->code->tables[machine_write_table(m)];
    const struct datum *before, *row;

    *done = is_delete(m);
    if (*done)
        return STATUS_OK;
    before = rows_at(&s->before, is_insert(m) ? s->before.count - 1 : s->row);
    row = rows_at(&s->after, s->after.count - 1);
    for (; s->step < t->unique_count; s->step++) {
        uint32_t number = unique_of_step(s->step, first_unique(m, before));
        const struct unique_code *u = &t->uniques[number];
        bool is_first = s->step == 0 && is_new(m, before);

        if ((number == 0 && schema_of(m)->is_numbered) || has_null(u->columns, row) ||
            (!is_new(m, before) && columns_equal(u->columns, before, row)))
            continue;
        if (is_taken_within(m, u->columns))
            return write_conflict(m, number, NULL);
        return ask(m, u->condition, is_first || number == 0 ? READ_INSERT : READ_UNIQUE,
                   u->columns, row);
    }
    *done = true;
    return STATUS_OK;
}

/* Rows of this statement have other values by now, or are the row itself. */
static bool is_changed_already(const struct machine *m, const struct datum *row)
{
    const struct machine_statement *s = &m->statement;
    struct schema_columns key = schema_of(m)->key;

    for (size_t i = 0; i < s->after.count; i++)
        if (columns_equal(key, rows_at(&s->before, i), row))
            return true;
    return false;
}

enum status machine_check_answer(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct table_code *t = &m->program->code->tables[machine_write_table(m)];
    const struct datum *before = rows_at(&s->before, s->after.count - 1);
    uint32_t number = unique_of_step(s->step, first_unique(m, before));
    const struct datum *row = rows_at(&s->after, s->after.count - 1);

    s->step++;
    for (uint32_t i = 0; i < m->answer_count; i++) {
        const struct datum *other = m->answer[i];

        if (columns_equal(t->uniques[number].columns, other, row) && !is_changed_already(m, other))
            return write_conflict(m, number, other);
    }
    return STATUS_OK;
}

/* Whether one of the new rows has what an old one was referred to by. */
static bool is_supplied_within(const struct machine *m, struct schema_columns columns,
                               const struct datum *before)
{
    const struct machine_rows *after = &m->statement.after;

    for (size_t i = 0; i < after->count; i++)
        if (columns_equal(columns, rows_at(after, i), before))
            return true;
    return false;
}

static bool needs_referrers(const struct machine *m, const struct schema_reference *r)
{
    const struct machine_statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, s->row);

    if (r->to != machine_write_table(m) || is_new(m, before) || has_null(r->targets, before))
        return false;
    return is_delete(m) || !is_supplied_within(m, r->targets, before);
}

static bool needs_target(const struct machine *m, const struct schema_reference *r)
{
    const struct machine_statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, s->row), *after;

    if (r->from != machine_write_table(m) || is_delete(m))
        return false;
    after = rows_at(&s->after, s->row);
    if (has_null(r->columns, after))
        return false;
    return is_new(m, before) || !columns_equal(r->columns, before, after);
}

/* Of each row first who refers to it, then whom it refers to: the steps count both. */
static enum status refer_next(struct machine *m, bool *done)
{
    struct machine_statement *s = &m->statement;
    const struct schema *schema = &m->program->tree.schema;
    size_t rows = is_delete(m) ? s->before.count : s->after.count;

    *done = false;
    for (; s->row < rows && schema->reference_count > 0; s->row++, s->step = 0) {
        for (; s->step < 2 * schema->reference_count; s->step++) {
            uint32_t number = s->step % schema->reference_count;
            const struct schema_reference *r = &schema->references[number];
            const struct reference_code *code = &m->program->code->references[number];

            if (s->step < schema->reference_count && needs_referrers(m, r))
                return ask(m, code->referrers, READ_REFERENCE, r->targets,
                           rows_at(&s->before, s->row));
            if (s->step >= schema->reference_count && needs_target(m, r))
                return ask(m, code->targets, READ_REFERENCE, r->columns,
                           rows_at(&s->after, s->row));
        }
    }
    *done = true;
    return STATUS_OK;
}

static enum status refer_answer(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct schema *schema = &m->program->tree.schema;
    const struct schema_reference *r = &schema->references[s->step % schema->reference_count];
    bool is_there = false;

    for (uint32_t i = 0; i < m->answer_count; i++)
        is_there |= condition_matches(&m->request.filter, m->answer[i], &m->scratch);
    if (s->step++ < schema->reference_count) {
        if (is_there)
            return sql_error_set(&m->error, SQLSTATE_FOREIGN_KEY,
                                 "update or delete on table \"%.*s\" violates foreign key "
                                 "constraint \"%.*s\" on table \"%.*s\"",
                                 TEXT_PRINT(schema->tables[r->to].name), TEXT_PRINT(r->name),
                                 TEXT_PRINT(schema->tables[r->from].name));
    } else if (!is_there) {
        return sql_error_set(&m->error, SQLSTATE_FOREIGN_KEY,
                             "insert or update on table \"%.*s\" violates foreign key "
                             "constraint \"%.*s\"",
                             TEXT_PRINT(schema->tables[r->from].name), TEXT_PRINT(r->name));
    }
    return STATUS_OK;
}

static const struct query *query_of(const struct machine *m)
{
    return m->statement.query->tree;
}

uint32_t machine_write_table(const struct machine *m)
{
    const struct query *q = query_of(m);

    return q->kind == QUERY_INSERT   ? q->as.insert.target.table
           : q->kind == QUERY_UPDATE ? q->as.update.target.table
                                     : q->as.delete.target.table;
}

static bool is_inserted(const struct machine *m, const struct datum *before)
{
    return query_of(m)->kind == QUERY_INSERT && datum_is_null(&before[schema_of(m)->key.at[0]]);
}

static enum status refuse_nulls(struct machine *m, const struct datum *row)
{
    const struct schema_table *t = schema_of(m);

    for (uint32_t i = 0; i < t->column_count; i++)
        if (t->columns[i].not_null && datum_is_null(&row[i]))
            return sql_error_set(&m->error, SQLSTATE_NOT_NULL,
                                 "null value in column \"%.*s\" of relation \"%.*s\" violates "
                                 "not-null constraint",
                                 TEXT_PRINT(t->columns[i].name), TEXT_PRINT(t->name));
    return STATUS_OK;
}

/* What the table says of each row: first which columns are not null, then CHECK. */
static enum status refuse_row(struct machine *m, const struct datum *row)
{
    const struct schema_table *t = schema_of(m);
    const struct table_code *code = &m->program->code->tables[machine_write_table(m)];

    TRY(refuse_nulls(m, row));
    for (uint32_t i = 0; i < t->check_count; i++) {
        const struct filter filter = { .condition = code->checks[i] };
        bool holds;

        TRY(condition_evaluate(&filter, row, &m->scratch, &holds, &m->error));
        if (!holds)
            return sql_error_set(&m->error, SQLSTATE_CHECK,
                                 "new row for relation \"%.*s\" violates check constraint "
                                 "\"%.*s\"",
                                 TEXT_PRINT(t->name), TEXT_PRINT(t->checks[i].name));
    }
    return STATUS_OK;
}

/* The row is the old one, but for what is assigned. */
static enum status assign(struct machine *m, struct scope *scope, struct datum *row)
{
    const struct query_code *q = m->statement.query;

    for (uint32_t i = 0; i < q->assignment_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&q->assignments[i].value, scope, &value));
        row[q->assignments[i].column] = *value;
    }
    return STATUS_OK;
}

static void take_assigned(const struct machine *m, struct datum *row)
{
    const struct query_code *q = m->statement.query;
    const struct datum *assigned = rows_at(&m->statement.assigned, m->statement.row);

    for (uint32_t i = 0; i < q->assignment_count; i++)
        row[q->assignments[i].column] = assigned[i];
}

static enum status make_updated(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, s->row);
    struct scope scope;
    struct datum *row;

    TRY(machine_add_row(m, &s->after, &row));
    memcpy(row, before, s->after.width * sizeof *row);
    machine_scope(m, &scope);
    scope.base[PLACE_ROW] = before;
    if (m->statement.query->assigns_early)
        take_assigned(m, row);
    else
        TRY(assign(m, &scope, row));
    return refuse_row(m, row);
}

static enum status make_inserted(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct datum *row, *before;
    struct scope scope;

    TRY(machine_add_row(m, &s->before, &before));
    TRY(machine_add_row(m, &s->after, &row));
    machine_scope(m, &scope);
    for (uint32_t i = 0; i < s->after.width; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&s->query->values[s->row * s->after.width + i], &scope, &value));
        row[i] = *value;
    }
    if (schema_of(m)->is_numbered)
        row[schema_of(m)->key.at[0]] = datum_of_int64(m->row_number++);
    return refuse_row(m, row);
}

static size_t row_count(const struct machine *m)
{
    const struct query *q = query_of(m);

    return q->kind == QUERY_INSERT ? q->as.insert.row_count : m->statement.before.count;
}

static enum status make_row(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    TRY(machine_spend(m, 1));
    s->step = 0;
    s->phase = PHASE_CHECK;
    if (query_of(m)->kind == QUERY_INSERT)
        return make_inserted(m);
    return query_of(m)->kind == QUERY_UPDATE ? make_updated(m) : STATUS_OK;
}

static enum status finish_row(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct scope scope;

    machine_scope(m, &scope);
    scope.base[PLACE_ROW] = query_of(m)->kind == QUERY_DELETE
                                ? rows_at(&s->before, s->row)
                                : rows_at(&s->after, s->after.count - 1);
    TRY(machine_statement_output(m, &scope));
    s->row++;
    s->phase = PHASE_ROW;
    return STATUS_OK;
}

static enum status skip_row(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    s->before.count--;
    s->after.count--;
    s->row++;
    s->phase = PHASE_ROW;
    return STATUS_OK;
}

/* The row that is there takes the place of the one before, and is updated. */
static enum status update_instead(struct machine *m, const struct datum *taker)
{
    struct machine_statement *s = &m->statement;
    struct datum *proposed = rows_at(&s->after, s->after.count - 1);
    struct datum *before = rows_at(&s->before, s->before.count - 1), *row;
    struct scope scope;
    enum status status;

    if (!taker)
        return sql_error_set(&m->error, SQLSTATE_CARDINALITY,
                             "ON CONFLICT DO UPDATE command cannot affect row a second time");
    for (uint32_t i = 0; i < s->before.width; i++)
        TRY(datum_copy(&taker[i], &m->heap, &before[i], &m->error));
    machine_scope(m, &scope);
    scope.base[PLACE_ROW] = before;
    scope.base[PLACE_ROW + 1] = proposed;
    if (query_of(m)->as.insert.conflict_where) {
        const struct datum *truth;

        TRY(code_evaluate_formula(&s->query->conflict_where, &scope, &truth));
        if (!datum_is_true(truth))
            return skip_row(m);
    }
    row = malloc(s->after.width * sizeof *row);
    if (!row)
        return sql_error_no_memory(&m->error);
    memcpy(row, before, s->after.width * sizeof *row);
    status = assign(m, &scope, row);
    if (status == STATUS_OK)
        memcpy(proposed, row, s->after.width * sizeof *row);
    free(row);
    TRY(status);
    s->step = 0;
    return refuse_row(m, proposed);
}

/* Whether ON CONFLICT speaks of this constraint. */
static bool is_arbiter(const struct machine *m, uint32_t unique)
{
    const struct insert *insert = &query_of(m)->as.insert;
    const struct machine_statement *s = &m->statement;

    return query_of(m)->kind == QUERY_INSERT && insert->action != CONFLICT_ERROR &&
           is_inserted(m, rows_at(&s->before, s->before.count - 1)) &&
           (insert->arbiter == -2 || insert->arbiter + 1 == (int32_t)unique);
}

/* A key or unique of the new row is taken: by a row that was there (`taker`), or a new one (NULL). */
static enum status write_conflict(struct machine *m, uint32_t unique, const struct datum *taker)
{
    const struct unique_code *u = &m->program->code->tables[machine_write_table(m)].uniques[unique];

    if (!is_arbiter(m, unique))
        return sql_error_set(&m->error, SQLSTATE_UNIQUE,
                             "duplicate key value violates unique constraint \"%.*s\"",
                             TEXT_PRINT(u->name));
    if (query_of(m)->as.insert.action == CONFLICT_NOTHING)
        return skip_row(m);
    return update_instead(m, taker);
}

static enum status ask_write(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    s->phase = PHASE_WRITE;
    m->is_asking = true;
    m->request = (struct request){
        .kind = REQUEST_WRITE,
        .line = query_of(m)->line,
        .table = machine_write_table(m),
        .statement = query_of(m)->kind,
        .query = query_of(m),
        .ordinal = m->statement_count - 1,
    };
    return STATUS_OK;
}

static enum status advance(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    bool done;

    while (!m->is_asking) {
        switch (s->phase) {
        case PHASE_ROW:
            if (s->row < row_count(m))
                TRY(make_row(m));
            else if (s->affected == 0)
                return machine_statement_finish(m);
            else
                TRY(ask_write(m));
            break;
        case PHASE_CHECK:
            TRY(check_next(m, &done));
            if (done)
                TRY(finish_row(m));
            break;
        case PHASE_REFER:
            TRY(refer_next(m, &done));
            if (done)
                return machine_statement_finish(m);
            break;
        case PHASE_READ:
        case PHASE_WRITE:
            assert(!"a phase that ends with an answer");
        }
    }
    return STATUS_OK;
}

/* Whether which rows are meant is known from the answer to the only read. */
static bool is_simple(const struct query_code *q)
{
    return q->read_count == 1 && q->reads[0].filter_count == 0 && q->select.filter_count == 0 &&
           !q->assigns_early;
}

/* A row that is meant, and what it is set to if that has to be known now. */
static enum status keep_target(struct join_walk *w)
{
    struct machine *m = w->join->m;
    struct machine_statement *s = &m->statement;
    struct datum *assigned;

    TRY(machine_keep_row(m, &s->before, w->scope->base[PLACE_ROW]));
    if (!s->query->assigns_early)
        return STATUS_OK;
    TRY(machine_add_row(m, &s->assigned, &assigned));
    for (uint32_t i = 0; i < s->query->assignment_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&s->query->assignments[i].value, w->scope, &value));
        TRY(datum_copy(value, &m->heap, &assigned[i], &m->error));
    }
    return STATUS_OK;
}

/* All has been read: which rows are meant. */
static enum status find_targets(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct select_code *code = &s->query->select;
    struct scope scope;
    struct join j;
    struct join_walk walk = { .join = &j,
                              .scope = &scope,
                              .path = code->levels,
                              .length = code->level_count,
                              .filters = code->filters,
                              .filter_count = code->filter_count,
                              .found = keep_target };
    enum status status = machine_join_open_all(&j, m);

    machine_scope(m, &scope);
    m->join = &j;
    if (status == STATUS_OK)
        status = machine_join_run(&walk);
    m->join = NULL;
    machine_join_close(&j);
    s->phase = PHASE_ROW;
    return status;
}

/* Its own table comes first, then those of its subqueries. */
static enum status ask_next(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    enum read_purpose purpose = query_of(m)->kind == QUERY_UPDATE ? READ_UPDATE : READ_DELETE;

    for (; s->step < s->query->read_count; s->step++) {
        const struct read_code *read = &s->query->reads[s->step];
        bool is_empty;

        TRY(machine_join_restrict(m, read, &is_empty));
        if (is_empty && s->step == 0)
            break;
        if (is_empty)
            continue;
        if (s->step > 0)
            return machine_statement_read(m, read, READ_SELECT, ROW_LOCK_NONE);
        return machine_statement_read(m, read, purpose, ROW_LOCK_UPDATE);
    }
    TRY(find_targets(m));
    return advance(m);
}

enum status machine_write_begin(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    s->before.width = s->after.width = schema_of(m)->column_count;
    s->assigned.width = s->query->assignment_count;
    if (query_of(m)->kind != QUERY_INSERT && s->is_true)
        return ask_next(m);
    s->phase = PHASE_ROW;
    return advance(m);
}

static enum status keep_answer(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    for (uint32_t i = 0; i < m->answer_count; i++) {
        bool matches;

        TRY(machine_statement_match(m, m->answer[i], &matches));
        if (matches)
            TRY(machine_keep_row(m, &s->before, m->answer[i]));
    }
    s->phase = PHASE_ROW;
    return advance(m);
}

static enum status go_on_reading(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    if (is_simple(s->query))
        return keep_answer(m);
    if (s->step + 1 == s->query->read_count)
        s->has_last = true;
    else
        TRY(machine_join_keep_answer(m, s->step));
    s->step++;
    return ask_next(m);
}

enum status machine_write_go_on(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    TRY(machine_spend(m, m->answer_count));
    switch (s->phase) {
    case PHASE_READ:
        return go_on_reading(m);
    case PHASE_CHECK:
        TRY(machine_check_answer(m));
        break;
    case PHASE_WRITE:
        s->phase = PHASE_REFER;
        s->row = 0;
        s->step = 0;
        break;
    case PHASE_REFER:
        TRY(refer_answer(m));
        break;
    case PHASE_ROW:
        assert(!"a phase that asks nothing");
    }
    return advance(m);
}

static bool changes_key(const struct machine *m, size_t row)
{
    const struct machine_statement *s = &m->statement;

    return !columns_equal(schema_of(m)->key, rows_at(&s->before, row), rows_at(&s->after, row));
}

static bool has_key(const struct machine *m, const struct machine_rows *rows, const struct datum *row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (columns_equal(schema_of(m)->key, rows_at(rows, i), row))
            return true;
    return false;
}

/* A row that moves is removed where it was, unless another one moves there. */
static uint32_t list_change(const struct machine *m, size_t row, struct row_write *to)
{
    const struct machine_statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, row), *after = rows_at(&s->after, row);
    uint32_t count = 0;

    if (is_inserted(m, before)) {
        to[0] = (struct row_write){ .row = after, .is_insert = true };
        return 1;
    }
    if (!changes_key(m, row)) {
        to[0] = (struct row_write){ .row = after };
        return 1;
    }
    if (!has_key(m, &s->after, before))
        to[count++] = (struct row_write){ .row = before, .is_removed = true };
    to[count++] = (struct row_write){ .row = after, .is_insert = !has_key(m, &s->before, after) };
    return count;
}

enum status machine_write_list(struct machine *m, uint32_t *count)
{
    const struct machine_statement *s = &m->statement;
    bool is_delete = query_of(m)->kind == QUERY_DELETE;
    size_t rows = is_delete ? s->before.count : s->after.count;
    struct row_write *writes = realloc(m->writes, (2 * rows + 1) * sizeof *writes);

    if (!writes)
        return sql_error_no_memory(&m->error);
    m->writes = writes;
    *count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (is_delete)
            writes[(*count)++] =
                (struct row_write){ .row = rows_at(&s->before, i), .is_removed = true };
        else
            *count += list_change(m, i, &writes[*count]);
    }
    return STATUS_OK;
}
