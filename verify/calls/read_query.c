#include "verify/calls/read_sequence_private.h"
#include "verify/calls/read_uses_private.h"

#include <string.h>

#include "verify/calls/grow_private.h"

#define AGGREGATES_MAX 100

typedef const struct reader_scope scope_of;

/* A SELECT under construction. */
struct draft {
    struct reader *r;
    struct selection *s;
    struct reader_scope scope;
    struct formula **conditions;
    uint32_t condition_count, condition_room;
    struct text *output_names;
    struct item_type *output_types;
    struct formula **outputs;
    uint32_t output_count, output_room;
    bool is_arm; /* of a UNION, which says what its literals are */
};

static const struct selection *read_query(struct reader *, scope_of *outer, const PgQuery__SelectStmt *,
                                          bool is_arm);

/* --- Shapes ------------------------------------------------------------------------------ */

static const struct shape *shape_of_relation(struct reader *r, const struct relation *relation)
{
    struct shape *shape = reader_take(r, 1, sizeof *shape);
    uint32_t count = relation_named(relation);
    struct text *names = reader_take(r, count, sizeof *names);
    struct item_type *types = reader_take(r, count, sizeof *types);

    for (uint32_t i = 0; i < count; i++) {
        names[i] = relation->columns[i].name;
        types[i] = relation->columns[i].type;
    }
    *shape = (struct shape){ count, names, types };
    return shape;
}

static const struct relation *find_relation(struct reader *r, const PgQuery__RangeVar *var)
{
    const struct relation *relation = catalog_find_relation(r->catalog, text_of(var->relname));

    if (!relation || (var->schemaname && *var->schemaname))
        trap_unknown(r->trap, "the table %s", var->relname);
    return relation;
}

static struct from_source source_of(struct reader *r, const PgQuery__RangeVar *var)
{
    const struct relation *relation = find_relation(r, var);

    if (var->alias && var->alias->n_colnames > 0)
        reader_refuse(r, "an alias with names of columns");
    return (struct from_source){
        .relation = relation,
        .alias = reader_keep(r, text_of(var->alias ? var->alias->aliasname : var->relname)),
        .shape = shape_of_relation(r, relation),
    };
}

/* --- FROM ---------------------------------------------------------------------------------- */

static void add_condition(struct draft *d, struct formula *condition)
{
    if (condition->kind == FORMULA_AND) {
        for (uint32_t i = 0; i < condition->count; i++)
            add_condition(d, condition->arguments[i]);
        return;
    }
    GROW(d->r->arena, d->conditions, d->condition_count, &d->condition_room);
    d->conditions[d->condition_count++] = condition;
}

static struct from_source *add_source(struct draft *d, struct from_source source)
{
    if (d->s->source_count == READ_SOURCES_MAX)
        reader_refuse(d->r, "so many tables in a query");
    for (uint32_t i = 0; i < d->s->source_count; i++)
        if (text_equal(d->s->sources[i].alias, source.alias))
            reader_refuse(d->r, "two tables of one name in a query");
    d->s->binding[d->s->source_count] = d->s->source_count;
    d->s->sources[d->s->source_count++] = source;
    d->scope.source_count = d->s->source_count;
    return &d->s->sources[d->s->source_count - 1];
}

static void read_from(struct draft *, const PgQuery__Node *);

/*
 * Which of its tables an outer join may leave out: the last one, or of a RIGHT JOIN the first, which is bound last.
 */
static struct from_source *find_optional(struct draft *d, const PgQuery__JoinExpr *join, uint32_t first)
{
    uint32_t count = d->s->source_count;

    if (join->jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER)
        return NULL;
    if (join->jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT && join->rarg->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR)
        return &d->s->sources[count - 1];
    if (join->jointype != PG_QUERY__JOIN_TYPE__JOIN_RIGHT || join->larg->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR)
        reader_refuse(d->r, "such a join");
    memmove(&d->s->binding[first], &d->s->binding[first + 1], (count - first - 1) * sizeof *d->s->binding);
    d->s->binding[count - 1] = first;
    return &d->s->sources[first];
}

static void read_join(struct draft *d, const PgQuery__JoinExpr *join)
{
    uint32_t first = d->s->source_count;
    struct from_source *optional;

    if (join->is_natural || join->n_using_clause > 0 || join->alias)
        reader_refuse(d->r, "such a join");
    read_from(d, join->larg);
    read_from(d, join->rarg);
    optional = find_optional(d, join, first);
    if (optional) {
        optional->is_optional = true;
        optional->on = read_truth(d->r, &d->scope, join->quals);
    } else if (join->quals) {
        add_condition(d, read_truth(d->r, &d->scope, join->quals));
    }
}

static void read_from(struct draft *d, const PgQuery__Node *node)
{
    if (node->node_case == PG_QUERY__NODE__NODE_RANGE_VAR) {
        d->s->names_table = true;
        add_source(d, source_of(d->r, node->range_var));
        return;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR)
        reader_refuse(d->r, "such a thing in FROM");
    read_join(d, node->join_expr);
}

/* --- What is selected --------------------------------------------------------------------------- */

static void add_output(struct draft *d, struct text name, struct formula *formula)
{
    if (d->output_count == d->output_room)
        reader_refuse(d->r, "so many columns");
    if (!d->is_arm)
        formula = read_settled(d->r, formula);
    d->output_names[d->output_count] = name;
    d->output_types[d->output_count] = formula->type;
    d->outputs[d->output_count++] = formula;
}

static bool is_star(const PgQuery__Node *node)
{
    return node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
           node->column_ref->fields[node->column_ref->n_fields - 1]->node_case ==
               PG_QUERY__NODE__NODE_A_STAR;
}

static void add_star(struct draft *d, const PgQuery__ColumnRef *ref)
{
    const char *alias = ref->n_fields == 2 ? reader_string(ref->fields[0]) : NULL;
    bool is_there = false;

    for (uint32_t i = 0; i < d->s->source_count; i++) {
        const struct from_source *source = &d->s->sources[i];

        if (alias && !text_equal(source->alias, text_of(alias)))
            continue;
        is_there = true;
        for (uint32_t c = 0; c < source->shape->count; c++) {
            read_look_at(source, c);
            add_output(d, source->shape->names[c],
                       read_column(d->r, 0, i, c, source->shape->types[c]));
        }
    }
    if (!is_there)
        reader_refuse(d->r, "a star of no table");
}

/* The name that PostgreSQL gives to a column that has none. */
static const char *name_of(const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return reader_string(node->column_ref->fields[node->column_ref->n_fields - 1]);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return reader_string(node->func_call->funcname[node->func_call->n_funcname - 1]);
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
        const char *name = name_of(node->type_cast->arg);
        const PgQuery__TypeName *type = node->type_cast->type_name;

        return strcmp(name, "?column?") == 0 ? reader_string(type->names[type->n_names - 1]) : name;
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR: {
        const char *name = node->case_expr->defresult ? name_of(node->case_expr->defresult) : "case";

        return strcmp(name, "?column?") == 0 ? "case" : name;
    }
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return "coalesce";
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least";
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return "array";
    default:
        return "?column?";
    }
}

static void read_outputs(struct draft *d, PgQuery__Node **targets, size_t count)
{
    size_t room = count;

    for (uint32_t i = 0; i < d->s->source_count; i++)
        room += count * d->s->sources[i].shape->count;
    d->output_room = (uint32_t)room;
    d->outputs = reader_take(d->r, room, sizeof *d->outputs);
    d->output_names = reader_take(d->r, room, sizeof *d->output_names);
    d->output_types = reader_take(d->r, room, sizeof *d->output_types);
    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = targets[i]->res_target;

        if (is_star(target->val)) {
            add_star(d, target->val->column_ref);
            continue;
        }
        add_output(d,
                   reader_keep(d->r, text_of(target->name && *target->name ? target->name
                                                                            : name_of(target->val))),
                   read_formula(d->r, &d->scope, target->val));
    }
}

static const struct shape *take_shape(struct draft *d)
{
    struct shape *shape = reader_take(d->r, 1, sizeof *shape);

    *shape = (struct shape){ d->output_count, d->output_names, d->output_types };
    return shape;
}

/* GROUP BY and ORDER BY may name an output, or give its number. */
static struct formula *read_by(struct draft *d, const PgQuery__Node *node, bool outputs_first)
{
    const char *name;

    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST &&
        node->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL) {
        int32_t place = node->a_const->ival->ival;

        if (place < 1 || (uint32_t)place > d->output_count)
            reader_refuse(d->r, "an output of such a number");
        return d->outputs[place - 1];
    }
    if (node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && node->column_ref->n_fields == 1 &&
        (outputs_first || d->s->source_count == 0)) {
        name = reader_string(node->column_ref->fields[0]);
        for (uint32_t i = 0; i < d->output_count; i++)
            if (text_equal(d->output_names[i], text_of(name)))
                return d->outputs[i];
    }
    return read_settled(d->r, read_formula(d->r, &d->scope, node));
}

static void read_order(struct draft *d, const PgQuery__SelectStmt *stmt)
{
    struct sort_key *order = reader_take(d->r, stmt->n_sort_clause, sizeof *order);

    for (size_t i = 0; i < stmt->n_sort_clause; i++) {
        const PgQuery__SortBy *by = stmt->sort_clause[i]->sort_by;

        if (by->n_use_op > 0)
            reader_refuse(d->r, "ORDER BY ... USING");
        order[i].by = read_by(d, by->node, true);
        order[i].descends = by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
        order[i].nulls_first = by->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST ||
                               (order[i].descends &&
                                by->sortby_nulls != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST);
    }
    d->s->order = order;
    d->s->order_count = (uint32_t)stmt->n_sort_clause;
}

static void read_groups(struct draft *d, const PgQuery__SelectStmt *stmt)
{
    struct formula **groups = reader_take(d->r, stmt->n_group_clause, sizeof *groups);

    for (size_t i = 0; i < stmt->n_group_clause; i++) {
        const PgQuery__Node *node = stmt->group_clause[i];

        /* A column comes before an output of that name. */
        groups[i] = read_by(d, node, false);
    }
    d->s->groups = (const struct formula *const *)groups;
    d->s->group_count = (uint32_t)stmt->n_group_clause;
    d->s->is_aggregating |= stmt->n_group_clause > 0;
}

static const struct formula *read_limit(struct draft *d, const PgQuery__Node *node)
{
    static const struct item_type bigint = { .kind = KIND_BIGINT };

    if (!node || (node->node_case == PG_QUERY__NODE__NODE_A_CONST && node->a_const->isnull))
        return NULL;
    return read_as(d->r, read_formula(d->r, NULL, node), bigint, CAST_IS_ASSIGNMENT);
}

static void read_locks(struct draft *d, const PgQuery__SelectStmt *stmt)
{
    for (size_t i = 0; i < stmt->n_locking_clause; i++) {
        const PgQuery__LockingClause *lock = stmt->locking_clause[i]->locking_clause;

        if (lock->n_locked_rels > 0 ||
            lock->wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip)
            reader_refuse(d->r, "FOR UPDATE OF, or SKIP LOCKED");
        d->s->locks = true;
    }
}

static void read_values(struct draft *d, const PgQuery__SelectStmt *stmt)
{
    size_t width = stmt->values_lists[0]->list->n_items;
    struct formula **values = reader_take(d->r, stmt->n_values_lists * width, sizeof *values);

    d->output_room = (uint32_t)width;
    d->output_names = reader_take(d->r, width, sizeof *d->output_names);
    d->output_types = reader_take(d->r, width, sizeof *d->output_types);
    for (size_t i = 0; i < stmt->n_values_lists; i++)
        for (size_t c = 0; c < width; c++) {
            const PgQuery__Node *node = stmt->values_lists[i]->list->items[c];

            /* DEFAULT is put in by the INSERT. */
            values[i * width + c] = node->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT
                                        ? NULL
                                        : read_formula(d->r, &d->scope, node);
            if (i == 0 && values[c])
                d->output_types[c] = values[c]->type;
            d->output_names[c] = TEXT("column");
        }
    d->output_count = (uint32_t)width;
    d->s->values = (const struct formula *const *)values;
    d->s->value_rows = (uint32_t)stmt->n_values_lists;
}

/* Casts a column of an arm, which may be a UNION itself. */
static void cast_column(struct reader *r, const struct selection *s, uint32_t column, struct item_type type)
{
    struct formula **output = (struct formula **)&s->outputs[column];

    if (s->left) {
        cast_column(r, s->left, column, type);
        cast_column(r, s->right, column, type);
    }
    *output =
        s->left ? read_column(r, 0, 0, column, type) : read_as(r, *output, type, CAST_IS_IMPLICIT);
    ((struct item_type *)s->shape->types)[column] = type;
}

static void refuse_values(struct reader *r, const PgQuery__SelectStmt *stmt)
{
    if (stmt->n_values_lists > 0)
        reader_refuse(r, "VALUES as a query");
}

static void read_union(struct draft *d, const PgQuery__SelectStmt *stmt)
{
    const struct selection *left, *right;
    uint32_t width;

    if (stmt->op != PG_QUERY__SET_OPERATION__SETOP_UNION)
        reader_refuse(d->r, "INTERSECT and EXCEPT");
    refuse_values(d->r, stmt->larg);
    refuse_values(d->r, stmt->rarg);
    d->s->left = left = read_query(d->r, d->scope.outer, stmt->larg, true);
    d->s->right = right = read_query(d->r, d->scope.outer, stmt->rarg, true);
    d->s->is_union_all = stmt->all;
    d->s->names_table = left->names_table || right->names_table;
    width = left->shape->count;
    if (width != right->shape->count)
        reader_refuse(d->r, "a UNION of different widths");
    d->output_count = width;
    d->output_names = (struct text *)left->shape->names;
    d->output_types = reader_take(d->r, width, sizeof *d->output_types);
    d->outputs = reader_take(d->r, width, sizeof *d->outputs);
    for (uint32_t i = 0; i < width; i++) {
        struct formula *const both[] = { (struct formula *)left->outputs[i],
                                         (struct formula *)right->outputs[i] };

        d->output_types[i] = read_common_type(d->r, both, 2);
        cast_column(d->r, left, i, d->output_types[i]);
        cast_column(d->r, right, i, d->output_types[i]);
        d->outputs[i] = read_column(d->r, 0, 0, i, d->output_types[i]);
    }
}

static bool has_strange_parts(const PgQuery__SelectStmt *stmt)
{
    return stmt->into_clause || stmt->n_window_clause > 0 || stmt->with_clause || stmt->group_distinct ||
           stmt->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES ||
           (stmt->n_distinct_clause > 0 && stmt->distinct_clause[0] &&
            stmt->distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET);
}

static void begin(struct draft *d, struct reader *r, scope_of *outer)
{
    *d = (struct draft){ .r = r };
    d->s = reader_take(r, 1, sizeof *d->s);
    d->s->sources = reader_take(r, READ_SOURCES_MAX, sizeof *d->s->sources);
    d->s->binding = reader_take(r, READ_SOURCES_MAX, sizeof *d->s->binding);
    d->scope = (struct reader_scope){ .outer = outer, .sources = d->s->sources };
    d->scope.aggregates = reader_take(r, AGGREGATES_MAX, sizeof *d->scope.aggregates);
    d->scope.aggregate_room = AGGREGATES_MAX;
}

static const struct formula *all_conditions(struct draft *d)
{
    static const struct item_type boolean = { .kind = KIND_BOOLEAN };
    struct formula *all;

    if (d->condition_count < 2)
        return d->condition_count == 1 ? d->conditions[0] : NULL;
    all = read_new(d->r, FORMULA_AND, boolean, 0);
    all->arguments = d->conditions;
    all->count = d->condition_count;
    return all;
}

static const struct selection *read_query(struct reader *r, scope_of *outer,
                                          const PgQuery__SelectStmt *stmt, bool is_arm)
{
    struct draft d;

    if (has_strange_parts(stmt))
        reader_refuse(r, "such a SELECT");
    begin(&d, r, outer);
    d.is_arm = is_arm;
    if (stmt->op > PG_QUERY__SET_OPERATION__SETOP_NONE) {
        read_union(&d, stmt);
    } else if (stmt->n_values_lists > 0) {
        read_values(&d, stmt);
    } else {
        for (size_t i = 0; i < stmt->n_from_clause; i++)
            read_from(&d, stmt->from_clause[i]);
        if (stmt->where_clause)
            add_condition(&d, read_truth(r, &d.scope, stmt->where_clause));
        d.s->where = all_conditions(&d);
        read_pins(r, d.s);
        d.scope.selection = d.s;
        read_outputs(&d, stmt->target_list, stmt->n_target_list);
        read_groups(&d, stmt);
        if (stmt->having_clause)
            d.s->having = read_truth(r, &d.scope, stmt->having_clause);
        d.s->is_aggregating |= d.s->having != NULL;
    }
    if (stmt->n_sort_clause > 0)
        read_order(&d, stmt);
    d.s->is_distinct = stmt->n_distinct_clause > 0;
    d.s->limit = read_limit(&d, stmt->limit_count);
    d.s->offset = read_limit(&d, stmt->limit_offset);
    read_locks(&d, stmt);
    d.s->outputs = (const struct formula *const *)d.outputs;
    d.s->aggregates = (const struct formula *const *)d.scope.aggregates;
    d.s->shape = take_shape(&d);
    if (!d.s->left)
        read_unused(d.s);
    return d.s;
}

const struct selection *read_selection(struct reader *r, scope_of *outer, const PgQuery__SelectStmt *stmt)
{
    refuse_values(r, stmt);
    return read_query(r, outer, stmt, false);
}

/* --- Writing ------------------------------------------------------------------------------------------ */

static void read_settings(struct draft *d, const struct relation *relation, PgQuery__Node **targets,
                          size_t count, struct statement *statement)
{
    struct setting *settings = reader_take(d->r, count, sizeof *settings);

    for (size_t i = 0; i < count; i++) {
        const PgQuery__ResTarget *target = targets[i]->res_target;
        uint32_t column = read_place(d->r, relation, target->name);

        if (target->n_indirection > 0)
            reader_refuse(d->r, "SET of a part of a column");
        settings[i].column = column;
        relation->columns[column].is_looked_at = true;
        settings[i].value = relation->columns[column].initial;
        if (target->val->node_case != PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
            settings[i].value = read_as(d->r, read_formula(d->r, &d->scope, target->val),
                                        relation->columns[column].type, CAST_IS_ASSIGNMENT);
    }
    statement->settings = settings;
    statement->setting_count = (uint32_t)count;
}

static void read_returning(struct draft *d, PgQuery__Node **targets, size_t count,
                           struct statement *statement)
{
    if (count == 0)
        return;
    read_outputs(d, targets, count);
    statement->returning = (const struct formula *const *)d->outputs;
    statement->shape = take_shape(d);
}

static struct statement *read_change(struct reader *r, enum statement_kind kind,
                                           const PgQuery__Node *node)
{
    const PgQuery__UpdateStmt *update = kind == STATEMENT_UPDATE ? node->update_stmt : NULL;
    const PgQuery__DeleteStmt *erase = update ? NULL : node->delete_stmt;
    struct statement *statement = reader_take(r, 1, sizeof *statement);
    const PgQuery__Node *where = update ? update->where_clause : erase->where_clause;
    struct draft d;

    if (update ? update->n_from_clause > 0 || update->with_clause
               : erase->n_using_clause > 0 || erase->with_clause)
        reader_refuse(r, "such an UPDATE or DELETE");
    begin(&d, r, NULL);
    statement->kind = kind;
    statement->names_table = true;
    add_source(&d, source_of(r, update ? update->relation : erase->relation));
    statement->relation = d.s->sources[0].relation;
    if (where)
        add_condition(&d, read_truth(r, &d.scope, where));
    d.s->where = all_conditions(&d);
    d.s->locks = true;
    read_pins(r, d.s);
    read_unused(d.s);
    d.s->sources[0].unused = 0; /* what is written, and RETURNING */
    statement->selection = d.s;
    if (update)
        read_settings(&d, statement->relation, update->target_list, update->n_target_list, statement);
    read_returning(&d, update ? update->returning_list : erase->returning_list,
                   update ? update->n_returning_list : erase->n_returning_list, statement);
    return statement;
}

static bool same_columns(struct column_set a, const uint32_t *b, size_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < count; k++)
            found += a.at[i] == b[k];
    return found == a.count && a.count == count;
}

static void read_arbiter(struct reader *r, const PgQuery__InferClause *infer,
                         struct statement *statement)
{
    const struct relation *relation = statement->relation;
    uint32_t *columns = reader_take(r, infer->n_index_elems, sizeof *columns);
    const struct relation_unique *unique = relation->uniques;

    statement->has_arbiter = true;
    for (size_t i = 0; i < infer->n_index_elems; i++) {
        if (!infer->index_elems[i]->index_elem->name)
            reader_refuse(r, "such an ON CONFLICT");
        columns[i] = read_place(r, relation, infer->index_elems[i]->index_elem->name);
    }
    if (infer->where_clause)
        reader_refuse(r, "such an ON CONFLICT");
    if (infer->conname && *infer->conname) {
        statement->arbiter_is_key = text_equal(relation->key_name, text_of(infer->conname));
        while (unique && !text_equal(unique->name, text_of(infer->conname)))
            unique = unique->next;
    } else {
        statement->arbiter_is_key = same_columns(relation->key, columns, infer->n_index_elems);
        while (unique && !same_columns(unique->columns, columns, infer->n_index_elems))
            unique = unique->next;
    }
    statement->arbiter = statement->arbiter_is_key ? NULL : unique;
    if (!statement->arbiter_is_key && !unique)
        reader_refuse(r, "ON CONFLICT without such a constraint");
}

static void read_conflict(struct draft *d, const PgQuery__OnConflictClause *clause,
                          struct statement *statement)
{
    struct from_source excluded = d->s->sources[0];

    statement->on_conflict = clause->action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_NOTHING
                                 ? ON_CONFLICT_SKIP
                                 : ON_CONFLICT_UPDATE;
    for (uint32_t c = 0; c < statement->relation->column_count; c++)
        statement->relation->columns[c].is_looked_at = true;
    if (clause->infer)
        read_arbiter(d->r, clause->infer, statement);
    if (statement->on_conflict == ON_CONFLICT_SKIP)
        return;
    excluded.alias = TEXT("excluded");
    excluded.needs_alias = true;
    add_source(d, excluded);
    read_settings(d, statement->relation, clause->target_list, clause->n_target_list, statement);
    if (clause->where_clause)
        statement->where = read_truth(d->r, &d->scope, clause->where_clause);
    d->s->source_count = d->scope.source_count = 1;
}

/* An INSERT asks for its numbers before it knows whether it needs them. */
static void check_numbers(struct reader *r, const struct formula *f)
{
    bool is_choice = f->kind == FORMULA_CASE || f->kind == FORMULA_COALESCE || f->kind == FORMULA_AND ||
                     f->kind == FORMULA_OR || f->kind == FORMULA_IN;

    if (is_choice && read_has_number(f))
        reader_refuse(r, "an INSERT that may not need a number of a sequence");
    for (uint32_t i = 0; i < f->count; i++)
        check_numbers(r, f->arguments[i]);
}

/* What is given is cast to the columns that it goes into. */
static void fit_values(struct reader *r, const struct statement *statement, struct selection *s)
{
    struct formula **values = (struct formula **)(s->values ? s->values : s->outputs);
    uint32_t width = s->shape->count, rows = s->values ? s->value_rows : 1;

    if (s->left || (s->values && (s->order_count > 0 || s->limit || s->offset)))
        reader_refuse(r, "INSERT of a UNION, or of VALUES in an order");
    if (rows > 1 && r->saw_call)
        reader_refuse(r, "a call in VALUES of several rows"); /* it sees those that are there already */
    for (uint32_t i = 0; i < rows * width; i++) {
        const struct relation_column *column =
            &statement->relation->columns[statement->columns[i % width]];

        if (!values[i]) {
            values[i] = (struct formula *)column->initial;
            continue;
        }
        values[i] = read_as(r, values[i], column->type, CAST_IS_ASSIGNMENT);
        check_numbers(r, values[i]);
        if (!read_note_number(r, &statement->relation->columns[statement->columns[i % width]], values[i]))
            statement->relation->columns[statement->columns[i % width]].is_looked_at = true;
    }
}

static struct statement *read_insert(struct reader *r, const PgQuery__InsertStmt *stmt)
{
    struct statement *statement = reader_take(r, 1, sizeof *statement);
    uint32_t count = (uint32_t)stmt->n_cols;
    struct selection *s = NULL;
    uint32_t *columns;
    struct draft d;

    if (stmt->with_clause || stmt->override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE)
        reader_refuse(r, "such an INSERT");
    begin(&d, r, NULL);
    add_source(&d, source_of(r, stmt->relation));
    statement->kind = STATEMENT_INSERT;
    statement->names_table = true;
    statement->relation = d.s->sources[0].relation;
    if (stmt->select_stmt) {
        s = (struct selection *)read_query(r, NULL, stmt->select_stmt->select_stmt, false);
        if (count == 0)
            count = s->shape->count;
        if (count != s->shape->count || count > relation_named(statement->relation))
            reader_refuse(r, "an INSERT of another number of columns");
    }
    columns = reader_take(r, count, sizeof *columns);
    for (uint32_t i = 0; i < count; i++)
        columns[i] = stmt->n_cols > 0
                         ? read_place(r, statement->relation, stmt->cols[i]->res_target->name)
                         : i;
    statement->columns = columns;
    statement->selection = s;
    if (s)
        fit_values(r, statement, s);
    if (stmt->on_conflict_clause)
        read_conflict(&d, stmt->on_conflict_clause, statement);
    read_returning(&d, stmt->returning_list, stmt->n_returning_list, statement);
    return statement;
}

static struct statement *read_select(struct reader *r, const PgQuery__SelectStmt *stmt)
{
    struct statement *statement = reader_take(r, 1, sizeof *statement);

    statement->kind = STATEMENT_SELECT;
    statement->selection = read_selection(r, NULL, stmt);
    statement->names_table = statement->selection->names_table || r->saw_subquery_table;
    statement->shape = statement->selection->shape;
    return statement;
}

const struct statement *read_statement(struct reader *r, const PgQuery__Node *node)
{
    struct statement *statement;

    if (r->routine && node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        r->routine->may_write = true;
    r->saw_subquery_table = r->saw_call = false;
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        statement = read_insert(r, node->insert_stmt);
        break;
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        statement = read_change(r, STATEMENT_UPDATE, node);
        break;
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        statement = read_change(r, STATEMENT_DELETE, node);
        break;
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        statement = read_select(r, node->select_stmt);
        break;
    default:
        reader_refuse(r, "such a statement");
    }
    statement->calls = r->saw_call;
    return statement;
}
