/* tree: how to go through the expressions of a query, and those of the subqueries in it. */
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
