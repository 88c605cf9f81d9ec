#include "programs/sql/analyze_write_private.h"

#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"
#include "programs/sql/analyze_select_private.h"
#include "programs/sql/analyze_sequence_private.h"
#include "programs/sql/analyze_table_private.h"

#include <assert.h>

/* The name that ON CONFLICT has for the row proposed. */
static const struct text excluded = { "excluded", sizeof "excluded" - 1 };

static const struct schema_table *table_of(const struct analysis *a, const struct query_source *source)
{
    return &a->tables[source->table];
}

/* What a column holds where a statement says DEFAULT or nothing. */
static enum status build_default(struct analysis *a, const struct schema_column *column,
                                 int32_t location, const struct expression **out)
{
    if (!column->default_value)
        return analyze_build_null(a, column->type, location, out);
    *out = column->default_value;
    return analyze_ask_again(a, out);
}

/* An expression, or DEFAULT, as a value of a column. */
static enum status analyze_value(struct analysis *a, struct name_scope *scope,
                                 const struct schema_column *column, const PgQuery__Node *node,
                                 const struct expression **out)
{
    int32_t location = sql_node_location(node);
    struct operator_choice cast;
    struct sql_error error;

    if (node->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT) {
        TRY(build_default(a, column, location, out));
        if (!scope->allows_numbers && analyze_has_number(*out))
            return analyze_refuse(a, location, "DEFAULT of a sequence in %s is not supported", scope->place);
        return STATUS_OK;
    }
    TRY(analyze_expression(a, scope, node, out));
    if (operator_cast((*out)->type, column->type, CAST_ASSIGNMENT, &cast, &error) != STATUS_OK)
        return analyze_refuse(a, location, "column \"%.*s\" is of type %s but expression is of type %s",
                              TEXT_PRINT(column->name), type_name(column->type.kind),
                              type_name((*out)->type.kind));
    return analyze_build_choice(a, &cast, location, out);
}

static enum status analyze_returning(struct analysis *a, struct name_scope *scope,
                                     PgQuery__Node *const *nodes, size_t count,
                                     const struct output **outputs, uint32_t *output_count)
{
    scope->place = "RETURNING";
    scope->subqueries = SUBQUERIES_ALONE;
    return analyze_outputs(a, scope, nodes, count, outputs, output_count);
}

/* WHERE of a statement that writes. */
static enum status analyze_where(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__Node *node, const struct expression **where)
{
    int32_t location;

    if (!node)
        return STATUS_OK;
    scope->place = "WHERE";
    location = sql_node_location(node);
    TRY(analyze_expression(a, scope, node, where));
    return analyze_build_condition(a, "WHERE", location, where);
}

/* What stands behind SET. */
struct set_clause {
    const struct schema_table *table;
    PgQuery__Node *const *nodes;
    size_t count;
};

static enum status analyze_set(struct analysis *a, struct name_scope *scope,
                               const struct set_clause *clause,
                               const struct assignment **assignments, uint32_t *assignment_count)
{
    const struct schema_table *table = clause->table;
    size_t count = clause->count;
    struct assignment *made;
    void *memory;

    scope->place = "UPDATE";
    TRY(analyze_keep(a, count, sizeof *made, &memory));
    *assignments = made = memory;
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = clause->nodes[i]->res_target;
        struct text name = text_of(target->name);

        ONLY(a, target->location, target, "name val");
        TRY(analyze_column_name(a, table, name, target->location, &made[i].column));
        for (size_t k = 0; k < i; k++)
            if (made[k].column == made[i].column)
                return analyze_refuse(a, target->location, "multiple assignments to same column \"%.*s\"",
                                      TEXT_PRINT(name));
        if (table->columns[made[i].column].is_always_generated)
            return analyze_refuse(a, target->location, "column \"%.*s\" can only be updated to DEFAULT",
                                  TEXT_PRINT(name));
        TRY(analyze_value(a, scope, &table->columns[made[i].column], target->val, &made[i].value));
    }
    *assignment_count = (uint32_t)count;
    return STATUS_OK;
}

/* --- INSERT ------------------------------------------------------------------- */

/* Which columns the values of a row are for, in their order. */
struct insert_columns {
    uint16_t *at;
    uint16_t count;
    bool are_named;
    bool overrides; /* OVERRIDING SYSTEM VALUE */
};

static enum status read_columns(struct analysis *a, const struct schema_table *table,
                                const PgQuery__InsertStmt *stmt, struct insert_columns *columns)
{
    void *memory;

    columns->are_named = stmt->n_cols > 0;
    columns->overrides = stmt->override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE;
    columns->count = schema_shown(table);
    TRY(analyze_keep(a, table->column_count, sizeof *columns->at, &memory));
    columns->at = memory;
    if (!columns->are_named) {
        for (uint16_t i = 0; i < columns->count; i++)
            columns->at[i] = i;
        return STATUS_OK;
    }
    columns->count = 0;
    for (size_t i = 0; i < stmt->n_cols; i++) {
        const PgQuery__ResTarget *target = stmt->cols[i]->res_target;
        struct text name = text_of(target->name);
        uint16_t column;

        ONLY(a, target->location, target, "name");
        TRY(analyze_column_name(a, table, name, target->location, &column));
        for (uint16_t k = 0; k < columns->count; k++)
            if (columns->at[k] == column)
                return analyze_refuse(a, target->location, "column \"%.*s\" specified more than once",
                                      TEXT_PRINT(name));
        columns->at[columns->count++] = column;
    }
    return STATUS_OK;
}

static enum status check_row(struct analysis *a, const PgQuery__List *row,
                             const struct insert_columns *columns)
{
    int32_t location = row->n_items ? sql_node_location(row->items[0]) : -1;

    if (row->n_items > columns->count)
        return analyze_refuse(a, location, "INSERT has more expressions than target columns");
    if (row->n_items < columns->count && columns->are_named)
        return analyze_refuse(a, location, "INSERT has more target columns than expressions");
    return STATUS_OK;
}

static enum status analyze_row(struct analysis *a, struct name_scope *scope,
                               const struct schema_table *table, const PgQuery__List *row,
                               const struct insert_columns *columns,
                               const struct expression **values)
{
    TRY(check_row(a, row, columns));
    for (size_t i = 0; i < row->n_items; i++)
        if (table->columns[columns->at[i]].is_always_generated && !columns->overrides &&
            row->items[i]->node_case != PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
            return analyze_refuse(a, sql_node_location(row->items[i]),
                                  "cannot insert a non-DEFAULT value into column \"%.*s\"",
                                  TEXT_PRINT(table->columns[columns->at[i]].name));
    for (size_t i = 0; i < row->n_items; i++)
        TRY(analyze_value(a, scope, &table->columns[columns->at[i]], row->items[i],
                          &values[columns->at[i]]));
    for (uint16_t i = 0; i < table->column_count; i++)
        if (!values[i])
            TRY(build_default(a, &table->columns[i], -1, &values[i]));
    return STATUS_OK;
}

static enum status check_lengths(struct analysis *a, const PgQuery__SelectStmt *source)
{
    for (size_t i = 1; source && i < source->n_values_lists; i++) {
        const PgQuery__List *row = source->values_lists[i]->list;

        if (row->n_items != source->values_lists[0]->list->n_items)
            return analyze_refuse(a, sql_node_location(row->items[0]),
                                  "VALUES lists must all be the same length");
    }
    return STATUS_OK;
}

static enum status analyze_values(struct analysis *a, struct routine *routine,
                                  const PgQuery__InsertStmt *stmt, struct insert *insert)
{
    static const PgQuery__List no_values = PG_QUERY__LIST__INIT;
    struct name_scope scope = { .routine = routine,
                                .subqueries = SUBQUERIES_ALONE,
                                .allows_numbers = true,
                                .place = "VALUES" };
    const struct schema_table *table = table_of(a, &insert->target);
    const PgQuery__SelectStmt *source = stmt->select_stmt ? stmt->select_stmt->select_stmt : NULL;
    const struct expression **values;
    struct insert_columns columns;
    void *memory;

    TRY(read_columns(a, table, stmt, &columns));
    if (source && source->n_values_lists == 0)
        return analyze_refuse(a, -1, "INSERT ... SELECT is not supported");
    if (source)
        ONLY(a, -1, source, "values_lists");
    else
        columns.are_named = false; /* DEFAULT VALUES */
    insert->row_count = source ? (uint32_t)source->n_values_lists : 1;
    TRY(analyze_keep(a, (size_t)insert->row_count * table->column_count, sizeof *values, &memory));
    values = memory;
    TRY(check_lengths(a, source));
    for (uint32_t i = 0; i < insert->row_count; i++)
        TRY(analyze_row(a, &scope, table, source ? source->values_lists[i]->list : &no_values,
                        &columns, &values[(size_t)i * table->column_count]));
    insert->values = values;
    insert->value_count = insert->row_count * table->column_count;
    return STATUS_OK;
}

/* --- ON CONFLICT ------------------------------------------------------------------ */

static enum status find_named_arbiter(struct analysis *a, const struct schema_table *table,
                                      const PgQuery__InferClause *infer, int32_t *arbiter)
{
    struct text name = text_of(infer->conname);

    *arbiter = -1;
    if (text_equal(name, table->key_name))
        return STATUS_OK;
    for (*arbiter = 0; *arbiter < table->unique_count; ++*arbiter)
        if (text_equal(name, table->uniques[*arbiter].name))
            return STATUS_OK;
    return analyze_refuse(a, infer->location, "constraint \"%.*s\" for table \"%.*s\" does not exist",
                          TEXT_PRINT(name), TEXT_PRINT(table->name));
}

static enum status read_target(struct analysis *a, const struct schema_table *table,
                               const PgQuery__InferClause *infer, struct schema_columns *target)
{
    uint16_t *columns;
    void *memory;

    TRY(analyze_keep(a, infer->n_index_elems, sizeof *columns, &memory));
    columns = memory;
    *target = (struct schema_columns){ columns, 0 };
    for (size_t i = 0; i < infer->n_index_elems; i++) {
        const PgQuery__IndexElem *element = infer->index_elems[i]->index_elem;
        bool is_new = true;
        uint16_t column;

        ONLY(a, infer->location, element, "name");
        TRY(analyze_column_name(a, table, text_of(element->name), infer->location, &column));
        for (uint16_t k = 0; k < target->count; k++)
            is_new = is_new && columns[k] != column;
        if (is_new)
            columns[target->count++] = column;
    }
    return STATUS_OK;
}

static enum status find_arbiter(struct analysis *a, const struct schema_table *table,
                                const PgQuery__InferClause *infer, int32_t *arbiter)
{
    struct schema_columns target;

    ONLY(a, infer->location, infer, "index_elems conname");
    if (infer->conname && *infer->conname)
        return find_named_arbiter(a, table, infer, arbiter);
    TRY(read_target(a, table, infer, &target));
    *arbiter = -1;
    if (analyze_same_columns(target, table->key))
        return STATUS_OK;
    for (*arbiter = 0; *arbiter < table->unique_count; ++*arbiter)
        if (analyze_same_columns(target, table->uniques[*arbiter].columns))
            return STATUS_OK;
    return analyze_refuse(a, infer->location,
                          "there is no unique or exclusion constraint matching the ON CONFLICT "
                          "specification");
}

static enum status analyze_conflict(struct analysis *a, struct routine *routine,
                                    const PgQuery__OnConflictClause *clause, struct insert *insert)
{
    struct query_source *sources;
    struct name_scope scope = { .routine = routine,
                                .subqueries = SUBQUERIES_ALONE,
                                .end_visible = 2 };
    void *memory;

    ONLY(a, clause->location, clause, "action infer target_list where_clause");
    insert->action = clause->action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE
                         ? CONFLICT_UPDATE
                         : CONFLICT_NOTHING;
    insert->arbiter = -2;
    if (clause->infer)
        TRY(find_arbiter(a, table_of(a, &insert->target), clause->infer, &insert->arbiter));
    else if (insert->action == CONFLICT_UPDATE)
        return analyze_refuse(a, clause->location,
                              "ON CONFLICT DO UPDATE requires inference specification or constraint name");
    TRY(analyze_keep(a, 2, sizeof *sources, &memory));
    sources = memory;
    sources[0] = insert->target;
    sources[1] = (struct query_source){ .table = insert->target.table, .alias = excluded };
    scope.sources = sources;
    TRY(analyze_set(a, &scope,
                    &(struct set_clause){ table_of(a, &insert->target), clause->target_list,
                                          clause->n_target_list },
                    &insert->assignments, &insert->assignment_count));
    return analyze_where(a, &scope, clause->where_clause, &insert->conflict_where);
}

/* --- The three statements ------------------------------------------------------------ */

enum status analyze_insert(struct analysis *a, struct routine *routine,
                           const PgQuery__InsertStmt *stmt, struct insert *insert)
{
    struct name_scope scope = { .routine = routine, .sources = &insert->target, .end_visible = 1,
                                .subqueries = SUBQUERIES_ALONE };

    a->source_count = 2;
    ONLY(a, -1, stmt, stmt->override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE
                          ? "relation cols select_stmt on_conflict_clause returning_list override"
                          : "relation cols select_stmt on_conflict_clause returning_list");
    TRY(analyze_source(a, stmt->relation, &insert->target));
    TRY(analyze_values(a, routine, stmt, insert));
    if (stmt->on_conflict_clause)
        TRY(analyze_conflict(a, routine, stmt->on_conflict_clause, insert));
    return analyze_returning(a, &scope, stmt->returning_list, stmt->n_returning_list,
                             &insert->returning, &insert->returning_count);
}

enum status analyze_update(struct analysis *a, struct routine *routine,
                           const PgQuery__UpdateStmt *stmt, struct update *update)
{
    struct name_scope scope = { .routine = routine, .sources = &update->target, .end_visible = 1,
                                .subqueries = SUBQUERIES_ANY };

    a->source_count = 1;
    ONLY(a, -1, stmt, "relation target_list where_clause returning_list");
    TRY(analyze_source(a, stmt->relation, &update->target));
    TRY(analyze_set(a, &scope,
                    &(struct set_clause){ table_of(a, &update->target), stmt->target_list,
                                          stmt->n_target_list },
                    &update->assignments, &update->assignment_count));
    TRY(analyze_where(a, &scope, stmt->where_clause, &update->where));
    return analyze_returning(a, &scope, stmt->returning_list, stmt->n_returning_list,
                             &update->returning, &update->returning_count);
}

enum status analyze_delete(struct analysis *a, struct routine *routine,
                           const PgQuery__DeleteStmt *stmt, struct delete *delete)
{
    struct name_scope scope = { .routine = routine, .sources = &delete->target, .end_visible = 1,
                                .subqueries = SUBQUERIES_ANY };

    a->source_count = 1;
    ONLY(a, -1, stmt, "relation where_clause returning_list");
    TRY(analyze_source(a, stmt->relation, &delete->target));
    TRY(analyze_where(a, &scope, stmt->where_clause, &delete->where));
    return analyze_returning(a, &scope, stmt->returning_list, stmt->n_returning_list,
                             &delete->returning, &delete->returning_count);
}
