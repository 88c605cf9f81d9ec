/* tree: how to go through the actions of a function, and the expressions of actions and queries. */
#include "programs/sql/tree.h"

static void visit(const struct expression *e, tree_visitor *visitor, void *context)
{
    if (e)
        visitor(context, e);
}

static void visit_outputs(const struct output *outputs, uint32_t count, tree_visitor *visitor,
                          void *context)
{
    for (uint32_t i = 0; i < count; i++)
        visit(outputs[i].value, visitor, context);
}

static void visit_assignments(const struct assignment *assignments, uint32_t count,
                              tree_visitor *visitor, void *context)
{
    for (uint32_t i = 0; i < count; i++)
        visit(assignments[i].value, visitor, context);
}

void tree_visit_select(const struct select *select, tree_visitor *visitor, void *context)
{
    for (uint32_t i = 0; i < select->arm_count; i++)
        tree_visit_select(select->arms[i].select, visitor, context);
    for (uint32_t i = 0; i < select->source_count; i++)
        visit(select->sources[i].on, visitor, context);
    visit(select->where, visitor, context);
    if (select->arm_count == 0)
        visit_outputs(select->outputs, select->output_count, visitor, context);
    for (uint32_t i = 0; i < select->group_count; i++)
        visit(select->group_by[i], visitor, context);
    visit(select->having, visitor, context);
    for (uint32_t i = 0; i < select->order_count; i++)
        visit(select->order[i].by, visitor, context);
    visit(select->limit, visitor, context);
    visit(select->offset, visitor, context);
}

static void visit_insert(const struct insert *insert, uint32_t value_count, tree_visitor *visitor,
                         void *context)
{
    for (uint32_t i = 0; i < value_count; i++)
        visit(insert->values[i], visitor, context);
    visit_assignments(insert->assignments, insert->assignment_count, visitor, context);
    visit(insert->conflict_where, visitor, context);
    visit_outputs(insert->returning, insert->returning_count, visitor, context);
}

void tree_visit_query(const struct query *query, tree_visitor *visitor, void *context)
{
    switch (query->kind) {
    case QUERY_SELECT:
        tree_visit_select(&query->as.select, visitor, context);
        break;
    case QUERY_INSERT:
        visit_insert(&query->as.insert, query->as.insert.value_count, visitor, context);
        break;
    case QUERY_UPDATE:
        visit_assignments(query->as.update.assignments, query->as.update.assignment_count, visitor,
                          context);
        visit(query->as.update.where, visitor, context);
        visit_outputs(query->as.update.returning, query->as.update.returning_count, visitor,
                      context);
        break;
    case QUERY_DELETE:
        visit(query->as.delete.where, visitor, context);
        visit_outputs(query->as.delete.returning, query->as.delete.returning_count, visitor,
                      context);
        break;
    }
}

struct column_visit {
    tree_visitor *visitor;
    void *context;
};

static void visit_columns(void *context, const struct expression *e)
{
    const struct column_visit *v = context;

    if (e->kind == EXPRESSION_COLUMN)
        v->visitor(v->context, e);
    if (e->kind == EXPRESSION_SUBQUERY)
        tree_visit_query(e->as.subquery.query, visit_columns, context);
    for (uint32_t i = 0; i < e->argument_count; i++)
        visit_columns(context, e->arguments[i]);
}

void tree_visit_columns(const struct expression *e, tree_visitor *visitor, void *context)
{
    struct column_visit v = { visitor, context };

    visit_columns(&v, e);
}

bool tree_is_column(const struct expression *e, uint16_t source, uint16_t column)
{
    return e && e->kind == EXPRESSION_COLUMN && e->as.column.source == source &&
           e->as.column.column == column;
}

struct known_sources {
    uint64_t known;
    bool has_other;
};

static void note_source(void *context, const struct expression *column)
{
    struct known_sources *s = context;
    uint16_t source = column->as.column.source;

    s->has_other |= source >= 64 || !(s->known >> source & 1);
}

const struct expression *tree_find_equal(const struct expression *condition, uint16_t source,
                                         uint16_t column, uint64_t known)
{
    const struct expression *found = NULL;

    if (!condition)
        return NULL;
    if (condition->kind == EXPRESSION_AND)
        for (uint32_t i = 0; i < condition->argument_count && !found; i++)
            found = tree_find_equal(condition->arguments[i], source, column, known);
    if (condition->kind != EXPRESSION_APPLY ||
        (condition->as.apply.code != OPERATOR_EQUAL_INTEGER &&
         condition->as.apply.code != OPERATOR_EQUAL_OTHER))
        return found;
    for (unsigned i = 0; i < 2; i++) {
        struct known_sources others = { .known = known };

        if (!tree_is_column(condition->arguments[i], source, column))
            continue;
        tree_visit_columns(condition->arguments[1 - i], note_source, &others);
        if (!others.has_other)
            return condition->arguments[1 - i];
    }
    return NULL;
}

static bool select_names_table(const struct select *select);

static void find_table(void *found, const struct expression *e)
{
    *(bool *)found |= tree_names_table(e);
}

static bool select_names_table(const struct select *select)
{
    bool found = select->source_count > 0;

    for (uint32_t i = 0; i < select->arm_count; i++)
        found |= select_names_table(select->arms[i].select);
    if (!found && select->arm_count == 0)
        tree_visit_select(select, find_table, &found);
    return found;
}

bool tree_names_table(const struct expression *e)
{
    if (e->kind == EXPRESSION_SUBQUERY && select_names_table(&e->as.subquery.query->as.select))
        return true;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (tree_names_table(e->arguments[i]))
            return true;
    return false;
}

const struct query *tree_query_of(const struct action *a)
{
    switch (a->kind) {
    case ACTION_QUERY:
        return a->as.query.query;
    case ACTION_FOR_QUERY:
        return a->as.rows.query;
    case ACTION_RETURN_ROWS:
        return a->as.returned;
    case ACTION_OPEN:
        return a->as.cursor.query;
    default:
        return NULL;
    }
}

void tree_visit_action(const struct action *a, tree_visitor *visitor, void *context)
{
    switch (a->kind) {
    case ACTION_ASSIGN:
        visit(a->as.assign.value, visitor, context);
        break;
    case ACTION_IF:
        for (uint32_t i = 0; i < a->as.choice.count; i++)
            visit(a->as.choice.arms[i].condition, visitor, context);
        break;
    case ACTION_LOOP:
    case ACTION_WHILE:
        visit(a->as.loop.condition, visitor, context);
        break;
    case ACTION_FOR_RANGE:
        visit(a->as.range.low, visitor, context);
        visit(a->as.range.high, visitor, context);
        visit(a->as.range.step, visitor, context);
        break;
    case ACTION_EXIT:
    case ACTION_CONTINUE:
        visit(a->as.leave.condition, visitor, context);
        break;
    case ACTION_RETURN:
        visit(a->as.value, visitor, context);
        break;
    case ACTION_RAISE:
        for (uint32_t i = 0; i < a->as.raise.argument_count; i++)
            visit(a->as.raise.arguments[i], visitor, context);
        break;
    default:
        break;
    }
}

void tree_visit_actions(const struct block *block, tree_action_visitor *visitor, void *context)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct action *a = &block->actions[i];

        visitor(context, a);
        if (a->kind == ACTION_LOOP || a->kind == ACTION_WHILE)
            tree_visit_actions(&a->as.loop.body, visitor, context);
        else if (a->kind == ACTION_FOR_RANGE)
            tree_visit_actions(&a->as.range.body, visitor, context);
        else if (a->kind == ACTION_FOR_QUERY)
            tree_visit_actions(&a->as.rows.body, visitor, context);
        else if (a->kind == ACTION_BLOCK)
            tree_visit_actions(&a->as.block, visitor, context);
        for (uint32_t k = 0; a->kind == ACTION_IF && k < a->as.choice.count; k++)
            tree_visit_actions(&a->as.choice.arms[k].body, visitor, context);
    }
}
