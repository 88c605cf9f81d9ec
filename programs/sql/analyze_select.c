#include "programs/sql/analyze_select_private.h"

#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"

#include <assert.h>
#include <string.h>

/* --- FROM --------------------------------------------------------------------- */

enum status analyze_source(struct analysis *a, const PgQuery__RangeVar *range,
                           struct query_source *source)
{
    struct text name = text_of(range->relname);

    ONLY(a, range->location, range, "relname inh relpersistence alias");
    if (!range->inh)
        return analyze_refuse(a, range->location, "ONLY is not supported");
    source->table = analyze_find_table(a, name);
    if (source->table == UINT32_MAX)
        return analyze_refuse(a, range->location, "relation \"%.*s\" does not exist", TEXT_PRINT(name));
    if (!range->alias)
        return analyze_keep_text(a, name, &source->alias);
    ONLY(a, range->location, range->alias, "aliasname");
    return analyze_keep_text(a, text_of(range->alias->aliasname), &source->alias);
}

/* What FROM says so far. */
struct from {
    struct name_scope *scope;
    struct query_source *sources; /* room for all of them */
    uint32_t count;
    const struct expression *on; /* the conditions of joins, or NULL */
};

static uint32_t count_sources(const PgQuery__Node *node)
{
    if (node->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR)
        return 1;
    return count_sources(node->join_expr->larg) + count_sources(node->join_expr->rarg);
}

static enum status add_source(struct analysis *a, struct from *from, const PgQuery__RangeVar *range)
{
    struct query_source *source = &from->sources[from->count];

    TRY(analyze_source(a, range, source));
    for (uint32_t i = 0; i < from->count; i++)
        if (text_equal(from->sources[i].alias, source->alias))
            return analyze_refuse(a, range->location, "table name \"%.*s\" specified more than once",
                                  TEXT_PRINT(source->alias));
    from->count++;
    return STATUS_OK;
}

static enum status add_from(struct analysis *a, struct from *from, const PgQuery__Node *node);

/* The condition of a join sees the tables of the join alone. */
static enum status add_join(struct analysis *a, struct from *from, const PgQuery__JoinExpr *join)
{
    int32_t location = sql_node_location(join->rarg);
    const struct expression *condition;
    uint32_t first = from->count;
    struct name_scope scope;

    if (join->jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER)
        return analyze_refuse(a, location, "an outer join is not supported");
    ONLY(a, location, join, "jointype larg rarg quals");
    TRY(add_from(a, from, join->larg));
    TRY(add_from(a, from, join->rarg));
    if (!join->quals)
        return STATUS_OK;
    scope = *from->scope;
    scope.first_visible = first;
    scope.end_visible = from->count;
    scope.place = "JOIN conditions";
    TRY(analyze_expression(a, &scope, join->quals, &condition));
    TRY(analyze_build_condition(a, "JOIN/ON", location, &condition));
    return analyze_build_and(a, from->on, condition, location, &from->on);
}

static enum status add_from(struct analysis *a, struct from *from, const PgQuery__Node *node)
{
    if (node->node_case == PG_QUERY__NODE__NODE_RANGE_VAR)
        return add_source(a, from, node->range_var);
    if (node->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR)
        return add_join(a, from, node->join_expr);
    return analyze_refuse_node(a, node);
}

static enum status analyze_from(struct analysis *a, struct name_scope *scope,
                                const PgQuery__SelectStmt *stmt, struct select *select)
{
    struct from from = { .scope = scope };
    uint32_t room = 0;
    void *memory;

    for (size_t i = 0; i < stmt->n_from_clause; i++)
        room += count_sources(stmt->from_clause[i]);
    if (room > UINT16_MAX)
        return analyze_refuse(a, -1, "there are too many tables in FROM");
    TRY(analyze_keep(a, room, sizeof *from.sources, &memory));
    from.sources = memory;
    scope->sources = from.sources;
    for (size_t i = 0; i < stmt->n_from_clause; i++)
        TRY(add_from(a, &from, stmt->from_clause[i]));
    select->sources = from.sources;
    select->source_count = from.count;
    select->where = from.on;
    scope->end_visible = from.count;
    return STATUS_OK;
}

/* --- What comes out ------------------------------------------------------------- */

static const char *name_of_type(const PgQuery__TypeName *type)
{
    return sql_string(type->names[type->n_names - 1]).at;
}

/* The name that PostgreSQL gives an expression without one, or NULL. */
static const char *implied_name(const PgQuery__Node *node)
{
    const char *name;

    switch ((int)node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return sql_string(node->column_ref->fields[node->column_ref->n_fields - 1]).at;
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return sql_string(node->func_call->funcname[node->func_call->n_funcname - 1]).at;
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return implied_name(node->a_indirection->arg);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        name = implied_name(node->type_cast->arg);
        return name ? name : name_of_type(node->type_cast->type_name);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        name = node->case_expr->defresult ? implied_name(node->case_expr->defresult) : NULL;
        return name ? name : "case";
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return "coalesce";
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least";
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return "array";
    default:
        return NULL;
    }
}

static bool is_star(const PgQuery__Node *node)
{
    const PgQuery__ColumnRef *ref = node->column_ref;

    return node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && ref->n_fields > 0 &&
           ref->fields[ref->n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

/* Which sources "*" or "t.*" means: [first, end). */
static enum status find_star(struct analysis *a, const struct name_scope *scope,
                             const PgQuery__ColumnRef *ref, uint32_t *first, uint32_t *end)
{
    struct text alias;

    *first = scope->first_visible;
    *end = scope->end_visible;
    if (*first == *end)
        return analyze_refuse(a, ref->location, "SELECT * with no tables specified is not valid");
    if (ref->n_fields == 1)
        return STATUS_OK;
    alias = sql_string(ref->fields[0]);
    for (uint32_t i = *first; i < *end && ref->n_fields == 2; i++)
        if (text_equal(scope->sources[i].alias, alias)) {
            *first = i;
            *end = i + 1;
            return STATUS_OK;
        }
    return analyze_refuse(a, ref->location, "missing FROM-clause entry for table \"%.*s\"",
                          TEXT_PRINT(alias));
}

static enum status count_outputs(struct analysis *a, const struct name_scope *scope,
                                 PgQuery__Node *const *nodes, size_t count, uint32_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = nodes[i]->res_target;
        uint32_t first, end;

        assert(nodes[i]->node_case == PG_QUERY__NODE__NODE_RES_TARGET);
        ONLY(a, target->location, target, "name val");
        if (!is_star(target->val)) {
            ++*total;
            continue;
        }
        TRY(find_star(a, scope, target->val->column_ref, &first, &end));
        for (; first < end; first++)
            *total += a->tables[scope->sources[first].table].column_count;
    }
    return STATUS_OK;
}

static enum status add_star(struct analysis *a, const struct name_scope *scope,
                            const PgQuery__ColumnRef *ref, struct output **out)
{
    uint32_t first, end;

    TRY(find_star(a, scope, ref, &first, &end));
    for (; first < end; first++) {
        const struct schema_table *table = &a->tables[scope->sources[first].table];

        for (uint16_t i = 0; i < table->column_count; i++, ++*out) {
            (*out)->name = table->columns[i].name;
            TRY(analyze_build_column(a, table->columns[i].type, (uint16_t)first, i, ref->location,
                                     &(*out)->value));
        }
    }
    return STATUS_OK;
}

static enum status add_output(struct analysis *a, struct name_scope *scope,
                              const PgQuery__ResTarget *target, struct output *out)
{
    const char *name = target->name && *target->name ? target->name : implied_name(target->val);

    TRY(analyze_keep_text(a, text_of(name ? name : "?column?"), &out->name));
    TRY(analyze_expression(a, scope, target->val, &out->value));
    return analyze_build_settled(a, target->location, &out->value);
}

enum status analyze_outputs(struct analysis *a, struct name_scope *scope,
                            PgQuery__Node *const *nodes, size_t count,
                            const struct output **outputs, uint32_t *output_count)
{
    struct output *out;
    void *memory;

    TRY(count_outputs(a, scope, nodes, count, output_count));
    TRY(analyze_keep(a, *output_count, sizeof *out, &memory));
    *outputs = out = memory;
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = nodes[i]->res_target;

        if (is_star(target->val))
            TRY(add_star(a, scope, target->val->column_ref, &out));
        else
            TRY(add_output(a, scope, target, out++));
    }
    return STATUS_OK;
}

/* --- ORDER BY and GROUP BY -------------------------------------------------------- */

/* The output that a plain name or number in ORDER BY or GROUP BY means, or NULL. */
static enum status find_output(struct analysis *a, const struct select *select,
                               const PgQuery__Node *node, const char *clause,
                               const struct expression **out)
{
    *out = NULL;
    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST) {
        const PgQuery__AConst *constant = node->a_const;
        int32_t place =
            constant->val_case == PG_QUERY__A__CONST__VAL_IVAL ? constant->ival->ival : 0;

        if (constant->val_case != PG_QUERY__A__CONST__VAL_IVAL)
            return analyze_refuse(a, constant->location, "non-integer constant in %s", clause);
        if (place < 1 || (uint32_t)place > select->output_count)
            return analyze_refuse(a, constant->location, "%s position %d is not in select list", clause,
                                  place);
        *out = select->outputs[place - 1].value;
        return STATUS_OK;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node->column_ref->n_fields != 1)
        return STATUS_OK;
    for (uint32_t i = 0; i < select->output_count; i++) {
        const struct output *output = &select->outputs[i];

        if (!text_equal(output->name, sql_string(node->column_ref->fields[0])))
            continue;
        if (*out && !analyze_expressions_equal(*out, output->value))
            return analyze_refuse(a, node->column_ref->location, "%s \"%.*s\" is ambiguous", clause,
                                  TEXT_PRINT(output->name));
        *out = output->value;
    }
    return STATUS_OK;
}

static enum status analyze_order(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    struct order_item *items;
    void *memory;

    TRY(analyze_keep(a, stmt->n_sort_clause, sizeof *items, &memory));
    items = memory;
    for (size_t i = 0; i < stmt->n_sort_clause; i++) {
        const PgQuery__SortBy *sort = stmt->sort_clause[i]->sort_by;
        bool descending = sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
        bool by_default = sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;

        ONLY(a, sort->location, sort, "node sortby_dir sortby_nulls");
        TRY(find_output(a, select, sort->node, "ORDER BY", &items[i].by));
        if (!items[i].by)
            TRY(analyze_expression(a, scope, sort->node, &items[i].by));
        TRY(analyze_build_settled(a, sort->location, &items[i].by));
        items[i].descending = descending;
        items[i].nulls_first =
            by_default ? descending
                       : sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
    }
    select->order = items;
    select->order_count = (uint32_t)stmt->n_sort_clause;
    return STATUS_OK;
}

/* A plain name means a column first, and only then an output. */
static enum status analyze_group_item(struct analysis *a, struct name_scope *scope,
                                      const struct select *select, const PgQuery__Node *node,
                                      const struct expression **out)
{
    const struct expression *output;

    TRY(find_output(a, select, node, "GROUP BY", &output));
    if (output && node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
        struct text name = sql_string(node->column_ref->fields[0]);

        for (uint32_t i = scope->first_visible; i < scope->end_visible; i++)
            if (analyze_find_column(&a->tables[scope->sources[i].table], name) != UINT32_MAX)
                output = NULL;
    }
    if (output) {
        *out = output;
        return STATUS_OK;
    }
    TRY(analyze_expression(a, scope, node, out));
    return analyze_build_settled(a, sql_node_location(node), out);
}

static bool has_aggregate(const struct expression *e)
{
    if (e->kind == EXPRESSION_AGGREGATE)
        return true;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (has_aggregate(e->arguments[i]))
            return true;
    return false;
}

static enum status analyze_group(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    const struct expression **items;
    void *memory;

    scope->aggregates = AGGREGATES_REFUSED;
    scope->place = "GROUP BY";
    TRY(analyze_keep(a, stmt->n_group_clause, sizeof *items, &memory));
    items = memory;
    for (size_t i = 0; i < stmt->n_group_clause; i++) {
        TRY(analyze_group_item(a, scope, select, stmt->group_clause[i], &items[i]));
        if (has_aggregate(items[i]))
            return analyze_refuse(a, sql_node_location(stmt->group_clause[i]),
                                  "aggregate functions are not allowed in GROUP BY");
    }
    select->group_by = items;
    select->group_count = (uint32_t)stmt->n_group_clause;
    return STATUS_OK;
}

/* Whether the expression is the same for all rows of a group. `column` is what is not. */
static bool is_grouped(const struct select *select, const struct expression *e,
                       const struct expression **column)
{
    if (e->kind == EXPRESSION_AGGREGATE)
        return true;
    for (uint32_t i = 0; i < select->group_count; i++)
        if (analyze_expressions_equal(e, select->group_by[i]))
            return true;
    if (e->kind == EXPRESSION_COLUMN) {
        *column = e;
        return false;
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (!is_grouped(select, e->arguments[i], column))
            return false;
    return true;
}

static enum status check_grouped(struct analysis *a, const struct select *select,
                                 const struct expression *e)
{
    const struct expression *column = NULL;
    const struct query_source *source;

    if (is_grouped(select, e, &column))
        return STATUS_OK;
    source = &select->sources[column->as.column.source];
    return analyze_refuse(a, -1,
                          "column \"%.*s.%.*s\" must appear in the GROUP BY clause or be used in an "
                          "aggregate function",
                          TEXT_PRINT(source->alias),
                          TEXT_PRINT(a->tables[source->table].columns[column->as.column.column].name));
}

static enum status check_groups(struct analysis *a, const struct select *select)
{
    if (!select->aggregates)
        return STATUS_OK;
    for (uint32_t i = 0; i < select->output_count; i++)
        TRY(check_grouped(a, select, select->outputs[i].value));
    for (uint32_t i = 0; i < select->order_count; i++)
        TRY(check_grouped(a, select, select->order[i].by));
    return STATUS_OK;
}

/* --- LIMIT and locks ---------------------------------------------------------------- */

static enum status analyze_limit(struct analysis *a, const struct name_scope *outer,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    struct name_scope scope = { .routine = outer->routine, .place = "LIMIT" };
    int32_t location;

    if (stmt->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return analyze_refuse(a, -1, "WITH TIES is not supported");
    if (!stmt->limit_count)
        return STATUS_OK;
    location = sql_node_location(stmt->limit_count);
    TRY(analyze_expression(a, &scope, stmt->limit_count, &select->limit));
    return analyze_build_cast(a, type_of(TYPE_BIGINT), CAST_IMPLICIT, location, &select->limit);
}

static enum status analyze_lock(struct analysis *a, const PgQuery__SelectStmt *stmt,
                                struct select *select)
{
    const PgQuery__LockingClause *clause;

    if (stmt->n_locking_clause == 0)
        return STATUS_OK;
    clause = stmt->locking_clause[0]->locking_clause;
    if (stmt->n_locking_clause > 1)
        return analyze_refuse(a, -1, "more than one FOR UPDATE or FOR SHARE is not supported");
    ONLY(a, -1, clause, "strength wait_policy");
    if (clause->wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip)
        return analyze_refuse(a, -1, "SKIP LOCKED is not supported");
    if (clause->wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitError)
        return analyze_refuse(a, -1, "NOWAIT is not supported");
    if (clause->strength == PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORUPDATE)
        select->lock = ROW_LOCK_UPDATE;
    else if (clause->strength == PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE)
        select->lock = ROW_LOCK_SHARE;
    else
        return analyze_refuse(a, -1, "FOR NO KEY UPDATE and FOR KEY SHARE are not supported");
    if (select->aggregates)
        return analyze_refuse(a, -1, "FOR UPDATE or FOR SHARE is not allowed with aggregates or GROUP BY");
    return STATUS_OK;
}

/* --- All of it ------------------------------------------------------------------------ */

static enum status analyze_where(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    const struct expression *where;
    int32_t location;

    if (!stmt->where_clause)
        return STATUS_OK;
    scope->place = "WHERE";
    location = sql_node_location(stmt->where_clause);
    TRY(analyze_expression(a, scope, stmt->where_clause, &where));
    TRY(analyze_build_condition(a, "WHERE", location, &where));
    return analyze_build_and(a, select->where, where, location, &select->where);
}

enum status analyze_select(struct analysis *a, struct routine *routine,
                           const PgQuery__SelectStmt *stmt, struct select *select)
{
    struct name_scope scope = { .routine = routine, .place = "a query" };

    ONLY(a, -1, stmt,
         "target_list from_clause where_clause group_clause sort_clause limit_count limit_option "
         "locking_clause");
    if (stmt->n_target_list == 0)
        return analyze_refuse(a, -1, "a SELECT of nothing is not supported");
    TRY(analyze_from(a, &scope, stmt, select));
    scope.allows_calls = select->source_count == 0;
    TRY(analyze_where(a, &scope, stmt, select));
    scope.aggregates = AGGREGATES_ALLOWED;
    scope.place = "a query with FROM";
    TRY(analyze_outputs(a, &scope, stmt->target_list, stmt->n_target_list, &select->outputs,
                        &select->output_count));
    TRY(analyze_order(a, &scope, stmt, select));
    select->aggregates = scope.aggregates == AGGREGATES_FOUND || stmt->n_group_clause > 0;
    TRY(analyze_group(a, &scope, stmt, select));
    TRY(check_groups(a, select));
    TRY(analyze_limit(a, &scope, stmt, select));
    return analyze_lock(a, stmt, select);
}
