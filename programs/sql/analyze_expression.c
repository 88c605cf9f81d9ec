#include "programs/sql/analyze_expression.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_select_private.h"
#include "programs/sql/analyze_sequence_private.h"

/* Expressions of a list. */
static enum status analyze_list(struct analysis *a, struct name_scope *scope, PgQuery__Node *const *nodes,
                                size_t count, const struct expression ***list)
{
    void *memory;

    TRY(analyze_keep(a, count, sizeof **list, &memory));
    *list = memory;
    for (size_t i = 0; i < count; i++)
        TRY(analyze_expression(a, scope, nodes[i], &(*list)[i]));
    return STATUS_OK;
}

/* --- Constants ---------------------------------------------------------------- */

/*
 * A number with a point, or too large for integer: bigint if it fits, else numeric. The parser
 * folds the sign into it, so that the smallest integer comes here, too.
 */
static enum status build_number(struct analysis *a, const char *digits, int32_t location,
                                const struct expression **out)
{
    struct text text = text_of(digits);
    struct sql_error error;
    struct numeric number;
    int64_t integer;

    if (text_to_int64(text, &integer)) {
        enum type_kind kind = integer < INT32_MIN || integer > INT32_MAX ? TYPE_BIGINT
                                                                          : TYPE_INTEGER;
        return analyze_build_constant(a, type_of(kind), datum_of_int64(integer), location, out);
    }
    if (numeric_parse(text, &number, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    return analyze_build_constant(a, type_of(TYPE_NUMERIC), datum_of_numeric(number), location, out);
}

static enum status analyze_constant(struct analysis *a, const PgQuery__AConst *constant,
                                    const struct expression **out)
{
    struct type type = type_of(TYPE_UNKNOWN);
    int32_t location = constant->location;

    if (constant->isnull)
        return analyze_build_null(a, type, location, out);
    switch (constant->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        return analyze_build_constant(a, type_of(TYPE_INTEGER), datum_of_int64(constant->ival->ival),
                                      location, out);
    case PG_QUERY__A__CONST__VAL_FVAL:
        return build_number(a, constant->fval->fval, location, out);
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        return analyze_build_constant(a, type_of(TYPE_BOOLEAN), datum_of_bool(constant->boolval->boolval),
                                      location, out);
    case PG_QUERY__A__CONST__VAL_SVAL:
        return analyze_build_constant(a, type, datum_of_text(text_of(constant->sval->sval)), location, out);
    default:
        return analyze_refuse(a, location, "a bit string is not supported");
    }
}

/* --- Operators ---------------------------------------------------------------- */

static enum status apply_two(struct analysis *a, const char *name, const struct expression *left,
                             const struct expression *right, int32_t location,
                             const struct expression **out)
{
    const struct expression *arguments[] = { left, right };

    return analyze_build_apply(a, name, arguments, 2, location, out);
}

static enum status analyze_operator(struct analysis *a, struct name_scope *scope,
                                    const PgQuery__AExpr *e, const char *name,
                                    const struct expression **out)
{
    const struct expression *arguments[2];
    uint32_t count = 0;

    if (e->lexpr)
        TRY(analyze_expression(a, scope, e->lexpr, &arguments[count++]));
    TRY(analyze_expression(a, scope, e->rexpr, &arguments[count++]));
    return analyze_build_apply(a, name, arguments, count, e->location, out);
}

/* The first argument and the items, cast to what they have in common. */
static enum status build_in(struct analysis *a, const PgQuery__AExpr *e, const struct expression *value,
                            const struct expression **items, size_t count, const struct expression **out)
{
    bool negated = strcmp(sql_string(e->name[0]).at, "<>") == 0;
    int32_t location = e->location;
    struct expression *made;
    struct sql_error error;
    struct type common, *types;
    void *memory;

    if (count == 1)
        return apply_two(a, negated ? "<>" : "=", value, items[0], location, out);
    TRY(analyze_keep(a, count + 1, sizeof *types, &memory));
    types = memory;
    types[0] = value->type;
    for (size_t i = 0; i < count; i++)
        types[i + 1] = items[i]->type;
    if (operator_common_type("IN", types, (uint32_t)count + 1, &common, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    TRY(analyze_build(a, EXPRESSION_IN, type_of(TYPE_BOOLEAN), location, (uint32_t)count + 1, &made));
    made->as.in.negated = negated;
    for (size_t i = 0; i <= count; i++) {
        const struct expression *item = i == 0 ? value : items[i - 1];

        TRY(analyze_build_cast(a, common, CAST_IMPLICIT, location, &item));
        analyze_set_argument(made, (uint32_t)i, item);
    }
    return analyze_build_end(a, made, location, out);
}

static enum status analyze_in(struct analysis *a, struct name_scope *scope, const PgQuery__AExpr *e,
                              const struct expression **out)
{
    const struct expression *value, **items;
    const PgQuery__List *list;

    if (e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST)
        return analyze_refuse_node(a, e->rexpr);
    list = e->rexpr->list;
    TRY(analyze_expression(a, scope, e->lexpr, &value));
    TRY(analyze_list(a, scope, list->items, list->n_items, &items));
    return build_in(a, e, value, items, list->n_items, out);
}

/* BETWEEN is two comparisons of one value, as in PostgreSQL. */
static enum status analyze_between(struct analysis *a, struct name_scope *scope,
                                   const PgQuery__AExpr *e, bool negated,
                                   const struct expression **out)
{
    const struct expression *value, **bounds, *low, *high;
    const PgQuery__List *list = e->rexpr->list;
    struct expression *made;

    assert(e->rexpr->node_case == PG_QUERY__NODE__NODE_LIST && list->n_items == 2);
    TRY(analyze_expression(a, scope, e->lexpr, &value));
    if (analyze_has_call(value))
        return analyze_refuse(a, e->location, "a call before BETWEEN is not supported");
    TRY(analyze_list(a, scope, list->items, 2, &bounds));
    TRY(apply_two(a, negated ? "<" : ">=", value, bounds[0], e->location, &low));
    TRY(apply_two(a, negated ? ">" : "<=", value, bounds[1], e->location, &high));
    TRY(analyze_build(a, negated ? EXPRESSION_OR : EXPRESSION_AND, type_of(TYPE_BOOLEAN), e->location, 2,
                      &made));
    analyze_set_argument(made, 0, low);
    analyze_set_argument(made, 1, high);
    return analyze_build_end(a, made, e->location, out);
}

static enum status analyze_any(struct analysis *a, struct name_scope *scope,
                               const PgQuery__AExpr *e, const struct expression **out)
{
    if (strcmp(sql_string(e->name[0]).at, "=") != 0)
        return analyze_refuse(a, e->location, "%s ANY is not supported", sql_string(e->name[0]).at);
    return analyze_operator(a, scope, e, "= ANY", out);
}

static enum status analyze_a_expr(struct analysis *a, struct name_scope *scope,
                                  const PgQuery__AExpr *e, const struct expression **out)
{
    static const char *const refused[] = {
        [PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL] = "ALL (array)",
        [PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE] = "ILIKE",
        [PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR] = "SIMILAR TO",
        [PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM] = "BETWEEN SYMMETRIC",
        [PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM] = "NOT BETWEEN SYMMETRIC",
    };

    switch ((int)e->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        if (e->n_name != 1)
            return analyze_refuse(a, e->location, "OPERATOR() is not supported");
        return analyze_operator(a, scope, e, sql_string(e->name[0]).at, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
        return analyze_any(a, scope, e, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
        return analyze_operator(a, scope, e, "IS DISTINCT FROM", out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return analyze_operator(a, scope, e, "IS NOT DISTINCT FROM", out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
        return analyze_operator(a, scope, e, "NULLIF", out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
        return analyze_operator(a, scope, e, *sql_string(e->name[0]).at == '!' ? "NOT LIKE" : "LIKE", out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return analyze_in(a, scope, e, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        return analyze_between(a, scope, e, false, out);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return analyze_between(a, scope, e, true, out);
    default:
        return analyze_refuse(a, e->location, "%s is not supported",
                              (size_t)e->kind < ROW_COUNT(refused) && refused[e->kind]
                          ? refused[e->kind]
                          : "this kind of operator");
    }
}

static enum status analyze_bool(struct analysis *a, struct name_scope *scope,
                                const PgQuery__BoolExpr *e, const struct expression **out)
{
    bool is_and = e->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
    const char *name = is_and                                           ? "AND"
                       : e->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? "OR"
                                                                        : "NOT";
    const struct expression **arguments;
    struct expression *made;

    TRY(analyze_list(a, scope, e->args, e->n_args, &arguments));
    for (size_t i = 0; i < e->n_args; i++)
        TRY(analyze_build_condition(a, name, e->location, &arguments[i]));
    if (e->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR)
        return analyze_build_apply(a, "NOT", arguments, 1, e->location, out);
    TRY(analyze_build(a, is_and ? EXPRESSION_AND : EXPRESSION_OR, type_of(TYPE_BOOLEAN), e->location,
                      (uint32_t)e->n_args, &made));
    made->arguments = arguments;
    return analyze_build_end(a, made, e->location, out);
}

static enum status analyze_null_test(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__NullTest *e, const struct expression **out)
{
    const struct expression *argument;
    bool is_null = e->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;

    TRY(analyze_expression(a, scope, e->arg, &argument));
    return analyze_build_apply(a, is_null ? "IS NULL" : "IS NOT NULL", &argument, 1, e->location, out);
}

static enum status analyze_boolean_test(struct analysis *a, struct name_scope *scope,
                                        const PgQuery__BooleanTest *e,
                                        const struct expression **out)
{
    static const char *const names[] = { NULL,           "IS TRUE",    "IS NOT TRUE",   "IS FALSE",
                                         "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN" };
    const struct expression *argument;

    assert(e->booltesttype > 0 && (size_t)e->booltesttype < ROW_COUNT(names));
    TRY(analyze_expression(a, scope, e->arg, &argument));
    TRY(analyze_build_condition(a, names[e->booltesttype], e->location, &argument));
    return analyze_build_apply(a, names[e->booltesttype], &argument, 1, e->location, out);
}

/* --- CASE, COALESCE, GREATEST, LEAST -------------------------------------------- */

/* Casts all of them to their common type, which may still be open: then to text. */
static enum status cast_alike(struct analysis *a, const char *what,
                              const struct expression **values, size_t count, int32_t location,
                              struct type *common)
{
    struct sql_error error;
    struct type *types;
    void *memory;

    TRY(analyze_keep(a, count, sizeof *types, &memory));
    types = memory;
    for (size_t i = 0; i < count; i++)
        types[i] = values[i]->type;
    if (operator_common_type(what, types, (uint32_t)count, common, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    for (size_t i = 0; i < count; i++)
        TRY(analyze_build_cast(a, *common, CAST_IMPLICIT, location, &values[i]));
    return STATUS_OK;
}

/* The condition of one WHEN; with CASE x WHEN y it is x = y. */
static enum status analyze_when(struct analysis *a, struct name_scope *scope,
                                const PgQuery__CaseWhen *when, const struct expression *value,
                                const struct expression **out)
{
    TRY(analyze_expression(a, scope, when->expr, out));
    if (value)
        return apply_two(a, "=", value, *out, when->location, out);
    return analyze_build_condition(a, "CASE/WHEN", when->location, out);
}

static enum status analyze_case(struct analysis *a, struct name_scope *scope,
                                const PgQuery__CaseExpr *e, const struct expression **out)
{
    const struct expression *value = NULL, **results;
    struct expression *made;
    struct type common;
    void *memory;

    if (e->arg) {
        TRY(analyze_expression(a, scope, e->arg, &value));
        TRY(analyze_build_settled(a, e->location, &value));
        if (analyze_has_call(value))
            return analyze_refuse(a, e->location, "a call behind CASE is not supported");
    }
    TRY(analyze_build(a, EXPRESSION_CASE, type_of(TYPE_UNKNOWN), e->location, 2 * (uint32_t)e->n_args + 1,
                      &made));
    TRY(analyze_keep(a, e->n_args + 1, sizeof *results, &memory));
    results = memory;
    for (size_t i = 0; i < e->n_args; i++) {
        const struct expression *condition;

        TRY(analyze_when(a, scope, e->args[i]->case_when, value, &condition));
        analyze_set_argument(made, 2 * (uint32_t)i, condition);
        TRY(analyze_expression(a, scope, e->args[i]->case_when->result, &results[i]));
    }
    if (e->defresult)
        TRY(analyze_expression(a, scope, e->defresult, &results[e->n_args]));
    else
        TRY(analyze_build_null(a, type_of(TYPE_UNKNOWN), e->location, &results[e->n_args]));
    TRY(cast_alike(a, "CASE", results, e->n_args + 1, e->location, &common));
    made->type = common;
    for (uint32_t i = 0; i < e->n_args; i++)
        analyze_set_argument(made, 2 * i + 1, results[i]);
    analyze_set_argument(made, 2 * (uint32_t)e->n_args, results[e->n_args]);
    return analyze_build_end(a, made, e->location, out);
}

static enum status analyze_coalesce(struct analysis *a, struct name_scope *scope,
                                    const PgQuery__CoalesceExpr *e, const struct expression **out)
{
    const struct expression **values;
    struct expression *made;
    struct type common;

    TRY(analyze_list(a, scope, e->args, e->n_args, &values));
    TRY(cast_alike(a, "COALESCE", values, e->n_args, e->location, &common));
    TRY(analyze_build(a, EXPRESSION_COALESCE, common, e->location, (uint32_t)e->n_args, &made));
    made->arguments = values;
    return analyze_build_end(a, made, e->location, out);
}

static enum status analyze_min_max(struct analysis *a, struct name_scope *scope,
                                   const PgQuery__MinMaxExpr *e, const struct expression **out)
{
    const char *name = e->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "GREATEST" : "LEAST";
    const struct expression **values;

    TRY(analyze_list(a, scope, e->args, e->n_args, &values));
    return analyze_build_apply(a, name, values, (uint32_t)e->n_args, e->location, out);
}

/* --- Casts and arrays ------------------------------------------------------------- */

static enum status analyze_cast(struct analysis *a, struct name_scope *scope,
                                const PgQuery__TypeCast *e, const struct expression **out)
{
    struct type type;

    TRY(analyze_type(a, e->type_name, &type));
    if (type.kind == TYPE_UNKNOWN || type.kind == TYPE_VOID || type.kind == TYPE_RECORD)
        return analyze_refuse(a, e->location, "a cast to %s is not supported", type_name(type.kind));
    TRY(analyze_expression(a, scope, e->arg, out));
    return analyze_build_cast(a, type, CAST_EXPLICIT, e->location, out);
}

static enum status analyze_array(struct analysis *a, struct name_scope *scope,
                                 const PgQuery__AArrayExpr *e, const struct expression **out)
{
    const struct expression **values;

    TRY(analyze_list(a, scope, e->elements, e->n_elements, &values));
    return analyze_build_apply(a, "ARRAY", values, (uint32_t)e->n_elements, e->location, out);
}

/* Subscripts behind something: v[1]. */
static enum status analyze_indirection(struct analysis *a, struct name_scope *scope,
                                       const PgQuery__AIndirection *e,
                                       const struct expression **out)
{
    int32_t location = sql_node_location(e->arg);

    TRY(analyze_expression(a, scope, e->arg, out));
    for (size_t i = 0; i < e->n_indirection; i++) {
        const PgQuery__Node *node = e->indirection[i];
        const struct expression *index;

        if (node->node_case != PG_QUERY__NODE__NODE_A_INDICES)
            return analyze_refuse(a, location, "a field of an expression is not supported");
        ONLY(a, location, node->a_indices, "uidx");
        TRY(analyze_expression(a, scope, node->a_indices->uidx, &index));
        TRY(apply_two(a, "[]", *out, index, location, out));
    }
    return STATUS_OK;
}

static enum status analyze_call(struct analysis *, struct name_scope *, const PgQuery__FuncCall *,
                                  const struct expression **);

/* --- Subqueries -------------------------------------------------------------------- */

static enum status check_subquery(struct analysis *a, const struct name_scope *scope,
                                  const PgQuery__SubLink *link)
{
    static const char *const refused[] = {
        [PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK] = "ALL (SELECT ...)",
        [PG_QUERY__SUB_LINK_TYPE__ROWCOMPARE_SUBLINK] = "a row of several columns",
        [PG_QUERY__SUB_LINK_TYPE__MULTIEXPR_SUBLINK] = "SET of several columns at once",
        [PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK] = "ARRAY (SELECT ...)",
    };
    size_t type = (size_t)link->sub_link_type;

    if (scope->subqueries == SUBQUERIES_REFUSED)
        return analyze_refuse(a, link->location, "a subquery is not supported");
    if (type < ROW_COUNT(refused) && refused[type])
        return analyze_refuse(a, link->location, "%s is not supported", refused[type]);
    if (link->n_oper_name > 0 && strcmp(sql_string(link->oper_name[0]).at, "=") != 0)
        return analyze_refuse(a, link->location, "%s ANY (SELECT ...) is not supported",
                              sql_string(link->oper_name[0]).at);
    return STATUS_OK;
}

/* Both sides as = takes them. */
static enum status cast_to_compare(struct analysis *a, const struct expression **value,
                                   struct select *select, int32_t location)
{
    struct type types[] = { (*value)->type, select->outputs[0].value->type };
    struct operator_choice choice, cast;
    struct output *output;
    struct sql_error error;
    void *memory;

    if (operator_resolve("=", types, 2, &choice, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    cast = operator_argument_cast(&choice, 0, types[0]);
    TRY(analyze_build_choice(a, &cast, location, value));
    cast = operator_argument_cast(&choice, 1, types[1]);
    TRY(analyze_keep(a, 1, sizeof *output, &memory));
    output = memory;
    *output = select->outputs[0];
    TRY(analyze_build_choice(a, &cast, location, &output->value));
    if (select->arm_count > 0 && output->value != select->outputs[0].value)
        return analyze_refuse(a, location, "IN of a UNION of another type is not supported");
    select->outputs = output;
    return STATUS_OK;
}

/* The argument comes first, as it is written. */
static enum status analyze_subquery(struct analysis *a, struct name_scope *scope,
                                    const PgQuery__SubLink *link, const struct expression **out)
{
    bool is_in = link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK;
    bool exists = link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK;
    struct name_scope within = { .outer = scope, .routine = scope->routine };
    const struct expression *value = NULL;
    struct type type = type_of(TYPE_BOOLEAN);
    struct expression *made;
    struct query *query;
    void *memory;

    TRY(check_subquery(a, scope, link));
    if (is_in)
        TRY(analyze_expression(a, scope, link->testexpr, &value));
    /* It would see the rows as they are before the call. */
    if (scope->has_call)
        return analyze_refuse(a, link->location, "a subquery behind a call of a function is not supported%s",
                              scope->routine ? ": assign it to a variable before" : "");
    TRY(analyze_keep(a, 1, sizeof *query, &memory));
    query = memory;
    query->kind = QUERY_SELECT;
    query->line = analyze_line_of(a, link->location);
    if (link->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return analyze_refuse_node(a, link->subselect);
    TRY(analyze_select(a, &within, link->subselect->select_stmt, &query->as.select));
    if (!exists && query->as.select.output_count != 1)
        return analyze_refuse(a, link->location, is_in ? "subquery has too many columns"
                                                       : "subquery must return only one column");
    if (query->as.select.lock != ROW_LOCK_NONE)
        return analyze_refuse(a, link->location, "FOR UPDATE or FOR SHARE in a subquery is not supported");
    if (is_in)
        TRY(cast_to_compare(a, &value, &query->as.select, link->location));
    if (!is_in && !exists)
        type = query->as.select.outputs[0].value->type;
    TRY(analyze_build(a, EXPRESSION_SUBQUERY, type, link->location, is_in, &made));
    made->as.subquery.kind = is_in ? SUBQUERY_IN : exists ? SUBQUERY_EXISTS : SUBQUERY_VALUE;
    made->as.subquery.is_correlated = within.uses_outer;
    made->as.subquery.query = query;
    if (is_in)
        analyze_set_argument(made, 0, value);
    return analyze_build_end(a, made, link->location, out);
}

enum status analyze_expression(struct analysis *a, struct name_scope *scope,
                               const PgQuery__Node *node, const struct expression **out)
{
    switch ((int)node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return analyze_constant(a, node->a_const, out);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return analyze_column_ref(a, scope, node->column_ref, out);
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return analyze_param_ref(a, scope, node->param_ref, out);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return analyze_a_expr(a, scope, node->a_expr, out);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return analyze_bool(a, scope, node->bool_expr, out);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return analyze_null_test(a, scope, node->null_test, out);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return analyze_boolean_test(a, scope, node->boolean_test, out);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return analyze_case(a, scope, node->case_expr, out);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return analyze_coalesce(a, scope, node->coalesce_expr, out);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return analyze_min_max(a, scope, node->min_max_expr, out);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return analyze_cast(a, scope, node->type_cast, out);
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return analyze_array(a, scope, node->a_array_expr, out);
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return analyze_indirection(a, scope, node->a_indirection, out);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return analyze_call(a, scope, node->func_call, out);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return analyze_subquery(a, scope, node->sub_link, out);
    default:
        return analyze_refuse_node(a, node);
    }
}

static const struct {
    const char *name;
    enum aggregate_kind kind;
} aggregates[] = {
    { "count", AGGREGATE_COUNT }, { "sum", AGGREGATE_SUM }, { "min", AGGREGATE_MIN },
    { "max", AGGREGATE_MAX },     { "avg", AGGREGATE_AVG },
};

/* "f(integer, text)", as PostgreSQL says which function there is not. */
static enum status refuse_signature(struct analysis *a, int32_t location, const char *name,
                                    const struct expression **arguments, size_t count)
{
    char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : "",
                                   type_name(arguments[i]->type.kind));
    return analyze_refuse(a, location, "function %s(%s) does not exist", name, text);
}

/* The function's name; SUBSTRING(x FROM y) and its like come as pg_catalog.substring. */
static enum status read_name(struct analysis *a, const PgQuery__FuncCall *call, const char **name)
{
    struct text schema = sql_string(call->funcname[0]);

    *name = sql_string(call->funcname[call->n_funcname - 1]).at;
    if (call->n_funcname > 2 || (call->n_funcname == 2 && !text_equal(schema, TEXT("pg_catalog"))))
        return analyze_refuse(a, call->location, "a schema before a function's name is not supported");
    return STATUS_OK;
}

/* --- Aggregates ----------------------------------------------------------------- */

static enum status check_aggregate(struct analysis *a, struct name_scope *scope,
                                   const PgQuery__FuncCall *call)
{
    if (scope->aggregates == AGGREGATES_WITHIN)
        return analyze_refuse(a, call->location, "aggregate function calls cannot be nested");
    if (scope->aggregates == AGGREGATES_REFUSED)
        return analyze_refuse(a, call->location, "aggregate functions are not allowed in %s", scope->place);
    if (scope->end_visible == 0)
        return analyze_refuse(a, call->location, "an aggregate without FROM is not supported");
    ONLY(a, call->location, call, "funcname args agg_star agg_distinct funcformat");
    if (call->n_args + (size_t)call->agg_star != 1)
        return analyze_refuse(a, call->location, "an aggregate takes one argument, or count(*) none");
    return STATUS_OK;
}

struct column_count {
    const struct name_scope *scope;
    uint32_t own, outer;
};

static void count_column(void *context, const struct expression *column)
{
    struct column_count *count = context;
    uint32_t source = column->as.column.source;

    if (source < count->scope->first_source)
        count->outer++;
    else if (source < count->scope->first_source + count->scope->end_visible)
        count->own++;
}

/* Then PostgreSQL takes the aggregate for one of the statement around. */
static bool is_of_outer(const struct name_scope *scope, const struct expression *argument)
{
    struct column_count count = { .scope = scope };

    tree_visit_columns(argument, count_column, &count);
    return count.outer > 0 && count.own == 0;
}

static enum status analyze_aggregate(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__FuncCall *call, enum aggregate_kind kind,
                                     const struct expression **out)
{
    const struct expression *argument = NULL;
    struct aggregate_choice choice;
    struct expression *made;
    struct sql_error error;

    TRY(check_aggregate(a, scope, call));
    if (call->agg_star) {
        if (kind != AGGREGATE_COUNT)
            return analyze_refuse(a, call->location, "* is only for count");
        kind = AGGREGATE_COUNT_ROWS;
    } else {
        scope->aggregates = AGGREGATES_WITHIN;
        TRY(analyze_expression(a, scope, call->args[0], &argument));
        TRY(analyze_build_settled(a, call->location, &argument));
    }
    if (argument && is_of_outer(scope, argument))
        return analyze_refuse(a, call->location,
                              "an aggregate of columns of the statement around is not supported");
    scope->aggregates = AGGREGATES_FOUND;
    if (aggregate_resolve(kind, argument ? argument->type : type_of(TYPE_BIGINT), &choice,
                          &error) != STATUS_OK)
        return analyze_refuse_sql(a, call->location, &error);
    TRY(analyze_build(a, EXPRESSION_AGGREGATE, choice.result, call->location, argument != NULL, &made));
    made->as.aggregate.kind = choice.kind;
    made->as.aggregate.distinct = call->agg_distinct;
    if (argument) {
        TRY(analyze_build_cast(a, choice.takes, CAST_IMPLICIT, call->location, &argument));
        analyze_set_argument(made, 0, argument);
    }
    return analyze_build_end(a, made, call->location, out);
}

/* --- Functions of the program ------------------------------------------------------ */

static enum status analyze_user_call(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__FuncCall *call, uint32_t number,
                                     const struct expression **arguments,
                                     const struct expression **out)
{
    const struct program_function *function = &a->functions[number];
    struct expression *made;
    struct sql_error error;

    if (call->n_args != function->parameter_count)
        return refuse_signature(a, call->location, function->name.at, arguments, call->n_args);
    TRY(analyze_build(a, EXPRESSION_CALL, function->result, call->location, function->parameter_count,
                      &made));
    made->as.function = number;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct operator_choice cast;

        if (operator_cast(arguments[i]->type, function->variables[i].type, CAST_IMPLICIT, &cast,
                          &error) != STATUS_OK)
            return refuse_signature(a, call->location, function->name.at, arguments, call->n_args);
        TRY(analyze_build_choice(a, &cast, call->location, &arguments[i]));
        analyze_set_argument(made, i, arguments[i]);
    }
    scope->has_call = true;
    if (!scope->allows_calls)
        return analyze_refuse(a, call->location, "a call of %.*s in %s is not supported%s",
                              TEXT_PRINT(function->name), scope->place,
                              scope->routine ? ": assign it to a variable before" : "");
    return analyze_build_end(a, made, call->location, out);
}

static enum status analyze_call(struct analysis *a, struct name_scope *scope,
                                const PgQuery__FuncCall *call, const struct expression **out)
{
    const struct expression **arguments;
    enum number_kind number;
    const char *name;
    uint32_t function;

    TRY(read_name(a, call, &name));
    for (size_t i = 0; i < ROW_COUNT(aggregates); i++)
        if (strcmp(aggregates[i].name, name) == 0)
            return analyze_aggregate(a, scope, call, aggregates[i].kind, out);
    if (analyze_is_number(name, &number))
        return analyze_number(a, scope, call, number, out);
    ONLY(a, call->location, call, "funcname args funcformat");
    TRY(analyze_list(a, scope, call->args, call->n_args, &arguments));
    function = analyze_find_function(a, text_of(name));
    if (function != UINT32_MAX)
        return analyze_user_call(a, scope, call, function, arguments, out);
    if (!operator_is_function(name))
        return refuse_signature(a, call->location, name, arguments, call->n_args);
    return analyze_build_apply(a, name, arguments, (uint32_t)call->n_args, call->location, out);
}
