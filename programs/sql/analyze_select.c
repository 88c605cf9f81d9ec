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

    *source = (struct query_source){ .table = 0 };
    TRY(analyze_source(a, range, source));
    for (uint32_t i = 0; i < from->count; i++)
        if (text_equal(from->sources[i].alias, source->alias))
            return analyze_refuse(a, range->location, "table name \"%.*s\" specified more than once",
                                  TEXT_PRINT(source->alias));
    from->count++;
    return STATUS_OK;
}

static enum status add_from(struct analysis *a, struct from *from, const PgQuery__Node *node);

/* Which of the sources from `first` on an outer join may leave out. */
static enum status find_optional(struct analysis *a, const PgQuery__JoinExpr *join, uint32_t first,
                                 const struct from *from, int32_t location,
                                 struct query_source **optional)
{
    bool is_left = join->jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT;
    const PgQuery__Node *side = is_left ? join->rarg : join->larg;

    *optional = NULL;
    if (join->jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER)
        return STATUS_OK;
    if (!is_left && join->jointype != PG_QUERY__JOIN_TYPE__JOIN_RIGHT)
        return analyze_refuse(a, location, "a FULL JOIN is not supported");
    if (side->node_case != PG_QUERY__NODE__NODE_RANGE_VAR)
        return analyze_refuse(a, location, "a join that an outer join may leave out is not supported");
    *optional = &from->sources[is_left ? from->count - 1 : first];
    return STATUS_OK;
}

/* The condition of a join sees the tables of the join alone. */
static enum status add_join(struct analysis *a, struct from *from, const PgQuery__JoinExpr *join)
{
    int32_t location = sql_node_location(join->rarg);
    const struct expression *condition;
    struct query_source *optional;
    uint32_t first = from->count;
    struct name_scope scope;

    ONLY(a, location, join, "jointype larg rarg quals");
    TRY(add_from(a, from, join->larg));
    TRY(add_from(a, from, join->rarg));
    TRY(find_optional(a, join, first, from, location, &optional));
    if (!join->quals)
        return STATUS_OK;
    scope = *from->scope;
    scope.first_visible = first;
    scope.end_visible = from->count;
    scope.place = "JOIN conditions";
    scope.subqueries = SUBQUERIES_REFUSED;
    TRY(analyze_expression(a, &scope, join->quals, &condition));
    TRY(analyze_build_condition(a, "JOIN/ON", location, &condition));
    from->scope->uses_outer |= scope.uses_outer;
    if (!optional)
        return analyze_build_and(a, from->on, condition, location, &from->on);
    optional->is_optional = true;
    optional->on = condition;
    return STATUS_OK;
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
    scope->first_source = select->first_source = a->source_count;
    a->source_count += room;
    if (a->source_count > UINT16_MAX)
        return analyze_refuse(a, -1, "there are too many tables in the statement");
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

static const char *implied_name(const PgQuery__Node *node);

static const char *name_of_subquery(const PgQuery__SubLink *link)
{
    const PgQuery__ResTarget *target;

    if (link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK)
        return "exists";
    if (link->sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK ||
        link->subselect->select_stmt->n_target_list == 0)
        return NULL;
    target = link->subselect->select_stmt->target_list[0]->res_target;
    return target->name && *target->name ? target->name : implied_name(target->val);
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
    case PG_QUERY__NODE__NODE_A_EXPR:
        return node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? "nullif" : NULL;
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return name_of_subquery(node->sub_link);
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
            *total += schema_shown(&a->tables[scope->sources[first].table]);
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

        for (uint16_t i = 0; i < schema_shown(table); i++, ++*out) {
            (*out)->name = table->columns[i].name;
            TRY(analyze_build_column(a, table->columns[i].type,
                                     (uint16_t)(scope->first_source + first), i, ref->location,
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
    return scope->keeps_unknown ? STATUS_OK
                                : analyze_build_settled(a, target->location, &out->value);
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

static void set_direction(const PgQuery__SortBy *sort, struct order_item *item)
{
    bool by_default = sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;

    item->descending = sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    item->nulls_first = by_default
                            ? item->descending
                            : sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
}

static enum status find_union_output(struct analysis *a, const struct select *select,
                                     const PgQuery__SortBy *sort, uint32_t *output)
{
    const struct expression *found;

    TRY(find_output(a, select, sort->node, "ORDER BY", &found));
    for (*output = 0; found && *output < select->output_count; ++*output)
        if (select->outputs[*output].value == found)
            return STATUS_OK;
    return analyze_refuse(a, sql_node_location(sort->node), "invalid UNION/INTERSECT/EXCEPT ORDER BY clause");
}

/* An output, or an expression of the row. */
static enum status find_order(struct analysis *a, struct name_scope *scope, const struct select *select,
                              const PgQuery__SortBy *sort, const struct expression **by)
{
    TRY(find_output(a, select, sort->node, "ORDER BY", by));
    if (!*by)
        TRY(analyze_expression(a, scope, sort->node, by));
    return analyze_build_settled(a, sort->location, by);
}

/* Of a UNION, which has no scope, there are only outputs. */
static enum status analyze_order(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    struct order_item *items;
    void *memory;

    TRY(analyze_keep(a, stmt->n_sort_clause, sizeof *items, &memory));
    items = memory;
    for (size_t i = 0; i < stmt->n_sort_clause; i++) {
        const PgQuery__SortBy *sort = stmt->sort_clause[i]->sort_by;

        ONLY(a, sort->location, sort, "node sortby_dir sortby_nulls");
        TRY(scope ? find_order(a, scope, select, sort, &items[i].by)
                  : find_union_output(a, select, sort, &items[i].output));
        set_direction(sort, &items[i]);
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

/* What is looked for in an expression: a column that is not the same for all rows of a group. */
struct group_check {
    const struct select *select;
    const struct expression *column; /* the first one found, or NULL */
    bool is_within; /* a subquery, whose aggregates are its own */
};

static void look_for_ungrouped(void *context, const struct expression *e)
{
    struct group_check *check = context;
    const struct select *select = check->select;
    bool is_within = check->is_within;

    if (check->column || (e->kind == EXPRESSION_AGGREGATE && !is_within))
        return;
    for (uint32_t i = 0; i < select->group_count; i++)
        if (analyze_expressions_equal(e, select->group_by[i]))
            return;
    if (e->kind == EXPRESSION_COLUMN) {
        uint32_t source = e->as.column.source;

        if (source >= select->first_source && source - select->first_source < select->source_count)
            check->column = e;
        return;
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        look_for_ungrouped(check, e->arguments[i]);
    if (e->kind != EXPRESSION_SUBQUERY)
        return;
    check->is_within = true;
    tree_visit_query(e->as.subquery.query, look_for_ungrouped, check);
    check->is_within = is_within;
}

static enum status check_grouped(struct analysis *a, const struct select *select,
                                 const struct expression *e)
{
    struct group_check check = { .select = select };
    const struct query_source *source;

    look_for_ungrouped(&check, e);
    if (!check.column)
        return STATUS_OK;
    source = &select->sources[check.column->as.column.source - select->first_source];
    return analyze_refuse(
        a, -1,
        "column \"%.*s.%.*s\" must appear in the GROUP BY clause or be used in an "
        "aggregate function",
        TEXT_PRINT(source->alias),
        TEXT_PRINT(a->tables[source->table].columns[check.column->as.column.column].name));
}

static enum status check_groups(struct analysis *a, const struct select *select)
{
    if (!select->aggregates)
        return STATUS_OK;
    for (uint32_t i = 0; i < select->output_count; i++)
        TRY(check_grouped(a, select, select->outputs[i].value));
    for (uint32_t i = 0; i < select->order_count; i++)
        TRY(check_grouped(a, select, select->order[i].by));
    return select->having ? check_grouped(a, select, select->having) : STATUS_OK;
}

static enum status analyze_having(struct analysis *a, struct name_scope *scope,
                                  const PgQuery__SelectStmt *stmt, struct select *select)
{
    int32_t location;

    if (!stmt->having_clause)
        return STATUS_OK;
    scope->place = "HAVING";
    location = sql_node_location(stmt->having_clause);
    if (select->source_count == 0)
        return analyze_refuse(a, location, "HAVING without FROM is not supported");
    TRY(analyze_expression(a, scope, stmt->having_clause, &select->having));
    return analyze_build_condition(a, "HAVING", location, &select->having);
}

/* --- DISTINCT ------------------------------------------------------------------------ */

static bool is_output(const struct select *select, const struct expression *e)
{
    for (uint32_t i = 0; i < select->output_count; i++)
        if (analyze_expressions_equal(select->outputs[i].value, e))
            return true;
    return false;
}

static enum status analyze_distinct(struct analysis *a, const PgQuery__SelectStmt *stmt,
                                    struct select *select)
{
    if (stmt->n_distinct_clause == 0)
        return STATUS_OK;
    if (stmt->distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET)
        return analyze_refuse(a, sql_node_location(stmt->distinct_clause[0]),
                              "DISTINCT ON is not supported");
    select->distinct = true;
    for (uint32_t i = 0; i < select->order_count; i++)
        if (!is_output(select, select->order[i].by))
            return analyze_refuse(a, sql_node_location(stmt->sort_clause[i]->sort_by->node),
                                  "for SELECT DISTINCT, ORDER BY expressions must appear in select "
                                  "list");
    return STATUS_OK;
}

/* --- LIMIT and locks ---------------------------------------------------------------- */

static enum status analyze_row_count(struct analysis *a, const struct name_scope *outer,
                                     const char *place, const PgQuery__Node *node,
                                     const struct expression **out)
{
    struct name_scope scope = { .routine = outer->routine,
                                .subqueries = SUBQUERIES_ALONE,
                                .place = place };

    if (!node)
        return STATUS_OK;
    TRY(analyze_expression(a, &scope, node, out));
    return analyze_build_cast(a, type_of(TYPE_BIGINT), CAST_IMPLICIT, sql_node_location(node), out);
}

static enum status analyze_limit(struct analysis *a, const struct name_scope *outer,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    if (stmt->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return analyze_refuse(a, -1, "WITH TIES is not supported");
    TRY(analyze_row_count(a, outer, "OFFSET", stmt->limit_offset, &select->offset));
    return analyze_row_count(a, outer, "LIMIT", stmt->limit_count, &select->limit);
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
    for (uint32_t i = 0; i < select->source_count; i++)
        if (select->sources[i].is_optional)
            return analyze_refuse(a, -1, "%s cannot be applied to the nullable side of an outer join",
                                  select->lock == ROW_LOCK_UPDATE ? "FOR UPDATE" : "FOR SHARE");
    if (select->distinct)
        return analyze_refuse(a, -1, "FOR UPDATE or FOR SHARE is not allowed with DISTINCT");
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

static enum status analyze_plain_select(struct analysis *a, struct name_scope *scope,
                                        const PgQuery__SelectStmt *stmt, struct select *select)
{
    ONLY(a, -1, stmt,
         "distinct_clause target_list from_clause where_clause group_clause having_clause sort_clause "
         "limit_offset limit_count limit_option locking_clause op");
    if (stmt->n_target_list == 0)
        return analyze_refuse(a, -1, "a SELECT of nothing is not supported");
    TRY(analyze_from(a, scope, stmt, select));
    scope->allows_calls = select->source_count == 0 && !scope->outer;
    TRY(analyze_where(a, scope, stmt, select));
    scope->aggregates = AGGREGATES_ALLOWED;
    scope->place = scope->outer ? "a subquery" : "a query with FROM";
    TRY(analyze_outputs(a, scope, stmt->target_list, stmt->n_target_list, &select->outputs,
                        &select->output_count));
    scope->allows_calls = false;
    scope->place = "ORDER BY";
    TRY(analyze_order(a, scope, stmt, select));
    TRY(analyze_having(a, scope, stmt, select));
    select->aggregates = scope->aggregates == AGGREGATES_FOUND || stmt->n_group_clause > 0 ||
                         select->having;
    TRY(analyze_group(a, scope, stmt, select));
    TRY(analyze_distinct(a, stmt, select));
    TRY(check_groups(a, select));
    TRY(analyze_limit(a, scope, stmt, select));
    return analyze_lock(a, stmt, select);
}

/* --- UNION ---------------------------------------------------------------------------- */

static uint32_t count_arms(const PgQuery__SelectStmt *stmt)
{
    if (stmt->op == PG_QUERY__SET_OPERATION__SETOP_NONE)
        return 1;
    return count_arms(stmt->larg) + count_arms(stmt->rarg);
}

struct union_draft {
    struct select *selects;
    struct select_arm *arms;
    uint32_t count;
};

static enum status add_arms(struct analysis *a, struct name_scope *scope,
                            const PgQuery__SelectStmt *stmt, bool keeps_all,
                            struct union_draft *draft)
{
    struct name_scope within = { .outer = scope->outer,
                                 .routine = scope->routine,
                                 .keeps_unknown = true,
                                 .subqueries = SUBQUERIES_ANY,
                                 .place = "a query" };
    struct select *select = &draft->selects[draft->count];

    if (stmt->op != PG_QUERY__SET_OPERATION__SETOP_NONE) {
        if (stmt->op != PG_QUERY__SET_OPERATION__SETOP_UNION)
            return analyze_refuse(a, -1, "INTERSECT or EXCEPT is not supported");
        if (draft->count > 0)
            return analyze_refuse(a, -1, "a UNION on the right side of another is not supported");
        ONLY(a, -1, stmt, "op all larg rarg limit_option");
        TRY(add_arms(a, scope, stmt->larg, true, draft));
        if (stmt->rarg->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
            return analyze_refuse(a, -1, "a UNION on the right side of another is not supported");
        return add_arms(a, scope, stmt->rarg, stmt->all, draft);
    }
    ONLY(a, -1, stmt,
         "distinct_clause target_list from_clause where_clause group_clause having_clause "
         "limit_option");
    TRY(analyze_plain_select(a, &within, stmt, select));
    scope->uses_outer |= within.uses_outer;
    draft->arms[draft->count++] = (struct select_arm){ select, keeps_all };
    return STATUS_OK;
}

/* A column of the union has the type that those of its arms have in common. */
static enum status cast_arms(struct analysis *a, struct union_draft *draft, uint32_t column)
{
    struct sql_error error;
    struct type *types, common;
    void *memory;

    TRY(analyze_keep(a, draft->count, sizeof *types, &memory));
    types = memory;
    for (uint32_t i = 0; i < draft->count; i++)
        types[i] = draft->selects[i].outputs[column].value->type;
    if (operator_common_type("UNION", types, draft->count, &common, &error) != STATUS_OK)
        return analyze_refuse_sql(a, -1, &error);
    for (uint32_t i = 0; i < draft->count; i++) {
        struct output *output = (struct output *)&draft->selects[i].outputs[column];

        TRY(analyze_build_cast(a, common, CAST_IMPLICIT, -1, &output->value));
    }
    return STATUS_OK;
}

static enum status analyze_union(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__SelectStmt *stmt, struct select *select)
{
    uint32_t count = count_arms(stmt);
    struct union_draft draft = { 0 };
    PgQuery__SelectStmt bare = *stmt;
    void *memory;

    ONLY(a, -1, stmt, "op all larg rarg sort_clause limit_offset limit_count limit_option");
    bare.n_sort_clause = 0;
    bare.limit_offset = bare.limit_count = NULL;
    TRY(analyze_keep(a, count, sizeof *draft.selects, &memory));
    draft.selects = memory;
    TRY(analyze_keep(a, count, sizeof *draft.arms, &memory));
    draft.arms = memory;
    TRY(add_arms(a, scope, &bare, true, &draft));
    if (scope->outer && scope->uses_outer)
        return analyze_refuse(a, -1, "UNION in a correlated subquery is not supported");
    for (uint32_t i = 1; i < count; i++)
        if (draft.selects[i].output_count != draft.selects[0].output_count)
            return analyze_refuse(a, -1, "each UNION query must have the same number of columns");
    for (uint32_t i = 0; i < draft.selects[0].output_count; i++)
        TRY(cast_arms(a, &draft, i));
    select->arms = draft.arms;
    select->arm_count = count;
    select->outputs = draft.selects[0].outputs;
    select->output_count = draft.selects[0].output_count;
    TRY(analyze_order(a, NULL, stmt, select));
    return analyze_limit(a, scope, stmt, select);
}

enum status analyze_select(struct analysis *a, struct name_scope *scope,
                           const PgQuery__SelectStmt *stmt, struct select *select)
{
    scope->place = scope->outer ? "a subquery" : "a query";
    scope->subqueries = SUBQUERIES_ANY;
    if (stmt->op != PG_QUERY__SET_OPERATION__SETOP_NONE)
        return analyze_union(a, scope, stmt, select);
    return analyze_plain_select(a, scope, stmt, select);
}
