#include "programs/machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct select *select_of(const struct machine *m)
{
    return &m->statement.query->tree->as.select;
}

static enum status note_limit(struct machine *m)
{
    struct statement *s = &m->statement;
    const struct datum *limit;
    struct scope scope;

    machine_scope(m, &scope);
    limit = code_operand(&scope, s->query->limit);
    if (datum_is_null(limit))
        return STATUS_OK;
    if (limit->as.integer < 0)
        return sql_error_set(&m->error, SQLSTATE_ROW_COUNT, "LIMIT must not be negative");
    s->limit = limit->as.integer;
    return STATUS_OK;
}

bool select_has_enough(const struct machine *m)
{
    const struct statement *s = &m->statement;
    size_t wanted = s->query->use == QUERY_USE_FIRST ? 1
                    : s->query->use == QUERY_USE_ONE ? 2
                                                     : SIZE_MAX;

    return s->affected >= wanted || (uint64_t)s->affected >= (uint64_t)s->limit;
}

/* All has been read, or nothing had to be: `is_empty`. */
static enum status finish(struct machine *m, bool is_empty)
{
    const struct query_code *q = m->statement.query;
    bool is_plain = !select_of(m)->aggregates && q->order_count == 0;
    struct tuples tuples = { .width = q->read_count };
    enum status status = STATUS_OK;

    if (is_plain) {
        if (!is_empty)
            TRY(join_run(m, NULL));
        return statement_finish(m);
    }
    if (!is_empty)
        status = join_run(m, &tuples);
    if (status == STATUS_OK)
        status = group_run(m, &tuples);
    array_close(&tuples.at);
    TRY(status);
    return statement_finish(m);
}

static int compare_values(const void *a, const void *b)
{
    return datum_compare(a, b);
}

/* The values that a join's other side has in the tuples so far. */
static enum status collect_values(struct machine *m, const struct join_code *join,
                                  const struct tuples *tuples, struct restricted *restricted)
{
    struct statement *s = &m->statement;
    struct datum *first;
    struct scope scope;
    size_t count = 0;

    restricted->column = join->column;
    restricted->first = s->values.count;
    TRY(machine_add_rows(m, &s->values, tuples->count));
    machine_scope(m, &scope);
    first = tuples->count > 0 ? s->values.cells + restricted->first : NULL;
    for (size_t i = 0; i < tuples->count; i++) {
        const struct datum *value;

        join_aim(m, &scope, tuples->at.at + i * tuples->width);
        TRY(formula_evaluate(&join->value, &scope, &value));
        if (!datum_is_null(value))
            first[count++] = *value;
    }
    if (count > 1)
        qsort(first, count, sizeof *first, compare_values);
    restricted->count = count > 0;
    for (size_t i = 1; i < count; i++)
        if (datum_compare(&first[restricted->count - 1], &first[i]) != 0)
            first[restricted->count++] = first[i];
    s->values.count = restricted->first + restricted->count;
    return STATUS_OK;
}

static enum status restrict_next(struct machine *m, bool *is_empty)
{
    struct statement *s = &m->statement;
    const struct read_code *next = &s->query->reads[s->step];
    struct tuples tuples = { .width = s->query->read_count };
    enum status status = STATUS_OK;

    s->values.count = 0;
    s->restricted_count = 0;
    *is_empty = false;
    if (next->join_count > 0)
        status = join_run(m, &tuples);
    for (uint32_t i = 0; i < next->join_count && i < RESTRICTIONS_MAX && status == STATUS_OK; i++) {
        struct restricted *restricted = &s->restricted[s->restricted_count++];

        status = collect_values(m, &next->joins[i], &tuples, restricted);
        *is_empty |= restricted->count == 0;
    }
    array_close(&tuples.at);
    return status;
}

static enum status ask(struct machine *m)
{
    struct statement *s = &m->statement;
    bool is_empty;

    TRY(restrict_next(m, &is_empty));
    if (is_empty)
        return finish(m, true);
    return statement_read(m, &s->query->reads[s->step], READ_SELECT, select_of(m)->lock);
}

enum status select_begin(struct machine *m)
{
    TRY(note_limit(m));
    if (!m->statement.is_true || m->statement.query->read_count == 0)
        return finish(m, !m->statement.is_true);
    return ask(m);
}

/* Rows of all but the last read are kept; those are used where they are. */
static enum status keep_answer(struct machine *m)
{
    struct statement *s = &m->statement;
    struct rows *input = &s->inputs[s->step];
    uint32_t table = s->query->reads[s->step].table;

    input->width = m->program->tree.schema.tables[table].column_count;
    for (uint32_t i = 0; i < m->answer_count; i++) {
        bool matches;

        TRY(statement_match(m, m->answer[i], &matches));
        if (matches)
            TRY(machine_keep_row(m, input, m->answer[i]));
    }
    return STATUS_OK;
}

enum status select_go_on(struct machine *m)
{
    struct statement *s = &m->statement;

    TRY(machine_spend(m, m->answer_count));
    if (s->step + 1 == s->query->read_count) {
        s->step++;
        return finish(m, false);
    }
    TRY(keep_answer(m));
    s->step++;
    return ask(m);
}
