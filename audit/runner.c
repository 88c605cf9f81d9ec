#include "audit/runner_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "audit/programs/used_columns.h"

#define ARGUMENT_BYTES ((size_t)64 << 20)
#define PARAMETERS_MAX 256

enum status runner_open(struct runner *r, const struct plan *plan, struct rows *rows,
                        enum run_mode mode, struct error *err)
{
    *r = (struct runner){ .plan = plan, .rows = rows, .mode = mode };
    r->compare.log = plan->log;
    heap_init(&r->arguments, ARGUMENT_BYTES);
    TRY(machine_open(&r->machine, plan->program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    machine_tell_ties(r->machine);
    return STATUS_OK;
}

void runner_close(struct runner *r)
{
    machine_close(r->machine);
    compare_close(&r->compare);
    heap_close(&r->arguments);
    array_close(&r->choices);
    array_close(&r->used);
    array_close(&r->asked);
    buffer_close(&r->told);
}

static uint64_t used_columns(struct runner *r, const struct request *request)
{
    struct used_columns used = { request->query, request->source, 0 };
    struct error err;

    /* Of a row that is in the way of an insert, only its key is looked at, unless it is updated. */
    if (request->source == REQUEST_NO_SOURCE)
        return request->lock != ROW_LOCK_NONE ? USED_ALL : 0;
    for (size_t i = r->used.count; i > 0; i--)
        if (r->used.at[i - 1].query == used.query && r->used.at[i - 1].source == used.source)
            return r->used.at[i - 1].columns;
    used.columns = used_columns_of(used.query, used.source);
    /* Without memory for it, it is found out again. */
    if (array_push(&r->used, used, &err) != STATUS_OK)
        return used.columns;
    return used.columns;
}

/* --- Choices ------------------------------------------------------------------------------------ */

static enum status choose_state(struct runner *r, uint32_t statement, struct stored_row *row,
                                struct choice **out, struct error *err)
{
    struct choice choice = { .state = r->window.ceiling,
                             .low = r->least > r->window.floor ? r->least : r->window.floor,
                             .high = r->window.ceiling,
                             .statement = statement,
                             .query = r->mode == RUN_SNAPSHOT ? UINT32_MAX : r->query,
                             .row = row };

    if (r->choices.count < r->path_count)
        choice.state = r->path[r->choices.count].state;
    else if (r->chooser)
        choice.state = r->chooser(r->context, &choice);
    /* A path from another world may lead outside of what is allowed in this one. */
    if (choice.state > choice.high)
        choice.state = choice.high;
    if (choice.state < choice.low)
        choice.state = choice.low;
    choice.floor = choice.low;
    /* What a run with the same choices up to here has told apart stays so: this one may look less often. */
    if (r->tracks && r->choices.count + 1 < r->path_count) {
        const struct choice *known = &r->path[r->choices.count];

        choice.low = known->low > choice.low ? known->low : choice.low;
        choice.high = known->high < choice.high ? known->high : choice.high;
    }
    TRY(array_push(&r->choices, choice, err));
    *out = &r->choices.at[r->choices.count - 1];
    return STATUS_OK;
}

/* The one of the statement that runs, or a new one. */
static enum status choice_of_statement(struct runner *r, uint32_t statement, struct choice **out,
                                       struct error *err)
{
    uint32_t wanted = r->mode == RUN_SNAPSHOT ? 0 : statement;
    struct choice *last = r->choices.count > 0 ? &r->choices.at[r->choices.count - 1] : NULL;

    if (last && last->statement == wanted) {
        *out = last;
        return STATUS_OK;
    }
    return choose_state(r, wanted, NULL, out, err);
}

/* Of RUN_PAPER: each row of a statement has a state of its own. */
struct chooser {
    struct runner *runner;
    const struct row_look *look;
    uint32_t statement;
};

static enum status choose_for_row(void *context, struct stored_row *row,
                                  const struct filter *filter, uint64_t used, uint32_t *state,
                                  struct error *err)
{
    struct chooser *c = context;
    struct runner *r = c->runner;
    struct choice *choice = NULL;

    (void)filter;
    (void)used;
    for (size_t i = r->choices.count; i > 0 && r->choices.at[i - 1].statement == c->statement; i--)
        if (r->choices.at[i - 1].row == row)
            choice = &r->choices.at[i - 1];
    if (!choice)
        TRY(choose_state(r, c->statement, row, &choice, err));
    *state = choice->state;
    if (r->tracks)
        audit_rows_narrow(r->rows, c->look, row, choice->state, &choice->low, &choice->high);
    return STATUS_OK;
}

/* --- Requests ------------------------------------------------------------------------------------ */

/* Whether a read looks at the newest state, whatever the statement sees. */
static bool is_at_place(const struct runner *r, const struct request *request)
{
    if (r->mode == RUN_AT_PLACE)
        return true;
    return r->mode == RUN_LOCKING &&
           (request->purpose == READ_INSERT || request->purpose == READ_UNIQUE ||
            request->purpose == READ_REFERENCE);
}

static enum status answer_read(struct runner *r, const struct request *request, struct error *err)
{
    uint32_t statement = r->statement_base + request->ordinal;
    struct row_look look = { .filter = &request->filter,
                             .state = STATE_NEWEST,
                             .wanted = request->wanted,
                             .order = request->order,
                             .footprint = r->footprint };
    struct chooser chooser = { r, &look, statement };
    struct choice *choice = NULL;
    const struct datum *const *cells;
    uint32_t count;

    if (request->purpose != READ_SELECT || request->lock != ROW_LOCK_NONE)
        r->only_reads = false;
    if (r->tracks || r->footprint || r->worlds || r->mode == RUN_PAPER) {
        look.used = used_columns(r, request);
        look.query = r->query = influence_number(&r->plan->influence, request->query);
    }
    if (r->worlds) {
        TRY(worlds_prepare(r->worlds, statement, r->mode == RUN_LOCKING && is_at_place(r, request), &look,
                           err));
        look.is_locking = r->mode == RUN_LOCKING && request->lock != ROW_LOCK_NONE;
    } else if (is_at_place(r, request)) {
        look.high = STATE_NEWEST;
    } else if (r->mode == RUN_PAPER) {
        look.choose = choose_for_row;
        look.context = &chooser;
    } else {
        TRY(choice_of_statement(r, statement, &choice, err));
        look.state = choice->state;
        look.low = choice->low;
        look.high = choice->high;
        look.tracks = r->tracks;
        look.is_locking = r->mode == RUN_LOCKING && request->lock != ROW_LOCK_NONE;
    }
    TRY(audit_rows_find(r->rows, &look, &cells, &count, err));
    if (r->waits && request->lock != ROW_LOCK_NONE && look.newest > r->least)
        r->least = look.newest;
    if (r->worlds)
        r->worlds->met_open |= look.missed_open;
    r->missed_update |= request->purpose == READ_UPDATE && count == 0;
    if (r->open && count > 1 && open_order_line(r->open, request->query) > 0)
        r->open_line = open_order_line(r->open, request->query);
    if (choice) {
        choice->low = look.low;
        choice->high = look.high;
    }
    if (r->read_listener)
        TRY(r->read_listener(r->context, request, cells, count, err));
    machine_answer_rows(r->machine, cells, count);
    return STATUS_OK;
}

static enum status answer_write(struct runner *r, const struct request *request, struct error *err)
{
    uint64_t changes = used_columns_changed(request->query);
    size_t before = audit_rows_written(r->rows)->count;

    r->only_reads = false;
    for (uint32_t i = 0; i < request->write_count; i++)
        TRY(audit_rows_write(r->rows, request->table, &request->writes[i], changes, err));
    if (r->write_listener)
        r->write_listener(r->context, request->query, before);
    machine_answer_written(r->machine);
    return STATUS_OK;
}

static enum status answer_number(struct runner *r, const struct request *request, struct error *err)
{
    struct numbers *numbers = r->plan->numbers;
    struct number_request asked = { r->txn, (uint32_t)r->asked.count, request->sequence,
                                    request->number != NUMBER_NEXT };
    int64_t value;

    if (request->number == NUMBER_SET) {
        numbers->may_repeat = true;
        machine_answer_number(r->machine, request->value.as.integer);
        return STATUS_OK;
    }
    numbers->line = request->line > 0 ? request->line : 1;
    TRY(numbers_ask(numbers, &asked, &value, err));
    TRY(array_push(&r->asked, value, err));
    machine_answer_number(r->machine, value);
    return STATUS_OK;
}

/* The log has a number where the run has one that was chosen for it. */
static enum status learn_number(struct runner *r, const struct datum *got, struct text cell,
                                struct error *err)
{
    int64_t value;
    bool is_new;

    if (got->kind != DATUM_INTEGER || !cell.at || !text_to_int64(cell, &value))
        return STATUS_OK;
    for (uint32_t i = 0; i < r->asked.count; i++) {
        if (r->asked.at[i] != got->as.integer || value == got->as.integer)
            continue;
        TRY(numbers_learn(r->plan->numbers, r->txn, i, value, &is_new, err));
        r->learned += is_new;
    }
    return STATUS_OK;
}

static enum status learn_numbers(struct runner *r, const struct plan_txn *t, const struct call_answer *a,
                                 const struct request *q, struct error *err)
{
    const struct text *cells = &r->plan->log->cells.at[a->cell];

    if (r->asked.count == 0 || a->kind != CALL_ANSWER_ROWS)
        return STATUS_OK;
    if (t->step_count == 0)
        return a->row_count == 1 && a->width == 1 ? learn_number(r, &q->value, cells[0], err) : STATUS_OK;
    if (a->row_count != q->row_count || a->width != q->row_width)
        return STATUS_OK;
    for (size_t i = 0; i < (size_t)a->row_count * a->width; i++)
        TRY(learn_number(r, &q->rows[i], cells[i], err));
    return STATUS_OK;
}

/* --- Runs ------------------------------------------------------------------------------------------ */

static bool is_resource_error(const char *sqlstate)
{
    return strncmp(sqlstate, "53", 2) == 0 || strcmp(sqlstate, SQLSTATE_CANCELED) == 0;
}

static enum status run_function(struct runner *r, uint32_t function, const struct datum *arguments,
                                const struct request **request, struct error *err)
{
    const struct request *q;

    machine_start(r->machine, function, arguments);
    for (;;) {
        q = machine_run(r->machine);
        if (q->kind == REQUEST_READ)
            TRY(answer_read(r, q, err));
        else if (q->kind == REQUEST_WRITE)
            TRY(answer_write(r, q, err));
        else if (q->kind == REQUEST_NUMBER)
            TRY(answer_number(r, q, err));
        else
            break;
    }
    r->statements = r->statement_base + machine_statements(r->machine);
    *request = q;
    return STATUS_OK;
}

/* A failure is right only if the log has it. */
static enum status judge_failure(struct runner *r, const struct plan_txn *t,
                                 const struct request *q)
{
    struct text expected = t->is_unknown ? TEXT("") : t->logged->sqlstate;

    if (is_resource_error(q->sqlstate) && !text_equal(text_of(q->sqlstate), expected))
        snprintf(r->limit, sizeof r->limit, "transaction %lld: %s", (long long)t->logged->id,
                 q->message);
    r->end = text_equal(text_of(q->sqlstate), expected) ? RUN_RIGHT : RUN_FAILED;
    if (r->explains && r->end != RUN_RIGHT)
        buffer_print(&r->told, "error %s: %s", q->sqlstate, q->message);
    return STATUS_OK;
}

static enum status judge_answer(struct runner *r, const struct plan_txn *t, uint32_t step,
                                const struct request *q, struct error *err)
{
    const struct call_answer *a = audit_plan_answer(r->plan, t, step);
    enum type_kind type = TYPE_VOID;
    bool is_right;

    if (t->step_count == 0)
        type = r->plan->program->tree.functions[t->function].result.kind;
    if (r->listener)
        r->listener(r->context, step, type, q);
    if (t->step_count > 0) {
        TRY(compare_statement(&r->compare, a, q, &is_right, err));
    } else {
        TRY(compare_call(&r->compare, a, type, &q->value, &is_right, err));
    }
    r->end = is_right ? RUN_RIGHT : RUN_WRONG;
    if (!is_right)
        TRY(learn_numbers(r, t, a, q, err));
    if (r->explains && !is_right) {
        if (t->step_count > 0)
            compare_print_rows(&r->told, q);
        else
            compare_print_value(&r->told, type, &q->value);
    }
    return STATUS_OK;
}

static enum status run_steps(struct runner *r, const struct plan_txn *t, struct error *err)
{
    struct datum arguments[PARAMETERS_MAX];
    uint32_t count = t->step_count > 0 ? t->step_count : t->logged->function.length > 0;
    const struct request *q;

    heap_reset(&r->arguments);
    if (t->step_count == 0 && count > 0)
        TRY(audit_plan_arguments(r->plan, t, &r->arguments, arguments, err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t function = t->step_count > 0 ? r->plan->steps.at[t->step + i] : t->function;

        r->step = i;
        TRY(run_function(r, function, arguments, &q, err));
        if (q->kind == REQUEST_FAILED)
            return judge_failure(r, t, q);
        r->is_whole = i + 1 == count;
        TRY(judge_answer(r, t, i, q, err));
        if (r->end != RUN_RIGHT)
            return STATUS_OK;
        r->statement_base = r->statements;
    }
    if (!t->is_unknown && t->logged->sqlstate.length > 0) {
        r->end = RUN_FAILED;
        if (r->explains)
            buffer_text(&r->told, TEXT("no error"));
    }
    return STATUS_OK;
}

enum status runner_run(struct runner *r, uint32_t txn, struct error *err)
{
    const struct plan_txn *t = &r->plan->txns.at[txn];

    assert(audit_rows_written(r->rows)->count == 0);
    r->runs++;
    r->choices.count = 0;
    r->end = RUN_RIGHT;
    r->step = r->statements = r->statement_base = 0;
    r->only_reads = true;
    r->least = 0;
    r->is_whole = r->missed_update = false;
    buffer_clear(&r->told);
    r->txn = txn;
    r->asked.count = 0;
    r->learned = 0;
    machine_forget_numbers(r->machine);
    machine_number_rows(r->machine,
                        schema_first_row((uint64_t)(t->logged - r->plan->log->txns.at) + 1));
    TRY(run_steps(r, t, err));
    if (r->learned > 0) {
        TRY(audit_rows_abandon(r->rows, err));
        return runner_run(r, txn, err);
    }
    /* A transaction that failed as it should has done nothing. */
    if (r->end == RUN_RIGHT && !t->is_unknown && t->logged->sqlstate.length > 0)
        TRY(audit_rows_drop(r->rows, txn, err));
    return STATUS_OK;
}

/* --- What was chosen ----------------------------------------------------------------------------- */

enum status runner_add_choices(choice_list *to, const struct choice *from, size_t count, struct error *err)
{
    TRY(array_reserve(to, count, err));
    if (count > 0)
        memcpy(to->at + to->count, from, count * sizeof *from);
    to->count += count;
    return STATUS_OK;
}

enum status runner_keep_choices(const struct runner *r, choice_list *path, struct error *err)
{
    path->count = 0;
    return runner_add_choices(path, r->choices.at, r->choices.count, err);
}

void runner_settle_choices(const struct runner *r, bool by_value, struct choice *choices,
                           uint32_t count)
{
    uint32_t least = r->window.floor;

    for (uint32_t i = 0; i < count; i++) {
        if (r->mode == RUN_SNAPSHOT && !by_value)
            choices[i].state = choices[i].high;
        if (r->mode != RUN_LOCKING)
            continue;
        if (choices[i].low > least)
            least = choices[i].low;
        choices[i].state = least;
    }
}
