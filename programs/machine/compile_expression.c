#include "programs/machine/compile_expression_private.h"

#include <assert.h>
#include <string.h>

#include "programs/machine/compile_query_private.h"

#define OPERAND_MAX UINT16_MAX

void compile_fail(struct compiler *c, const char *what)
{
    if (c->status != STATUS_OK)
        return;
    c->status = error_set(c->err, STATUS_OVER_LIMIT, "%s", what);
    c->err->line = c->line;
}

void compile_close(struct compiler *c)
{
    array_close(&c->steps);
    array_close(&c->constants);
    array_close(&c->aggregates);
    array_close(&c->parameters);
    array_close(&c->subqueries);
}

void *compile_keep(struct compiler *c, const void *from, size_t count, size_t size)
{
    void *to = arena_push(c->arena, count, size);

    if (!to)
        compile_fail(c, "the program does not fit into memory");
    else if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

uint32_t compile_emit(struct compiler *c, struct step step)
{
    step.line = c->line;
    if (c->status == STATUS_OK)
        c->status = array_push(&c->steps, step, c->err);
    return (uint32_t)c->steps.count - 1;
}

void compile_aim(struct compiler *c, uint32_t step)
{
    if (c->status == STATUS_OK)
        c->steps.at[step].target = (uint32_t)c->steps.count;
}

uint32_t compile_take_slots(struct compiler *c, uint32_t count)
{
    uint32_t first = c->next;

    if (count > OPERAND_MAX - first) {
        compile_fail(c, c->is_condition ? "the condition is too large" : "the function is too large");
        return 0;
    }
    c->next += count;
    if (c->next_max < c->next)
        c->next_max = c->next;
    return first;
}

struct operand compile_constant(struct compiler *c, struct datum value)
{
    if (c->status == STATUS_OK && c->constants.count > OPERAND_MAX)
        compile_fail(c, "more than 65536 constants in one function");
    if (c->status == STATUS_OK)
        c->status = array_push(&c->constants, value, c->err);
    return (struct operand){ PLACE_CONSTANT, (uint16_t)(c->constants.count - 1) };
}

static struct operand parameter(struct compiler *c, const struct expression *e)
{
    if (c->status == STATUS_OK && c->parameters.count > OPERAND_MAX)
        compile_fail(c, "more than 65536 values in one condition");
    if (c->status == STATUS_OK)
        c->status = array_push(&c->parameters, e, c->err);
    return (struct operand){ PLACE_PARAMETER, (uint16_t)(c->parameters.count - 1) };
}

/* Where an expression of several steps puts what is halfway: no variable that it may yet read. */
static uint32_t working_slot(struct compiler *c, uint32_t to)
{
    return to != SLOT_ANY && to >= c->variable_count ? to : compile_take_slots(c, 1);
}

static struct operand deliver(struct compiler *c, struct operand value, uint32_t to)
{
    if (to == SLOT_ANY || (value.place == PLACE_SLOT && value.index == to))
        return value;
    compile_emit(c, (struct step){ .kind = STEP_MOVE, .to = (uint16_t)to, .a = value });
    return operand_of_slot(to);
}

static uint32_t compile_in_row(struct compiler *c, const struct expression *const *expressions,
                               uint32_t count)
{
    uint32_t first = compile_take_slots(c, count);

    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++) {
        uint32_t mark = c->next;

        compile_expression(c, expressions[i], first + i);
        c->next = mark;
    }
    return first;
}

static uint8_t kind_of_choice(const struct operator_choice *choice)
{
    if (choice->code >= OPERATOR_EQUAL_INTEGER && choice->code <= OPERATOR_AT_LEAST_INTEGER)
        return (uint8_t)(STEP_EQUAL + (choice->code - OPERATOR_EQUAL_INTEGER));
    return STEP_APPLY;
}

/* The step that gives an expression its value; the slots from `mark` on are free again. */
static struct operand compile_result(struct compiler *c, struct step step, uint32_t mark,
                                     uint32_t to)
{
    c->next = mark;
    step.to = (uint16_t)(to != SLOT_ANY ? to : compile_take_slots(c, 1));
    compile_emit(c, step);
    return operand_of_slot(step.to);
}

static struct operand compile_apply(struct compiler *c, const struct expression *e, uint32_t to)
{
    const struct operator_choice *choice = &e->as.apply;
    uint32_t mark = c->next, count = e->argument_count;
    struct step step = { .count = (uint16_t)count, .as.choice = choice };

    if (choice->code == OPERATOR_NONE)
        return compile_expression(c, e->arguments[0], to);
    if (count <= 2) {
        step.kind = kind_of_choice(choice);
        step.a = compile_expression(c, e->arguments[0], SLOT_ANY);
        if (count == 2)
            step.b = compile_expression(c, e->arguments[1], SLOT_ANY);
    } else {
        step.kind = STEP_APPLY_MANY;
        step.a = operand_of_slot(compile_in_row(c, e->arguments, count));
    }
    return compile_result(c, step, mark, to);
}

/* AND stops at the first false, OR at the first true; what is null goes on. */
static struct operand compile_junction(struct compiler *c, const struct expression *e, uint32_t to)
{
    static const struct operator_choice both = { .code = OPERATOR_AND, .argument_count = 2 };
    static const struct operator_choice either = { .code = OPERATOR_OR, .argument_count = 2 };
    bool is_and = e->kind == EXPRESSION_AND;
    uint8_t jump = is_and ? STEP_JUMP_IF_FALSE : STEP_JUMP_IF_TRUE;
    uint32_t mark = c->next, slot = working_slot(c, to), last = UINT32_MAX;
    uint32_t kept = c->next;
    struct operand so_far = operand_of_slot(slot);

    compile_expression(c, e->arguments[0], slot);
    c->next = kept;
    c->lazy++;
    for (uint32_t i = 1; i < e->argument_count && c->status == STATUS_OK; i++) {
        struct step junction = { .kind = STEP_APPLY,
                                 .count = 2,
                                 .to = (uint16_t)slot,
                                 .a = so_far,
                                 .as.choice = is_and ? &both : &either };
        /* A chain: each jump is aimed at the next one, which jumps as well. */
        uint32_t here = compile_emit(c, (struct step){ .kind = jump, .a = so_far });

        if (last != UINT32_MAX)
            c->steps.at[last].target = here;
        last = here;
        junction.b = compile_expression(c, e->arguments[i], SLOT_ANY);
        c->next = kept;
        compile_emit(c, junction);
    }
    c->lazy--;
    if (last != UINT32_MAX)
        compile_aim(c, last);
    if (to == SLOT_ANY)
        return so_far;
    c->next = mark;
    return deliver(c, so_far, to);
}

static struct operand compile_case(struct compiler *c, const struct expression *e, uint32_t to)
{
    uint32_t mark = c->next, slot = working_slot(c, to), kept = c->next;
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i + 1 < e->argument_count && c->status == STATUS_OK; i += 2) {
        uint32_t unless;

        c->lazy += i > 0;
        unless = compile_unless(c, e->arguments[i]);
        c->lazy -= i > 0;
        c->next = kept;
        c->lazy++;
        compile_expression(c, e->arguments[i + 1], slot);
        c->lazy--;
        c->next = kept;
        /* Backwards chained: every one of them goes to the one before, the last to the end. */
        last = compile_emit(c, (struct step){ .kind = STEP_JUMP, .target = last });
        compile_aim(c, unless);
    }
    c->lazy++;
    compile_expression(c, e->arguments[e->argument_count - 1], slot);
    c->lazy--;
    while (last != UINT32_MAX && c->status == STATUS_OK) {
        uint32_t before = c->steps.at[last].target;

        compile_aim(c, last);
        last = before;
    }
    c->next = to == SLOT_ANY ? kept : mark;
    return deliver(c, operand_of_slot(slot), to);
}

static struct operand compile_coalesce(struct compiler *c, const struct expression *e, uint32_t to)
{
    uint32_t mark = c->next, slot = working_slot(c, to), kept = c->next;
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < e->argument_count && c->status == STATUS_OK; i++) {
        c->lazy += i > 0;
        compile_expression(c, e->arguments[i], slot);
        c->lazy -= i > 0;
        c->next = kept;
        if (i + 1 < e->argument_count)
            last = compile_emit(c, (struct step){ .kind = STEP_JUMP_IF_VALUE,
                                                   .a = operand_of_slot(slot),
                                                   .target = last });
    }
    while (last != UINT32_MAX && c->status == STATUS_OK) {
        uint32_t before = c->steps.at[last].target;

        compile_aim(c, last);
        last = before;
    }
    c->next = to == SLOT_ANY ? kept : mark;
    return deliver(c, operand_of_slot(slot), to);
}

static bool all_are_constants(const struct expression *const *expressions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (expressions[i]->kind != EXPRESSION_CONSTANT)
            return false;
    return true;
}

static bool any_has_column(const struct expression *const *expressions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (compile_has_column(expressions[i]))
            return true;
    return false;
}

/* The list of an IN, one after another: where it stands already, if that can be. */
static struct operand compile_list(struct compiler *c, const struct expression *const *expressions,
                                   uint32_t count)
{
    struct operand first = { 0 };
    bool is_given = c->is_condition && c->lazy == 0 && !any_has_column(expressions, count);

    if (!is_given && !all_are_constants(expressions, count))
        return operand_of_slot(compile_in_row(c, expressions, count));
    for (uint32_t i = 0; i < count; i++) {
        struct operand one = is_given ? parameter(c, expressions[i])
                                      : compile_constant(c, expressions[i]->as.constant);
        if (i == 0)
            first = one;
    }
    return first;
}

static struct operand compile_in(struct compiler *c, const struct expression *e, uint32_t to)
{
    uint32_t mark = c->next;
    struct step step = { .kind = STEP_IN,
                         .negated = e->as.in.negated,
                         .count = (uint16_t)(e->argument_count - 1) };

    if (e->argument_count > OPERAND_MAX)
        compile_fail(c, "more than 65535 values in one IN");
    step.b = compile_expression(c, e->arguments[0], SLOT_ANY);
    step.a = compile_list(c, e->arguments + 1, e->argument_count - 1);
    return compile_result(c, step, mark, to);
}

static struct operand compile_call(struct compiler *c, const struct expression *e, uint32_t to)
{
    uint32_t mark = c->next;
    struct step step = { .kind = STEP_CALL, .as.function = e->as.function };

    step.a = operand_of_slot(compile_in_row(c, e->arguments, e->argument_count));
    return compile_result(c, step, mark, to);
}

static struct operand compile_aggregate(struct compiler *c, const struct expression *e)
{
    if (c->status == STATUS_OK)
        c->status = array_push(&c->aggregates, e, c->err);
    return (struct operand){ PLACE_GROUP, (uint16_t)(c->aggregates.count - 1) };
}

static struct operand compile_leaf(struct compiler *c, const struct expression *e)
{
    switch (e->kind) {
    case EXPRESSION_CONSTANT:
        return compile_constant(c, e->as.constant);
    case EXPRESSION_VARIABLE:
        return c->is_condition ? parameter(c, e) : operand_of_slot(e->as.slot);
    default:
        assert(e->kind == EXPRESSION_COLUMN);
        assert(!c->is_condition || e->as.column.source == c->source);
        return (struct operand){
            (uint16_t)(PLACE_ROW + (c->is_condition ? 0 : e->as.column.source)),
            e->as.column.column,
        };
    }
}

static const struct compiled_subquery *find_subquery(const struct compiler *c,
                                                     const struct expression *e)
{
    for (size_t i = c->subqueries.count; i-- > 0;)
        if (c->subqueries.at[i].e == e)
            return &c->subqueries.at[i];
    return NULL;
}

/* One that stands in an expression without a query around it is done when it is reached. */
static struct operand compile_subquery_here(struct compiler *c, const struct expression *e,
                                            uint32_t to)
{
    uint32_t mark = c->next, slot = compile_take_slots(c, 2);

    assert(!e->as.subquery.is_correlated && !c->is_formula);
    if (e->argument_count > 0)
        compile_expression(c, e->arguments[0], slot + 1);
    compile_query(c, e->as.subquery.query, compile_use_of_subquery(e), slot);
    if (to == SLOT_ANY) {
        c->next = slot + 1;
        return operand_of_slot(slot);
    }
    c->next = mark;
    return deliver(c, operand_of_slot(slot), to);
}

enum query_use compile_use_of_subquery(const struct expression *e)
{
    return e->as.subquery.kind == SUBQUERY_VALUE    ? QUERY_USE_VALUE
           : e->as.subquery.kind == SUBQUERY_EXISTS ? QUERY_USE_EXISTS
                                                    : QUERY_USE_IN;
}

static struct operand compile_subquery(struct compiler *c, const struct expression *e, uint32_t to)
{
    const struct compiled_subquery *known = find_subquery(c, e);
    uint32_t mark = c->next;
    struct step step = { .kind = STEP_SUBQUERY };

    if (!known)
        return compile_subquery_here(c, e, to);
    if (!known->is_set && !known->code && e->as.subquery.kind == SUBQUERY_VALUE)
        compile_emit(c, (struct step){ .kind = STEP_REQUIRE_ONE,
                                       .a = operand_of_slot(known->slot + 1) });
    if (!known->is_set && !known->code)
        return deliver(c, operand_of_slot(known->slot), to);
    if (e->argument_count > 0)
        step.b = compile_expression(c, e->arguments[0], SLOT_ANY);
    if (known->is_set) {
        step.kind = STEP_IN_SET;
        step.target = known->slot;
    } else {
        step.as.subquery = known->code;
    }
    return compile_result(c, step, mark, to);
}

/* Where it is evaluated within a statement, it has been asked for before. */
static struct operand compile_number(struct compiler *c, const struct expression *e, uint32_t to)
{
    const struct compiled_subquery *known = find_subquery(c, e);
    uint32_t mark = c->next;
    struct step step = { .kind = STEP_NUMBER,
                         .count = (uint16_t)e->as.number.kind,
                         .target = e->as.number.sequence };

    if (known)
        return deliver(c, operand_of_slot(known->slot), to);
    assert(!c->is_formula && !c->is_condition);
    step.a = operand_of_slot(compile_in_row(c, e->arguments, e->argument_count));
    return compile_result(c, step, mark, to);
}

static bool is_leaf(const struct expression *e)
{
    return e->kind == EXPRESSION_CONSTANT || e->kind == EXPRESSION_VARIABLE ||
           e->kind == EXPRESSION_COLUMN;
}

struct operand compile_expression(struct compiler *c, const struct expression *e, uint32_t to)
{
    if (e->line > 0)
        c->line = e->line;
    if (is_leaf(e))
        return deliver(c, compile_leaf(c, e), to);
    if (c->is_condition && (c->lazy == 0 || e->kind == EXPRESSION_SUBQUERY) &&
        !compile_has_column(e))
        return deliver(c, parameter(c, e), to);
    switch (e->kind) {
    case EXPRESSION_APPLY:
        return compile_apply(c, e, to);
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return compile_junction(c, e, to);
    case EXPRESSION_CASE:
        return compile_case(c, e, to);
    case EXPRESSION_COALESCE:
        return compile_coalesce(c, e, to);
    case EXPRESSION_IN:
        return compile_in(c, e, to);
    case EXPRESSION_AGGREGATE:
        return deliver(c, compile_aggregate(c, e), to);
    case EXPRESSION_SUBQUERY:
        return compile_subquery(c, e, to);
    case EXPRESSION_NUMBER:
        return compile_number(c, e, to);
    default:
        assert(e->kind == EXPRESSION_CALL);
        return compile_call(c, e, to);
    }
}

struct operand compile_root(struct compiler *c, const struct expression *e, uint32_t to)
{
    struct operand value;

    if (!tree_names_table(e))
        return compile_expression(c, e, to);
    compile_emit(c, (struct step){ .kind = STEP_STATEMENT });
    c->statement_depth++;
    value = compile_expression(c, e, to);
    c->statement_depth--;
    return value;
}

uint32_t compile_unless(struct compiler *c, const struct expression *condition)
{
    struct operand value = compile_expression(c, condition, SLOT_ANY);

    return compile_emit(c, (struct step){ .kind = STEP_JUMP_UNLESS_TRUE, .a = value });
}

struct formula compile_formula(struct compiler *c, const struct expression *e)
{
    struct compiler outer = *c;
    struct formula formula = { .steps = NULL };
    uint32_t mark = c->next;

    memset(&c->steps, 0, sizeof c->steps);
    c->is_formula = true;
    formula.result = compile_expression(c, e, SLOT_ANY);
    if (c->steps.count > 0) {
        compile_emit(c, (struct step){ .kind = STEP_STOP });
        formula.steps = compile_keep(c, c->steps.at, c->steps.count, sizeof *c->steps.at);
    }
    c->is_formula = outer.is_formula;
    array_close(&c->steps);
    memcpy(&c->steps, &outer.steps, sizeof c->steps);
    c->next = mark;
    return formula;
}

static bool any_argument(const struct expression *e, bool (*is)(const struct expression *))
{
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (is(e->arguments[i]))
            return true;
    return false;
}

bool compile_has_column(const struct expression *e)
{
    return e->kind == EXPRESSION_COLUMN ||
           (e->kind == EXPRESSION_SUBQUERY && e->as.subquery.is_correlated) ||
           any_argument(e, compile_has_column);
}

const struct expression *compile_peel(const struct expression *e)
{
    while (e->kind == EXPRESSION_APPLY && e->as.apply.code == OPERATOR_NONE)
        e = e->arguments[0];
    return e;
}

static bool is_comparison(enum operator_code code)
{
    return code >= OPERATOR_EQUAL_INTEGER && code <= OPERATOR_AT_LEAST_OTHER;
}

/* EQUAL, UNEQUAL, LESS, AT_MOST, MORE, AT_LEAST: the same order in all groups of six. */
static uint32_t rank_of(enum operator_code code)
{
    return code >= OPERATOR_EQUAL_OTHER ? code - OPERATOR_EQUAL_OTHER
                                        : code - OPERATOR_EQUAL_INTEGER;
}

struct bounds {
    ARRAY(struct condition_bound) list;
};

/* Column and value, or value and column, which turns the comparison round. */
static enum status note_bound(struct bounds *bounds, const struct step *comparison, uint32_t rank,
                              struct error *err)
{
    static const enum comparison_kind kinds[] = { COMPARISON_EQUAL,   COMPARISON_EQUAL,
                                                  COMPARISON_LESS,    COMPARISON_AT_MOST,
                                                  COMPARISON_MORE,    COMPARISON_AT_LEAST };
    static const enum comparison_kind turned[] = { COMPARISON_EQUAL,   COMPARISON_EQUAL,
                                                   COMPARISON_MORE,    COMPARISON_AT_LEAST,
                                                   COMPARISON_LESS,    COMPARISON_AT_MOST };
    bool is_first = comparison->a.place == PLACE_ROW;
    struct operand column = is_first ? comparison->a : comparison->b;
    struct operand value = is_first ? comparison->b : comparison->a;
    struct condition_bound bound = {
        .column = column.index,
        .comparison = is_first ? kinds[rank] : turned[rank],
        .is_parameter = value.place == PLACE_PARAMETER,
        .index = value.index,
    };

    if (column.place != PLACE_ROW || rank == 1 ||
        (value.place != PLACE_PARAMETER && value.place != PLACE_CONSTANT))
        return STATUS_OK;
    return array_push(&bounds->list, bound, err);
}

static void refuse_unless(struct compiler *c, struct operand value)
{
    compile_emit(c, (struct step){ .kind = STEP_JUMP_UNLESS_TRUE, .a = value });
}

static enum status compile_conjunct(struct compiler *c, const struct expression *e,
                                    struct bounds *bounds)
{
    struct step step = { .kind = STEP_APPLY, .count = 2, .as.choice = &e->as.apply };
    uint32_t rank;

    if (e->kind != EXPRESSION_APPLY || !is_comparison(e->as.apply.code)) {
        refuse_unless(c, compile_expression(c, e, SLOT_ANY));
        return c->status;
    }
    rank = rank_of(e->as.apply.code);
    step.a = compile_expression(c, e->arguments[0], SLOT_ANY);
    step.b = compile_expression(c, e->arguments[1], SLOT_ANY);
    TRY(c->status);
    TRY(note_bound(bounds, &step, rank, c->err));
    if (e->as.apply.code < OPERATOR_EQUAL_OTHER) {
        step.kind = (uint8_t)(STEP_REQUIRE_EQUAL + rank);
        compile_emit(c, step);
    } else {
        step.to = (uint16_t)compile_take_slots(c, 1);
        compile_emit(c, step);
        refuse_unless(c, operand_of_slot(step.to));
    }
    return c->status;
}

static void note_columns(const struct expression *e, bool *reads)
{
    if (e->kind == EXPRESSION_COLUMN)
        reads[e->as.column.column] = true;
    for (uint32_t i = 0; i < e->argument_count; i++)
        note_columns(e->arguments[i], reads);
}

static uint32_t column_end(const struct expression *e)
{
    uint32_t end = e->kind == EXPRESSION_COLUMN ? e->as.column.column + 1U : 0;

    for (uint32_t i = 0; i < e->argument_count; i++) {
        uint32_t of_argument = column_end(e->arguments[i]);
        end = of_argument > end ? of_argument : end;
    }
    return end;
}

static enum status keep_columns(struct condition *condition, struct arena *arena,
                                struct error *err)
{
    uint32_t end = 0;
    bool *reads;
    uint16_t *at;

    for (uint32_t i = 0; i < condition->conjunct_count; i++) {
        uint32_t of_conjunct = column_end(condition->conjuncts[i]);
        end = of_conjunct > end ? of_conjunct : end;
    }
    reads = arena_push(arena, end, sizeof *reads);
    at = arena_push(arena, end, sizeof *at);
    if (!reads || !at)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    for (uint32_t i = 0; i < condition->conjunct_count; i++)
        note_columns(condition->conjuncts[i], reads);
    for (uint32_t column = 0; column < end; column++)
        if (reads[column])
            at[condition->columns.count++] = (uint16_t)column;
    condition->columns.at = at;
    return STATUS_OK;
}

/* Everything that leads nowhere leads to the step behind the last. */
static void finish(struct compiler *c)
{
    uint32_t end = (uint32_t)c->steps.count + 1;

    for (size_t i = 0; i < c->steps.count; i++)
        if (c->steps.at[i].kind == STEP_JUMP_UNLESS_TRUE && c->steps.at[i].target == 0)
            c->steps.at[i].target = end;
    compile_emit(c, (struct step){ .kind = STEP_STOP });
    compile_emit(c, (struct step){ .kind = STEP_REFUSE });
}

static enum status compile(struct compiler *c, struct bounds *bounds, struct condition *condition)
{
    for (uint32_t i = 0; i < condition->conjunct_count; i++) {
        TRY(compile_conjunct(c, condition->conjuncts[i], bounds));
        c->next = 0;
    }
    finish(c);
    if (c->next_max > CONDITION_REGISTERS_MAX)
        compile_fail(c, "the condition is nested too deeply");
    condition->steps = compile_keep(c, c->steps.at, c->steps.count, sizeof *c->steps.at);
    condition->constants =
        compile_keep(c, c->constants.at, c->constants.count, sizeof *c->constants.at);
    condition->parameters =
        compile_keep(c, c->parameters.at, c->parameters.count, sizeof *c->parameters.at);
    condition->parameter_count = (uint32_t)c->parameters.count;
    condition->bounds =
        compile_keep(c, bounds->list.at, bounds->list.count, sizeof *bounds->list.at);
    condition->bound_count = (uint32_t)bounds->list.count;
    return c->status;
}

enum status compile_condition(const struct condition_conjuncts *of, struct arena *arena,
                              const struct condition **out, struct error *err)
{
    struct compiler c = { .arena = arena, .err = err, .is_condition = true, .source = of->source,
                          .lazy = of->is_whole };
    struct condition *condition = arena_push(arena, 1, sizeof *condition);
    struct bounds bounds = { 0 };
    enum status status;

    if (!condition)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    condition->table = of->table;
    condition->conjuncts = compile_keep(&c, of->at, of->count, sizeof *of->at);
    condition->conjunct_count = of->count;
    status = c.status;
    if (status == STATUS_OK)
        status = keep_columns(condition, arena, err);
    if (status == STATUS_OK)
        status = compile(&c, &bounds, condition);
    array_close(&bounds.list);
    compile_close(&c);
    *out = condition;
    return status;
}
