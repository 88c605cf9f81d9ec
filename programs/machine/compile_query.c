#include "programs/machine/compile_query_private.h"

#include "programs/machine/compile_expression_private.h"
#include "programs/machine/compile_reads_private.h"

#include <assert.h>
#include <stdlib.h>

/* Conjuncts without columns: where one is not true, the slot stays false. */
static struct operand compile_guards(struct compiler *c, const struct conjunct_list *where,
                                     uint32_t **jumps, uint32_t *jump_count)
{
    ARRAY(uint32_t) list = { 0 };
    struct operand guard = { 0 };

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++) {
        uint32_t mark, jump;

        if (where->sources.at[i] != 0)
            continue;
        assert(where->kinds.at[i] == CONJUNCT_PLAIN);
        if (list.count == 0) {
            guard = operand_of_slot(compile_take_slots(c, 1));
            compile_emit(c, (struct step){ .kind = STEP_MOVE,
                                            .to = guard.index,
                                            .a = compile_constant(c, datum_of_bool(false)) });
        }
        mark = c->next;
        jump = compile_unless(c, where->conjuncts.at[i]);
        c->next = mark;
        c->status = c->status == STATUS_OK ? array_push(&list, jump, c->err) : c->status;
    }
    *jumps = list.at;
    *jump_count = (uint32_t)list.count;
    return list.count > 0 ? guard : compile_constant(c, datum_of_bool(true));
}

static void open_guard(struct compiler *c, struct operand guard, const uint32_t *jumps,
                       uint32_t count)
{
    if (count > 0)
        compile_emit(c, (struct step){ .kind = STEP_MOVE,
                                        .to = guard.index,
                                        .a = compile_constant(c, datum_of_bool(true)) });
    for (uint32_t i = 0; i < count; i++)
        compile_aim(c, jumps[i]);
}

/* --- What is computed of the rows --------------------------------------------------- */

static struct formula *new_formulas(struct compiler *c, uint32_t count)
{
    struct formula *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    return at;
}

static void compile_outputs(struct compiler *c, const struct output *outputs, uint32_t count,
                            struct select_code *code)
{
    struct formula *at = new_formulas(c, count);

    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++)
        at[i] = compile_formula(c, outputs[i].value);
    code->outputs = at;
    code->output_count = count;
}

static void compile_assignments(struct compiler *c, const struct assignment *assignments,
                                uint32_t count, struct query_code *code)
{
    struct assignment_code *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++) {
        at[i] = (struct assignment_code){ assignments[i].column,
                                          compile_formula(c, assignments[i].value) };
        code->assigns_early |= compile_kind_of(c, assignments[i].value) == CONJUNCT_FINAL;
    }
    code->assignments = at;
    code->assignment_count = count;
}

static void compile_groups_and_order(struct compiler *c, const struct select *select,
                                     struct select_code *code)
{
    struct formula *groups = new_formulas(c, select->group_count);
    struct order_code *order = arena_push(c->arena, select->order_count, sizeof *order);

    if (!order)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < select->group_count && c->status == STATUS_OK; i++)
        groups[i] = compile_formula(c, select->group_by[i]);
    for (uint32_t i = 0; i < select->order_count && c->status == STATUS_OK; i++)
        order[i] = (struct order_code){ compile_formula(c, select->order[i].by),
                                        select->order[i].descending,
                                        select->order[i].nulls_first };
    if (select->having) {
        struct formula having = compile_formula(c, select->having);

        code->having = compile_keep(c, &having, 1, sizeof having);
    }
    code->groups = groups;
    code->group_count = select->group_count;
    code->order = order;
    code->order_count = select->order_count;
}

/* Those that outputs and order mentioned. Their arguments cannot have aggregates of their own. */
static void compile_aggregates(struct compiler *c, struct select_code *code)
{
    size_t count = c->aggregates.count;
    struct aggregate_code *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (size_t i = 0; i < count && c->status == STATUS_OK; i++) {
        const struct expression *e = c->aggregates.at[i];

        at[i].choice.kind = e->as.aggregate.kind;
        at[i].choice.result = e->type;
        at[i].distinct = e->as.aggregate.distinct;
        if (e->argument_count > 0) {
            at[i].choice.takes = e->arguments[0]->type;
            at[i].argument = compile_formula(c, e->arguments[0]);
        }
    }
    assert(c->aggregates.count == count);
    c->aggregates.count = 0;
    code->aggregates = at;
    code->aggregate_count = (uint32_t)count;
}

static void compile_select_formulas(struct compiler *c, const struct query_plan *plan, bool has_outputs,
                                    struct select_code *code)
{
    const struct select *select = plan->select;

    if (has_outputs)
        compile_outputs(c, select->outputs, select->output_count, code);
    compile_groups_and_order(c, select, code);
    compile_aggregates(c, code);
}

/* Which of the conjuncts are looked at before any row of a subquery, and which with all of them. */
static void compile_late(struct compiler *c, const struct query_plan *plan, struct select_code *code)
{
    uint32_t count = (uint32_t)plan->where.conjuncts.count;
    struct formula *conditions = new_formulas(c, count), *filters = new_formulas(c, count);

    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++) {
        if (plan->where.kinds.at[i] == CONJUNCT_FINAL)
            filters[code->filter_count++] = compile_formula(c, plan->where.conjuncts.at[i]);
        else if (plan->e && !(plan->where.sources.at[i] & query_plan_sources(plan)))
            conditions[code->condition_count++] = compile_formula(c, plan->where.conjuncts.at[i]);
    }
    code->conditions = conditions;
    code->filters = filters;
}

static void list_levels(struct compiler *c, const struct query_plan *plan,
                        const struct query_code *of, struct select_code *code)
{
    uint16_t levels[SOURCES_MAX], sources[SOURCES_MAX];

    for (uint32_t i = 0; i < plan->source_count; i++) {
        levels[i] = (uint16_t)(plan->first_read + i);
        sources[i] = of->reads[levels[i]].source;
    }
    code->levels = compile_keep(c, levels, plan->source_count, sizeof *levels);
    code->sources = compile_keep(c, sources, plan->source_count, sizeof *sources);
    code->level_count = plan->source_count;
}

static void compile_inner(struct compiler *c, const struct query_plan *plan, struct query_code *code,
                          uint32_t read);

/*
 * What a subquery computes of its rows is in slots before those of the select around it, whose
 * expressions are halfway while the subquery is done.
 */
static void compile_subquery(struct compiler *c, const struct query_plan *plan, struct query_code *code,
                             uint32_t read)
{
    struct subquery_code *made = arena_push(c->arena, 1, sizeof *made);
    struct compiled_subquery compiled = { .e = plan->e, .code = made };

    if (!made) {
        compile_fail(c, "the program does not fit into memory");
        return;
    }
    made->kind = plan->e->as.subquery.kind;
    made->select.limit = plan->limit;
    made->select.offset = plan->offset;
    made->select.distinct = plan->select->distinct;
    made->select.tree = plan->select;
    compile_inner(c, plan, code, read);
    list_levels(c, plan, code, &made->select);
    compile_late(c, plan, &made->select);
    compile_select_formulas(c, plan, made->kind != SUBQUERY_EXISTS, &made->select);
    c->next = c->next_max;
    PUSH(c, &c->subqueries, compiled);
}

/* The reads of a plan, and then the subqueries in it. */
static void compile_inner(struct compiler *c, const struct query_plan *plan, struct query_code *code,
                          uint32_t read)
{
    if (c->status == STATUS_OK)
        query_plan_order(c, plan, code, read);
    read |= query_plan_sources(plan);
    if (plan->inner.count > 0)
        c->next = c->next_max;
    for (size_t i = 0; i < plan->inner.count && c->status == STATUS_OK; i++)
        compile_subquery(c, plan->inner.at[i], code, read);
}

/* A row of expressions is computed in place: there may be calls in it. */
static void compile_row(struct compiler *c, const struct select *select, struct query_code *code)
{
    struct formula *at = new_formulas(c, select->output_count);

    for (uint32_t i = 0; i < select->output_count && c->status == STATUS_OK; i++)
        at[i].result = compile_expression(c, select->outputs[i].value, SLOT_ANY);
    code->select.outputs = at;
    code->select.output_count = select->output_count;
}

static bool is_row(const struct select *select)
{
    return select->source_count == 0 && !select->aggregates;
}

/* What only whether there is a row is asked of needs no values. */
static bool needs_outputs(const struct query_code *code)
{
    return code->use != QUERY_USE_EXISTS || code->select.distinct;
}

/* Whether no error can come of the condition, and so none of a row that nobody looks at. */
static bool is_sure(const struct condition *condition)
{
    uint32_t sure = condition->bound_count;

    for (uint32_t i = 0; i < condition->conjunct_count; i++)
        sure += condition->conjuncts[i]->kind == EXPRESSION_COLUMN;
    return sure == condition->conjunct_count;
}

/* ORDER BY plain columns of the only source, whose rows are chosen by nothing but the condition. */
static bool has_plain_order(const struct select *select, const struct query_code *code)
{
    const struct read_code *read = &code->reads[0];

    if (code->read_count != 1 || select->order_count == 0 || select->aggregates || select->distinct ||
        code->select.filter_count > 0 || read->filter_count > 0 || read->after_count > 0 ||
        read->join_count > 0 || read->set_count > 0 || read->is_optional ||
        !is_sure(read->condition))
        return false;
    for (uint32_t i = 0; i < select->output_count; i++)
        if (select->outputs[i].value->kind != EXPRESSION_COLUMN)
            return false;
    for (uint32_t i = 0; i < select->order_count; i++)
        if (select->order[i].by->kind != EXPRESSION_COLUMN ||
            select->order[i].descending != select->order[0].descending ||
            select->order[i].nulls_first != select->order[i].descending)
            return false;
    return true;
}

static void compile_order(struct compiler *c, const struct select *select, struct query_code *code)
{
    struct row_order *order = &((struct read_code *)code->reads)->order;
    uint16_t *columns;

    if (!has_plain_order(select, code))
        return;
    columns = arena_push(c->arena, select->order_count, sizeof *columns);
    if (!columns) {
        compile_fail(c, "the program does not fit into memory");
        return;
    }
    for (uint32_t i = 0; i < select->order_count; i++)
        columns[i] = select->order[i].by->as.column.column;
    *order = (struct row_order){ columns, select->order_count, select->order[0].descending };
}

static void compile_select(struct compiler *c, struct query_plan *plan, struct query_code *code)
{
    const struct select *select = plan->select;

    query_plan_select(c, plan, code);
    code->select.limit = plan->limit;
    code->select.offset = plan->offset;
    code->select.distinct = select->distinct;
    if (is_row(select) && needs_outputs(code))
        compile_row(c, select, code);
    code->scratch = c->next;
    code->select.tree = plan->select;
    compile_inner(c, plan, code, 0);
    list_levels(c, plan, code, &code->select);
    compile_late(c, plan, &code->select);
    if (!is_row(select))
        compile_select_formulas(c, plan, needs_outputs(code), &code->select);
    if (c->status == STATUS_OK)
        compile_order(c, select, code);
}

static void compile_insert(struct compiler *c, const struct insert *insert, struct query_code *code)
{
    struct formula *values = new_formulas(c, insert->value_count);

    code->scratch = c->next;
    for (uint32_t i = 0; i < insert->value_count && c->status == STATUS_OK; i++)
        values[i] = compile_formula(c, insert->values[i]);
    code->values = values;
    compile_assignments(c, insert->assignments, insert->assignment_count, code);
    if (insert->conflict_where)
        code->conflict_where = compile_formula(c, insert->conflict_where);
    compile_outputs(c, insert->returning, insert->returning_count, &code->select);
}

static void compile_update(struct compiler *c, const struct update *update, struct query_plan *plan,
                           struct query_code *code)
{
    query_plan_select(c, plan, code);
    for (uint32_t i = 0; i < update->assignment_count; i++)
        query_plan_expression(c, plan, code, update->assignments[i].value);
    if (update->where)
        query_plan_expression(c, plan, code, update->where);
    code->scratch = c->next;
    code->select.tree = plan->select;
    compile_inner(c, plan, code, 0);
    list_levels(c, plan, code, &code->select);
    compile_late(c, plan, &code->select);
    compile_assignments(c, update->assignments, update->assignment_count, code);
    compile_outputs(c, update->returning, update->returning_count, &code->select);
}

static void compile_delete(struct compiler *c, const struct delete *delete, struct query_plan *plan,
                           struct query_code *code)
{
    query_plan_select(c, plan, code);
    if (delete->where)
        query_plan_expression(c, plan, code, delete->where);
    code->scratch = c->next;
    code->select.tree = plan->select;
    compile_inner(c, plan, code, 0);
    list_levels(c, plan, code, &code->select);
    compile_late(c, plan, &code->select);
    compile_outputs(c, delete->returning, delete->returning_count, &code->select);
}

/* The outermost select, or the table that is written. */
static void query_plan_query(struct query_plan *plan, const struct query *query)
{
    const struct query_source *target = query->kind == QUERY_UPDATE ? &query->as.update.target
                                                                    : &query->as.delete.target;

    if (query->kind == QUERY_SELECT) {
        plan->select = &query->as.select;
        plan->sources = plan->select->sources;
        plan->source_count = plan->select->source_count;
        plan->first_source = plan->select->first_source;
    } else if (query->kind != QUERY_INSERT) {
        plan->sources = target;
        plan->source_count = 1;
    }
}

static const struct expression *where_of(const struct query *query)
{
    switch (query->kind) {
    case QUERY_SELECT:
        return query->as.select.where;
    case QUERY_UPDATE:
        return query->as.update.where;
    case QUERY_DELETE:
        return query->as.delete.where;
    case QUERY_INSERT:
        break;
    }
    return NULL;
}

static void compile_kind(struct compiler *c, const struct query *query, struct query_plan *plan,
                         struct query_code *code)
{
    uint32_t next_max = c->next_max;

    c->next_max = c->next;
    switch (query->kind) {
    case QUERY_SELECT:
        compile_select(c, plan, code);
        break;
    case QUERY_INSERT:
        compile_insert(c, &query->as.insert, code);
        break;
    case QUERY_UPDATE:
        compile_update(c, &query->as.update, plan, code);
        break;
    case QUERY_DELETE:
        compile_delete(c, &query->as.delete, plan, code);
        break;
    }
    code->scratch_end = c->next_max;
    if (c->next_max < next_max)
        c->next_max = next_max;
}

/* --- Subqueries that are done before ------------------------------------------------- */

/* Whether it is of a row of the query, or of a group. */
static bool is_of_row(const struct expression *e)
{
    if (e->kind == EXPRESSION_COLUMN || e->kind == EXPRESSION_AGGREGATE ||
        (e->kind == EXPRESSION_SUBQUERY && e->as.subquery.is_correlated))
        return true;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (is_of_row(e->arguments[i]))
            return true;
    return false;
}

/* The number of a sequence that a statement uses is asked for before it is begun. */
static void hoist_number(struct compiler *c, const struct expression *e)
{
    struct compiled_subquery compiled = { .e = e, .slot = compile_take_slots(c, 1) };

    compile_expression(c, e, compiled.slot);
    PUSH(c, &c->subqueries, compiled);
}

/* What depends on no row is a value in a slot; what a row's value is looked for in, a set. */
static void hoist(void *compiler, const struct expression *e)
{
    struct compiler *c = compiler;
    struct compiled_subquery compiled = { .e = e };

    for (uint32_t i = 0; i < e->argument_count; i++)
        hoist(c, e->arguments[i]);
    if (e->kind == EXPRESSION_NUMBER && c->status == STATUS_OK)
        hoist_number(c, e);
    if (e->kind != EXPRESSION_SUBQUERY || c->status != STATUS_OK)
        return;
    for (size_t i = 0; i < c->subqueries.count; i++)
        if (c->subqueries.at[i].e == e)
            return;
    if (e->as.subquery.is_correlated) {
        tree_visit_query(e->as.subquery.query, hoist, c);
        return;
    }
    if (e->argument_count > 0 && is_of_row(e->arguments[0])) {
        compile_query(c, e->as.subquery.query, QUERY_USE_SET, 0);
        compiled.is_set = true;
        compiled.slot = c->set_count++;
    } else {
        compiled.slot = compile_take_slots(c, 2);
        if (e->argument_count > 0)
            compile_expression(c, e->arguments[0], compiled.slot + 1);
        compile_query(c, e->as.subquery.query,
                      e->as.subquery.kind == SUBQUERY_VALUE ? QUERY_USE_EARLY_VALUE
                                                            : compile_use_of_subquery(e),
                      compiled.slot);
    }
    PUSH(c, &c->subqueries, compiled);
}

struct query_survey {
    bool has_subquery;
    uint32_t source_end;
};

static void note_column(void *survey, const struct expression *column)
{
    struct query_survey *s = survey;

    if (column->as.column.source >= s->source_end)
        s->source_end = column->as.column.source + 1U;
}

static void survey_select(struct query_survey *s, const struct select *select);

static void survey_expression(void *survey, const struct expression *e)
{
    struct query_survey *s = survey;

    if (e->kind == EXPRESSION_COLUMN)
        note_column(s, e);
    if (e->kind == EXPRESSION_SUBQUERY) {
        s->has_subquery = true;
        survey_select(s, &e->as.subquery.query->as.select);
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        survey_expression(s, e->arguments[i]);
}

static void survey_select(struct query_survey *s, const struct select *select)
{
    for (uint32_t i = 0; i < select->arm_count; i++)
        survey_select(s, select->arms[i].select);
    if (select->source_count > 0 && select->first_source + select->source_count > s->source_end)
        s->source_end = select->first_source + select->source_count;
    if (select->arm_count == 0)
        tree_visit_select(select, survey_expression, s);
}

static void survey_query(struct query_survey *s, const struct query *query)
{
    if (query->kind == QUERY_SELECT)
        survey_select(s, &query->as.select);
    s->source_end = query->kind == QUERY_SELECT ? s->source_end : 1;
    if (query->kind != QUERY_SELECT)
        tree_visit_query(query, survey_expression, s);
}

static struct query_code *new_code(struct compiler *c, const struct query *query,
                                   enum query_use use, uint32_t to)
{
    struct query_code *code = arena_push(c->arena, 1, sizeof *code);
    struct read_code *reads = arena_push(c->arena, c->source_count, sizeof *reads);

    if (!code || !reads) {
        compile_fail(c, "the program does not fit into memory");
        return NULL;
    }
    *code = (struct query_code){ .tree = query,
                                 .use = use,
                                 .to = (uint16_t)to,
                                 .found = (uint16_t)c->function->found,
                                 .reads = reads };
    return code;
}

/* All but the last step; what has to be true for it is in the guard. */
static struct query_code *compile_one(struct compiler *c, const struct query *query,
                                      enum query_use use, uint32_t to, struct operand *guard)
{
    struct query_code *code = new_code(c, query, use, to);
    struct query_plan *plan = query_plan_new(c, NULL);
    uint32_t *jumps, jump_count;

    if (c->status != STATUS_OK) {
        query_plan_close(plan);
        return NULL;
    }
    if (query->kind != QUERY_SELECT || !is_row(&query->as.select))
        tree_visit_query(query, hoist, c);
    query_plan_query(plan, query);
    compile_take_apart(c, where_of(query), &plan->where);
    *guard = compile_guards(c, &plan->where, &jumps, &jump_count);
    if (c->status == STATUS_OK)
        compile_kind(c, query, plan, code);
    open_guard(c, *guard, jumps, jump_count);
    free(jumps);
    query_plan_close(plan);
    return code;
}

/* The arms of a UNION, each with a guard of its own. */
static void compile_arms(struct compiler *c, const struct query *query, struct query_code *code)
{
    const struct select *select = &query->as.select;
    struct arm_code *arms = arena_push(c->arena, select->arm_count, sizeof *arms);
    struct query *queries = arena_push(c->arena, select->arm_count, sizeof *queries);

    if (!arms || !queries)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < select->arm_count && c->status == STATUS_OK; i++) {
        queries[i].kind = QUERY_SELECT;
        queries[i].line = query->line;
        queries[i].as.select = *select->arms[i].select;
        arms[i].query = compile_one(c, &queries[i], QUERY_USE_ARM, 0, &arms[i].guard);
        arms[i].keeps_all = select->arms[i].keeps_all;
        /* What it has in its slots must not be where the next one keeps what is known before. */
        if (arms[i].query)
            c->next = arms[i].query->scratch_end;
    }
    code->arms = arms;
    code->arm_count = select->arm_count;
    code->select.limit = query_plan_row_count(c, select->limit);
    code->select.offset = query_plan_row_count(c, select->offset);
    code->select.output_count = select->output_count;
    code->scratch = code->scratch_end = c->next;
}

void compile_query(struct compiler *c, const struct query *query, enum query_use use, uint32_t to)
{
    uint32_t mark = c->next, set_count = c->set_count, source_count = c->source_count;
    size_t subquery_count = c->subqueries.count;
    struct query_survey survey = { 0 };
    struct operand guard = { 0 };
    struct query_code *code;
    bool counts;

    c->line = query->line;
    survey_query(&survey, query);
    if (survey.source_end > SOURCES_MAX)
        compile_fail(c, "more than 16 tables in one statement");
    if (c->status != STATUS_OK)
        return;
    counts = c->statement_depth == 0 && survey.source_end > 0;
    if (survey.has_subquery && counts) {
        compile_emit(c, (struct step){ .kind = STEP_STATEMENT });
        counts = false;
    }
    c->statement_depth++;
    c->set_count = 0;
    c->source_count = survey.source_end;
    if (query->kind == QUERY_SELECT && query->as.select.arm_count > 0) {
        guard = compile_constant(c, datum_of_bool(true));
        code = new_code(c, query, use, to);
        if (code)
            compile_arms(c, query, code);
    } else {
        code = compile_one(c, query, use, to, &guard);
    }
    c->statement_depth--;
    if (code) {
        code->set_count = c->set_count;
        code->counts = counts;
    }
    c->set_count = set_count;
    c->source_count = source_count;
    c->subqueries.count = subquery_count;
    c->line = query->line;
    compile_emit(c, (struct step){ .kind = STEP_QUERY, .a = guard, .as.query = code });
    c->next = mark;
}
