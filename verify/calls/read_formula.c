#include "verify/calls/read_sequence_private.h"

#include <stdlib.h>
#include <string.h>

static const struct item_type type_boolean = { .kind = KIND_BOOLEAN };
static const struct item_type type_integer = { .kind = KIND_INTEGER };
static const struct item_type type_bigint = { .kind = KIND_BIGINT };
static const struct item_type type_numeric = { .kind = KIND_NUMERIC };
static const struct item_type type_text = { .kind = KIND_TEXT };
static const struct item_type type_array = { .kind = KIND_ARRAY };

typedef const struct reader_scope scope_of;

/* --- Making them ------------------------------------------------------------------------ */

struct formula *read_new(struct reader *r, enum formula_kind kind, struct item_type type,
                         uint32_t count)
{
    struct formula *formula = reader_take(r, 1, sizeof *formula);

    formula->kind = kind;
    formula->type = type;
    formula->count = count;
    formula->arguments = reader_take(r, count, sizeof *formula->arguments);
    return formula;
}

static void set_argument(struct formula *formula, uint32_t i, struct formula *argument)
{
    ((struct formula **)formula->arguments)[i] = argument;
}

static struct formula *make(struct reader *r, enum formula_kind kind, struct item_type type,
                            struct formula *a, struct formula *b)
{
    struct formula *formula = read_new(r, kind, type, b ? 2 : 1);

    set_argument(formula, 0, a);
    if (b)
        set_argument(formula, 1, b);
    return formula;
}

static struct formula *constant(struct reader *r, struct item item, struct item_type type)
{
    struct formula *formula = read_new(r, FORMULA_CONSTANT, type, 0);

    formula->as.constant = item;
    return formula;
}

struct formula *read_column(struct reader *r, uint32_t depth, uint32_t source, uint32_t column,
                            struct item_type type)
{
    struct formula *formula = read_new(r, FORMULA_COLUMN, type, 0);

    formula->as.column.depth = depth;
    formula->as.column.source = source;
    formula->as.column.column = column;
    return formula;
}

static bool is_unknown(const struct formula *formula)
{
    return formula->type.kind == KIND_UNKNOWN;
}

/* A literal is cast now if it can be; where it cannot, the error comes when it is reached. */
static bool cast_now(struct reader *r, struct formula *literal, struct item_type to, enum cast cast)
{
    struct trap trap;
    struct workbench bench = { &trap, r->arena };

    if (!trap_set(&trap))
        return false;
    literal->as.constant = item_cast(&bench, literal->as.constant, to, cast);
    literal->type = to;
    return true;
}

static bool is_same_type(struct item_type from, struct item_type to)
{
    if (to.kind == KIND_NUMERIC)
        return from.kind == KIND_NUMERIC &&
               (to.precision == 0 || (from.precision == to.precision && from.scale == to.scale));
    if (kind_is_text(to.kind))
        return kind_is_text(from.kind) &&
               (to.length == 0 || (from.kind == KIND_VARCHAR && from.length == to.length));
    if (kind_is_integer(to.kind))
        return kind_is_integer(from.kind) && from.kind <= to.kind;
    return from.kind == to.kind;
}

/* Of those that PostgreSQL has. */
static bool has_cast(enum kind from, enum kind to)
{
    return from == to || from == KIND_UNKNOWN || kind_is_text(from) || kind_is_text(to) ||
           (kind_is_number(from) && kind_is_number(to)) || (from == KIND_INTEGER && to == KIND_BOOLEAN) ||
           (from == KIND_BOOLEAN && to == KIND_INTEGER);
}

struct formula *read_as(struct reader *r, struct formula *formula, struct item_type to,
                        enum cast cast)
{
    struct formula *copy;

    if (to.kind == KIND_UNKNOWN || to.kind == KIND_RECORD || to.kind == KIND_VOID)
        return formula;
    if (formula->kind == FORMULA_CONSTANT && is_unknown(formula)) {
        copy = constant(r, formula->as.constant, formula->type);
        if (cast_now(r, copy, to, cast))
            return copy;
    } else if (is_same_type(formula->type, to)) {
        if (formula->type.kind == to.kind)
            return formula;
        copy = reader_take(r, 1, sizeof *copy);
        *copy = *formula;
        copy->type = to;
        return copy;
    }
    if (!has_cast(formula->type.kind, to.kind))
        reader_refuse(r, "such a cast");
    copy = make(r, FORMULA_CAST, to, formula, NULL);
    copy->as.cast = cast;
    return copy;
}

struct formula *read_settled(struct reader *r, struct formula *formula)
{
    return is_unknown(formula) ? read_as(r, formula, type_text, CAST_IS_IMPLICIT) : formula;
}

struct item_type read_common_type(struct reader *r, struct formula *const *formulas, uint32_t count)
{
    struct item_type common = formulas[0]->type;
    bool differ = false;

    for (uint32_t i = 1; i < count; i++) {
        struct item_type type = formulas[i]->type;

        differ |= memcmp(&type, &formulas[0]->type, sizeof type) != 0;
        if (type.kind == KIND_UNKNOWN || type.kind == common.kind)
            continue;
        if (common.kind == KIND_UNKNOWN)
            common = type;
        else if (kind_is_number(type.kind) && kind_is_number(common.kind))
            common = type.kind > common.kind ? type : common;
        else if (!kind_is_text(type.kind) || !kind_is_text(common.kind))
            reader_refuse(r, "values of different types where one is needed");
    }
    if (common.kind == KIND_UNKNOWN)
        return type_text;
    return differ ? (struct item_type){ .kind = common.kind } : common;
}

/* --- Names -------------------------------------------------------------------------------- */

void read_look_at(const struct from_source *source, uint32_t column)
{
    source->relation->columns[column].is_looked_at = true;
}

static struct formula *find_column(struct reader *r, scope_of *scope, const char *alias,
                                   const char *name)
{
    for (uint32_t depth = 0; scope; scope = scope->outer, depth++) {
        struct formula *found = NULL;

        for (uint32_t s = 0; s < scope->source_count; s++) {
            const struct from_source *source = &scope->sources[s];

            if (alias ? !text_equal(source->alias, text_of(alias)) : source->needs_alias)
                continue;
            for (uint32_t c = 0; c < source->shape->count; c++) {
                if (!text_equal(source->shape->names[c], text_of(name)))
                    continue;
                if (found)
                    trap_unknown(r->trap, "the name %s, which means two columns", name);
                found = read_column(r, depth, s, c, source->shape->types[c]);
                read_look_at(source, c);
            }
        }
        if (found)
            return found;
    }
    return NULL;
}

static struct formula *variable(struct reader *r, const struct reader_name *name)
{
    struct formula *formula = read_new(r, FORMULA_VARIABLE, r->routine->variables[name->slot].type, 0);

    formula->as.slot = name->slot;
    return formula;
}

static struct formula *find_variable(struct reader *r, const char *label, const char *name)
{
    for (const struct reader_name *n = r->names; n; n = n->next) {
        if (!text_equal(n->name, text_of(name)) ||
            (label && (!n->label || strcmp(n->label, label) != 0)))
            continue;
        if (n->cursor)
            trap_unknown(r->trap, "the cursor %s as a value", name);
        if (n->is_record)
            trap_unknown(r->trap, "the whole record %s as a value", name);
        return variable(r, n);
    }
    return NULL;
}

static struct formula *find_field(struct reader *r, const char *record, const char *name)
{
    const struct reader_name *n = r->names;

    while (n && !(n->is_record && text_equal(n->name, text_of(record))))
        n = n->next;
    if (!n)
        return NULL;
    for (uint32_t i = 0; n->shape && i < n->shape->count; i++) {
        struct formula *formula;

        if (!text_equal(n->shape->names[i], text_of(name)))
            continue;
        formula = read_new(r, FORMULA_FIELD, n->shape->types[i], 0);
        formula->as.field.slot = n->slot;
        formula->as.field.field = i;
        formula->as.field.shape = n->shape;
        return formula;
    }
    trap_unknown(r->trap, "what %s.%s is here", record, name);
}

static struct formula *read_reference(struct reader *r, scope_of *scope,
                                      const PgQuery__ColumnRef *ref)
{
    const char *first = reader_string(ref->fields[0]);
    const char *second = ref->n_fields > 1 ? reader_string(ref->fields[1]) : NULL;
    struct formula *column = NULL, *other;

    if (ref->n_fields > 2 || *first == '\0' || (second && *second == '\0'))
        reader_refuse(r, "such a name");
    column = second ? find_column(r, scope, first, second) : find_column(r, scope, NULL, first);
    if (second) {
        other = column ? NULL : find_field(r, first, second);
        if (!column && !other)
            other = find_variable(r, first, second);
    } else {
        other = find_variable(r, NULL, first);
    }
    if (column && other)
        trap_unknown(r->trap, "the name %s, which means a column and a variable", first);
    if (!column && !other)
        trap_unknown(r->trap, "the name %s%s%s", first, second ? "." : "", second ? second : "");
    return column ? column : other;
}

/* --- Leaves ---------------------------------------------------------------------------------- */

static struct formula *read_number(struct reader *r, struct text text)
{
    int64_t number;

    if (!text_to_int64(text, &number))
        return constant(r, item_parse_numeric(&r->bench, text), type_numeric);
    return constant(r, item_integer(number),
                    number >= INT32_MIN && number <= INT32_MAX ? type_integer : type_bigint);
}

static struct formula *read_constant(struct reader *r, const PgQuery__AConst *node)
{
    static const struct item_type none = { .kind = KIND_UNKNOWN };

    if (node->isnull)
        return constant(r, item_null(), none);
    switch (node->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        return constant(r, item_integer(node->ival->ival), type_integer);
    case PG_QUERY__A__CONST__VAL_FVAL:
        return read_number(r, text_of(node->fval->fval));
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        return constant(r, item_boolean(node->boolval->boolval), type_boolean);
    case PG_QUERY__A__CONST__VAL_SVAL:
        return constant(r, item_text(reader_keep(r, text_of(node->sval->sval))), none);
    default:
        reader_refuse(r, "such a constant");
    }
}

static struct formula *read_parameter(struct reader *r, const PgQuery__ParamRef *node)
{
    struct formula *formula =
        read_new(r, FORMULA_PARAMETER, (struct item_type){ .kind = KIND_UNKNOWN }, 0);

    if (r->routine)
        reader_refuse(r, "a parameter of a function by its number");
    formula->as.number = (uint32_t)node->number;
    return formula;
}

/* --- Operators --------------------------------------------------------------------------------- */

/* Literals take the type of the other side, or become texts. */
static void meet(struct reader *r, struct formula **a, struct formula **b)
{
    if (is_unknown(*a) && is_unknown(*b))
        *a = read_settled(r, *a);
    if (is_unknown(*a))
        *a = read_as(r, *a, (struct item_type){ .kind = (*b)->type.kind }, CAST_IS_IMPLICIT);
    if (is_unknown(*b))
        *b = read_as(r, *b, (struct item_type){ .kind = (*a)->type.kind }, CAST_IS_IMPLICIT);
    if (!((kind_is_number((*a)->type.kind) && kind_is_number((*b)->type.kind)) ||
          (kind_is_text((*a)->type.kind) && kind_is_text((*b)->type.kind)) ||
          (*a)->type.kind == (*b)->type.kind))
        reader_refuse(r, "a comparison of different types");
}

static struct formula *compare(struct reader *r, char operation, struct formula *a,
                               struct formula *b)
{
    struct formula *formula;

    meet(r, &a, &b);
    formula = make(r, FORMULA_COMPARE, type_boolean, a, b);
    formula->as.operation = operation;
    return formula;
}

static struct formula *compute(struct reader *r, char operation, struct formula *a, struct formula *b)
{
    struct item_type type;
    struct formula *formula;

    if (is_unknown(a) && !is_unknown(b))
        a = read_as(r, a, (struct item_type){ .kind = b->type.kind }, CAST_IS_IMPLICIT);
    if (is_unknown(b) && !is_unknown(a))
        b = read_as(r, b, (struct item_type){ .kind = a->type.kind }, CAST_IS_IMPLICIT);
    if (!kind_is_number(a->type.kind) || !kind_is_number(b->type.kind))
        trap_unknown(r->trap, "the operator %c of such types", operation);
    type = (struct item_type){ .kind = a->type.kind > b->type.kind ? a->type.kind : b->type.kind };
    formula = make(r, FORMULA_COMPUTE, type, a, b);
    formula->as.operation = operation;
    return formula;
}

static struct formula *builtin(struct reader *r, enum builtin which, struct item_type type,
                               struct formula *a, struct formula *b)
{
    struct formula *formula = make(r, FORMULA_BUILTIN, type, a, b);

    formula->as.builtin = which;
    return formula;
}

static struct formula *concatenate(struct reader *r, struct formula *a, struct formula *b)
{
    bool a_is_array = a->type.kind == KIND_ARRAY, b_is_array = b->type.kind == KIND_ARRAY;

    if (a_is_array || b_is_array) {
        if (is_unknown(a))
            a = read_as(r, a, type_array, CAST_IS_IMPLICIT);
        if (is_unknown(b))
            b = read_as(r, b, type_array, CAST_IS_IMPLICIT);
        return builtin(r, BUILTIN_ARRAY_JOIN, type_array, a, b);
    }
    if (!kind_is_text(a->type.kind) && !kind_is_text(b->type.kind) && !is_unknown(a) &&
        !is_unknown(b))
        reader_refuse(r, "|| of such types");
    return builtin(r, BUILTIN_CONCATENATE, type_text, read_as(r, a, type_text, CAST_IS_EXPLICIT),
                   read_as(r, b, type_text, CAST_IS_EXPLICIT));
}

static struct formula *test(struct reader *r, enum test which, bool negated, struct formula *a,
                            struct formula *b)
{
    struct formula *formula;

    if (b)
        meet(r, &a, &b);
    formula = make(r, FORMULA_TEST, type_boolean, a, b);
    formula->as.test.test = which;
    formula->as.test.negated = negated;
    return formula;
}

static struct formula *read_operator(struct reader *r, const char *name, struct formula *a,
                                     struct formula *b)
{
    static const struct {
        const char *name;
        char operation;
    } comparisons[] = { { "=", '=' },  { "<", '<' },  { ">", '>' }, { "<=", 'l' },
                        { ">=", 'g' }, { "<>", '!' }, { "!=", '!' } };

    if (!a && (strcmp(name, "-") == 0 || strcmp(name, "+") == 0)) {
        if (!kind_is_number(b->type.kind))
            reader_refuse(r, "a sign before what is no number");
        return *name == '+' ? b
                            : builtin(r, BUILTIN_NEGATE, (struct item_type){ .kind = b->type.kind },
                                      b, NULL);
    }
    if (!a)
        trap_unknown(r->trap, "the operator %s", name);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(comparisons[i].name, name) == 0)
            return compare(r, comparisons[i].operation, a, b);
    if (strcmp(name, "||") == 0)
        return concatenate(r, a, b);
    if (strlen(name) != 1 || !strchr("+-*/%", *name))
        trap_unknown(r->trap, "the operator %s", name);
    return compute(r, *name, a, b);
}

static struct formula *read_in(struct reader *r, scope_of *scope, const PgQuery__AExpr *node)
{
    const PgQuery__List *list = node->rexpr->list;
    struct formula *formula = read_new(r, FORMULA_IN, type_boolean, (uint32_t)list->n_items + 1);
    struct formula *first = read_formula(r, scope, node->lexpr);

    formula->as.in.negated = strcmp(reader_string(node->name[0]), "<>") == 0;
    for (uint32_t i = 1; i < formula->count; i++) {
        struct formula *one = read_formula(r, scope, list->items[i - 1]);

        meet(r, &first, &one);
        set_argument(formula, i, one);
    }
    set_argument(formula, 0, first);
    return formula;
}

static struct formula *read_like(struct reader *r, scope_of *scope, const PgQuery__AExpr *node)
{
    struct formula *a = read_as(r, read_formula(r, scope, node->lexpr), type_text, CAST_IS_IMPLICIT);
    struct formula *b = read_as(r, read_formula(r, scope, node->rexpr), type_text, CAST_IS_IMPLICIT);
    struct formula *formula = make(r, FORMULA_LIKE, type_boolean, a, b);

    formula->as.in.negated = *reader_string(node->name[0]) == '!';
    return formula;
}

static struct formula *read_between(struct reader *r, scope_of *scope, const PgQuery__AExpr *node,
                                    bool negated)
{
    const PgQuery__List *list = node->rexpr->list;
    struct formula *low, *high;

    low = compare(r, negated ? '<' : 'g', read_formula(r, scope, node->lexpr),
                  read_formula(r, scope, list->items[0]));
    high = compare(r, negated ? '>' : 'l', read_formula(r, scope, node->lexpr),
                   read_formula(r, scope, list->items[1]));
    return make(r, negated ? FORMULA_OR : FORMULA_AND, type_boolean, low, high);
}

static struct formula *read_expression(struct reader *r, scope_of *scope, const PgQuery__AExpr *node)
{
    struct formula *a, *b;

    switch (node->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return read_in(r, scope, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
        return read_like(r, scope, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return read_between(r, scope, node,
                            node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN);
    default:
        break;
    }
    a = node->lexpr ? read_formula(r, scope, node->lexpr) : NULL;
    b = read_formula(r, scope, node->rexpr);
    switch (node->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        return read_operator(r, reader_string(node->name[node->n_name - 1]), a, b);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        return test(r, TEST_DISTINCT, node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT, a, b);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
        if (strcmp(reader_string(node->name[0]), "=") != 0)
            break;
        b = read_as(r, b, type_array, CAST_IS_IMPLICIT);
        return make(r, FORMULA_IN_ARRAY, type_boolean, read_as(r, a, type_bigint, CAST_IS_IMPLICIT), b);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
        meet(r, &a, &b);
        return make(r, FORMULA_NULLIF, a->type, a, b);
    default:
        break;
    }
    reader_refuse(r, "such an operator");
}

static struct formula *read_logic(struct reader *r, scope_of *scope, const PgQuery__BoolExpr *node)
{
    enum formula_kind kind = node->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? FORMULA_AND
                             : node->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? FORMULA_OR
                                                                                 : FORMULA_NOT;
    struct formula *formula = read_new(r, kind, type_boolean, (uint32_t)node->n_args);

    for (uint32_t i = 0; i < formula->count; i++)
        set_argument(formula, i, read_truth(r, scope, node->args[i]));
    return formula;
}

static struct formula *read_boolean_test(struct reader *r, scope_of *scope,
                                         const PgQuery__BooleanTest *node)
{
    struct formula *a = read_truth(r, scope, node->arg);

    switch (node->booltesttype) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE:
        return test(r, TEST_TRUE, false, a, NULL);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE:
        return test(r, TEST_TRUE, true, a, NULL);
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE:
        return test(r, TEST_FALSE, false, a, NULL);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE:
        return test(r, TEST_FALSE, true, a, NULL);
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN:
        return test(r, TEST_NULL, false, a, NULL);
    default:
        return test(r, TEST_NULL, true, a, NULL);
    }
}

/* --- Choices -------------------------------------------------------------------------------------- */

static struct formula *read_case(struct reader *r, scope_of *scope, const PgQuery__CaseExpr *node)
{
    uint32_t arms = (uint32_t)node->n_args;
    struct formula *formula = read_new(r, FORMULA_CASE, type_text, 2 * arms + 1);
    struct formula **results = reader_take(r, arms + 1, sizeof *results);
    bool saw_call = r->saw_call;

    /* What is compared is computed for each arm here, and once in PostgreSQL. */
    r->saw_call = false;
    if (node->arg && (read_has_number(read_formula(r, scope, node->arg)) || r->saw_call))
        reader_refuse(r, "a call behind CASE");
    r->saw_call = saw_call;
    for (uint32_t i = 0; i < arms; i++) {
        const PgQuery__CaseWhen *when = node->args[i]->case_when;

        set_argument(formula, 2 * i,
                     node->arg ? compare(r, '=', read_formula(r, scope, node->arg),
                                         read_formula(r, scope, when->expr))
                               : read_truth(r, scope, when->expr));
        results[i + 1] = read_formula(r, scope, when->result);
    }
    results[0] = node->defresult
                     ? read_formula(r, scope, node->defresult)
                     : constant(r, item_null(), (struct item_type){ .kind = KIND_UNKNOWN });
    /* PostgreSQL looks at ELSE first. */
    formula->type = read_common_type(r, results, arms + 1);
    set_argument(formula, 2 * arms, read_as(r, results[0], formula->type, CAST_IS_IMPLICIT));
    for (uint32_t i = 0; i < arms; i++)
        set_argument(formula, 2 * i + 1,
                     read_as(r, results[i + 1], formula->type, CAST_IS_IMPLICIT));
    return formula;
}

static struct formula *read_list(struct reader *r, scope_of *scope, enum formula_kind kind,
                                 PgQuery__Node **nodes, size_t count)
{
    struct formula *formula = read_new(r, kind, type_text, (uint32_t)count);

    for (uint32_t i = 0; i < formula->count; i++)
        set_argument(formula, i, read_formula(r, scope, nodes[i]));
    if (kind == FORMULA_ARRAY)
        formula->type = type_bigint;
    else
        formula->type = read_common_type(r, formula->arguments, formula->count);
    for (uint32_t i = 0; i < formula->count; i++)
        set_argument(formula, i, read_as(r, formula->arguments[i], formula->type, CAST_IS_IMPLICIT));
    return formula;
}

static struct formula *read_array(struct reader *r, scope_of *scope, const PgQuery__AArrayExpr *node)
{
    struct formula *formula;

    for (size_t i = 0; i < node->n_elements; i++) {
        struct formula *one = read_formula(r, scope, node->elements[i]);

        if (!is_unknown(one) && !kind_is_integer(one->type.kind))
            reader_refuse(r, "arrays of other types than bigint");
    }
    formula = read_list(r, scope, FORMULA_ARRAY, node->elements, node->n_elements);
    formula->type = type_array;
    return formula;
}

static struct formula *read_subscript(struct reader *r, scope_of *scope,
                                      const PgQuery__AIndirection *node)
{
    struct formula *array = read_formula(r, scope, node->arg), *place;

    if (node->n_indirection != 1 ||
        node->indirection[0]->node_case != PG_QUERY__NODE__NODE_A_INDICES ||
        node->indirection[0]->a_indices->is_slice || array->type.kind != KIND_ARRAY)
        reader_refuse(r, "such a subscript");
    place = read_formula(r, scope, node->indirection[0]->a_indices->uidx);
    return make(r, FORMULA_SUBSCRIPT, type_bigint, array,
                read_as(r, place, type_integer, CAST_IS_ASSIGNMENT));
}

/* --- Calls ------------------------------------------------------------------------------------------ */

static struct item_type sum_type(enum kind kind)
{
    return kind == KIND_SMALLINT || kind == KIND_INTEGER ? type_bigint : type_numeric;
}

/* Whether it names columns of a query, and of those around it. */
static void find_columns(const struct formula *f, bool *own, bool *outer)
{
    if (f->kind == FORMULA_COLUMN)
        *(f->as.column.depth == 0 ? own : outer) = true;
    for (uint32_t i = 0; i < f->count; i++)
        find_columns(f->arguments[i], own, outer);
}

static struct formula *read_aggregate(struct reader *r, scope_of *scope, enum aggregate kind,
                                      const PgQuery__FuncCall *call)
{
    struct reader_scope inner;
    struct formula *formula = read_new(r, FORMULA_AGGREGATE, type_bigint, call->agg_star ? 0 : 1);
    struct reader_scope *mine = (struct reader_scope *)scope;

    if (!scope || !scope->selection || call->agg_filter || call->n_agg_order > 0 || call->over ||
        (!call->agg_star && call->n_args != 1) || (call->agg_star && kind != AGGREGATE_COUNT))
        reader_refuse(r, "such an aggregate");
    inner = *scope;
    inner.selection = NULL;
    if (!call->agg_star) {
        struct formula *argument = read_formula(r, &inner, call->args[0]);
        bool names_own = false, names_outer = false;

        find_columns(argument, &names_own, &names_outer);
        if (names_outer && !names_own)
            reader_refuse(r, "an aggregate of the query around this one");
        if (kind == AGGREGATE_MIN || kind == AGGREGATE_MAX)
            argument = read_settled(r, argument), formula->type = argument->type;
        if ((kind == AGGREGATE_SUM || kind == AGGREGATE_AVG) && !kind_is_number(argument->type.kind))
            reader_refuse(r, "a sum of what are no numbers");
        if (kind == AGGREGATE_SUM)
            formula->type = sum_type(argument->type.kind);
        if (kind == AGGREGATE_AVG)
            formula->type = type_numeric;
        set_argument(formula, 0, argument);
    }
    formula->type.length = 0, formula->type.precision = 0, formula->type.scale = 0;
    formula->as.aggregate.kind = kind;
    formula->as.aggregate.is_distinct = call->agg_distinct;
    formula->as.aggregate.number = mine->selection->aggregate_count;
    if (mine->selection->aggregate_count == mine->aggregate_room)
        reader_refuse(r, "so many aggregates");
    mine->aggregates[mine->selection->aggregate_count++] = formula;
    mine->selection->is_aggregating = true;
    return formula;
}

static struct formula *read_routine_call(struct reader *r, scope_of *scope,
                                         const struct routine *routine,
                                         const PgQuery__FuncCall *call)
{
    struct formula *formula = read_new(r, FORMULA_CALL, routine->result, (uint32_t)call->n_args);

    for (scope_of *around = scope; around; around = around->outer)
        if (around->source_count > 0)
            reader_refuse(r, "a call of a function for each row of a query");
    if (call->n_args != routine->parameter_count || call->agg_star || call->agg_distinct)
        trap_unknown(r->trap, "a call of %.*s with other arguments", TEXT_PRINT(routine->name));
    formula->as.routine = routine;
    r->saw_call = true;
    if (r->routine && r->routine->call_count < ROUTINE_CALLS_MAX)
        r->routine->calls[r->routine->call_count++] = routine;
    else if (r->routine)
        r->routine->may_write = true;
    for (uint32_t i = 0; i < formula->count; i++) {
        struct item_type type = { .kind = routine->variables[i].type.kind };

        set_argument(formula, i, read_as(r, read_formula(r, scope, call->args[i]), type,
                                         CAST_IS_IMPLICIT));
    }
    return formula;
}

struct builtin_row {
    const char *name;
    enum builtin builtin;
    uint8_t least, most;
    enum kind result, takes[3];
};

static const struct builtin_row builtins[] = {
    { "floor", BUILTIN_FLOOR, 1, 1, KIND_NUMERIC, { KIND_NUMERIC } },
    { "ceil", BUILTIN_CEIL, 1, 1, KIND_NUMERIC, { KIND_NUMERIC } },
    { "ceiling", BUILTIN_CEIL, 1, 1, KIND_NUMERIC, { KIND_NUMERIC } },
    { "sign", BUILTIN_SIGN, 1, 1, KIND_NUMERIC, { KIND_NUMERIC } },
    { "round", BUILTIN_ROUND, 1, 2, KIND_NUMERIC, { KIND_NUMERIC, KIND_INTEGER } },
    { "length", BUILTIN_LENGTH, 1, 1, KIND_INTEGER, { KIND_TEXT } },
    { "char_length", BUILTIN_LENGTH, 1, 1, KIND_INTEGER, { KIND_TEXT } },
    { "character_length", BUILTIN_LENGTH, 1, 1, KIND_INTEGER, { KIND_TEXT } },
    { "substr", BUILTIN_SUBSTRING, 2, 3, KIND_TEXT, { KIND_TEXT, KIND_INTEGER, KIND_INTEGER } },
    { "substring", BUILTIN_SUBSTRING, 2, 3, KIND_TEXT, { KIND_TEXT, KIND_INTEGER, KIND_INTEGER } },
    { "lpad", BUILTIN_LPAD, 2, 3, KIND_TEXT, { KIND_TEXT, KIND_INTEGER, KIND_TEXT } },
    { "like_escape", BUILTIN_LIKE_ESCAPE, 2, 2, KIND_TEXT, { KIND_TEXT, KIND_TEXT } },
    { "lower", BUILTIN_LOWER, 1, 1, KIND_TEXT, { KIND_TEXT } },
    { "upper", BUILTIN_UPPER, 1, 1, KIND_TEXT, { KIND_TEXT } },
    { "cardinality", BUILTIN_CARDINALITY, 1, 1, KIND_INTEGER, { KIND_ARRAY } },
    { "array_length", BUILTIN_ARRAY_LENGTH, 2, 2, KIND_INTEGER, { KIND_ARRAY, KIND_INTEGER } },
    { "array_cat", BUILTIN_ARRAY_JOIN, 2, 2, KIND_ARRAY, { KIND_ARRAY, KIND_ARRAY } },
    { "array_append", BUILTIN_ARRAY_JOIN, 2, 2, KIND_ARRAY, { KIND_ARRAY, KIND_BIGINT } },
    { "array_prepend", BUILTIN_ARRAY_JOIN, 2, 2, KIND_ARRAY, { KIND_BIGINT, KIND_ARRAY } },
};

static struct formula *read_builtin(struct reader *r, scope_of *scope, const struct builtin_row *row,
                                    const PgQuery__FuncCall *call)
{
    struct formula *formula = read_new(r, FORMULA_BUILTIN, (struct item_type){ .kind = row->result },
                                       (uint32_t)call->n_args);

    formula->as.builtin = row->builtin;
    for (uint32_t i = 0; i < formula->count; i++) {
        struct formula *argument = read_formula(r, scope, call->args[i]);

        /* Of integers PostgreSQL takes the function of double precision. */
        if (row->takes[0] == KIND_NUMERIC && call->n_args == 1 && argument->type.kind != KIND_NUMERIC)
            trap_unknown(r->trap, "%s() of an integer", row->name);
        set_argument(formula, i, read_as(r, argument, (struct item_type){ .kind = row->takes[i] },
                                         CAST_IS_IMPLICIT));
    }
    return formula;
}

static struct formula *read_call(struct reader *r, scope_of *scope, const PgQuery__FuncCall *call)
{
    static const char *const aggregates[] = { [AGGREGATE_COUNT] = "count", [AGGREGATE_SUM] = "sum",
                                              [AGGREGATE_MIN] = "min", [AGGREGATE_MAX] = "max",
                                              [AGGREGATE_AVG] = "avg" };
    const char *name = reader_string(call->funcname[call->n_funcname - 1]);
    const struct routine *routine = catalog_find_routine(r->catalog, text_of(name));
    struct formula *number;

    if (routine && call->n_funcname == 1)
        return read_routine_call(r, scope, routine, call);
    for (unsigned i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (strcmp(aggregates[i], name) == 0)
            return read_aggregate(r, scope, i, call);
    if (call->agg_star || call->agg_distinct || call->over || call->agg_filter)
        trap_unknown(r->trap, "such a call of %s()", name);
    if (strcmp(name, "abs") == 0 && call->n_args == 1) {
        struct formula *a = read_formula(r, scope, call->args[0]);

        if (!kind_is_number(a->type.kind))
            reader_refuse(r, "abs() of what is no number");
        return builtin(r, BUILTIN_ABS, (struct item_type){ .kind = a->type.kind }, a, NULL);
    }
    if (strcmp(name, "mod") == 0 && call->n_args == 2)
        return compute(r, '%', read_formula(r, scope, call->args[0]),
                       read_formula(r, scope, call->args[1]));
    number = read_sequence_call(r, scope, call);
    if (number)
        return number;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0 && call->n_args >= builtins[i].least &&
            call->n_args <= builtins[i].most)
            return read_builtin(r, scope, &builtins[i], call);
    trap_unknown(r->trap, "the function %s()", name);
}

static struct formula *read_subquery(struct reader *r, scope_of *scope, const PgQuery__SubLink *node)
{
    struct formula *formula = read_new(r, FORMULA_SUBQUERY, type_boolean, 1), *one;
    const struct selection *selection;
    bool saw_call = r->saw_call;

    if (!node->subselect || node->subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        reader_refuse(r, "such a subquery");
    r->saw_call = false;
    selection = read_selection(r, scope, node->subselect->select_stmt);
    formula->as.subquery.calls = r->saw_call;
    r->saw_call |= saw_call;
    r->saw_subquery_table |= selection->names_table;
    formula->as.subquery.selection = selection;
    formula->count = 0;
    switch (node->sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
        formula->as.subquery.kind = SUBQUERY_EXISTS;
        return formula;
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
        formula->as.subquery.kind = SUBQUERY_SCALAR;
        break;
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
        if (node->n_oper_name > 0 && strcmp(reader_string(node->oper_name[0]), "=") != 0)
            reader_refuse(r, "a comparison with any row of a subquery");
        formula->as.subquery.kind = SUBQUERY_IN;
        one = read_formula(r, scope, node->testexpr);
        one = read_as(r, one, is_unknown(one) ? selection->shape->types[0] : one->type,
                      CAST_IS_IMPLICIT);
        set_argument(formula, 0, one);
        formula->count = 1;
        break;
    default:
        reader_refuse(r, "such a subquery");
    }
    if (selection->shape->count != 1)
        reader_refuse(r, "a subquery of several columns");
    if (formula->as.subquery.kind == SUBQUERY_SCALAR)
        formula->type = selection->shape->types[0];
    return formula;
}

/* --- All of them --------------------------------------------------------------------------------------- */

struct formula *read_formula(struct reader *r, scope_of *scope, const PgQuery__Node *node)
{
    struct formula *formula;

    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return read_constant(r, node->a_const);
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return read_parameter(r, node->param_ref);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return read_reference(r, scope, node->column_ref);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return read_as(r, read_formula(r, scope, node->type_cast->arg),
                       reader_type(r, node->type_cast->type_name), CAST_IS_EXPLICIT);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return read_expression(r, scope, node->a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return read_logic(r, scope, node->bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return test(r, TEST_NULL, node->null_test->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NULL,
                    read_formula(r, scope, node->null_test->arg), NULL);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return read_boolean_test(r, scope, node->boolean_test);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return read_case(r, scope, node->case_expr);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return read_list(r, scope, FORMULA_COALESCE, node->coalesce_expr->args,
                         node->coalesce_expr->n_args);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        formula = read_list(r, scope, FORMULA_EXTREME, node->min_max_expr->args,
                            node->min_max_expr->n_args);
        formula->as.is_greatest = node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
        return formula;
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return read_array(r, scope, node->a_array_expr);
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return read_subscript(r, scope, node->a_indirection);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return read_call(r, scope, node->func_call);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return read_subquery(r, scope, node->sub_link);
    default:
        reader_refuse(r, "such an expression");
    }
}

struct formula *read_truth(struct reader *r, scope_of *scope, const PgQuery__Node *node)
{
    return read_as(r, read_formula(r, scope, node), type_boolean, CAST_IS_IMPLICIT);
}
