#include "programs/machine/compile_private.h"

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
    compiler_emit(c, (struct step){ .kind = STEP_JUMP_UNLESS_TRUE, .a = value });
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
        compiler_emit(c, step);
    } else {
        step.to = (uint16_t)compiler_take_slots(c, 1);
        compiler_emit(c, step);
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
    compiler_emit(c, (struct step){ .kind = STEP_STOP });
    compiler_emit(c, (struct step){ .kind = STEP_REFUSE });
}

static enum status compile(struct compiler *c, struct bounds *bounds, struct condition *condition)
{
    for (uint32_t i = 0; i < condition->conjunct_count; i++) {
        TRY(compile_conjunct(c, condition->conjuncts[i], bounds));
        c->next = 0;
    }
    finish(c);
    if (c->next_max > CONDITION_REGISTERS_MAX)
        compiler_fail(c, "the condition is nested too deeply");
    condition->steps = compiler_keep(c, c->steps.at, c->steps.count, sizeof *c->steps.at);
    condition->constants =
        compiler_keep(c, c->constants.at, c->constants.count, sizeof *c->constants.at);
    condition->parameters =
        compiler_keep(c, c->parameters.at, c->parameters.count, sizeof *c->parameters.at);
    condition->parameter_count = (uint32_t)c->parameters.count;
    condition->bounds =
        compiler_keep(c, bounds->list.at, bounds->list.count, sizeof *bounds->list.at);
    condition->bound_count = (uint32_t)bounds->list.count;
    return c->status;
}

enum status condition_compile(const struct expression *const *conjuncts, uint32_t count,
                              uint16_t source, uint32_t table, struct arena *arena,
                              const struct condition **out, struct error *err)
{
    struct compiler c = { .arena = arena, .err = err, .is_condition = true, .source = source };
    struct condition *condition = arena_push(arena, 1, sizeof *condition);
    struct bounds bounds = { 0 };
    enum status status;

    if (!condition)
        return error_set(err, STATUS_OVER_LIMIT, "the program does not fit into memory");
    condition->table = table;
    condition->conjuncts = compiler_keep(&c, conjuncts, count, sizeof *conjuncts);
    condition->conjunct_count = count;
    status = c.status;
    if (status == STATUS_OK)
        status = keep_columns(condition, arena, err);
    if (status == STATUS_OK)
        status = compile(&c, &bounds, condition);
    array_close(&bounds.list);
    compiler_close(&c);
    *out = condition;
    return status;
}
