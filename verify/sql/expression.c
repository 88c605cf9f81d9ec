#include "verify/sql/expression_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "verify/sql/scalar_private.h"

/* --- Leaves ------------------------------------------------------------------ */

static const char *string_of(const PgQuery__Node *node)
{
    return node && node->node_case == PG_QUERY__NODE__NODE_STRING ? node->string->sval : "";
}

/* "v" or "t.v": its place in the history's columns, or HISTORY_NONE. */
static uint32_t find_column(const PgQuery__ColumnRef *ref, const struct table_row *row)
{
    const struct history *h = row->history;
    uint32_t end = h->table_column_start[row->table + 1];
    struct text name = text_of(ref->n_fields ? string_of(ref->fields[ref->n_fields - 1]) : "");

    if (ref->n_fields > 2 ||
        (ref->n_fields == 2 && !text_equal(text_of(string_of(ref->fields[0])),
                                           history_text(h, h->table_name[row->table]))))
        return HISTORY_NONE;
    for (uint32_t i = h->table_column_start[row->table]; i < end; i++)
        if (text_equal(name, history_text(h, h->table_column_name[i])))
            return i;
    return HISTORY_NONE;
}

static enum outcome evaluate_column(const PgQuery__ColumnRef *ref, const struct table_row *row,
                                    struct scalar *result)
{
    const struct history *h = row->history;
    uint32_t column = find_column(ref, row);
    uint64_t cell;

    if (column == HISTORY_NONE)
        return OUTCOME_UNKNOWN;
    cell = h->row_start[row->row] + column - h->table_column_start[row->table];
    return scalar_of_cell(h, (struct value){ h->cell_kind[cell], h->cell_value[cell] },
                          history_text(h, h->table_column_type[column]), result);
}

static bool is_integer_column(const PgQuery__ColumnRef *ref, const struct table_row *row)
{
    const struct history *h = row->history;
    uint32_t column = find_column(ref, row);
    struct scalar probe;

    return column != HISTORY_NONE && h->table_column_kind[column] == COLUMN_INTEGER &&
           scalar_of_cell(h, (struct value){ VALUE_INTEGER, 0 },
                          history_text(h, h->table_column_type[column]), &probe) == OUTCOME_DONE &&
           probe.kind == SCALAR_INTEGER;
}

static enum outcome evaluate_constant(const PgQuery__AConst *constant, struct scalar *result)
{
    struct text text;
    int64_t number;

    *result = scalar_null();
    if (constant->isnull)
        return OUTCOME_DONE;
    switch (constant->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        return scalar_integer(constant->ival->ival, 4, result);
    case PG_QUERY__A__CONST__VAL_FVAL:
        text = text_of(constant->fval->fval);
        return text_to_int64(text, &number)                   ? scalar_integer(number, 8, result)
               : scalar_decimal(text, result) == OUTCOME_DONE ? OUTCOME_DONE
                                                              : OUTCOME_UNKNOWN;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        *result = scalar_boolean(constant->boolval->boolval);
        return OUTCOME_DONE;
    case PG_QUERY__A__CONST__VAL_SVAL:
        *result = (struct scalar){ .kind = SCALAR_LITERAL, .text = text_of(constant->sval->sval) };
        return OUTCOME_DONE;
    default:
        return OUTCOME_UNKNOWN;
    }
}

/* --- Logic ------------------------------------------------------------------- */

/* Null, or true or false. */
static enum outcome evaluate_truth(const PgQuery__Node *node, const struct table_row *row,
                                   struct scalar *result)
{
    static const struct scalar boolean = { .kind = SCALAR_BOOLEAN };

    DONE_OR_RETURN(expression_evaluate(node, row, result));
    DONE_OR_RETURN(scalar_adapt(result, &boolean));
    return result->kind == SCALAR_BOOLEAN || result->kind == SCALAR_NULL ? OUTCOME_DONE
                                                                         : OUTCOME_UNKNOWN;
}

/* Conjunctions, and disjunctions as their mirror image. */
struct junction {
    bool decisive; /* false for AND */
    bool is_decided, has_null;
    enum outcome outcome;
};

static void join(struct junction *j, enum outcome outcome, const struct scalar *truth)
{
    if (outcome != OUTCOME_DONE) {
        j->outcome = outcome > j->outcome ? outcome : j->outcome;
        return;
    }
    j->has_null |= truth->kind == SCALAR_NULL;
    j->is_decided |= truth->kind == SCALAR_BOOLEAN && (bool)truth->number == j->decisive;
}

static enum outcome join_end(const struct junction *j, struct scalar *result)
{
    *result = j->has_null ? scalar_null() : scalar_boolean(!j->decisive);
    if (!j->is_decided)
        return j->outcome;
    *result = scalar_boolean(j->decisive);
    return OUTCOME_DONE;
}

static void negate(struct scalar *truth)
{
    if (truth->kind == SCALAR_BOOLEAN)
        truth->number = !truth->number;
}

static enum outcome evaluate_bool(const PgQuery__BoolExpr *e, const struct table_row *row,
                                  struct scalar *result)
{
    struct junction j = { .decisive = e->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR };

    if (e->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
        DONE_OR_RETURN(evaluate_truth(e->args[0], row, result));
        negate(result);
        return OUTCOME_DONE;
    }
    for (size_t i = 0; i < e->n_args && !j.is_decided; i++) {
        struct scalar truth = scalar_null();
        enum outcome outcome = evaluate_truth(e->args[i], row, &truth);

        join(&j, outcome, &truth);
    }
    return join_end(&j, result);
}

static enum outcome evaluate_null_test(const PgQuery__NullTest *test, const struct table_row *row,
                                       struct scalar *result)
{
    bool wants_null = test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
    struct scalar value;

    DONE_OR_RETURN(expression_evaluate(test->arg, row, &value));
    *result = scalar_boolean((value.kind == SCALAR_NULL) == wants_null);
    return OUTCOME_DONE;
}

static enum outcome evaluate_boolean_test(const PgQuery__BooleanTest *test,
                                          const struct table_row *row, struct scalar *result)
{
    struct scalar truth;
    bool is_null, is_true;

    DONE_OR_RETURN(evaluate_truth(test->arg, row, &truth));
    is_null = truth.kind == SCALAR_NULL;
    is_true = !is_null && truth.number;
    switch (test->booltesttype) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE:
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE:
        *result =
            scalar_boolean(is_true == (test->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_TRUE));
        return OUTCOME_DONE;
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE:
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE:
        *result = scalar_boolean((!is_null && !is_true) ==
                                 (test->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_FALSE));
        return OUTCOME_DONE;
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN:
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN:
        *result =
            scalar_boolean(is_null == (test->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN));
        return OUTCOME_DONE;
    default:
        return OUTCOME_UNKNOWN;
    }
}

/* --- Operators --------------------------------------------------------------- */

/* Which of below, equal and above an operator means: bits 1, 2, 4; 0: it is none of these. */
static unsigned comparison_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned means;
    } operators[] = { { "<", 1 },  { "=", 2 },  { "<=", 3 }, { ">", 4 },
                      { "<>", 5 }, { "!=", 5 }, { ">=", 6 } };

    for (size_t i = 0; i < ROW_COUNT(operators); i++)
        if (strcmp(name, operators[i].name) == 0)
            return operators[i].means;
    return 0;
}

static enum outcome compare(const char *name, const struct scalar *a, const struct scalar *b,
                            struct scalar *result)
{
    unsigned means = comparison_of(name);
    int c;

    if (means == 0)
        return OUTCOME_UNKNOWN;
    *result = scalar_null();
    if (a->kind == SCALAR_NULL || b->kind == SCALAR_NULL)
        return OUTCOME_DONE;
    DONE_OR_RETURN(scalar_compare(*a, *b, &c));
    *result = scalar_boolean(means & (c < 0 ? 1U : c == 0 ? 2U : 4U));
    return OUTCOME_DONE;
}

static enum outcome operate(const char *name, const struct scalar *a, const struct scalar *b,
                            struct scalar *result)
{
    if (name[0] == 0 || name[1] != 0 || !strchr("+-*/%", name[0]))
        return compare(name, a, b, result);
    *result = scalar_null();
    if (a->kind == SCALAR_NULL || b->kind == SCALAR_NULL)
        return OUTCOME_DONE;
    return scalar_compute(name[0], *a, *b, result);
}

static enum outcome evaluate_operator(const PgQuery__AExpr *e, const char *name,
                                      const struct table_row *row, struct scalar *result)
{
    struct scalar a = { .kind = SCALAR_INTEGER, .width = 2 }, b;

    /* A sign is a subtraction from nothing. */
    if (e->lexpr)
        DONE_OR_RETURN(expression_evaluate(e->lexpr, row, &a));
    else if (strcmp(name, "-") != 0 && strcmp(name, "+") != 0)
        return OUTCOME_UNKNOWN;
    DONE_OR_RETURN(expression_evaluate(e->rexpr, row, &b));
    return operate(name, &a, &b, result);
}

static enum outcome evaluate_distinct(const PgQuery__AExpr *e, bool wants_distinct,
                                      const struct table_row *row, struct scalar *result)
{
    struct scalar a, b;
    int c = 0;
    bool is_distinct;

    DONE_OR_RETURN(expression_evaluate(e->lexpr, row, &a));
    DONE_OR_RETURN(expression_evaluate(e->rexpr, row, &b));
    is_distinct = (a.kind == SCALAR_NULL) != (b.kind == SCALAR_NULL);
    if (a.kind != SCALAR_NULL && b.kind != SCALAR_NULL) {
        DONE_OR_RETURN(scalar_compare(a, b, &c));
        is_distinct = c != 0;
    }
    *result = scalar_boolean(is_distinct == wants_distinct);
    return OUTCOME_DONE;
}

/* One more `a OP b`, of which b may not have been computed. */
static void join_comparison(struct junction *j, const char *name, const struct scalar *a,
                            enum outcome outcome, const struct scalar *b)
{
    struct scalar truth = scalar_null();

    if (outcome == OUTCOME_DONE)
        outcome = compare(name, a, b, &truth);
    join(j, outcome, &truth);
}

/* `a IN (b, c)`: a = b OR a = c. `a NOT IN (b, c)`: a <> b AND a <> c. */
struct operands {
    PgQuery__Node **at;
    size_t count;
};

static enum outcome evaluate_in(const PgQuery__AExpr *e, const char *name,
                                const struct operands *items, bool is_any,
                                const struct table_row *row, struct scalar *result)
{
    struct junction j = { .decisive = is_any };
    struct scalar a, b;

    DONE_OR_RETURN(expression_evaluate(e->lexpr, row, &a));
    for (size_t i = 0; i < items->count && !j.is_decided; i++) {
        enum outcome outcome = expression_evaluate(items->at[i], row, &b);

        join_comparison(&j, name, &a, outcome, &b);
    }
    return join_end(&j, result);
}

/* `a = ANY (list)` with a column for a list. */
static enum outcome evaluate_in_list(const PgQuery__AExpr *e, const char *name, bool is_any,
                                     const struct table_row *row, struct scalar *result)
{
    struct junction j = { .decisive = is_any };
    struct scalar a, list, element;

    DONE_OR_RETURN(expression_evaluate(e->lexpr, row, &a));
    DONE_OR_RETURN(expression_evaluate(e->rexpr, row, &list));
    *result = scalar_null();
    if (list.kind == SCALAR_NULL)
        return OUTCOME_DONE;
    if (list.kind != SCALAR_LIST)
        return OUTCOME_UNKNOWN;
    for (__int128 i = 0; i < list.number && !j.is_decided; i++) {
        enum outcome outcome = scalar_integer(list.elements[i], 8, &element);

        join_comparison(&j, name, &a, outcome, &element);
    }
    return join_end(&j, result);
}

static enum outcome evaluate_any(const PgQuery__AExpr *e, const char *name, bool is_any,
                                 const struct table_row *row, struct scalar *result)
{
    if (e->rexpr->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR)
        return evaluate_in(e, name,
                           &(struct operands){ e->rexpr->a_array_expr->elements,
                                               e->rexpr->a_array_expr->n_elements },
                           is_any, row, result);
    return evaluate_in_list(e, name, is_any, row, result);
}

/* `a BETWEEN b AND c`: a >= b AND a <= c. */
static enum outcome evaluate_between(const PgQuery__AExpr *e, bool is_negated,
                                     const struct table_row *row, struct scalar *result)
{
    static const char *const names[] = { ">=", "<=" };
    struct junction j = { .decisive = false };
    struct scalar a, b;

    if (e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST || e->rexpr->list->n_items != 2)
        return OUTCOME_UNKNOWN;
    DONE_OR_RETURN(expression_evaluate(e->lexpr, row, &a));
    for (size_t i = 0; i < 2; i++) {
        enum outcome outcome = expression_evaluate(e->rexpr->list->items[i], row, &b);

        join_comparison(&j, names[i], &a, outcome, &b);
    }
    DONE_OR_RETURN(join_end(&j, result));
    if (is_negated)
        negate(result);
    return OUTCOME_DONE;
}

static enum outcome evaluate_a_expr(const PgQuery__AExpr *e, const struct table_row *row,
                                    struct scalar *result)
{
    const char *name = e->n_name == 1 ? string_of(e->name[0]) : "";

    switch (e->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        return evaluate_operator(e, name, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
        return evaluate_any(e, name, true, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
        return evaluate_any(e, name, false, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
        return evaluate_distinct(e, true, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return evaluate_distinct(e, false, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        if (e->rexpr->node_case != PG_QUERY__NODE__NODE_LIST)
            return OUTCOME_UNKNOWN;
        return evaluate_in(e, name,
                           &(struct operands){ e->rexpr->list->items, e->rexpr->list->n_items },
                           strcmp(name, "=") == 0, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        return evaluate_between(e, false, row, result);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return evaluate_between(e, true, row, result);
    default:
        return OUTCOME_UNKNOWN;
    }
}

/* --- Choices, casts and calls ------------------------------------------------ */

static bool are_whole(PgQuery__Node **nodes, size_t count, const struct table_row *row);

/* Whether it can be nothing but an integer, or null, whatever the row. */
static bool is_whole(const PgQuery__Node *node, const struct table_row *row)
{
    struct scalar probe;

    switch (node ? node->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return evaluate_constant(node->a_const, &probe) == OUTCOME_DONE &&
               (probe.kind == SCALAR_INTEGER || probe.kind == SCALAR_NULL);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return is_integer_column(node->column_ref, row);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return are_whole(node->coalesce_expr->args, node->coalesce_expr->n_args, row);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return are_whole(node->min_max_expr->args, node->min_max_expr->n_args, row);
    default:
        return false;
    }
}

static bool are_whole(PgQuery__Node **nodes, size_t count, const struct table_row *row)
{
    for (size_t i = 0; i < count; i++)
        if (!is_whole(nodes[i], row))
            return false;
    return true;
}

/* One of several: all of them together say of what type it is. */
static void blur(struct scalar *value, bool all_whole)
{
    if (value->kind == SCALAR_INTEGER && all_whole)
        value->width = 8;
    else
        value->is_vague = value->kind == SCALAR_INTEGER || value->kind == SCALAR_LITERAL;
}

static enum outcome evaluate_case(const PgQuery__CaseExpr *e, const struct table_row *row,
                                  struct scalar *result)
{
    struct scalar subject = scalar_boolean(true), truth, value;
    const PgQuery__Node *chosen = e->defresult;
    bool is_found = false, all_whole = !e->defresult || is_whole(e->defresult, row);

    if (e->arg)
        DONE_OR_RETURN(expression_evaluate(e->arg, row, &subject));
    for (size_t i = 0; i < e->n_args; i++) {
        const PgQuery__CaseWhen *when = e->args[i]->case_when;

        all_whole &= is_whole(when->result, row);
        if (is_found)
            continue;
        if (e->arg) {
            DONE_OR_RETURN(expression_evaluate(when->expr, row, &value));
            DONE_OR_RETURN(compare("=", &subject, &value, &truth));
        } else {
            DONE_OR_RETURN(evaluate_truth(when->expr, row, &truth));
        }
        is_found = truth.kind == SCALAR_BOOLEAN && truth.number;
        if (is_found)
            chosen = when->result;
    }
    *result = scalar_null();
    if (chosen)
        DONE_OR_RETURN(expression_evaluate(chosen, row, result));
    blur(result, all_whole);
    return OUTCOME_DONE;
}

static enum outcome evaluate_coalesce(const PgQuery__CoalesceExpr *e, const struct table_row *row,
                                      struct scalar *result)
{
    for (size_t i = 0; i < e->n_args; i++) {
        DONE_OR_RETURN(expression_evaluate(e->args[i], row, result));
        if (result->kind != SCALAR_NULL)
            break;
    }
    blur(result, are_whole(e->args, e->n_args, row));
    return OUTCOME_DONE;
}

static enum outcome evaluate_min_max(const PgQuery__MinMaxExpr *e, const struct table_row *row,
                                     struct scalar *result)
{
    int wanted = e->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? 1 : -1, c;
    size_t literals = 0;
    struct scalar value;

    *result = scalar_null();
    for (size_t i = 0; i < e->n_args; i++) {
        DONE_OR_RETURN(expression_evaluate(e->args[i], row, &value));
        literals += value.kind == SCALAR_LITERAL;
        /* Two of them compare by the type of a third. */
        if (literals > 1)
            return OUTCOME_UNKNOWN;
        if (value.kind == SCALAR_NULL)
            continue;
        c = wanted;
        if (result->kind != SCALAR_NULL)
            DONE_OR_RETURN(scalar_compare(value, *result, &c));
        if (c * wanted > 0)
            *result = value;
    }
    blur(result, are_whole(e->args, e->n_args, row));
    return OUTCOME_DONE;
}

/* The last of a name's parts; nothing if it is of a schema, which may have its own meaning of it. */
static const char *plain_name(PgQuery__Node **parts, size_t count)
{
    if (count == 2 && strcmp(string_of(parts[0]), "pg_catalog") != 0)
        return "";
    return count == 1 || count == 2 ? string_of(parts[count - 1]) : "";
}

static enum outcome evaluate_cast(const PgQuery__TypeCast *e, const struct table_row *row,
                                  struct scalar *result)
{
    const PgQuery__TypeName *type = e->type_name;
    struct scalar value;

    if (type->n_typmods > 0 || type->n_array_bounds > 0 || type->n_names == 0)
        return OUTCOME_UNKNOWN;
    DONE_OR_RETURN(expression_evaluate(e->arg, row, &value));
    return scalar_cast(value, text_of(plain_name(type->names, type->n_names)), result);
}

const char *expression_function(const PgQuery__FuncCall *call)
{
    return plain_name(call->funcname, call->n_funcname);
}

static __int128 count_characters(struct text text)
{
    __int128 count = 0;

    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return count;
}

/* Those of one argument: of null they are null. */
static enum outcome call_one(const char *name, const struct scalar *a, struct scalar *result)
{
    bool is_abs = strcmp(name, "abs") == 0, is_length = strcmp(name, "length") == 0;
    bool is_cardinality = strcmp(name, "cardinality") == 0;

    if (a->kind == SCALAR_NULL && (is_abs || is_length || is_cardinality))
        return OUTCOME_DONE;
    if (is_abs && a->kind == SCALAR_INTEGER && !a->is_vague)
        return scalar_integer(a->number < 0 ? -a->number : a->number, a->width, result);
    if (is_length && (a->kind == SCALAR_TEXT || a->kind == SCALAR_LITERAL))
        return scalar_integer(count_characters(a->text), 4, result);
    if (is_cardinality && a->kind == SCALAR_LIST)
        return scalar_integer(a->number, 4, result);
    return OUTCOME_UNKNOWN;
}

static enum outcome evaluate_call(const PgQuery__FuncCall *call, const struct table_row *row,
                                  struct scalar *result)
{
    const char *name = expression_function(call);
    struct scalar a, b;

    if (call->n_args < 1 || call->n_args > 2 || call->agg_star || call->agg_distinct ||
        call->agg_filter || call->over)
        return OUTCOME_UNKNOWN;
    DONE_OR_RETURN(expression_evaluate(call->args[0], row, &a));
    *result = scalar_null();
    if (call->n_args == 2) {
        DONE_OR_RETURN(expression_evaluate(call->args[1], row, &b));
        return strcmp(name, "mod") == 0 ? operate("%", &a, &b, result) : OUTCOME_UNKNOWN;
    }
    return call_one(name, &a, result);
}

enum outcome expression_evaluate(const PgQuery__Node *node, const struct table_row *row,
                                 struct scalar *result)
{
    *result = scalar_null();
    switch (node ? node->node_case : PG_QUERY__NODE__NODE__NOT_SET) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return evaluate_column(node->column_ref, row, result);
    case PG_QUERY__NODE__NODE_A_CONST:
        return evaluate_constant(node->a_const, result);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return evaluate_bool(node->bool_expr, row, result);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return evaluate_null_test(node->null_test, row, result);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return evaluate_boolean_test(node->boolean_test, row, result);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return evaluate_a_expr(node->a_expr, row, result);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return evaluate_case(node->case_expr, row, result);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return evaluate_coalesce(node->coalesce_expr, row, result);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return evaluate_min_max(node->min_max_expr, row, result);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return evaluate_cast(node->type_cast, row, result);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return evaluate_call(node->func_call, row, result);
    default:
        return OUTCOME_UNKNOWN;
    }
}
