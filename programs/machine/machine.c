#include "programs/machine/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine_private.h"

#define COLLECT_BYTES_MIN ((size_t)64 << 10)
#define STEPS_OF_REQUEST 50
#define BYTES_OF_STEP 4 /* of rows that are written */

enum status machine_open(struct machine **out, const struct program *program, uint64_t steps_max,
                         size_t bytes_max, struct error *err)
{
    struct machine *m = calloc(1, sizeof *m);

    if (!m)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a machine");
    m->program = program;
    m->steps_max = steps_max;
    m->bytes_max = bytes_max;
    m->stack.width = m->statement.parameters.width = m->statement.values.width = 1;
    heap_init(&m->heap, bytes_max);
    heap_init(&m->scratch, bytes_max);
    *out = m;
    return STATUS_OK;
}

/* Every rows that a machine has, but for results'. */
static struct rows *rows_of(struct machine *m, uint32_t index)
{
    struct statement *s = &m->statement;
    struct rows *fixed[] = { &m->stack, &s->parameters, &s->values,
                             &s->before, &s->after,     &s->outputs };
    uint32_t fixed_count = sizeof fixed / sizeof *fixed;

    if (index < fixed_count)
        return fixed[index];
    return index - fixed_count < SOURCES_MAX ? &s->inputs[index - fixed_count] : NULL;
}

void machine_close(struct machine *m)
{
    struct rows *rows;

    if (!m)
        return;
    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        free(rows->cells);
    machine_drop_results(m, 0);
    free(m->results);
    free(m->writes);
    heap_close(&m->heap);
    heap_close(&m->scratch);
    free(m);
}

/* Nothing is left to go on with. */
static void fail(struct machine *m, uint32_t line)
{
    statement_drop(m);
    machine_drop_results(m, 0);
    machine_drop_rows(m, &m->stack);
    m->is_done = true;
    m->is_asking = false;
    m->request = (struct request){
        .kind = REQUEST_FAILED,
        .line = line,
        .sqlstate = m->error.sqlstate,
        .message = m->error.text,
    };
}

void machine_start(struct machine *m, uint32_t function, const struct datum *arguments)
{
    assert(function < m->program->tree.function_count);
    statement_drop(m);
    machine_drop_results(m, 0);
    machine_drop_rows(m, &m->stack);
    heap_reset(&m->heap);
    m->frame_count = 0;
    m->steps_left = m->steps_max;
    m->collect_bytes = COLLECT_BYTES_MIN;
    m->is_asking = m->is_answered = m->is_done = false;
    m->line = m->program->tree.functions[function].line;
    if (machine_push_frame(m, function, arguments, 0) != STATUS_OK)
        fail(m, m->line);
}

enum status machine_spend(struct machine *m, uint64_t steps)
{
    if (steps > m->steps_left)
        return sql_error_set(&m->error, SQLSTATE_CANCELED,
                             "canceling statement: the call takes more than %llu steps",
                             (unsigned long long)m->steps_max);
    m->steps_left -= steps;
    return STATUS_OK;
}

struct datum *machine_slots(struct machine *m)
{
    return m->stack.cells + m->frames[m->frame_count - 1].slot;
}

void machine_scope(struct machine *m, struct scope *scope)
{
    uint32_t function = m->frames[m->frame_count - 1].function;

    scope->slots = machine_slots(m);
    scope->base[PLACE_SLOT] = scope->slots;
    scope->base[PLACE_CONSTANT] = m->program->code->functions[function].constants;
    scope->heap = &m->heap;
    scope->error = &m->error;
}

void machine_ask_rows(struct machine *m, uint32_t table, const struct condition *condition,
                      enum read_purpose purpose, enum row_lock lock)
{
    m->is_asking = true;
    m->request = (struct request){
        .kind = REQUEST_READ,
        .line = m->statement.query->tree->line,
        .table = table,
        .purpose = purpose,
        .lock = lock,
        .filter.condition = condition,
    };
}

static void aim_filter(struct machine *m)
{
    const struct statement *s = &m->statement;

    for (uint32_t i = 0; i < s->restricted_count; i++)
        m->restrictions[i] = (struct restriction){
            .column = s->restricted[i].column,
            .values = s->values.cells + s->restricted[i].first,
            .value_count = (uint32_t)s->restricted[i].count,
        };
    m->request.filter.parameters = s->parameters.cells;
    m->request.filter.restrictions = m->restrictions;
    m->request.filter.restriction_count = s->restricted_count;
}

/* What is left of the results is what a single statement gave. */
static void aim_returned(struct machine *m)
{
    m->request.value = m->stack.cells[0];
    if (m->result_count == 0)
        return;
    m->request.rows = m->results[0].rows.cells;
    m->request.row_count = (uint32_t)m->results[0].rows.count;
    m->request.row_width = m->results[0].rows.width;
}

enum status machine_aim_request(struct machine *m)
{
    switch (m->request.kind) {
    case REQUEST_READ:
        aim_filter(m);
        break;
    case REQUEST_WRITE:
        TRY(write_list(m, &m->request.write_count));
        m->request.writes = m->writes;
        break;
    case REQUEST_RETURNED:
        aim_returned(m);
        break;
    case REQUEST_FAILED:
        m->request.sqlstate = m->error.sqlstate;
        m->request.message = m->error.text;
        break;
    }
    return STATUS_OK;
}

static uint64_t bytes_of_row(const struct datum *row, uint32_t width)
{
    uint64_t bytes = width * sizeof *row;

    for (uint32_t i = 0; i < width; i++)
        if (row[i].kind == DATUM_TEXT)
            bytes += row[i].length;
        else if (row[i].kind == DATUM_ARRAY)
            bytes += row[i].length * sizeof *row[i].as.array.at;
    return bytes;
}

/*
 * A request is far more work, for whoever does it, than a step is here, and what is written stays.
 * So endless loops of them end before they have filled the memory.
 */
static enum status spend_on_request(struct machine *m)
{
    uint32_t width = m->program->tree.schema.tables[m->request.table].column_count;
    uint64_t steps = STEPS_OF_REQUEST;

    if (m->request.kind == REQUEST_WRITE)
        for (uint32_t i = 0; i < m->request.write_count; i++)
            steps += bytes_of_row(m->request.writes[i].row, width) / BYTES_OF_STEP;
    return machine_spend(m, steps);
}

const struct request *machine_run(struct machine *m)
{
    enum status status = STATUS_OK;

    if (m->is_done)
        return &m->request;
    assert(m->is_asking == m->is_answered);
    if (m->is_asking) {
        m->is_asking = m->is_answered = false;
        m->line = m->statement.query->tree->line;
        status = statement_go_on(m);
    }
    while (status == STATUS_OK && !m->is_asking && !m->is_done)
        status = machine_step(m);
    if (status == STATUS_OK)
        status = machine_aim_request(m);
    if (status == STATUS_OK && m->is_asking)
        status = spend_on_request(m);
    if (status != STATUS_OK)
        fail(m, m->line);
    return &m->request;
}

const struct request *machine_request(const struct machine *m)
{
    assert(m->is_asking || m->is_done);
    return &m->request;
}

void machine_answer_rows(struct machine *m, const struct datum *const *rows, uint32_t count)
{
    assert(m->is_asking && m->request.kind == REQUEST_READ);
    m->answer = rows;
    m->answer_count = count;
    m->is_answered = true;
}

void machine_answer_written(struct machine *m)
{
    assert(m->is_asking && m->request.kind == REQUEST_WRITE);
    m->answer_count = 0;
    m->is_answered = true;
}

void machine_charge(struct machine *m, uint64_t steps)
{
    m->steps_left -= steps < m->steps_left ? steps : m->steps_left;
}

static enum status copy_rows(struct rows *rows, struct heap *heap, struct sql_error *err)
{
    size_t cells = rows->count * rows->width;
    struct datum *at = malloc((cells ? cells : 1) * sizeof *at);

    if (!at)
        return sql_error_set(err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    if (cells > 0)
        memcpy(at, rows->cells, cells * sizeof *at);
    rows->cells = at;
    rows->room = cells;
    return rows_move(rows, heap, err);
}

/* Nothing of the original is left in it: so it can be closed, whatever fails after this. */
static enum status forget_original(struct machine *m)
{
    struct rows *rows;

    heap_init(&m->heap, m->bytes_max);
    heap_init(&m->scratch, m->bytes_max);
    m->writes = NULL;
    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        *rows = (struct rows){ .width = rows->width };
    m->results = calloc(m->result_count + 1, sizeof *m->results);
    m->result_room = m->results ? m->result_count + 1 : 0;
    m->result_count = 0;
    m->row_bytes = 0;
    return m->results ? STATUS_OK : STATUS_OVER_LIMIT;
}

static enum status take_over(struct machine *m, struct rows *rows, const struct rows *from)
{
    *rows = *from;
    rows->cells = NULL;
    rows->room = 0;
    if (from->count == 0)
        return STATUS_OK;
    rows->cells = from->cells;
    TRY(copy_rows(rows, &m->heap, &m->error));
    m->row_bytes += rows->room * sizeof *rows->cells;
    return STATUS_OK;
}

static enum status take_over_all(struct machine *m, const struct machine *from)
{
    struct machine *original = (struct machine *)from; /* only to find its rows */
    struct rows *rows;

    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        TRY(take_over(m, rows, rows_of(original, i)));
    for (uint32_t i = 0; i < from->result_count; i++) {
        struct result *result = &m->results[m->result_count];

        result->next = from->results[i].next;
        TRY(take_over(m, &result->rows, &from->results[i].rows));
        m->result_count++;
    }
    return machine_aim_request(m);
}

enum status machine_copy(struct machine **out, const struct machine *from, struct error *err)
{
    struct machine *m = malloc(sizeof *m);
    enum status status = STATUS_OVER_LIMIT;

    if (m) {
        *m = *from;
        status = forget_original(m);
    }
    if (status == STATUS_OK)
        status = take_over_all(m, from);
    if (status != STATUS_OK) {
        machine_close(m);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a copy of a machine");
    }
    *out = m;
    return STATUS_OK;
}

size_t machine_bytes(const struct machine *m)
{
    return sizeof *m + m->row_bytes + m->heap.held_bytes + m->scratch.held_bytes +
           m->result_room * sizeof *m->results;
}
