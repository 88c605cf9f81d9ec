#include "programs/machine/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine_cursor_private.h"
#include "programs/machine/machine_select_private.h"
#include "programs/machine/machine_statement_private.h"
#include "programs/machine/machine_write_private.h"

#define COLLECT_BYTES_MIN ((size_t)64 << 10)
#define STEPS_OF_REQUEST 50
#define BYTES_OF_STEP 4 /* of rows that are written */
#define WORK_OF_STEP 64 /* bytes of texts and arrays that are made */

enum status machine_open(struct machine **out, const struct program *program, uint64_t steps_max,
                         size_t bytes_max, struct error *err)
{
    struct machine *m = calloc(1, sizeof *m);

    if (!m)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a machine");
    m->program = program;
    m->steps_max = steps_max;
    m->bytes_max = bytes_max;
    m->row_number = schema_first_row(0);
    m->last_sequence = UINT32_MAX;
    m->stack.width = m->statement.parameters.width = m->statement.values.width = 1;
    heap_init(&m->heap, bytes_max);
    heap_init(&m->scratch, bytes_max);
    *out = m;
    return STATUS_OK;
}

/* Every rows that a machine has, but for results'. */
static struct machine_rows *rows_of(struct machine *m, uint32_t index)
{
    struct machine_statement *s = &m->statement;
    struct machine_rows *fixed[] = { &m->stack, &s->parameters, &s->values,
                             &s->before, &s->after,     &s->outputs,
                             &s->assigned };
    uint32_t fixed_count = sizeof fixed / sizeof *fixed;

    if (index < fixed_count)
        return fixed[index];
    return index - fixed_count < SOURCES_MAX ? &s->inputs[index - fixed_count] : NULL;
}

void machine_close(struct machine *m)
{
    struct machine_rows *rows;

    if (!m)
        return;
    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        free(rows->cells);
    machine_drop_results(m, 0);
    machine_cursor_drop_all(m);
    free(m->results);
    free(m->cursors);
    free(m->writes);
    free(m->numbers);
    array_close(&m->ties);
    heap_close(&m->heap);
    heap_close(&m->scratch);
    free(m);
}

static uint64_t work_of(const struct machine *m)
{
    return m->heap.work + m->scratch.work;
}

/* Nothing is left to go on with. */
static void fail(struct machine *m, uint32_t line)
{
    machine_statement_drop(m);
    machine_drop_results(m, 0);
    machine_cursor_drop_all(m);
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

static enum status machine_push_frame(struct machine *, uint32_t function,
                                        const struct datum *arguments, uint16_t to);

void machine_start(struct machine *m, uint32_t function, const struct datum *arguments)
{
    assert(function < m->program->tree.function_count);
    machine_statement_drop(m);
    machine_drop_results(m, 0);
    machine_cursor_drop_all(m);
    machine_drop_rows(m, &m->stack);
    heap_reset(&m->heap);
    m->frame_count = 0;
    m->statement_count = 0;
    m->affected = 0;
    m->told_limit = INT64_MAX;
    m->told_offset = 0;
    m->ties.count = 0;
    m->steps_left = m->steps_max;
    m->work_spent = work_of(m);
    m->collect_bytes = COLLECT_BYTES_MIN;
    m->is_asking = m->is_answered = m->is_done = false;
    m->line = m->program->tree.functions[function].line;
    if (machine_push_frame(m, function, arguments, 0) != STATUS_OK)
        fail(m, m->line);
}

enum status machine_spend(struct machine *m, uint64_t steps)
{
    uint64_t of_work = (work_of(m) - m->work_spent) / WORK_OF_STEP;

    m->work_spent += of_work * WORK_OF_STEP;
    steps += of_work;
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
    scope->ask = machine_select_ask;
    scope->machine = m;
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
        .source = REQUEST_NO_SOURCE,
        .query = m->statement.query->tree,
        .ordinal = m->statement_count - 1,
    };
}

static void aim_filter(struct machine *m)
{
    const struct machine_statement *s = &m->statement;

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
    m->request.affected = m->affected;
    m->request.limit = m->told_limit;
    m->request.offset = m->told_offset;
    m->request.ties = m->ties.count > 0 ? m->ties.at : NULL;
    if (m->result_count == 0)
        return;
    m->request.rows = m->results[0].rows.cells;
    m->request.row_count = (uint32_t)m->results[0].rows.count;
    m->request.row_width = m->results[0].rows.width;
}

/* Lets the request point to what the machine has now. */
static enum status machine_aim_request(struct machine *m)
{
    switch (m->request.kind) {
    case REQUEST_READ:
        aim_filter(m);
        break;
    case REQUEST_WRITE:
        TRY(machine_write_list(m, &m->request.write_count));
        m->request.writes = m->writes;
        break;
    case REQUEST_NUMBER:
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
    uint64_t steps = STEPS_OF_REQUEST;

    if (m->request.kind == REQUEST_WRITE) {
        uint32_t width = m->program->tree.schema.tables[m->request.table].column_count;

        for (uint32_t i = 0; i < m->request.write_count; i++)
            steps += bytes_of_row(m->request.writes[i].row, width) / BYTES_OF_STEP;
    }
    return machine_spend(m, steps);
}

static enum status machine_step(struct machine *);
static enum status take_number(struct machine *);

const struct request *machine_run(struct machine *m)
{
    enum status status = STATUS_OK;

    if (m->is_done)
        return &m->request;
    assert(m->is_asking == m->is_answered);
    if (m->is_asking) {
        m->is_asking = m->is_answered = false;
        m->line = m->request.line;
        status = m->request.kind == REQUEST_NUMBER ? take_number(m) : machine_statement_go_on(m);
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

void machine_answer_number(struct machine *m, int64_t number)
{
    assert(m->is_asking && m->request.kind == REQUEST_NUMBER);
    m->request.value = datum_of_int64(number);
    m->is_number_refused = false;
    m->is_answered = true;
}

void machine_refuse_number(struct machine *m)
{
    assert(m->is_asking && m->request.kind == REQUEST_NUMBER);
    m->is_number_refused = true;
    m->is_answered = true;
}

void machine_forget_numbers(struct machine *m)
{
    if (m->number_count > 0)
        memset(m->numbers, 0, m->number_count * sizeof *m->numbers);
    m->last_sequence = UINT32_MAX;
    m->asks_current = true;
}

void machine_charge(struct machine *m, uint64_t steps)
{
    m->steps_left -= steps < m->steps_left ? steps : m->steps_left;
}

static enum status copy_rows(struct machine_rows *rows, struct heap *heap, struct sql_error *err)
{
    size_t cells = rows->count * rows->width;
    struct datum *at = malloc((cells ? cells : 1) * sizeof *at);

    if (!at)
        return sql_error_no_memory(err);
    if (cells > 0)
        memcpy(at, rows->cells, cells * sizeof *at);
    rows->cells = at;
    rows->room = cells;
    return machine_move_rows(rows, heap, err);
}

/* Nothing of the original is left in it: so it can be closed, whatever fails after this. */
static enum status forget_original(struct machine *m)
{
    struct machine_rows *rows;

    heap_init(&m->heap, m->bytes_max);
    heap_init(&m->scratch, m->bytes_max);
    m->writes = NULL;
    m->numbers = NULL;
    m->number_count = 0;
    m->ties.at = NULL;
    m->ties.count = m->ties.room = 0;
    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        *rows = (struct machine_rows){ .width = rows->width };
    m->results = calloc(m->result_count + 1, sizeof *m->results);
    m->result_room = m->results ? m->result_count + 1 : 0;
    m->result_count = 0;
    m->cursors = calloc(m->cursor_count + 1, sizeof *m->cursors);
    m->cursor_room = m->cursors ? m->cursor_count + 1 : 0;
    m->cursor_count = 0;
    m->row_bytes = 0;
    return m->results && m->cursors ? STATUS_OK : STATUS_OVER_LIMIT;
}

static enum status take_over(struct machine *m, struct machine_rows *rows, const struct machine_rows *from)
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

static enum status make_number_room(struct machine *m, uint32_t count)
{
    struct known_number *at = realloc(m->numbers, count * sizeof *at);

    if (!at)
        return sql_error_no_memory(&m->error);
    memset(at + m->number_count, 0, (count - m->number_count) * sizeof *at);
    m->numbers = at;
    m->number_count = count;
    return STATUS_OK;
}

static enum status take_over_result(struct machine *m, struct result *result, const struct result *from)
{
    result->next = from->next;
    result->has_null = from->has_null;
    return take_over(m, &result->rows, &from->rows);
}

static enum status take_over_all(struct machine *m, const struct machine *from)
{
    struct machine *original = (struct machine *)from; /* only to find its rows */
    struct machine_rows *rows;

    for (uint32_t i = 0; (rows = rows_of(m, i)); i++)
        TRY(take_over(m, rows, rows_of(original, i)));
    if (from->number_count > 0) {
        TRY(make_number_room(m, from->number_count));
        memcpy(m->numbers, from->numbers, from->number_count * sizeof *m->numbers);
    }
    for (uint32_t i = 0; i < from->result_count; i++) {
        TRY(take_over_result(m, &m->results[i], &from->results[i]));
        m->result_count++;
    }
    for (uint32_t i = 0; i < from->cursor_count; i++) {
        m->cursors[i].number = from->cursors[i].number;
        m->cursors[i].frame = from->cursors[i].frame;
        TRY(take_over_result(m, &m->cursors[i].result, &from->cursors[i].result));
        m->cursor_count++;
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
    /* Copying costs the copy nothing: it has as many steps left as the original. */
    m->work_spent = work_of(m) - (work_of(from) - from->work_spent);
    *out = m;
    return STATUS_OK;
}

void machine_number_rows(struct machine *m, int64_t first)
{
    m->row_number = first;
}

void machine_tell_ties(struct machine *m)
{
    m->tells_ties = true;
}

uint32_t machine_statements(const struct machine *m)
{
    return m->statement_count;
}

size_t machine_bytes(const struct machine *m)
{
    return sizeof *m + m->row_bytes + m->heap.held_bytes + m->scratch.held_bytes +
           m->result_room * sizeof *m->results;
}

/*
 * The steps that code_run() leaves to the machine: calls, loops, results,
 * returns. Between any two of them everything alive is in slots and results, so
 * here is where a heap that has grown is emptied.
 */

static enum status collect(struct machine *m)
{
    struct heap fresh;
    enum status status;

    if (m->heap.held_bytes < m->collect_bytes)
        return STATUS_OK;
    heap_init(&fresh, m->bytes_max);
    status = machine_move_rows(&m->stack, &fresh, &m->error);
    for (uint32_t i = 0; i < m->result_count && status == STATUS_OK; i++)
        status = machine_move_rows(&m->results[i].rows, &fresh, &m->error);
    for (uint32_t i = 0; i < m->cursor_count && status == STATUS_OK; i++)
        status = machine_move_rows(&m->cursors[i].result.rows, &fresh, &m->error);
    fresh.work = m->heap.work;
    heap_close(&m->heap);
    m->heap = fresh;
    m->collect_bytes = 2 * fresh.held_bytes;
    if (m->collect_bytes < COLLECT_BYTES_MIN)
        m->collect_bytes = COLLECT_BYTES_MIN;
    return status;
}

static enum status machine_push_frame(struct machine *m, uint32_t function,
                                      const struct datum *arguments, uint16_t to)
{
    const struct program_function *f = &m->program->tree.functions[function];
    struct frame *frame = &m->frames[m->frame_count];
    uint32_t slot = (uint32_t)m->stack.count;
    ptrdiff_t within = m->frame_count > 0 ? arguments - m->stack.cells : 0;
    bool is_first = m->frame_count == 0;

    if (m->frame_count == MACHINE_CALLS_MAX)
        return sql_error_set(&m->error, SQLSTATE_TOO_DEEP, "stack depth limit exceeded");
    TRY(machine_add_rows(m, &m->stack, m->program->code->functions[function].slot_count));
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        /* A caller's arguments are in the stack, which may have moved. */
        if (is_first)
            TRY(datum_copy(&arguments[i], &m->heap, &m->stack.cells[slot + i], &m->error));
        else
            m->stack.cells[slot + i] = m->stack.cells[within + i];
    }
    *frame = (struct frame){
        .function = function, .slot = slot, .result_count = m->result_count, .to = to
    };
    m->frame_count++;
    return STATUS_OK;
}

static void finish_call(struct machine *m, struct datum value)
{
    /* There is a slot: every function has `found`. */
    m->frame_count = 0;
    m->stack.count = 1;
    m->stack.cells[0] = value;
    m->is_done = true;
    m->request = (struct request){ .kind = REQUEST_RETURNED, .line = m->line };
}

static void give_back(struct machine *m, struct datum value)
{
    struct frame *frame = &m->frames[m->frame_count - 1];
    uint16_t to = frame->to;

    machine_drop_results(m, frame->result_count);
    if (m->frame_count == 1) {
        finish_call(m, value);
        return;
    }
    m->stack.count = frame->slot;
    m->frame_count--;
    machine_cursor_forget_calls(m);
    machine_slots(m)[to] = value;
}

/* The result stays, for machine_aim_request(). */
static void give_back_rows(struct machine *m)
{
    assert(m->frame_count == 1 && m->result_count == 1);
    finish_call(m, datum_null());
}

static void next_row(struct machine *m, struct frame *frame, const struct step *step)
{
    struct result *result = &m->results[m->result_count - 1];

    assert(m->result_count > frame->result_count);
    if (result->next == result->rows.count) {
        frame->at = step->target;
        return;
    }
    memcpy(&machine_slots(m)[step->to], rows_at(&result->rows, result->next),
           step->count * sizeof *result->rows.cells);
    result->next++;
}

static enum status check_range(struct machine *m, const struct datum *bounds)
{
    static const char *const names[] = { "lower bound", "upper bound", "BY value" };

    for (uint32_t i = 0; i < 3; i++)
        if (datum_is_null(&bounds[i]))
            return sql_error_set(&m->error, SQLSTATE_NULL_NOT_ALLOWED,
                                 "%s of FOR loop cannot be null", names[i]);
    if (bounds[2].as.integer <= 0)
        return sql_error_set(&m->error, SQLSTATE_PARAMETER,
                             "BY value of FOR loop must be greater than zero");
    return STATUS_OK;
}

/* Bounds are of 32 bits: what comes after the last is beyond it and no overflow. */
static void next_of_range(struct machine *m, struct frame *frame, const struct step *step)
{
    struct datum *slots = machine_slots(m);
    struct datum *low = &slots[step->a.index], *high = low + 1, *by = low + 2;
    bool is_over = step->negated ? low->as.integer < high->as.integer
                                 : low->as.integer > high->as.integer;

    if (is_over) {
        frame->at = step->target;
        return;
    }
    slots[step->to] = *low;
    low->as.integer += step->negated ? -by->as.integer : by->as.integer;
}

static void append(struct sql_error *err, const char *text, size_t length)
{
    size_t used = strlen(err->text), room = sizeof err->text - 1 - used;

    if (length > room)
        length = room;
    memcpy(err->text + used, text, length);
    err->text[used + length] = '\0';
}

static enum status append_datum(struct machine *m, const struct datum *d)
{
    void *to;

    if (datum_is_null(d)) {
        append(&m->error, "<NULL>", 6);
        return STATUS_OK;
    }
    TRY(heap_push(&m->heap, datum_print_room(d), &to, &m->error));
    append(&m->error, to, (size_t)(datum_write(to, d) - (char *)to));
    return STATUS_OK;
}

/* Each % is the next argument; %% is one of them. */
static enum status raise(struct machine *m, const struct step *step)
{
    const struct action *a = step->as.raise;
    struct text format = a->as.raise.format;
    const struct datum *argument = &machine_slots(m)[step->a.index];

    m->error.text[0] = '\0';
    memcpy(m->error.sqlstate, a->as.raise.sqlstate, sizeof m->error.sqlstate);
    for (size_t i = 0; i < format.length; i++) {
        bool is_mark = format.at[i] == '%';
        bool is_double = is_mark && i + 1 < format.length && format.at[i + 1] == '%';

        if (!is_mark || is_double)
            append(&m->error, &format.at[i], 1);
        else
            TRY(append_datum(m, argument++));
        i += is_double;
    }
    return STATUS_BAD_INPUT;
}

static const struct schema_sequence *sequence_at(const struct machine *m, uint32_t number)
{
    return &m->program->tree.schema.sequences[number];
}

/* currval() and lastval(), where nextval() has been called: else false. */
static bool knows_number(const struct machine *m, enum number_kind kind, uint32_t sequence, int64_t *value)
{
    if (kind == NUMBER_LAST)
        sequence = m->last_sequence;
    if (sequence >= m->number_count || !m->numbers[sequence].is_known)
        return false;
    *value = m->numbers[sequence].value;
    return true;
}

static enum status refuse_unknown_number(struct machine *m, enum number_kind kind, uint32_t sequence)
{
    if (kind == NUMBER_LAST)
        return sql_error_set(&m->error, SQLSTATE_NOT_READY, "lastval is not yet defined in this session");
    return sql_error_set(&m->error, SQLSTATE_NOT_READY,
                         "currval of sequence \"%.*s\" is not yet defined in this session",
                         TEXT_PRINT(sequence_at(m, sequence)->name));
}

static enum status check_set(struct machine *m, uint32_t sequence, int64_t value)
{
    const struct schema_sequence *s = sequence_at(m, sequence);

    if (value >= s->low && value <= s->high)
        return STATUS_OK;
    return sql_error_set(&m->error, SQLSTATE_NUMERIC_OUT_OF_RANGE,
                         "setval: value %lld is out of bounds for sequence \"%.*s\" (%lld..%lld)",
                         (long long)value, TEXT_PRINT(s->name), (long long)s->low, (long long)s->high);
}

static enum status ask_number(struct machine *m, const struct step *step)
{
    const struct datum *arguments = &machine_slots(m)[step->a.index];
    enum number_kind kind = step->count;
    int64_t value;

    if (kind == NUMBER_SET && (datum_is_null(&arguments[0]) || datum_is_null(&arguments[1]))) {
        machine_slots(m)[step->to] = datum_null();
        return STATUS_OK;
    }
    if (kind == NUMBER_SET)
        TRY(check_set(m, step->target, arguments[0].as.integer));
    if ((kind == NUMBER_CURRENT || kind == NUMBER_LAST) && knows_number(m, kind, step->target, &value)) {
        machine_slots(m)[step->to] = datum_of_int64(value);
        return STATUS_OK;
    }
    if ((kind == NUMBER_CURRENT || kind == NUMBER_LAST) && !m->asks_current)
        return refuse_unknown_number(m, kind, step->target);
    m->is_asking = true;
    m->number_slot = step->to;
    m->request = (struct request){
        .kind = REQUEST_NUMBER,
        .line = step->line,
        .source = REQUEST_NO_SOURCE,
        .number = kind,
        .sequence = step->target,
        .value = kind == NUMBER_SET ? arguments[0] : datum_null(),
        .is_called = kind == NUMBER_SET && arguments[1].as.integer,
    };
    return STATUS_OK;
}

/* setval() makes currval() known, too, but is not the last nextval(). */
static enum status take_number(struct machine *m)
{
    const struct request *r = &m->request;

    if (m->is_number_refused)
        return sql_error_set(&m->error, SQLSTATE_SEQUENCE_LIMIT,
                             "nextval: reached %s value of sequence \"%.*s\" (%lld)",
                             sequence_at(m, r->sequence)->increment > 0 ? "maximum" : "minimum",
                             TEXT_PRINT(sequence_at(m, r->sequence)->name),
                             (long long)(sequence_at(m, r->sequence)->increment > 0
                                             ? sequence_at(m, r->sequence)->high
                                             : sequence_at(m, r->sequence)->low));
    machine_slots(m)[m->number_slot] = r->value;
    if (r->number == NUMBER_LAST || (r->number == NUMBER_SET && !r->is_called))
        return STATUS_OK;
    if (r->sequence >= m->number_count)
        TRY(make_number_room(m, r->sequence + 1));
    m->numbers[r->sequence] = (struct known_number){ true, r->value.as.integer };
    if (r->number == NUMBER_NEXT)
        m->last_sequence = r->sequence;
    return STATUS_OK;
}

static enum status call(struct machine *m, const struct step *step)
{
    TRY(machine_spend(m, 1));
    TRY(collect(m));
    return machine_push_frame(m, step->as.function, &machine_slots(m)[step->a.index], step->to);
}

static enum status loop(struct machine *m, struct frame *frame, const struct step *step)
{
    frame->at = step->target;
    TRY(machine_spend(m, 1));
    return collect(m);
}

static enum status do_step(struct machine *m, struct frame *frame, const struct step *step,
                           const struct scope *scope)
{
    switch ((enum step_kind)step->kind) {
    case STEP_LOOP:
        return loop(m, frame, step);
    case STEP_CALL:
        return call(m, step);
    case STEP_NUMBER:
        return ask_number(m, step);
    case STEP_STATEMENT:
        m->statement_count++;
        return STATUS_OK;
    case STEP_QUERY:
        TRY(machine_spend(m, 1));
        TRY(collect(m));
        return machine_statement_begin(m, step->as.query, datum_is_true(code_operand(scope, step->a)));
    case STEP_NEXT:
        next_row(m, frame, step);
        return STATUS_OK;
    case STEP_CLOSE:
        machine_drop_results(m, m->result_count - 1);
        return STATUS_OK;
    case STEP_RANGE:
        return check_range(m, &machine_slots(m)[step->a.index]);
    case STEP_RANGE_NEXT:
        next_of_range(m, frame, step);
        return STATUS_OK;
    case STEP_NO_ROWS:
        return sql_error_set(&m->error, SQLSTATE_NO_DATA, "query returned no rows");
    case STEP_RETURN:
        give_back(m, *code_operand(scope, step->a));
        return STATUS_OK;
    case STEP_REQUIRE_CLOSED:
        return machine_cursor_require_closed(m, step);
    case STEP_OPEN_CURSOR:
        return machine_cursor_open(m, step);
    case STEP_FETCH:
        return machine_cursor_fetch(m, frame, step);
    case STEP_CLOSE_CURSOR:
        return machine_cursor_close(m, step);
    case STEP_RETURN_ROWS:
        give_back_rows(m);
        return STATUS_OK;
    case STEP_RAISE:
        return raise(m, step);
    case STEP_END_OF_FUNCTION:
        return sql_error_set(&m->error, SQLSTATE_NO_RETURN,
                             "control reached end of function without RETURN");
    default:
        break;
    }
    assert(!"a step that functions do not have");
    return STATUS_OK;
}

/* To the next request, or the end. */
static enum status machine_step(struct machine *m)
{
    struct frame *frame = &m->frames[m->frame_count - 1];
    const struct step *steps = m->program->code->functions[frame->function].steps, *stop;
    struct scope scope;
    enum status status;

    machine_scope(m, &scope);
    status = code_run(steps, frame->at, &scope, &stop);
    m->line = stop->line;
    TRY(status);
    frame->at = (uint32_t)(stop - steps) + 1;
    return do_step(m, frame, stop, &scope);
}
