#include "programs/machine/machine_statement_private.h"
#include "programs/machine/machine_select_private.h"
#include "programs/machine/machine_write_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status machine_statement_begin(struct machine *m, const struct query_code *q, bool is_true)
{
    struct machine_statement *s = &m->statement;

    s->query = q;
    s->is_true = is_true;
    s->phase = PHASE_READ;
    s->row = s->affected = 0;
    s->step = 0;
    s->limit = INT64_MAX;
    s->outputs.width = q->output_count;
    m->statement_count += q->tree->kind != QUERY_SELECT || q->read_count > 0;
    return q->tree->kind == QUERY_SELECT ? machine_select_begin(m) : machine_write_begin(m);
}

enum status machine_statement_go_on(struct machine *m)
{
    return m->statement.query->tree->kind == QUERY_SELECT ? machine_select_go_on(m) : machine_write_go_on(m);
}

enum status machine_statement_read(struct machine *m, const struct read_code *r, enum read_purpose purpose,
                                   enum row_lock lock)
{
    struct machine_statement *s = &m->statement;
    struct scope scope;

    s->parameters.count = 0;
    machine_scope(m, &scope);
    TRY(machine_add_rows(m, &s->parameters, r->condition->parameter_count));
    for (uint32_t i = 0; i < r->condition->parameter_count; i++)
        s->parameters.cells[i] = *code_operand(&scope, r->parameters[i]);
    machine_ask_rows(m, r->table, r->condition, purpose, lock);
    m->request.source = r->source;
    return STATUS_OK;
}

enum status machine_statement_match(struct machine *m, const struct datum *row, bool *matches)
{
    return condition_evaluate(&m->request.filter, row, &m->scratch, matches, &m->error);
}

enum status machine_statement_output(struct machine *m, struct scope *scope)
{
    struct machine_statement *s = &m->statement;
    bool is_kept = s->query->use != QUERY_USE_FOUND;
    struct datum *row = NULL;

    s->affected++;
    if (is_kept)
        TRY(machine_add_row(m, &s->outputs, &row));
    for (uint32_t i = 0; i < s->query->output_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&s->query->outputs[i], scope, &value));
        if (is_kept)
            TRY(datum_copy(value, &m->heap, &row[i], &m->error));
    }
    return STATUS_OK;
}

static enum status refuse_count(struct machine *m)
{
    const struct machine_statement *s = &m->statement;
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
    struct machine_statement *s = &m->statement;
    struct datum *to = machine_slots(m) + s->query->to;
    size_t bytes = s->query->output_count * sizeof *to;

    if (bytes == 0)
        return;
    if (s->outputs.count > 0)
        memcpy(to, s->outputs.cells, bytes);
    else
        memset(to, 0, bytes);
}

static enum status machine_push_result(struct machine *, struct machine_rows *);

enum status machine_statement_finish(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct query_code *q = s->query;
    struct datum *slots = machine_slots(m);

    m->affected = s->affected;
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
    machine_statement_drop(m);
    return STATUS_OK;
}

void machine_statement_drop(struct machine *m)
{
    struct machine_statement *s = &m->statement;

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

#define CELLS_MIN 8
#define CELLS_LITTLE 64 /* what rows keep while they are empty */

static enum status grow(struct machine *m, struct machine_rows *rows, size_t cells)
{
    size_t room = rows->room + rows->room / 2, bytes;
    void *at;

    if (room < cells)
        room = cells;
    if (room < CELLS_MIN)
        room = CELLS_MIN;
    bytes = (room - rows->room) * sizeof *rows->cells;
    if (room > m->bytes_max / sizeof *rows->cells || bytes > m->bytes_max - m->row_bytes)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    at = realloc(rows->cells, room * sizeof *rows->cells);
    if (!at)
        return sql_error_no_memory(&m->error);
    rows->cells = at;
    rows->room = room;
    m->row_bytes += bytes;
    return STATUS_OK;
}

enum status machine_add_rows(struct machine *m, struct machine_rows *rows, size_t count)
{
    size_t used = rows->count * rows->width, more = count * rows->width;

    if (more > rows->room - used)
        TRY(grow(m, rows, used + more));
    if (more > 0)
        memset(rows->cells + used, 0, more * sizeof *rows->cells);
    rows->count += count;
    return STATUS_OK;
}

enum status machine_add_row(struct machine *m, struct machine_rows *rows, struct datum **row)
{
    TRY(machine_add_rows(m, rows, 1));
    *row = rows_at(rows, rows->count - 1);
    return STATUS_OK;
}

enum status machine_keep_row(struct machine *m, struct machine_rows *rows, const struct datum *from)
{
    struct datum *to;

    TRY(machine_add_row(m, rows, &to));
    for (uint32_t i = 0; i < rows->width; i++)
        TRY(datum_copy(&from[i], &m->heap, &to[i], &m->error));
    return STATUS_OK;
}

void machine_drop_rows(struct machine *m, struct machine_rows *rows)
{
    rows->count = 0;
    if (rows->room <= CELLS_LITTLE)
        return;
    m->row_bytes -= rows->room * sizeof *rows->cells;
    free(rows->cells);
    *rows = (struct machine_rows){ .width = rows->width };
}

enum status machine_move_rows(struct machine_rows *rows, struct heap *heap, struct sql_error *err)
{
    size_t cells = rows->count * rows->width;

    for (size_t i = 0; i < cells; i++)
        TRY(datum_copy(&rows->cells[i], heap, &rows->cells[i], err));
    return STATUS_OK;
}

/* Takes the rows away from where they are, for STEP_NEXT. */
static enum status machine_push_result(struct machine *m, struct machine_rows *rows)
{
    if (m->result_count == m->result_room) {
        uint32_t room = m->result_room ? 2 * m->result_room : 4;
        void *at = realloc(m->results, room * sizeof *m->results);

        if (!at)
            return sql_error_no_memory(&m->error);
        m->results = at;
        m->result_room = room;
    }
    m->results[m->result_count++] = (struct result){ *rows, 0 };
    *rows = (struct machine_rows){ .width = rows->width };
    return STATUS_OK;
}

void machine_drop_results(struct machine *m, uint32_t count)
{
    while (m->result_count > count) {
        struct machine_rows *rows = &m->results[--m->result_count].rows;

        m->row_bytes -= rows->room * sizeof *rows->cells;
        free(rows->cells);
    }
}
