#include "programs/machine/machine_private.h"

#include <assert.h>
#include <string.h>

enum status statement_begin(struct machine *m, const struct query_code *q, bool is_true)
{
    struct statement *s = &m->statement;

    s->query = q;
    s->is_true = is_true;
    s->phase = PHASE_READ;
    s->row = s->affected = 0;
    s->step = 0;
    s->limit = INT64_MAX;
    s->outputs.width = q->output_count;
    return q->tree->kind == QUERY_SELECT ? select_begin(m) : write_begin(m);
}

enum status statement_go_on(struct machine *m)
{
    return m->statement.query->tree->kind == QUERY_SELECT ? select_go_on(m) : write_go_on(m);
}

enum status statement_read(struct machine *m, const struct read_code *r, enum read_purpose purpose,
                           enum row_lock lock)
{
    struct statement *s = &m->statement;
    struct scope scope;

    s->parameters.count = 0;
    machine_scope(m, &scope);
    TRY(machine_add_rows(m, &s->parameters, r->condition->parameter_count));
    for (uint32_t i = 0; i < r->condition->parameter_count; i++)
        s->parameters.cells[i] = *code_operand(&scope, r->parameters[i]);
    machine_ask_rows(m, r->table, r->condition, purpose, lock);
    return STATUS_OK;
}

enum status statement_match(struct machine *m, const struct datum *row, bool *matches)
{
    return filter_evaluate(&m->request.filter, row, &m->scratch, matches, &m->error);
}

enum status statement_output(struct machine *m, struct scope *scope)
{
    struct statement *s = &m->statement;
    bool is_kept = s->query->use != QUERY_USE_FOUND;
    struct datum *row = NULL;

    s->affected++;
    if (is_kept)
        TRY(machine_add_row(m, &s->outputs, &row));
    for (uint32_t i = 0; i < s->query->output_count; i++) {
        const struct datum *value;

        TRY(formula_evaluate(&s->query->outputs[i], scope, &value));
        if (is_kept)
            TRY(datum_copy(value, &m->heap, &row[i], &m->error));
    }
    return STATUS_OK;
}

static enum status refuse_count(struct machine *m)
{
    const struct statement *s = &m->statement;
    size_t count = s->outputs.count;

    if (count == 0 && s->query->use == QUERY_USE_ONE)
        return sql_error_set(&m->error, SQLSTATE_NO_DATA, "query returned no rows");
    if (count > 1 && (s->query->use == QUERY_USE_ONE || s->query->tree->kind != QUERY_SELECT))
        return sql_error_set(&m->error, SQLSTATE_TOO_MANY_ROWS,
                             "query returned more than one row");
    return STATUS_OK;
}

static void give_first(struct machine *m)
{
    struct statement *s = &m->statement;
    struct datum *to = machine_slots(m) + s->query->to;
    size_t bytes = s->query->output_count * sizeof *to;

    if (bytes == 0)
        return;
    if (s->outputs.count > 0)
        memcpy(to, s->outputs.cells, bytes);
    else
        memset(to, 0, bytes);
}

enum status statement_finish(struct machine *m)
{
    struct statement *s = &m->statement;
    const struct query_code *q = s->query;
    struct datum *slots = machine_slots(m);

    /* Whatever points into an answer is in these. */
    if (q->scratch_end > q->scratch)
        memset(slots + q->scratch, 0, (q->scratch_end - q->scratch) * sizeof *slots);
    if (q->use == QUERY_USE_ALL) {
        TRY(machine_push_result(m, &s->outputs));
    } else {
        if (q->use != QUERY_USE_FOUND) {
            TRY(refuse_count(m));
            give_first(m);
        }
        slots[q->found] = datum_of_bool(s->affected > 0);
    }
    statement_drop(m);
    return STATUS_OK;
}

void statement_drop(struct machine *m)
{
    struct statement *s = &m->statement;

    machine_drop_rows(m, &s->parameters);
    machine_drop_rows(m, &s->values);
    for (uint32_t i = 0; i < SOURCES_MAX; i++)
        machine_drop_rows(m, &s->inputs[i]);
    machine_drop_rows(m, &s->before);
    machine_drop_rows(m, &s->after);
    machine_drop_rows(m, &s->outputs);
    s->restricted_count = 0;
    s->query = NULL;
}
