/*
 * The steps that code_run() leaves to the machine: calls, loops, results,
 * returns. Between any two of them everything alive is in slots and results, so
 * here is where a heap that has grown is emptied.
 */
#include "programs/machine/machine_private.h"

#include <assert.h>
#include <string.h>

#define COLLECT_BYTES_MIN ((size_t)64 << 10)

static enum status collect(struct machine *m)
{
    struct heap fresh;
    enum status status;

    if (m->heap.held_bytes < m->collect_bytes)
        return STATUS_OK;
    heap_init(&fresh, m->bytes_max);
    status = rows_move(&m->stack, &fresh, &m->error);
    for (uint32_t i = 0; i < m->result_count && status == STATUS_OK; i++)
        status = rows_move(&m->results[i].rows, &fresh, &m->error);
    heap_close(&m->heap);
    m->heap = fresh;
    m->collect_bytes = 2 * fresh.held_bytes;
    if (m->collect_bytes < COLLECT_BYTES_MIN)
        m->collect_bytes = COLLECT_BYTES_MIN;
    return status;
}

enum status machine_push_frame(struct machine *m, uint32_t function,
                               const struct datum *arguments, uint16_t to)
{
    const struct function *f = &m->program->tree.functions[function];
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
    case STEP_QUERY:
        TRY(machine_spend(m, 1));
        TRY(collect(m));
        return statement_begin(m, step->as.query, datum_is_true(code_operand(scope, step->a)));
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

enum status machine_step(struct machine *m)
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
