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

void symbolic_fail(struct symbolic *s, term condition, const char *sqlstate)
{
    struct sym_failure failure = { .guard = terms_and(&s->terms, symbolic_guard(s), condition) };

    if (failure.guard == TERM_FALSE)
        return;
    if (s->assumes) {
        symbolic_assert(s, terms_not(&s->terms, failure.guard));
        return;
    }
    snprintf(failure.sqlstate, sizeof failure.sqlstate, "%s", sqlstate);
    symbolic_note(s, array_push(&s->failures, failure, s->err));
    s->failed = terms_or(&s->terms, s->failed, failure.guard);
}

/* --- Variables -------------------------------------------------------------------------------------------- */

static void assign(struct symbolic *s, uint32_t slot, const struct sym *value)
{
    struct sym *to = &s->frame->slots[slot];
    term guard = symbolic_guard(s);

    if (s->frame->function->variables && slot < s->frame->function->variable_count &&
        s->frame->function->variables[slot].not_null)
        symbolic_fail(s, sym_is_null(value), SQLSTATE_NULL_NOT_ALLOWED);
    if (guard != TERM_FALSE)
        *to = sym_merge(s, guard, value, to);
}

static void set_found(struct symbolic *s, term truth)
{
    struct sym found = sym_of_truth(s, truth);

    assign(s, s->frame->function->found, &found);
}

static void assign_into(struct symbolic *s, const struct into *into, const struct sym *cells)
{
    for (uint32_t i = 0; i < into->count; i++) {
        struct sym v = cells ? cells[i] : sym_of_datum(datum_null());

        if (cells && into->casts[i].code != OPERATOR_NONE)
            v = sym_apply(s, &into->casts[i], &v, 1, 0);
        assign(s, into->slots[i], &v);
    }
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
    const struct select *select = query->kind == QUERY_SELECT ? &query->as.select : NULL;
    term guard = s->guard, none = TERM_TRUE, some;

    if (s->frame->function->name.length == 0)
        s->frame->rows = result;
    if (into && into->strict)
        symbolic_stick(s, query->line, "INTO STRICT");
    if (into && result.count > 1 && select && select->order_count > 0)
        symbolic_stick(s, query->line, "the first of several rows by ORDER BY");
    for (uint32_t i = 0; i < result.count && !s->is_stuck; i++) {
        s->guard = terms_and(&s->terms, guard, terms_and(&s->terms, none, result.rows[i].guard));
        if (into && s->guard != TERM_FALSE)
            assign_into(s, into, result.rows[i].cells);
        none = terms_and(&s->terms, none, terms_not(&s->terms, result.rows[i].guard));
    }
    s->guard = terms_and(&s->terms, guard, none);
    if (into && s->guard != TERM_FALSE)
        assign_into(s, into, NULL);
    s->guard = guard;
    some = terms_not(&s->terms, none);
    set_found(s, some);
}

static void run_choice(struct symbolic *s, const struct action *a)
{
    struct terms *t = &s->terms;
    term after = TERM_FALSE;

    for (uint32_t i = 0; i < a->as.choice.count; i++) {
        const struct arm *arm = &a->as.choice.arms[i];
        term before = s->guard, holds = TERM_TRUE;

        if (arm->condition) {
            struct sym c = symbolic_evaluate(s, arm->condition);

            holds = sym_is_true(&c);
        }
        s->guard = terms_and(t, before, holds);
        run_block(s, &arm->body);
        after = terms_or(t, after, s->guard);
        s->guard = terms_and(t, before, terms_not(t, holds));
    }
    s->guard = terms_or(t, terms_or(t, after, s->guard), s->lost);
    s->lost = TERM_FALSE;
}

static void begin_round(struct sym_loop *loop)
{
    loop->continues = TERM_FALSE;
}

static void end_round(struct symbolic *s, const struct sym_loop *loop)
{
    s->guard = terms_or(&s->terms, s->guard, loop->continues);
}

static void run_loop(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE };

    s->frame->loop = &loop;
    while (may_go_on(s)) {
        begin_round(&loop);
        if (a->as.loop.condition) {
            struct sym c = symbolic_evaluate(s, a->as.loop.condition);
            term before = s->guard;

            s->guard = terms_and(&s->terms, before, sym_is_true(&c));
            loop.exits =
                terms_or(&s->terms, loop.exits,
                         terms_and(&s->terms, before, terms_not(&s->terms, sym_is_true(&c))));
        }
        run_block(s, &a->as.loop.body);
        end_round(s, &loop);
    }
    s->frame->loop = loop.outer;
    s->guard = terms_or(&s->terms, s->guard, loop.exits);
}

/* True and a number, unless it is null or to be found. */
static bool take_bound(struct symbolic *s, const struct expression *e, uint32_t line,
                       int64_t *number)
{
    struct sym v = symbolic_evaluate(s, e);

    if (v.is_open || v.datum.kind != DATUM_INTEGER) {
        symbolic_stick(s, line, "a loop whose bounds depend on what was read");
        return false;
    }
    *number = v.datum.as.integer;
    return true;
}

static void run_range(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE, .sets_found = true };
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
    for (int64_t i = low; may_go_on(s) && (a->as.range.reverse ? i >= high : i <= high);
         i += a->as.range.reverse ? -by : by) {
        struct sym v = sym_of_datum(datum_of_int64(i));

        begin_round(&loop);
        assign(s, a->as.range.slot, &v);
        run_block(s, &a->as.range.body);
        end_round(s, &loop);
    }
    s->frame->loop = loop.outer;
    s->guard = terms_or(&s->terms, s->guard, loop.exits);
    set_found(s, terms_truth(a->as.range.reverse ? low >= high : low <= high));
}

static void run_rows(struct symbolic *s, const struct action *a)
{
    struct sym_loop loop = { .outer = s->frame->loop, .exits = TERM_FALSE, .sets_found = true };
    struct sym_result result = symbolic_query(s, a->as.rows.query);
    struct terms *t = &s->terms;
    term none = TERM_TRUE, before;

    if (a->as.rows.query->kind == QUERY_SELECT && a->as.rows.query->as.select.order_count > 0 &&
        result.count > 1)
        symbolic_stick(s, a->line, "a loop over rows in an order");
    s->frame->loop = &loop;
    for (uint32_t i = 0; i < result.count && may_go_on(s); i++) {
        term skips = terms_and(t, s->guard, terms_not(t, result.rows[i].guard));

        begin_round(&loop);
        s->guard = terms_and(t, s->guard, result.rows[i].guard);
        assign_into(s, a->as.rows.into, result.rows[i].cells);
        run_block(s, &a->as.rows.body);
        end_round(s, &loop);
        s->guard = terms_or(t, s->guard, skips);
        none = terms_and(t, none, terms_not(t, result.rows[i].guard));
    }
    s->frame->loop = loop.outer;
    s->guard = terms_or(t, s->guard, loop.exits);
    before = s->guard;
    s->guard = terms_and(t, before, none);
    if (s->guard != TERM_FALSE)
        assign_into(s, a->as.rows.into, NULL);
    s->guard = before;
    set_found(s, terms_not(t, none));
}

static void leave(struct symbolic *s, const struct action *a)
{
    struct sym_loop *loop = s->frame->loop;
    struct terms *t = &s->terms;
    term before = s->guard, leaves = TERM_TRUE;

    if (a->as.leave.condition) {
        struct sym c = symbolic_evaluate(s, a->as.leave.condition);

        leaves = sym_is_true(&c);
    }
    s->guard = terms_and(t, before, leaves);
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
    struct sym v = value ? symbolic_evaluate(s, value) : sym_of_datum(datum_null());

    s->frame->result = sym_merge(s, s->guard, &v, &s->frame->result);
    s->frame->returns = terms_or(&s->terms, s->frame->returns, s->guard);
    s->guard = TERM_FALSE;
}

static void run_action(struct symbolic *s, const struct action *a)
{
    struct sym v;

    switch (a->kind) {
    case ACTION_ASSIGN:
        v = symbolic_evaluate(s, a->as.assign.value);
        assign(s, a->as.assign.slot, &v);
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
    struct sym_frame frame = { .function = f, .returns = TERM_FALSE }, *outer = s->frame;
    struct sym null = sym_of_datum(datum_null());

    if (s->depth >= CALLS_MAX) {
        symbolic_stick(s, f->line, "calls within each other, so many");
        return null;
    }
    frame.slots = arena_take(&s->arena, (size_t)f->variable_count + 1, sizeof *frame.slots);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        frame.slots[i] = arguments[i];
    s->frame = &frame;
    s->depth++;
    frame.slots[f->found] = sym_of_datum(datum_of_bool(false));
    for (uint32_t i = f->parameter_count; i < f->variable_count; i++)
        if (f->variables[i].initial) {
            struct sym v = symbolic_evaluate(s, f->variables[i].initial);

            assign(s, i, &v);
        }
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
        is_it = terms_and(&s->terms, is_it, sym_is_answer(s, &row->cells[i], cells[i]));
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

/* Each row is there as often as it was answered, and there are no others. */
static void expect_rows(struct symbolic *s, const struct call_answer *a, const struct sym_result *r)
{
    struct terms *t = &s->terms;

    symbolic_assert(s, terms_equal(t, r->affected, terms_number(t, a->row_count)));
    if (a->row_count > 0 && a->width != r->width) {
        symbolic_assert(s, TERM_FALSE);
        return;
    }
    for (uint32_t i = 0; i < a->row_count; i++) {
        term count = terms_number(t, 0);
        int64_t wanted = 0;
        bool is_first = true;

        for (uint32_t k = 0; k < a->row_count; k++) {
            bool is_same = is_same_row(s, a, i, k);

            wanted += is_same;
            is_first &= k >= i || !is_same;
        }
        for (uint32_t k = 0; k < r->count && is_first; k++)
            count =
                terms_add(t, count, terms_as_number(t, is_answered_row(s, a, i, r, &r->rows[k])));
        if (is_first)
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
        symbolic_assert(s, terms_equal(&s->terms, r->affected, terms_number(&s->terms, a->count)));
        return;
    }
    if (r->width == 0)
        symbolic_assert(s, terms_truth(a->row_count == 0));
    else
        expect_rows(s, a, r);
    if (f->body.count > 0 && f->body.actions[0].kind == ACTION_RETURN_ROWS)
        expect_order(s, a, f->body.actions[0].as.returned);
}

static void expect_call(struct symbolic *s, const struct call_answer *a, enum type_kind type,
                        const struct sym *v)
{
    struct text cell;

    if (a->kind == CALL_ANSWER_MISSING ||
        (type == TYPE_VOID && a->kind == CALL_ANSWER_ROWS && a->row_count == 0))
        return;
    if (a->kind == CALL_ANSWER_COUNT) {
        symbolic_assert(s, terms_truth(a->count == 1 || (a->count == 0 && type == TYPE_VOID)));
        return;
    }
    if (a->row_count != 1 || a->width != 1) {
        symbolic_assert(s, TERM_FALSE);
        return;
    }
    cell = s->plan->log->cells.at[a->cell];
    symbolic_assert(s, type == TYPE_VOID ? terms_truth(!cell.at || cell.length == 0)
                                         : sym_is_answer(s, v, cell));
}

/* --- Transactions ----------------------------------------------------------------------------------------- */

static struct sym *take_arguments(struct symbolic *s, const struct plan_txn *t)
{
    const struct program_function *f = &s->tree->functions[t->function];
    struct sym *arguments =
        arena_take(&s->arena, (size_t)f->parameter_count + 1, sizeof *arguments);
    struct sql_error sql_error;

    for (uint32_t i = 0; i < f->parameter_count; i++) {
        struct text cell = s->plan->log->cells.at[t->logged->argument + i];

        if (cell.at && datum_parse(cell, f->variables[i].type.kind, &s->heap, &arguments[i].datum,
                                   &sql_error) != STATUS_OK) {
            s->err->line = t->logged->line;
            symbolic_note(s, error_set(s->err, STATUS_BAD_INPUT, "argument %u of %.*s: %s", i + 1,
                                       TEXT_PRINT(t->logged->function), sql_error.text));
        }
    }
    return arguments;
}

static void run_steps(struct symbolic *s, const struct plan_txn *t)
{
    static const struct call_answer missing = { .kind = CALL_ANSWER_MISSING };
    uint32_t count = t->step_count > 0 ? t->step_count : t->logged->function.length > 0;
    struct sym *arguments = t->step_count == 0 && count > 0 ? take_arguments(s, t) : NULL;

    for (uint32_t i = 0; i < count && !s->is_stuck && s->status == STATUS_OK; i++) {
        uint32_t function = t->step_count > 0 ? s->plan->steps.at[t->step + i] : t->function;
        const struct call_answer *a = i < t->logged->answer_count
                                          ? &s->plan->log->answers.at[t->logged->answer + i]
                                          : &missing;
        struct sym_result rows = { .affected = terms_number(&s->terms, 0) };
        struct sym value = symbolic_call(s, function, arguments, &rows);

        if (s->is_stuck || t->is_unknown || symbolic_guard(s) == TERM_FALSE)
            continue;
        if (t->step_count > 0)
            expect_statement(s, a, &rows, &s->tree->functions[function]);
        else
            expect_call(s, a, s->tree->functions[function].result.kind, &value);
    }
}

/* It failed if the log has an error, and then with that. */
static void expect_failure(struct symbolic *s, const struct plan_txn *t)
{
    term fails = TERM_FALSE;

    if (t->is_unknown) {
        symbolic_assert(
            s, terms_or(&s->terms, terms_not(&s->terms, s->here), terms_not(&s->terms, s->failed)));
        return;
    }
    if (t->logged->sqlstate.length == 0)
        return;
    for (size_t i = 0; i < s->failures.count; i++)
        if (text_equal(text_of(s->failures.at[i].sqlstate), t->logged->sqlstate))
            fails = terms_or(&s->terms, fails, s->failures.at[i].guard);
    symbolic_assert(s, fails);
}

static void begin(struct symbolic *s, const struct sym_place *place)
{
    const struct plan_txn *t = &s->plan->txns.at[place->txn];

    s->txn = place->txn;
    s->position = place->position;
    s->low = place->low;
    s->high = place->high;
    s->guard = TERM_TRUE;
    s->failed = s->lost = TERM_FALSE;
    s->failures.count = s->seen.count = 0;
    s->assumes = !t->is_unknown && t->logged->sqlstate.length == 0;
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
        expect_failure(s, t);
        if (!t->is_unknown && t->logged->sqlstate.length > 0)
            symbolic_abandon(s);
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
