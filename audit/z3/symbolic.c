#include "audit/z3/symbolic_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/z3/prefixes_private.h"
#include "audit/z3/query_private.h"
#include "audit/z3/rows_private.h"
#include "audit/z3/values_private.h"

#define HEAP_BYTES ((size_t)1 << 32)
#define CALLS_MAX 100
#define STEPS_MAX 1000000 /* actions of a transaction, on all its ways */

/* --- What goes wrong -------------------------------------------------------------------------------------- */

void symbolic_stick(struct symbolic *s, uint32_t line, const char *what)
{
    if (s->is_stuck)
        return;
    s->is_stuck = true;
    if (line > 0)
        snprintf(s->reason, sizeof s->reason,
                 "the engine z3 does not know %s (line %u); --engine native does", what, line);
    else
        snprintf(s->reason, sizeof s->reason,
                 "the engine z3 does not know %s (transaction %lld); --engine native does", what,
                 (long long)s->plan->txns.at[s->txn].logged->id);
}

void symbolic_note(struct symbolic *s, enum status status)
{
    if (s->status == STATUS_OK)
        s->status = status;
}

void symbolic_assert(struct symbolic *s, term truth)
{
    if (s->status == STATUS_OK && !s->terms.overflows)
        s->status = terms_assert(&s->terms, truth, s->err);
}

term symbolic_guard(struct symbolic *s)
{
    return terms_and(&s->terms, s->guard, terms_not(&s->terms, s->failed));
}

term symbolic_narrow(struct symbolic *s, term condition)
{
    term before = s->guard;

    s->guard = terms_and(&s->terms, before, condition);
    return before;
}

void symbolic_fail(struct symbolic *s, term condition, const char *sqlstate)
{
    struct terms *t = &s->terms;
    term fails = terms_and(t, symbolic_guard(s), condition);

    if (s->assumes) {
        symbolic_assert(s, terms_not(t, fails));
        return;
    }
    if (text_equal(text_of(sqlstate), s->plan->txns.at[s->txn].logged->sqlstate))
        s->fails_as_logged = terms_or(t, s->fails_as_logged, fails);
    s->failed = terms_or(t, s->failed, fails);
}

/* --- Variables -------------------------------------------------------------------------------------------- */

static void assign(struct symbolic *s, uint32_t slot, struct sym value)
{
    const struct program_function *f = s->frame->function;
    struct sym *to = &s->frame->slots[slot];
    term guard = symbolic_guard(s);

    if (slot < f->variable_count && f->variables[slot].not_null)
        symbolic_fail(s, value.null, SQLSTATE_NULL_NOT_ALLOWED);
    if (guard != TERM_FALSE)
        *to = sym_merge(s, guard, value, *to);
}

static void set_found(struct symbolic *s, term truth)
{
    assign(s, s->frame->function->found, sym_of_truth(truth));
}

/* Of a row that is there if so; without cells it is nulls. */
static void assign_into(struct symbolic *s, const struct into *into, const struct sym *cells,
                        term is_there)
{
    term before = symbolic_narrow(s, is_there);

    for (uint32_t i = 0; i < into->count && s->guard != TERM_FALSE; i++)
        assign(s, into->slots[i],
               cells ? sym_apply(s, &into->casts[i], &cells[i], 1, 0) : sym_null());
    s->guard = before;
}

/* --- Actions ---------------------------------------------------------------------------------------------- */

static void run_block(struct symbolic *s, const struct block *block);

static bool may_go_on(struct symbolic *s)
{
    if (++s->steps > STEPS_MAX)
        symbolic_stick(s, 0, "programs of so many steps");
    return !s->is_stuck && s->status == STATUS_OK && symbolic_guard(s) != TERM_FALSE;
}

/* The first row; of rows that are there in different states the first that is there. */
static void run_query_action(struct symbolic *s, const struct query *query, const struct into *into)
{
    struct sym_result result = symbolic_query(s, query);
    struct terms *t = &s->terms;
    term none = TERM_TRUE;

    if (s->frame->function->name.length == 0)
        s->frame->rows = result;
    if (into && into->strict)
        symbolic_stick(s, query->line, "INTO STRICT");
    if (into && result.count > 1 && query->kind == QUERY_SELECT && query->as.select.order_count > 0)
        symbolic_stick(s, query->line, "the first of several rows by ORDER BY");
    for (uint32_t i = 0; i < result.count && !s->is_stuck; i++) {
        if (into)
            assign_into(s, into, result.rows[i].cells, terms_and(t, none, result.rows[i].guard));
        none = terms_and(t, none, terms_not(t, result.rows[i].guard));
    }
    if (into)
        assign_into(s, into, NULL, none);
    set_found(s, terms_not(t, none));
}

static void run_choice(struct symbolic *s, const struct action *a)
{
    struct terms *t = &s->terms;
    term after = TERM_FALSE;

    for (uint32_t i = 0; i < a->as.choice.count; i++) {
        const struct arm *arm = &a->as.choice.arms[i];
        term holds = arm->condition ? sym_is_true(symbolic_evaluate(s, arm->condition)) : TERM_TRUE;
        term before = symbolic_narrow(s, holds);

        run_block(s, &arm->body);
        after = terms_or(t, after, s->guard);
        s->guard = terms_and(t, before, terms_not(t, holds));
    }
    s->guard = terms_or(t, terms_or(t, after, s->guard), s->lost);
    s->lost = TERM_FALSE;
}

static void run_round(struct symbolic *s, const struct block *body)
{
    struct sym_loop *loop = s->frame->loop;

    loop->continues = TERM_FALSE;
    run_block(s, body);
    s->guard = terms_or(&s->terms, s->guard, loop->continues);
}

static void end_loop(struct symbolic *s)
{
    s->guard = terms_or(&s->terms, s->guard, s->frame->loop->exits);
    s->frame->loop = s->frame->loop->outer;
}

static void run_loop(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE };
    struct terms *t = &s->terms;

    s->frame->loop = &loop;
    while (may_go_on(s)) {
        if (a->as.loop.condition) {
            term goes_on = sym_is_true(symbolic_evaluate(s, a->as.loop.condition));
            term before = symbolic_narrow(s, goes_on);

            loop.exits = terms_or(t, loop.exits, terms_and(t, before, terms_not(t, goes_on)));
        }
        run_round(s, &a->as.loop.body);
    }
    end_loop(s);
}

/* True and a number, unless it is null or to be found. */
static bool take_bound(struct symbolic *s, const struct expression *e, uint32_t line,
                       int64_t *number)
{
    struct datum d;

    if (!sym_find_datum(s, symbolic_evaluate(s, e), &d) || d.kind != DATUM_INTEGER) {
        symbolic_stick(s, line, "a loop whose bounds depend on what was read");
        return false;
    }
    *number = d.as.integer;
    return true;
}

static void run_range(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE, .sets_found = true };
    bool is_down = a->as.range.reverse;
    int64_t low = 0, high = 0, by = 1;

    if (!take_bound(s, a->as.range.low, a->line, &low) ||
        !take_bound(s, a->as.range.high, a->line, &high) ||
        (a->as.range.step && !take_bound(s, a->as.range.step, a->line, &by)))
        return;
    if (by <= 0) {
        symbolic_stick(s, a->line, "a loop with such a step");
        return;
    }
    s->frame->loop = &loop;
    set_found(s, TERM_FALSE);
    for (int64_t i = low; may_go_on(s) && (is_down ? i >= high : i <= high);
         i += is_down ? -by : by) {
        assign(s, a->as.range.slot, sym_of_integer(terms_number(&s->terms, i)));
        run_round(s, &a->as.range.body);
    }
    end_loop(s);
    set_found(s, terms_truth(is_down ? low >= high : low <= high));
}

static void run_rows(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE, .sets_found = true };
    const struct query *query = a->as.rows.query;
    struct sym_result result = symbolic_query(s, query);
    struct terms *t = &s->terms;
    term none = TERM_TRUE;

    if (query->kind == QUERY_SELECT && query->as.select.order_count > 0 && result.count > 1)
        symbolic_stick(s, a->line, "a loop over rows in an order");
    s->frame->loop = &loop;
    for (uint32_t i = 0; i < result.count && may_go_on(s); i++) {
        term is_there = result.rows[i].guard, before = symbolic_narrow(s, is_there);

        assign_into(s, a->as.rows.into, result.rows[i].cells, TERM_TRUE);
        run_round(s, &a->as.rows.body);
        s->guard = terms_or(t, s->guard, terms_and(t, before, terms_not(t, is_there)));
        none = terms_and(t, none, terms_not(t, is_there));
    }
    end_loop(s);
    assign_into(s, a->as.rows.into, NULL, none);
    set_found(s, terms_not(t, none));
}

static void leave(struct symbolic *s, const struct action *a)
{
    const struct expression *condition = a->as.leave.condition;
    struct sym_loop *loop = s->frame->loop;
    struct terms *t = &s->terms;
    term leaves = condition ? sym_is_true(symbolic_evaluate(s, condition)) : TERM_TRUE;
    term before = symbolic_narrow(s, leaves);

    for (uint32_t i = 0; i < a->as.leave.depth; i++) {
        if (loop->sets_found)
            set_found(s, TERM_TRUE);
        loop = loop->outer;
    }
    if (a->kind == ACTION_EXIT)
        loop->exits = terms_or(t, loop->exits, s->guard);
    else
        loop->continues = terms_or(t, loop->continues, s->guard);
    s->guard = terms_and(t, before, terms_not(t, leaves));
}

static void give_back(struct symbolic *s, const struct expression *value)
{
    struct sym v = value ? symbolic_evaluate(s, value) : sym_null();

    s->frame->result = sym_merge(s, s->guard, v, s->frame->result);
    s->frame->returns = terms_or(&s->terms, s->frame->returns, s->guard);
    s->guard = TERM_FALSE;
}

static void run_action(struct symbolic *s, const struct action *a)
{
    switch (a->kind) {
    case ACTION_ASSIGN:
        assign(s, a->as.assign.slot, symbolic_evaluate(s, a->as.assign.value));
        break;
    case ACTION_QUERY:
        run_query_action(s, a->as.query.query, a->as.query.into);
        break;
    case ACTION_IF:
        run_choice(s, a);
        break;
    case ACTION_LOOP:
    case ACTION_WHILE:
        run_loop(s, a);
        break;
    case ACTION_FOR_RANGE:
        run_range(s, a);
        break;
    case ACTION_FOR_QUERY:
        run_rows(s, a);
        break;
    case ACTION_EXIT:
    case ACTION_CONTINUE:
        leave(s, a);
        break;
    case ACTION_RETURN:
        give_back(s, a->as.value);
        break;
    case ACTION_RETURN_ROWS:
        s->frame->rows = symbolic_query(s, a->as.returned);
        give_back(s, NULL);
        break;
    case ACTION_RAISE:
        symbolic_fail(s, TERM_TRUE, a->as.raise.sqlstate);
        if (s->assumes)
            s->lost = terms_or(&s->terms, s->lost, s->guard);
        s->guard = TERM_FALSE;
        break;
    case ACTION_BLOCK:
        run_block(s, &a->as.block);
        break;
    case ACTION_REQUIRE_CLOSED: /* nothing has been opened */
        break;
    case ACTION_OPEN:
    case ACTION_FETCH:
    case ACTION_CLOSE:
        symbolic_stick(s, a->line, "OPEN, FETCH and CLOSE");
        break;
    }
}

static void run_block(struct symbolic *s, const struct block *block)
{
    for (uint32_t i = 0; i < block->count && may_go_on(s); i++)
        run_action(s, &block->actions[i]);
}

struct sym symbolic_call(struct symbolic *s, uint32_t function, const struct sym *arguments,
                         struct sym_result *rows)
{
    const struct program_function *f = &s->tree->functions[function];
    struct sym_frame frame = { .function = f, .result = sym_null(), .returns = TERM_FALSE },
                     *outer = s->frame;

    if (s->depth >= CALLS_MAX) {
        symbolic_stick(s, f->line, "calls within each other, so many");
        return sym_null();
    }
    frame.slots = arena_take(&s->arena, (size_t)f->variable_count + 1, sizeof *frame.slots);
    for (uint32_t i = 0; i <= f->variable_count; i++)
        frame.slots[i] = i < f->parameter_count ? arguments[i] : sym_null();
    s->frame = &frame;
    s->depth++;
    frame.slots[f->found] = sym_of_truth(TERM_FALSE);
    for (uint32_t i = f->parameter_count; i < f->variable_count; i++)
        if (f->variables[i].initial)
            assign(s, i, symbolic_evaluate(s, f->variables[i].initial));
    run_block(s, &f->body);
    if (s->guard != TERM_FALSE && f->result.kind != TYPE_VOID && f->name.length > 0) {
        symbolic_fail(s, TERM_TRUE, SQLSTATE_NO_RETURN);
        s->guard = TERM_FALSE;
    }
    s->guard = terms_or(&s->terms, s->guard, frame.returns);
    s->depth--;
    s->frame = outer;
    if (rows)
        *rows = frame.rows;
    return frame.result;
}

/* --- Answers ---------------------------------------------------------------------------------------------- */

static term is_answered_row(struct symbolic *s, const struct call_answer *a, uint32_t number,
                            const struct sym_result *r, const struct sym_found *row)
{
    const struct text *cells = &s->plan->log->cells.at[a->cell + (size_t)number * a->width];
    term is_it = row->guard;

    for (uint32_t i = 0; i < r->width && is_it != TERM_FALSE; i++)
        is_it = terms_and(&s->terms, is_it, sym_is_answer(s, row->cells[i], cells[i]));
    return is_it;
}

static bool is_same_row(const struct symbolic *s, const struct call_answer *a, uint32_t x,
                        uint32_t y)
{
    const struct text *cells = &s->plan->log->cells.at[a->cell];

    for (uint32_t i = 0; i < a->width; i++) {
        struct text left = cells[(size_t)x * a->width + i], right = cells[(size_t)y * a->width + i];

        if (!left.at != !right.at || (left.at && !text_equal(left, right)))
            return false;
    }
    return true;
}

static void expect_count(struct symbolic *s, const struct sym_result *r, int64_t wanted)
{
    struct terms *t = &s->terms;
    term count = terms_number(t, 0);

    for (uint32_t i = 0; i < r->count; i++)
        count = terms_add(t, count, terms_as_number(t, r->rows[i].guard));
    symbolic_assert(s, terms_equal(t, count, terms_number(t, wanted)));
}

/* Each row is there as often as it was answered, and there are no others. */
static void expect_rows(struct symbolic *s, const struct call_answer *a, const struct sym_result *r)
{
    struct terms *t = &s->terms;

    expect_count(s, r, a->row_count);
    if (a->row_count > 0 && a->width != r->width) {
        symbolic_assert(s, TERM_FALSE);
        return;
    }
    for (uint32_t i = 0; i < a->row_count; i++) {
        term count = terms_number(t, 0);
        int64_t wanted = 0;

        for (uint32_t k = 0; k < a->row_count; k++)
            wanted += is_same_row(s, a, i, k);
        for (uint32_t k = 0; k < r->count; k++)
            count =
                terms_add(t, count, terms_as_number(t, is_answered_row(s, a, i, r, &r->rows[k])));
        symbolic_assert(s, terms_equal(t, count, terms_number(t, wanted)));
    }
}

/* Which output a statement is ordered by, or -1. */
static int find_ordered(const struct select *select, const struct expression *by)
{
    for (uint32_t i = 0; i < select->output_count; i++) {
        const struct expression *value = select->outputs[i].value;

        if (value == by || (value->kind == EXPRESSION_COLUMN && by->kind == EXPRESSION_COLUMN &&
                            value->as.column.column == by->as.column.column))
            return (int)i;
    }
    return -1;
}

/* Of two rows that were answered, one after the other: below or at zero if ORDER BY allows it. */
static int compare_answered(struct symbolic *s, const struct order_item *item, const struct text *x,
                            const struct text *y, enum type_kind type)
{
    struct datum a = datum_null(), b = datum_null();
    struct sql_error unsaid;
    int order;

    if (!x->at || !y->at)
        return !x->at == !y->at ? 0 : (!x->at) == item->nulls_first ? -1 : 1;
    if (datum_parse(*x, type, &s->heap, &a, &unsaid) != STATUS_OK ||
        datum_parse(*y, type, &s->heap, &b, &unsaid) != STATUS_OK)
        return 0; /* it is no answer of this type in any case */
    order = datum_compare(&a, &b);
    return item->descending ? -order : order;
}

static void expect_order(struct symbolic *s, const struct call_answer *a, const struct query *query)
{
    const struct select *select = &query->as.select;

    if (query->kind != QUERY_SELECT || select->aggregates)
        return;
    for (uint32_t row = 1; row < a->row_count; row++)
        for (uint32_t i = 0; i < select->order_count; i++) {
            int output = find_ordered(select, select->order[i].by), order;
            const struct text *cell;

            if (output < 0 || (uint32_t)output >= a->width) {
                symbolic_stick(s, query->line, "ORDER BY something that is not answered");
                return;
            }
            cell = &s->plan->log->cells.at[a->cell + (size_t)row * a->width + (unsigned)output];
            order = compare_answered(s, &select->order[i], cell - a->width, cell,
                                     select->order[i].by->type.kind);
            if (order > 0)
                symbolic_assert(s, TERM_FALSE);
            if (order != 0)
                break;
        }
}

static void expect_statement(struct symbolic *s, const struct call_answer *a,
                             const struct sym_result *r, const struct program_function *f)
{
    if (a->kind == CALL_ANSWER_MISSING)
        return;
    if (a->kind == CALL_ANSWER_COUNT) {
        expect_count(s, r, a->count);
        return;
    }
    if (r->width == 0)
        symbolic_assert(s, terms_truth(a->row_count == 0));
    else
        expect_rows(s, a, r);
    if (f->body.count > 0 && f->body.actions[0].kind == ACTION_RETURN_ROWS)
        expect_order(s, a, f->body.actions[0].as.returned);
}

static void expect_call(struct symbolic *s, const struct call_answer *a,
                        const struct program_function *f, struct sym *value)
{
    struct sym_found row = { .guard = TERM_TRUE, .cells = value };
    struct sym_result r = { &row, 1, 1 };
    const struct datum nothing = datum_null();
    bool is_right = true;

    if (f->result.kind != TYPE_VOID) {
        expect_statement(s, a, &r, f);
        return;
    }
    symbolic_note(s, compare_call(&s->compare, a, TYPE_VOID, &nothing, &is_right, s->err));
    symbolic_assert(s, terms_truth(is_right));
}

/* --- Transactions ----------------------------------------------------------------------------------------- */

static struct sym *take_arguments(struct symbolic *s, const struct plan_txn *t)
{
    uint32_t count = s->tree->functions[t->function].parameter_count;
    struct datum *data = arena_take(&s->arena, (size_t)count + 1, sizeof *data);
    struct sym *arguments = arena_take(&s->arena, (size_t)count + 1, sizeof *arguments);

    symbolic_note(s, audit_plan_arguments(s->plan, t, &s->heap, data, s->err));
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = sym_of_datum(s, &data[i]);
    return arguments;
}

static void run_steps(struct symbolic *s, const struct plan_txn *t)
{
    uint32_t count = t->step_count > 0 ? t->step_count : t->logged->function.length > 0;
    struct sym *arguments = t->step_count == 0 && count > 0 ? take_arguments(s, t) : NULL;

    for (uint32_t i = 0; i < count && !s->is_stuck && s->status == STATUS_OK; i++) {
        uint32_t function = t->step_count > 0 ? s->plan->steps.at[t->step + i] : t->function;
        const struct program_function *f = &s->tree->functions[function];
        const struct call_answer *a = audit_plan_answer(s->plan, t, i);
        struct sym_result rows = { .count = 0 };
        struct sym value = symbolic_call(s, function, arguments, &rows);

        if (s->is_stuck || t->is_unknown || symbolic_guard(s) == TERM_FALSE)
            continue;
        if (t->step_count > 0)
            expect_statement(s, a, &rows, f);
        else
            expect_call(s, a, f, &value);
    }
}

static bool is_failed(const struct plan_txn *t)
{
    return !t->is_unknown && t->logged->sqlstate.length > 0;
}

static void begin(struct symbolic *s, const struct sym_place *place)
{
    const struct plan_txn *t = &s->plan->txns.at[place->txn];

    s->txn = place->txn;
    s->position = place->position;
    s->low = place->low;
    s->high = place->high;
    s->guard = TERM_TRUE;
    s->failed = s->fails_as_logged = s->lost = TERM_FALSE;
    s->seen.count = 0;
    s->assumes = !t->is_unknown && !is_failed(t);
    s->here = t->is_unknown ? terms_free_truth(&s->terms) : TERM_TRUE;
    s->has_state = false;
    s->statements = terms_number(&s->terms, 0);
    s->begun = TERM_FALSE;
    s->last_state = terms_number(&s->terms, place->low);
    s->depth = s->steps = 0;
}

enum status symbolic_run(struct symbolic *s, const struct sym_place *place, struct error *err)
{
    const struct plan_txn *t = &s->plan->txns.at[place->txn];
    const struct sym *sources[2] = { NULL, NULL };

    s->err = err;
    s->status = STATUS_OK;
    begin(s, place);
    s->sources = sources;
    if (t->is_unknown) {
        struct sym_event present = { place->txn, TERM_TRUE, s->statements, s->here,
                                     PREFIXES_IS_PRESENT };

        symbolic_note(s, array_push(&s->events, present, err));
    }
    run_steps(s, t);
    if (!s->is_stuck && s->status == STATUS_OK) {
        if (t->is_unknown)
            symbolic_assert(s, terms_not(&s->terms, terms_and(&s->terms, s->here, s->failed)));
        if (is_failed(t)) {
            symbolic_assert(s, s->fails_as_logged);
            symbolic_abandon(s);
        }
        symbolic_commit(s);
    }
    if (s->terms.overflows)
        symbolic_stick(s, 0, "numbers of more than 64 bits");
    s->sources = NULL;
    return s->status;
}

void symbolic_rewind(struct symbolic *s, uint32_t position, size_t events, size_t found)
{
    for (size_t i = 0; i < s->rows.count; i++) {
        struct sym_row *row = &s->rows.at[i];

        while (row->versions.count > 0 &&
               row->versions.at[row->versions.count - 1].position >= position)
            row->versions.count--;
    }
    s->events.count = events;
    terms_forget_found(&s->terms, found);
}

/* --- Life ------------------------------------------------------------------------------------------------- */

enum status symbolic_open(struct symbolic *s, const struct plan *plan, const struct rows *rows,
                          struct smt *smt, struct error *err)
{
    const row_list *all = audit_rows_all(rows);

    s->plan = plan;
    s->tree = &plan->program->tree;
    s->err = err;
    heap_init(&s->heap, HEAP_BYTES);
    terms_init(&s->terms, &s->arena, smt);
    s->rows_of = arena_take(&s->arena, s->tree->schema.table_count + (size_t)1, sizeof *s->rows_of);
    for (size_t i = 0; i < all->count && s->status == STATUS_OK; i++)
        symbolic_put_initial(s, all->at[i]);
    return s->status;
}
