#include "audit/runner_private.h"

#include <assert.h>
#include <string.h>

#include "audit/used_columns_private.h"

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
                             .low = r->window.floor,
                             .high = r->window.ceiling,
                             .statement = statement,
                             .query = r->mode == RUN_SNAPSHOT ? UINT32_MAX : r->query,
                             .row = row };

    if (r->choices.count < r->path_count)
        choice.state = r->path[r->choices.count].state;
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
                             .footprint = r->footprint };
    struct chooser chooser = { r, &look, statement };
    struct choice *choice = NULL;
    const struct datum *const *cells;
    uint32_t count;

    if (request->purpose != READ_SELECT || request->lock != ROW_LOCK_NONE)
        r->only_reads = false;
    if (r->tracks || r->footprint || r->mode == RUN_PAPER) {
        look.used = used_columns(r, request);
        look.query = r->query = influence_number(&r->plan->influence, request->query);
    }
    if (is_at_place(r, request)) {
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
    r->saw_own |= look.saw_own;
    if (r->open && count > 1 && open_order_line(r->open, request->query) > 0)
        r->open_line = open_order_line(r->open, request->query);
    if (choice) {
        choice->low = look.low;
        choice->high = look.high;
    }
    machine_answer_rows(r->machine, cells, count);
    return STATUS_OK;
}

static enum status answer_write(struct runner *r, const struct request *request, struct error *err)
{
    uint64_t changes = used_columns_changed(request->query);

    r->only_reads = false;
    for (uint32_t i = 0; i < request->write_count; i++)
        TRY(audit_rows_write(r->rows, request->table, &request->writes[i], changes, err));
    machine_answer_written(r->machine);
    return STATUS_OK;
}

/* --- Runs ------------------------------------------------------------------------------------------ */

static bool is_resource_error(const char *sqlstate)
{
    return strncmp(sqlstate, "53", 2) == 0 || strcmp(sqlstate, SQLSTATE_CANCELED) == 0;
}

static enum status parse_arguments(struct runner *r, const struct plan_txn *t,
                                   struct datum *arguments, struct error *err)
{
    const struct program_function *f = &r->plan->program->tree.functions[t->function];
    struct sql_error sql_error;

    heap_reset(&r->arguments);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        struct text cell = r->plan->log->cells.at[t->logged->argument + i];

        arguments[i] = datum_null();
        if (cell.at && datum_parse(cell, f->variables[i].type.kind, &r->arguments, &arguments[i],
                                   &sql_error) != STATUS_OK) {
            err->line = t->logged->line;
            return error_set(err, STATUS_BAD_INPUT, "argument %u of %.*s: %s", i + 1,
                             TEXT_PRINT(t->logged->function), sql_error.text);
        }
    }
    return STATUS_OK;
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
        else
            break;
    }
    r->statements = r->statement_base + machine_statements(r->machine);
    *request = q;
    return STATUS_OK;
}

static const struct call_answer *answer_of(const struct runner *r, const struct plan_txn *t,
                                           uint32_t step)
{
    static const struct call_answer missing = { .kind = CALL_ANSWER_MISSING };

    if (t->is_unknown || step >= t->logged->answer_count)
        return &missing;
    return &r->plan->log->answers.at[t->logged->answer + step];
}

/* A failure is right only if the log has it. */
static enum status judge_failure(struct runner *r, const struct plan_txn *t,
                                 const struct request *q, struct error *err)
{
    struct text expected = t->is_unknown ? TEXT("") : t->logged->sqlstate;

    if (is_resource_error(q->sqlstate) && !text_equal(text_of(q->sqlstate), expected))
        return error_set(err, STATUS_OVER_LIMIT, "transaction %lld: %s",
                         (long long)t->logged->id, q->message);
    r->end = text_equal(text_of(q->sqlstate), expected) ? RUN_RIGHT : RUN_FAILED;
    if (r->explains && r->end != RUN_RIGHT)
        buffer_print(&r->told, "error %s: %s", q->sqlstate, q->message);
    return STATUS_OK;
}

static enum status judge_answer(struct runner *r, const struct plan_txn *t, uint32_t step,
                                const struct request *q, struct error *err)
{
    const struct call_answer *a = answer_of(r, t, step);
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

    if (t->step_count == 0 && count > 0)
        TRY(parse_arguments(r, t, arguments, err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t function = t->step_count > 0 ? r->plan->steps.at[t->step + i] : t->function;

        r->step = i;
        TRY(run_function(r, function, arguments, &q, err));
        if (q->kind == REQUEST_FAILED)
            return judge_failure(r, t, q, err);
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
    r->saw_own = false;
    buffer_clear(&r->told);
    TRY(run_steps(r, t, err));
    /* A transaction that failed as it should has done nothing. */
    if (r->end == RUN_RIGHT && !t->is_unknown && t->logged->sqlstate.length > 0)
        TRY(audit_rows_drop(r->rows, txn, err));
    return STATUS_OK;
}
