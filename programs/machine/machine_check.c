/*
 * Constraints, by reads: keys and uniques before a row is written, references
 * after all are. Rows of the same statement are not there yet when keys are
 * looked for, so they are looked through here.
 */
#include "programs/machine/machine_private.h"

#include <assert.h>

static const struct schema *schema_of(const struct machine *m)
{
    return &m->program->tree.schema;
}

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
    return is_insert(m) && datum_is_null(&before[schema_of(m)->tables[write_table(m)].key.at[0]]);
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
    struct statement *s = &m->statement;
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
    const struct statement *s = &m->statement;
    const struct datum *row = rows_at(&s->after, s->after.count - 1);

    for (size_t i = 0; i + 1 < s->after.count; i++)
        if (columns_equal(columns, rows_at(&s->after, i), row))
            return true;
    return false;
}

enum status check_next(struct machine *m, bool *done)
{
    struct statement *s = &m->statement;
    const struct table_code *t = &m->program->code->tables[write_table(m)];
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

        if (has_null(u->columns, row) ||
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
    const struct statement *s = &m->statement;
    struct schema_columns key = schema_of(m)->tables[write_table(m)].key;

    for (size_t i = 0; i < s->after.count; i++)
        if (columns_equal(key, rows_at(&s->before, i), row))
            return true;
    return false;
}

enum status check_answer(struct machine *m)
{
    struct statement *s = &m->statement;
    const struct table_code *t = &m->program->code->tables[write_table(m)];
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
    const struct rows *after = &m->statement.after;

    for (size_t i = 0; i < after->count; i++)
        if (columns_equal(columns, rows_at(after, i), before))
            return true;
    return false;
}

static bool needs_referrers(const struct machine *m, const struct schema_reference *r)
{
    const struct statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, s->row);

    if (r->to != write_table(m) || is_new(m, before) || has_null(r->targets, before))
        return false;
    return is_delete(m) || !is_supplied_within(m, r->targets, before);
}

static bool needs_target(const struct machine *m, const struct schema_reference *r)
{
    const struct statement *s = &m->statement;
    const struct datum *before = rows_at(&s->before, s->row), *after;

    if (r->from != write_table(m) || is_delete(m))
        return false;
    after = rows_at(&s->after, s->row);
    if (has_null(r->columns, after))
        return false;
    return is_new(m, before) || !columns_equal(r->columns, before, after);
}

/* Of each row first who refers to it, then whom it refers to: the steps count both. */
enum status refer_next(struct machine *m, bool *done)
{
    struct statement *s = &m->statement;
    const struct schema *schema = schema_of(m);
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

enum status refer_answer(struct machine *m)
{
    struct statement *s = &m->statement;
    const struct schema *schema = schema_of(m);
    const struct schema_reference *r = &schema->references[s->step % schema->reference_count];
    bool is_there = false;

    for (uint32_t i = 0; i < m->answer_count; i++)
        is_there |= filter_matches(&m->request.filter, m->answer[i], &m->scratch);
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
