#include "programs/machine/compile_private.h"
#include "programs/machine/compile_expression_private.h"
#include "programs/machine/compile_query_private.h"

#include <assert.h>
#include <string.h>

#include "programs/sql/analyze.h"

static void compile_block(struct compiler *, const struct block *);

static struct operand constant_bool(struct compiler *c, bool truth)
{
    return compile_constant(c, datum_of_bool(truth));
}

static void emit_move(struct compiler *c, uint32_t to, struct operand from)
{
    compile_emit(c, (struct step){ .kind = STEP_MOVE, .to = (uint16_t)to, .a = from });
}

static void emit_jump(struct compiler *c, uint8_t kind, uint32_t target)
{
    compile_emit(c, (struct step){ .kind = kind, .target = target });
}

static void require_value(struct compiler *c, uint32_t slot, struct operand value)
{
    const struct variable *variable = &c->function->variables[slot];

    if (variable->not_null)
        compile_emit(
            c, (struct step){ .kind = STEP_REQUIRE_VALUE, .a = value, .as.variable = variable });
}

/* compile_unless() where no query is around. */
static uint32_t unless_root(struct compiler *c, const struct expression *condition)
{
    struct operand value = compile_root(c, condition, SLOT_ANY);

    return compile_emit(c, (struct step){ .kind = STEP_JUMP_UNLESS_TRUE, .a = value });
}

static void assign(struct compiler *c, uint32_t slot, const struct expression *value)
{
    uint32_t mark = c->next;

    if (c->function->variables[slot].not_null) {
        struct operand result = compile_root(c, value, SLOT_ANY);
        require_value(c, slot, result);
        emit_move(c, slot, result);
    } else {
        compile_root(c, value, slot);
    }
    c->next = mark;
}

/* From the slots where a row is to the variables, each with its cast. */
static void compile_into(struct compiler *c, const struct into *into, uint32_t row)
{
    for (uint32_t i = 0; i < into->count; i++) {
        struct step cast = { .kind = STEP_APPLY,
                             .count = 1,
                             .to = (uint16_t)(row + i),
                             .a = operand_of_slot(row + i),
                             .as.choice = &into->casts[i] };

        if (into->casts[i].code != OPERATOR_NONE)
            compile_emit(c, cast);
        require_value(c, into->slots[i], operand_of_slot(row + i));
        emit_move(c, into->slots[i], operand_of_slot(row + i));
    }
}

static bool is_plain_row(const struct query *query)
{
    return query->kind == QUERY_SELECT && query->as.select.source_count == 0 &&
           !query->as.select.aggregates && !query->as.select.limit && !query->as.select.offset &&
           query->as.select.arm_count == 0;
}

static void find_any_table(void *has_any, const struct expression *e)
{
    *(bool *)has_any |= tree_names_table(e);
}

/* Its subqueries are one statement. */
static void begin_plain_row(struct compiler *c, const struct select *select)
{
    bool has_any = false;

    tree_visit_select(select, find_any_table, &has_any);
    if (has_any)
        compile_emit(c, (struct step){ .kind = STEP_STATEMENT });
}

/* A SELECT without FROM: no query at all. */
static void compile_plain_row(struct compiler *c, const struct select *select, bool strict,
                              uint32_t row)
{
    uint32_t mark = c->next, unless = UINT32_MAX, end;

    begin_plain_row(c, select);
    c->statement_depth++;
    if (select->where)
        unless = compile_unless(c, select->where);
    c->next = mark;
    for (uint32_t i = 0; i < select->output_count; i++) {
        compile_expression(c, select->outputs[i].value, row + i);
        c->next = mark;
    }
    c->statement_depth--;
    emit_move(c, c->function->found, constant_bool(c, true));
    if (!select->where)
        return;
    end = compile_emit(c, (struct step){ .kind = STEP_JUMP });
    compile_aim(c, unless);
    if (strict)
        compile_emit(c, (struct step){ .kind = STEP_NO_ROWS });
    for (uint32_t i = 0; i < select->output_count; i++)
        emit_move(c, row + i, compile_constant(c, datum_null()));
    emit_move(c, c->function->found, constant_bool(c, false));
    compile_aim(c, end);
}

static uint32_t output_count(const struct query *query)
{
    const struct output *unused;

    return analyze_query_outputs(query, &unused);
}

static void compile_query_action(struct compiler *c, const struct query *query,
                                 const struct into *into)
{
    uint32_t mark = c->next;
    bool strict = into && into->strict;
    uint32_t row = compile_take_slots(c, output_count(query));

    if (is_plain_row(query))
        compile_plain_row(c, &query->as.select, strict, row);
    else
        compile_query(c, query,
                      !into    ? QUERY_USE_FOUND
                      : strict ? QUERY_USE_ONE
                               : QUERY_USE_FIRST,
                      row);
    if (into)
        compile_into(c, into, row);
    c->next = mark;
}

static void compile_if(struct compiler *c, const struct action *a)
{
    ARRAY(uint32_t) ends = { 0 };

    for (uint32_t i = 0; i < a->as.choice.count && c->status == STATUS_OK; i++) {
        const struct arm *arm = &a->as.choice.arms[i];
        uint32_t mark = c->next, unless = 0, end;

        if (arm->condition)
            unless = unless_root(c, arm->condition);
        c->next = mark;
        compile_block(c, &arm->body);
        if (i + 1 < a->as.choice.count) {
            end = compile_emit(c, (struct step){ .kind = STEP_JUMP });
            c->status = c->status == STATUS_OK ? array_push(&ends, end, c->err) : c->status;
        }
        if (arm->condition)
            compile_aim(c, unless);
    }
    for (size_t i = 0; i < ends.count; i++)
        compile_aim(c, ends.at[i]);
    array_close(&ends);
}

/* The body, and what it jumps to with CONTINUE: the way back to `top`. */
static void compile_body(struct compiler *c, struct compiler_loop *loop, const struct block *body,
                         uint32_t top)
{
    loop->outer = c->loop;
    c->loop = loop;
    compile_block(c, body);
    c->loop = loop->outer;
    for (size_t i = 0; i < loop->continues.count; i++)
        compile_aim(c, loop->continues.at[i]);
    emit_jump(c, STEP_LOOP, top);
}

/* Where EXIT leads. */
static void finish_loop(struct compiler *c, struct compiler_loop *loop)
{
    for (size_t i = 0; i < loop->exits.count; i++)
        compile_aim(c, loop->exits.at[i]);
    array_close(&loop->continues);
    array_close(&loop->exits);
}

static void compile_loop(struct compiler *c, const struct action *a)
{
    struct compiler_loop loop = { 0 };
    uint32_t top = (uint32_t)c->steps.count, mark = c->next, unless = 0;

    if (a->as.loop.condition)
        unless = unless_root(c, a->as.loop.condition);
    c->next = mark;
    compile_body(c, &loop, &a->as.loop.body, top);
    if (a->as.loop.condition)
        compile_aim(c, unless);
    finish_loop(c, &loop);
}

static void compile_range(struct compiler *c, const struct action *a)
{
    struct compiler_loop loop = { .sets_found = true };
    uint32_t mark = c->next, bounds = compile_take_slots(c, 3);
    uint32_t iterated = compile_take_slots(c, 1), kept = c->next, top;
    struct step step = { .a = operand_of_slot(bounds), .negated = a->as.range.reverse };

    compile_root(c, a->as.range.low, bounds);
    c->next = kept;
    compile_root(c, a->as.range.high, bounds + 1);
    c->next = kept;
    if (a->as.range.step)
        compile_root(c, a->as.range.step, bounds + 2);
    else
        emit_move(c, bounds + 2, compile_constant(c, datum_of_int64(1)));
    c->next = kept;
    c->line = a->line;
    step.kind = STEP_RANGE;
    compile_emit(c, step);
    emit_move(c, iterated, constant_bool(c, false));
    step.kind = STEP_RANGE_NEXT;
    step.to = (uint16_t)a->as.range.slot;
    top = compile_emit(c, step);
    emit_move(c, iterated, constant_bool(c, true));
    compile_body(c, &loop, &a->as.range.body, top);
    compile_aim(c, top);
    finish_loop(c, &loop);
    emit_move(c, c->function->found, operand_of_slot(iterated));
    c->next = mark;
}

static void assign_nulls(struct compiler *c, const struct into *into)
{
    struct operand null = compile_constant(c, datum_null());

    for (uint32_t i = 0; i < into->count; i++) {
        require_value(c, into->slots[i], null);
        emit_move(c, into->slots[i], null);
    }
}

static void compile_rows(struct compiler *c, const struct action *a)
{
    struct compiler_loop loop = { .has_result = true, .sets_found = true };
    uint32_t mark = c->next, count = output_count(a->as.rows.query);
    uint32_t row = compile_take_slots(c, count), iterated = compile_take_slots(c, 1), top, some;

    compile_query(c, a->as.rows.query, QUERY_USE_ALL, row);
    emit_move(c, iterated, constant_bool(c, false));
    top = compile_emit(
        c, (struct step){ .kind = STEP_NEXT, .to = (uint16_t)row, .count = (uint16_t)count });
    emit_move(c, iterated, constant_bool(c, true));
    compile_into(c, a->as.rows.into, row);
    compile_body(c, &loop, &a->as.rows.body, top);
    compile_aim(c, top);
    some = compile_emit(
        c, (struct step){ .kind = STEP_JUMP_IF_TRUE, .a = operand_of_slot(iterated) });
    assign_nulls(c, a->as.rows.into);
    compile_aim(c, some);
    finish_loop(c, &loop);
    compile_emit(c, (struct step){ .kind = STEP_CLOSE });
    emit_move(c, c->function->found, operand_of_slot(iterated));
    c->next = mark;
}

static void emit_cursor(struct compiler *c, struct step step, uint32_t slot)
{
    step.a = operand_of_slot(slot);
    step.as.variable = &c->function->variables[slot];
    compile_emit(c, step);
}

static void compile_open(struct compiler *c, const struct action *a)
{
    uint32_t mark = c->next, row = compile_take_slots(c, output_count(a->as.cursor.query));

    compile_query(c, a->as.cursor.query, QUERY_USE_ALL, row);
    emit_cursor(c, (struct step){ .kind = STEP_OPEN_CURSOR }, a->as.cursor.slot);
    c->next = mark;
}

static void compile_fetch(struct compiler *c, const struct action *a)
{
    uint32_t mark = c->next, count = output_count(a->as.cursor.query), row = compile_take_slots(c, count);
    uint32_t fetch = (uint32_t)c->steps.count, end;

    emit_cursor(c, (struct step){ .kind = STEP_FETCH, .to = (uint16_t)row, .count = (uint16_t)count },
                a->as.cursor.slot);
    compile_into(c, a->as.cursor.into, row);
    emit_move(c, c->function->found, constant_bool(c, true));
    end = compile_emit(c, (struct step){ .kind = STEP_JUMP });
    compile_aim(c, fetch);
    assign_nulls(c, a->as.cursor.into);
    emit_move(c, c->function->found, constant_bool(c, false));
    compile_aim(c, end);
    c->next = mark;
}

/* Loops that are left on the way are done as if they had come to their ends. */
static void compile_leave(struct compiler *c, const struct action *a)
{
    struct compiler_loop *loop = c->loop;
    uint32_t mark = c->next, unless = 0, jump;

    if (a->as.leave.condition)
        unless = unless_root(c, a->as.leave.condition);
    c->next = mark;
    for (uint32_t i = 0; i < a->as.leave.depth; i++) {
        assert(loop && loop->outer);
        if (loop->has_result)
            compile_emit(c, (struct step){ .kind = STEP_CLOSE });
        if (loop->sets_found)
            emit_move(c, c->function->found, constant_bool(c, true));
        loop = loop->outer;
    }
    assert(loop);
    jump = compile_emit(c, (struct step){ .kind = STEP_JUMP });
    if (c->status == STATUS_OK)
        c->status = a->kind == ACTION_EXIT ? array_push(&loop->exits, jump, c->err)
                                           : array_push(&loop->continues, jump, c->err);
    if (a->as.leave.condition)
        compile_aim(c, unless);
}

static void compile_return(struct compiler *c, const struct expression *value)
{
    uint32_t mark = c->next;
    struct step step = { .kind = STEP_RETURN };

    step.a = value ? compile_root(c, value, SLOT_ANY) : compile_constant(c, datum_null());
    compile_emit(c, step);
    c->next = mark;
}

static void compile_return_rows(struct compiler *c, const struct query *query)
{
    uint32_t mark = c->next, row = compile_take_slots(c, output_count(query));

    compile_query(c, query, QUERY_USE_ALL, row);
    compile_emit(c, (struct step){ .kind = STEP_RETURN_ROWS });
    c->next = mark;
}

static void compile_raise(struct compiler *c, const struct action *a)
{
    uint32_t mark = c->next, count = a->as.raise.argument_count;
    uint32_t first = compile_take_slots(c, count), kept = c->next;

    for (uint32_t i = 0; i < count; i++) {
        compile_root(c, a->as.raise.arguments[i], first + i);
        c->next = kept;
    }
    c->line = a->line;
    compile_emit(
        c, (struct step){ .kind = STEP_RAISE, .a = operand_of_slot(first), .as.raise = a });
    c->next = mark;
}

static void compile_action(struct compiler *c, const struct action *a)
{
    c->line = a->line;
    switch (a->kind) {
    case ACTION_ASSIGN:
        assign(c, a->as.assign.slot, a->as.assign.value);
        break;
    case ACTION_QUERY:
        compile_query_action(c, a->as.query.query, a->as.query.into);
        break;
    case ACTION_IF:
        compile_if(c, a);
        break;
    case ACTION_LOOP:
    case ACTION_WHILE:
        compile_loop(c, a);
        break;
    case ACTION_FOR_RANGE:
        compile_range(c, a);
        break;
    case ACTION_FOR_QUERY:
        compile_rows(c, a);
        break;
    case ACTION_EXIT:
    case ACTION_CONTINUE:
        compile_leave(c, a);
        break;
    case ACTION_RETURN:
        compile_return(c, a->as.value);
        break;
    case ACTION_RETURN_ROWS:
        compile_return_rows(c, a->as.returned);
        break;
    case ACTION_RAISE:
        compile_raise(c, a);
        break;
    case ACTION_BLOCK:
        compile_block(c, &a->as.block);
        break;
    case ACTION_REQUIRE_CLOSED:
        emit_cursor(c, (struct step){ .kind = STEP_REQUIRE_CLOSED }, a->as.cursor.slot);
        break;
    case ACTION_OPEN:
        compile_open(c, a);
        break;
    case ACTION_FETCH:
        compile_fetch(c, a);
        break;
    case ACTION_CLOSE:
        emit_cursor(c, (struct step){ .kind = STEP_CLOSE_CURSOR }, a->as.cursor.slot);
        break;
    }
}

static void compile_block(struct compiler *c, const struct block *block)
{
    for (uint32_t i = 0; i < block->count && c->status == STATUS_OK; i++)
        compile_action(c, &block->actions[i]);
}

/* A variable without a value of its own is null, which NOT NULL ones must not be. */
static void compile_declarations(struct compiler *c)
{
    const struct program_function *f = c->function;

    emit_move(c, f->found, constant_bool(c, false));
    for (uint32_t i = f->parameter_count; i < f->variable_count; i++) {
        c->line = f->line;
        if (f->variables[i].initial)
            assign(c, i, f->variables[i].initial);
    }
}

static enum status compile_function(const struct program_tree *tree, uint32_t number,
                                    struct arena *arena, struct function_code *out,
                                    struct error *err)
{
    const struct program_function *f = &tree->functions[number];
    struct compiler c = { .tree = tree, .function = f, .arena = arena, .err = err };

    c.variable_count = c.next = c.next_max = f->variable_count;
    c.line = f->line;
    if (f->variable_count >= UINT16_MAX)
        compile_fail(&c, "the function is too large");
    compile_declarations(&c);
    compile_block(&c, &f->body);
    if (f->result.kind == TYPE_VOID)
        compile_return(&c, NULL);
    else
        compile_emit(&c, (struct step){ .kind = STEP_END_OF_FUNCTION });
    out->steps = compile_keep(&c, c.steps.at, c.steps.count, sizeof *c.steps.at);
    out->step_count = (uint32_t)c.steps.count;
    out->constants = compile_keep(&c, c.constants.at, c.constants.count, sizeof *c.constants.at);
    out->slot_count = c.next_max;
    compile_close(&c);
    return c.status;
}

static enum status equality(struct type type, uint16_t column, uint32_t slot, struct arena *arena,
                            const struct expression **out, struct error *err)
{
    struct expression *e = arena_push(arena, 3, sizeof *e);
    const struct expression **arguments = arena_push(arena, 2, sizeof *arguments);
    struct type types[] = { type, type };
    struct sql_error refusal;

    if (!e || !arguments)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    if (operator_resolve("=", types, 2, &e[0].as.apply, &refusal) != STATUS_OK)
        return error_set(err, STATUS_BAD_INPUT, "%s", refusal.text);
    e[0].kind = EXPRESSION_APPLY;
    e[0].type = type_of(TYPE_BOOLEAN);
    e[0].arguments = arguments;
    e[0].argument_count = 2;
    e[1] = (struct expression){ .kind = EXPRESSION_COLUMN, .type = type, .as.column.column = column };
    e[2] = (struct expression){ .kind = EXPRESSION_VARIABLE, .type = type, .as.slot = slot };
    arguments[0] = &e[1];
    arguments[1] = &e[2];
    *out = e;
    return STATUS_OK;
}

/* column = $0 AND column = $1 AND so on, over the columns of a key. */
static enum status key_condition(const struct schema *schema, uint32_t table,
                                 struct schema_columns columns, struct arena *arena,
                                 const struct condition **out, struct error *err)
{
    const struct schema_table *t = &schema->tables[table];
    const struct expression **conjuncts = arena_push(arena, columns.count, sizeof *conjuncts);

    if (!conjuncts)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    for (uint32_t i = 0; i < columns.count; i++)
        TRY(equality(t->columns[columns.at[i]].type, columns.at[i], i, arena, &conjuncts[i], err));
    return compile_condition(&(struct condition_conjuncts){ conjuncts, columns.count, 0, table, false }, arena, out, err);
}

/* check IS NOT FALSE */
static enum status check_condition(const struct expression *check, uint32_t table,
                                   struct arena *arena, const struct condition **out,
                                   struct error *err)
{
    struct expression *e = arena_push(arena, 1, sizeof *e);
    const struct expression **argument = arena_push(arena, 1, sizeof *argument);
    const struct expression *conjunct = e;
    struct type truth = type_of(TYPE_BOOLEAN);
    struct sql_error refusal;

    if (!e || !argument)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    if (operator_resolve("IS NOT FALSE", &truth, 1, &e->as.apply, &refusal) != STATUS_OK)
        return error_set(err, STATUS_BAD_INPUT, "%s", refusal.text);
    *argument = check;
    e->kind = EXPRESSION_APPLY;
    e->type = truth;
    e->arguments = argument;
    e->argument_count = 1;
    TRY(compile_condition(
        &(struct condition_conjuncts){ &conjunct, 1, 0, table, .is_whole = true }, arena, out, err));
    assert((*out)->parameter_count == 0);
    return STATUS_OK;
}

static enum status compile_table(const struct schema *schema, uint32_t table, struct arena *arena,
                                 struct table_code *out, struct error *err)
{
    const struct schema_table *t = &schema->tables[table];
    struct unique_code *uniques = arena_push(arena, t->unique_count + 1U, sizeof *uniques);
    const struct condition **checks = arena_push(arena, t->check_count, sizeof *checks);

    if (!uniques || !checks)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    uniques[0].name = t->key_name;
    uniques[0].columns = t->key;
    for (uint32_t i = 0; i < t->unique_count; i++) {
        uniques[i + 1].name = t->uniques[i].name;
        uniques[i + 1].columns = t->uniques[i].columns;
    }
    out->uniques = uniques;
    out->unique_count = t->unique_count + 1U;
    for (uint32_t i = 0; i < out->unique_count; i++)
        TRY(key_condition(schema, table, uniques[i].columns, arena, &uniques[i].condition, err));
    for (uint32_t i = 0; i < t->check_count; i++)
        TRY(check_condition(t->checks[i].condition, table, arena, &checks[i], err));
    out->checks = checks;
    return STATUS_OK;
}

enum status compile_program(const struct program_tree *tree, struct arena *arena,
                            const struct code **out, struct error *err)
{
    const struct schema *schema = &tree->schema;
    struct datum *nulls;
    uint16_t width = 1;
    struct code *code = arena_push(arena, 1, sizeof *code);
    struct function_code *functions = arena_push(arena, tree->function_count, sizeof *functions);
    struct table_code *tables = arena_push(arena, schema->table_count, sizeof *tables);
    struct reference_code *references =
        arena_push(arena, schema->reference_count, sizeof *references);

    for (uint32_t i = 0; i < schema->table_count; i++)
        if (schema->tables[i].column_count > width)
            width = schema->tables[i].column_count;
    nulls = arena_push(arena, width, sizeof *nulls);
    if (!code || !functions || !tables || !references || !nulls)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    *code = (struct code){ nulls, functions, tables, references };
    for (uint32_t i = 0; i < schema->table_count; i++)
        TRY(compile_table(schema, i, arena, &tables[i], err));
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *r = &schema->references[i];

        TRY(key_condition(schema, r->to, r->targets, arena, &references[i].targets, err));
        TRY(key_condition(schema, r->from, r->columns, arena, &references[i].referrers, err));
    }
    for (uint32_t i = 0; i < tree->function_count; i++)
        TRY(compile_function(tree, i, arena, &functions[i], err));
    *out = code;
    return STATUS_OK;
}
