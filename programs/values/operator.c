#include "programs/values/operator.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

#define ANY_COUNT 255     /* of arguments */
#define TYPE_LIST_MAX 400 /* bytes of "integer, text, ..." in a message */

struct operator_rule;

/* What is asked, and where the answer goes. */
struct operator_request {
    const struct operator_rule *rule;
    const struct type *types;
    uint32_t count;
    struct operator_choice *choice;
    struct sql_error *err;
};

/* A name with one meaning or with several that one resolver tells apart. */
struct operator_rule {
    const char *name;
    enum status (*resolve)(const struct operator_request *);
    enum operator_code code; /* the only one, or the first of a group */
    uint8_t count_min, count_max;
    enum type_kind result; /* of resolve_signature() only, as are these */
    enum type_kind takes[OPERATOR_TAKES_MAX];
};

static bool is_function(const struct operator_rule *rule)
{
    return rule->name[0] >= 'a' && rule->name[0] <= 'z';
}

static const char *print_types(const struct operator_request *r, char to[static TYPE_LIST_MAX])
{
    size_t used = 0;

    to[0] = '\0';
    for (uint32_t i = 0; i < r->count && used < TYPE_LIST_MAX; i++)
        used += (size_t)snprintf(to + used, TYPE_LIST_MAX - used, "%s%s", i > 0 ? ", " : "",
                                 type_name(r->types[i].kind));
    return to;
}

/* The operator that a keyword stands for. */
static const char *symbol_of(const char *name)
{
    if (strstr(name, "DISTINCT") || strcmp(name, "NULLIF") == 0)
        return "=";
    if (strcmp(name, "LIKE") == 0)
        return "~~";
    return strcmp(name, "NOT LIKE") == 0 ? "!~~" : name;
}

/* "operator does not exist: integer + text", "function length(integer) is not unique". */
static enum status refuse_name(const struct operator_request *r, const char *sqlstate, const char *what)
{
    char types[TYPE_LIST_MAX];
    const char *name = symbol_of(r->rule->name);

    if (is_function(r->rule))
        return sql_error_set(r->err, sqlstate, "function %s(%s) %s", name, print_types(r, types),
                             what);
    if (r->count == 1)
        return sql_error_set(r->err, sqlstate, "operator %s: %s %s", what, name,
                             type_name(r->types[0].kind));
    return sql_error_set(r->err, sqlstate, "operator %s: %s %s %s", what,
                         type_name(r->types[0].kind), name, type_name(r->types[1].kind));
}

static enum status refuse_undefined(const struct operator_request *r)
{
    return refuse_name(r, SQLSTATE_UNDEFINED_FUNCTION, "does not exist");
}

static enum status refuse_ambiguous(const struct operator_request *r)
{
    return refuse_name(r, SQLSTATE_AMBIGUOUS, "is not unique");
}

static enum status refuse_unsupported(const struct operator_request *r, const char *why)
{
    char types[TYPE_LIST_MAX];

    return sql_error_set(r->err, SQLSTATE_NOT_SUPPORTED, "%s of %s is not supported: %s",
                         r->rule->name, print_types(r, types), why);
}

static enum status choose(const struct operator_request *r, enum operator_code code, enum type_kind takes,
                          enum type_kind result)
{
    *r->choice = (struct operator_choice){ .code = code,
                                           .argument_count = r->count,
                                           .result = type_of(result) };
    for (size_t i = 0; i < OPERATOR_TAKES_MAX; i++)
        r->choice->takes[i] = type_of(takes);
    return STATUS_OK;
}

/* The largest type of number among them, or TYPE_UNKNOWN. False: not all are numbers. */
static bool find_size(const struct operator_request *r, enum type_kind *size)
{
    *size = TYPE_UNKNOWN;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->types[i].kind > TYPE_NUMERIC)
            return false;
        if (r->types[i].kind > *size)
            *size = r->types[i].kind;
    }
    return true;
}

/* What PostgreSQL computes in types that are not here, or NULL. */
static const char *find_foreign_type(const struct operator_request *r)
{
    enum type_kind first = r->types[0].kind, last = r->types[r->count - 1].kind;
    char sign = r->rule->name[0];

    if (r->count < 2 || (sign != '+' && sign != '-'))
        return NULL;
    if ((first == TYPE_TIMESTAMP || first == TYPE_UNKNOWN) &&
        (last == TYPE_TIMESTAMP || last == TYPE_UNKNOWN) && first != last)
        return "there are no intervals";
    if (sign == '-' && first == TYPE_TIMESTAMP && last == TYPE_TIMESTAMP)
        return "there are no intervals";
    if (sign == '-' && first == TYPE_UNKNOWN && type_is_text(last))
        return "PostgreSQL takes it for jsonb";
    return NULL;
}

/* Arithmetic: all arguments, and the result, are of the largest type. */
static enum status resolve_sized(const struct operator_request *r)
{
    const char *foreign = find_foreign_type(r);
    enum type_kind size;

    if (foreign)
        return refuse_unsupported(r, foreign);
    if (!find_size(r, &size))
        return refuse_undefined(r);
    if (size == TYPE_UNKNOWN && is_function(r->rule) && r->count == 1)
        return refuse_unsupported(r, "PostgreSQL takes it for double precision");
    if (size == TYPE_UNKNOWN)
        return refuse_ambiguous(r);
    return choose(r, r->rule->code + (size - TYPE_SMALLINT), size, size);
}

static enum status resolve_plus(const struct operator_request *r)
{
    if (r->types[0].kind == TYPE_UNKNOWN)
        return refuse_unsupported(r, "PostgreSQL takes it for double precision");
    TRY(resolve_sized(r));
    r->choice->code = OPERATOR_NONE;
    return STATUS_OK;
}

/* The type in which two can be compared. Literals take the other's; two of them are texts. */
static bool find_comparable(struct type a, struct type b, enum type_kind *kind)
{
    if (a.kind == TYPE_UNKNOWN)
        *kind = b.kind == TYPE_UNKNOWN ? TYPE_TEXT : b.kind;
    else if (b.kind == TYPE_UNKNOWN || a.kind == b.kind)
        *kind = a.kind;
    else if (type_is_number(a.kind) && type_is_number(b.kind))
        *kind = a.kind > b.kind ? a.kind : b.kind;
    else if (type_is_text(a.kind) && type_is_text(b.kind))
        *kind = TYPE_TEXT;
    else
        return false;
    if (*kind == TYPE_VARCHAR)
        *kind = TYPE_TEXT;
    return *kind < TYPE_VOID;
}

static bool is_by_integer(enum type_kind kind)
{
    return type_is_integer(kind) || kind == TYPE_BOOLEAN || kind == TYPE_TIMESTAMP;
}

static enum status resolve_comparison(const struct operator_request *r)
{
    enum type_kind kind;
    enum operator_code code = r->rule->code;

    if (!find_comparable(r->types[0], r->types[1], &kind))
        return refuse_undefined(r);
    if (!is_by_integer(kind))
        code += OPERATOR_EQUAL_OTHER - OPERATOR_EQUAL_INTEGER;
    return choose(r, code, kind, TYPE_BOOLEAN);
}

static enum status resolve_distinct(const struct operator_request *r)
{
    enum type_kind kind;

    if (!find_comparable(r->types[0], r->types[1], &kind))
        return refuse_undefined(r);
    return choose(r, r->rule->code, kind, TYPE_BOOLEAN);
}

/*
 * The first argument's type, as = takes it: that of integers of two sizes compares them as they
 * are, and all other types have to become one first.
 */
static enum status resolve_nullif(const struct operator_request *r)
{
    enum type_kind first = r->types[0].kind, second = r->types[1].kind, kind;

    if (!find_comparable(r->types[0], r->types[1], &kind))
        return refuse_undefined(r);
    if (!type_is_integer(first) || !type_is_integer(second))
        return choose(r, r->rule->code, kind, kind);
    TRY(choose(r, r->rule->code, second, first));
    r->choice->takes[0] = type_of(first);
    return STATUS_OK;
}

static enum status resolve_truth(const struct operator_request *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->types[i].kind != TYPE_BOOLEAN && r->types[i].kind != TYPE_UNKNOWN)
            return sql_error_set(r->err, SQLSTATE_MISMATCH,
                                 "argument of %s must be type boolean, not type %s", r->rule->name,
                                 type_name(r->types[i].kind));
    return choose(r, r->rule->code, TYPE_BOOLEAN, TYPE_BOOLEAN);
}

static enum status resolve_null_test(const struct operator_request *r)
{
    return choose(r, r->rule->code, r->types[0].kind, TYPE_BOOLEAN);
}

/* Whether PostgreSQL casts by itself. */
static bool can_cast_implicitly(enum type_kind from, enum type_kind to)
{
    return from == to || from == TYPE_UNKNOWN ||
           (type_is_number(from) && type_is_number(to) && from < to) ||
           (type_is_text(from) && type_is_text(to));
}

static enum status resolve_signature(const struct operator_request *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!can_cast_implicitly(r->types[i].kind, r->rule->takes[i]))
            return refuse_undefined(r);
    TRY(choose(r, r->rule->code, TYPE_UNKNOWN, r->rule->result));
    for (size_t i = 0; i < OPERATOR_TAKES_MAX; i++)
        r->choice->takes[i] = type_of(r->rule->takes[i]);
    return STATUS_OK;
}

/* PostgreSQL has these for numeric and for double precision, and prefers the latter. */
static enum status resolve_rounding(const struct operator_request *r)
{
    if (r->count == 1 && r->types[0].kind < TYPE_NUMERIC)
        return refuse_unsupported(r, "PostgreSQL takes it for double precision");
    return resolve_signature(r);
}

static enum status refuse_array_type(const struct operator_request *r, enum type_kind element)
{
    return sql_error_set(r->err, SQLSTATE_NOT_SUPPORTED,
                         "type %s[] is not supported: of arrays there is only bigint[]",
                         type_name(element));
}

/* An array and an element, the array at `array`. */
static enum status resolve_extend(const struct operator_request *r, enum operator_code code, uint32_t array)
{
    enum type_kind element = r->types[1 - array].kind;

    if (r->types[array].kind != TYPE_BIGINT_ARRAY && r->types[array].kind != TYPE_UNKNOWN)
        return refuse_undefined(r);
    if (element == TYPE_NUMERIC || r->types[array].kind == TYPE_UNKNOWN)
        return refuse_array_type(r, element);
    if (element > TYPE_NUMERIC)
        return refuse_undefined(r);
    TRY(choose(r, code, TYPE_BIGINT, TYPE_BIGINT_ARRAY));
    r->choice->takes[array] = type_of(TYPE_BIGINT_ARRAY);
    return STATUS_OK;
}

static enum status resolve_append(const struct operator_request *r)
{
    return resolve_extend(r, OPERATOR_ARRAY_APPEND, 0);
}

static enum status resolve_prepend(const struct operator_request *r)
{
    return resolve_extend(r, OPERATOR_ARRAY_PREPEND, 1);
}

/* A literal beside an array is an array; text swallows all but arrays. */
static enum status resolve_concatenate(const struct operator_request *r)
{
    enum type_kind a = r->types[0].kind, b = r->types[1].kind;
    bool a_is_array = a == TYPE_BIGINT_ARRAY, b_is_array = b == TYPE_BIGINT_ARRAY;

    if ((a_is_array || a == TYPE_UNKNOWN) && (b_is_array || b == TYPE_UNKNOWN) &&
        (a_is_array || b_is_array))
        return choose(r, OPERATOR_ARRAY_CONCATENATE, TYPE_BIGINT_ARRAY, TYPE_BIGINT_ARRAY);
    if (a_is_array)
        return resolve_append(r);
    if (b_is_array)
        return resolve_prepend(r);
    if (type_is_text(a) || type_is_text(b) || a == TYPE_UNKNOWN || b == TYPE_UNKNOWN)
        return choose(r, OPERATOR_CONCATENATE, TYPE_TEXT, TYPE_TEXT);
    return refuse_undefined(r);
}

static enum status resolve_array(const struct operator_request *r)
{
    struct type common = type_of(TYPE_BIGINT);

    if (r->count > 0)
        TRY(operator_common_type("ARRAY", r->types, r->count, &common, r->err));
    if (!type_is_integer(common.kind))
        return refuse_array_type(r, common.kind);
    return choose(r, OPERATOR_ARRAY, TYPE_BIGINT, TYPE_BIGINT_ARRAY);
}

static enum status resolve_subscript(const struct operator_request *r)
{
    enum type_kind at = r->types[1].kind;

    if (r->types[0].kind != TYPE_BIGINT_ARRAY)
        return sql_error_set(r->err, SQLSTATE_MISMATCH,
                             "cannot subscript type %s because it does not support subscripting",
                             type_name(r->types[0].kind));
    if (at != TYPE_UNKNOWN && !type_is_number(at))
        return sql_error_set(r->err, SQLSTATE_MISMATCH, "array subscript must have type integer");
    TRY(choose(r, OPERATOR_SUBSCRIPT, TYPE_INTEGER, TYPE_BIGINT));
    r->choice->takes[0] = type_of(TYPE_BIGINT_ARRAY);
    return STATUS_OK;
}

/* The functions of any array, which a literal does not say enough for. */
static enum status resolve_measure(const struct operator_request *r)
{
    TRY(resolve_signature(r));
    if (r->types[0].kind == TYPE_UNKNOWN)
        return sql_error_set(r->err, SQLSTATE_MISMATCH,
                             "could not determine polymorphic type because input has type unknown");
    return STATUS_OK;
}

/* array_cat('{1}', '{2}') is of texts. */
static enum status resolve_array_cat(const struct operator_request *r)
{
    if (r->types[0].kind == TYPE_UNKNOWN && r->types[1].kind == TYPE_UNKNOWN)
        return refuse_array_type(r, TYPE_TEXT);
    return resolve_signature(r);
}

static enum status resolve_equal_any(const struct operator_request *r)
{
    enum type_kind scalar = r->types[0].kind, array = r->types[1].kind;

    if (array != TYPE_BIGINT_ARRAY && array != TYPE_UNKNOWN)
        return sql_error_set(r->err, SQLSTATE_WRONG_KIND,
                             "op ANY/ALL (array) requires array on right side");
    if (scalar == TYPE_NUMERIC || (array == TYPE_UNKNOWN && !type_is_integer(scalar)))
        return refuse_array_type(r, scalar);
    if (scalar > TYPE_NUMERIC)
        return sql_error_set(r->err, SQLSTATE_UNDEFINED_FUNCTION,
                             "operator does not exist: %s = bigint", type_name(scalar));
    TRY(choose(r, OPERATOR_EQUAL_ANY, TYPE_BIGINT_ARRAY, TYPE_BOOLEAN));
    r->choice->takes[0] = type_of(TYPE_BIGINT);
    return STATUS_OK;
}

static enum status resolve_common(const struct operator_request *r)
{
    struct type common;

    TRY(operator_common_type(r->rule->name, r->types, r->count, &common, r->err));
    TRY(choose(r, r->rule->code, common.kind, common.kind));
    r->choice->result = common;
    return STATUS_OK;
}

#define T TYPE_TEXT
#define I TYPE_INTEGER
#define N TYPE_NUMERIC
#define A TYPE_BIGINT_ARRAY

static const struct operator_rule rules[] = {
    { "+", resolve_sized, OPERATOR_ADD_SMALLINT, 2, 2, 0, { 0 } },
    { "-", resolve_sized, OPERATOR_SUBTRACT_SMALLINT, 2, 2, 0, { 0 } },
    { "*", resolve_sized, OPERATOR_MULTIPLY_SMALLINT, 2, 2, 0, { 0 } },
    { "/", resolve_sized, OPERATOR_DIVIDE_SMALLINT, 2, 2, 0, { 0 } },
    { "%", resolve_sized, OPERATOR_MODULO_SMALLINT, 2, 2, 0, { 0 } },
    { "mod", resolve_sized, OPERATOR_MODULO_SMALLINT, 2, 2, 0, { 0 } },
    { "-", resolve_sized, OPERATOR_NEGATE_SMALLINT, 1, 1, 0, { 0 } },
    { "+", resolve_plus, OPERATOR_NONE, 1, 1, 0, { 0 } },
    { "abs", resolve_sized, OPERATOR_ABS_SMALLINT, 1, 1, 0, { 0 } },

    { "=", resolve_comparison, OPERATOR_EQUAL_INTEGER, 2, 2, 0, { 0 } },
    { "<>", resolve_comparison, OPERATOR_UNEQUAL_INTEGER, 2, 2, 0, { 0 } },
    { "<", resolve_comparison, OPERATOR_LESS_INTEGER, 2, 2, 0, { 0 } },
    { "<=", resolve_comparison, OPERATOR_AT_MOST_INTEGER, 2, 2, 0, { 0 } },
    { ">", resolve_comparison, OPERATOR_MORE_INTEGER, 2, 2, 0, { 0 } },
    { ">=", resolve_comparison, OPERATOR_AT_LEAST_INTEGER, 2, 2, 0, { 0 } },
    { "IS DISTINCT FROM", resolve_distinct, OPERATOR_DISTINCT, 2, 2, 0, { 0 } },
    { "IS NOT DISTINCT FROM", resolve_distinct, OPERATOR_NOT_DISTINCT, 2, 2, 0, { 0 } },

    { "AND", resolve_truth, OPERATOR_AND, 2, 2, 0, { 0 } },
    { "OR", resolve_truth, OPERATOR_OR, 2, 2, 0, { 0 } },
    { "NOT", resolve_truth, OPERATOR_NOT, 1, 1, 0, { 0 } },
    { "IS TRUE", resolve_truth, OPERATOR_IS_TRUE, 1, 1, 0, { 0 } },
    { "IS NOT TRUE", resolve_truth, OPERATOR_IS_NOT_TRUE, 1, 1, 0, { 0 } },
    { "IS FALSE", resolve_truth, OPERATOR_IS_FALSE, 1, 1, 0, { 0 } },
    { "IS NOT FALSE", resolve_truth, OPERATOR_IS_NOT_FALSE, 1, 1, 0, { 0 } },
    { "IS UNKNOWN", resolve_truth, OPERATOR_IS_NULL, 1, 1, 0, { 0 } },
    { "IS NOT UNKNOWN", resolve_truth, OPERATOR_IS_NOT_NULL, 1, 1, 0, { 0 } },
    { "IS NULL", resolve_null_test, OPERATOR_IS_NULL, 1, 1, 0, { 0 } },
    { "IS NOT NULL", resolve_null_test, OPERATOR_IS_NOT_NULL, 1, 1, 0, { 0 } },

    { "COALESCE", resolve_common, OPERATOR_COALESCE, 1, ANY_COUNT, 0, { 0 } },
    { "NULLIF", resolve_nullif, OPERATOR_NULLIF, 2, 2, 0, { 0 } },
    { "GREATEST", resolve_common, OPERATOR_GREATEST, 1, ANY_COUNT, 0, { 0 } },
    { "LEAST", resolve_common, OPERATOR_LEAST, 1, ANY_COUNT, 0, { 0 } },

    { "floor", resolve_rounding, OPERATOR_FLOOR, 1, 1, N, { N } },
    { "ceil", resolve_rounding, OPERATOR_CEIL, 1, 1, N, { N } },
    { "ceiling", resolve_rounding, OPERATOR_CEIL, 1, 1, N, { N } },
    { "sign", resolve_rounding, OPERATOR_SIGN, 1, 1, N, { N } },
    { "round", resolve_rounding, OPERATOR_ROUND, 1, 2, N, { N, I } },

    { "||", resolve_concatenate, OPERATOR_CONCATENATE, 2, 2, 0, { 0 } },
    { "length", resolve_signature, OPERATOR_LENGTH, 1, 1, I, { T } },
    { "char_length", resolve_signature, OPERATOR_LENGTH, 1, 1, I, { T } },
    { "character_length", resolve_signature, OPERATOR_LENGTH, 1, 1, I, { T } },
    { "substr", resolve_signature, OPERATOR_SUBSTRING, 2, 3, T, { T, I, I } },
    { "substring", resolve_signature, OPERATOR_SUBSTRING, 2, 3, T, { T, I, I } },
    { "lpad", resolve_signature, OPERATOR_LPAD, 2, 3, T, { T, I, T } },
    { "LIKE", resolve_signature, OPERATOR_LIKE, 2, 2, TYPE_BOOLEAN, { T, T } },
    { "NOT LIKE", resolve_signature, OPERATOR_NOT_LIKE, 2, 2, TYPE_BOOLEAN, { T, T } },
    { "like_escape", resolve_signature, OPERATOR_LIKE_ESCAPE, 2, 2, T, { T, T } },
    { "lower", resolve_signature, OPERATOR_LOWER, 1, 1, T, { T } },
    { "upper", resolve_signature, OPERATOR_UPPER, 1, 1, T, { T } },

    { "ARRAY", resolve_array, OPERATOR_ARRAY, 0, ANY_COUNT, 0, { 0 } },
    { "[]", resolve_subscript, OPERATOR_SUBSCRIPT, 2, 2, 0, { 0 } },
    { "= ANY", resolve_equal_any, OPERATOR_EQUAL_ANY, 2, 2, 0, { 0 } },
    { "array_append", resolve_append, OPERATOR_ARRAY_APPEND, 2, 2, 0, { 0 } },
    { "array_prepend", resolve_prepend, OPERATOR_ARRAY_PREPEND, 2, 2, 0, { 0 } },
    { "array_cat", resolve_array_cat, OPERATOR_ARRAY_CONCATENATE, 2, 2, A, { A, A } },
    { "array_length", resolve_measure, OPERATOR_ARRAY_LENGTH, 2, 2, I, { A, I } },
    { "cardinality", resolve_measure, OPERATOR_CARDINALITY, 1, 1, I, { A } },
};

#undef T
#undef I
#undef N
#undef A

bool operator_is_function(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT(rules); i++)
        if (is_function(&rules[i]) && strcmp(rules[i].name, name) == 0)
            return true;
    return false;
}

enum status operator_resolve(const char *name, const struct type *types, uint32_t count,
                             struct operator_choice *choice, struct sql_error *err)
{
    struct operator_rule unknown = { .name = name };
    struct operator_request r = { &unknown, types, count, choice, err };

    for (size_t i = 0; i < ROW_COUNT(rules); i++) {
        if (strcmp(rules[i].name, name) != 0 || count < rules[i].count_min ||
            (count > rules[i].count_max && rules[i].count_max != ANY_COUNT))
            continue;
        r.rule = &rules[i];
        return r.rule->resolve(&r);
    }
    if (is_function(&unknown))
        return refuse_undefined(&r);
    return sql_error_set(err, SQLSTATE_NOT_SUPPORTED, "operator %s is not supported", name);
}

/* PostgreSQL's select_common_type(): the first known one, unless a later one is wider. */
enum status operator_common_type(const char *what, const struct type *types, uint32_t count,
                                 struct type *common, struct sql_error *err)
{
    bool are_equal = true;

    assert(count > 0);
    *common = types[0];
    for (uint32_t i = 1; i < count; i++) {
        enum type_kind kind = types[i].kind;

        are_equal = are_equal && type_equal(types[0], types[i]);
        if (kind == TYPE_UNKNOWN || kind == common->kind)
            continue;
        if (common->kind == TYPE_UNKNOWN)
            *common = types[i];
        else if (type_is_number(kind) && type_is_number(common->kind))
            *common = kind > common->kind ? types[i] : *common;
        else if (!type_is_text(kind) || !type_is_text(common->kind))
            return sql_error_set(err, SQLSTATE_MISMATCH, "%s types %s and %s cannot be matched",
                                 what, type_name(common->kind), type_name(kind));
    }
    if (common->kind == TYPE_UNKNOWN)
        *common = type_of(TYPE_TEXT);
    else if (!are_equal)
        *common = type_of(common->kind);
    return STATUS_OK;
}

/* --- Casts ------------------------------------------------------------------------------------- */

/*
 * Which of them PostgreSQL has where.
 *
 * Between sizes of integers, and between text, varchar and literals, nothing
 * has to be done unless something may not fit.
 */

static enum operator_code choose_number_cast(struct type from, struct type to)
{
    static const enum operator_code from_integer[] = { OPERATOR_INTEGER_TO_SMALLINT,
                                                       OPERATOR_INTEGER_TO_INTEGER };
    static const enum operator_code from_numeric[] = { OPERATOR_NUMERIC_TO_SMALLINT,
                                                       OPERATOR_NUMERIC_TO_INTEGER,
                                                       OPERATOR_NUMERIC_TO_BIGINT };

    if (from.kind == TYPE_NUMERIC && to.kind == TYPE_NUMERIC)
        return to.precision == 0 || type_equal(from, to) ? OPERATOR_NONE : OPERATOR_NUMERIC_FIT;
    if (from.kind == TYPE_NUMERIC)
        return from_numeric[to.kind - TYPE_SMALLINT];
    if (to.kind == TYPE_NUMERIC)
        return OPERATOR_INTEGER_TO_NUMERIC;
    return from.kind <= to.kind ? OPERATOR_NONE : from_integer[to.kind - TYPE_SMALLINT];
}

/* From which context on there is this cast, and which it is. False: there is none anywhere. */
static bool find_cast(struct type from, struct type to, enum cast_context *least,
                      enum operator_code *code)
{
    *least = CAST_IMPLICIT;
    if (from.kind >= TYPE_VOID || to.kind >= TYPE_VOID || to.kind == TYPE_UNKNOWN) {
        *code = OPERATOR_NONE;
        return from.kind == to.kind;
    }
    if (type_is_number(from.kind) && type_is_number(to.kind)) {
        *code = choose_number_cast(from, to);
        *least = from.kind <= to.kind ? CAST_IMPLICIT : CAST_ASSIGNMENT;
        return true;
    }
    if (type_is_text(to.kind)) {
        bool is_text = type_is_text(from.kind) || from.kind == TYPE_UNKNOWN;
        bool fits = to.length == 0 || (from.kind == TYPE_VARCHAR && from.length == to.length);

        *code = !is_text ? OPERATOR_PRINT : fits ? OPERATOR_NONE : OPERATOR_TEXT_FIT;
        *least = is_text ? CAST_IMPLICIT : CAST_ASSIGNMENT;
        return true;
    }
    *code = from.kind == to.kind ? OPERATOR_NONE : OPERATOR_PARSE;
    if (from.kind == to.kind || from.kind == TYPE_UNKNOWN)
        return true;
    *least = CAST_EXPLICIT;
    if (from.kind == TYPE_INTEGER && to.kind == TYPE_BOOLEAN)
        *code = OPERATOR_INTEGER_TO_BOOLEAN;
    else if (from.kind == TYPE_BOOLEAN && to.kind == TYPE_INTEGER)
        *code = OPERATOR_BOOLEAN_TO_INTEGER;
    else
        return type_is_text(from.kind);
    return true;
}

enum status operator_cast(struct type from, struct type to, enum cast_context context,
                          struct operator_choice *choice, struct sql_error *err)
{
    enum cast_context least;
    enum operator_code code;
    bool is_declared = from.kind < TYPE_VOID && to.kind < TYPE_VOID && to.kind != TYPE_UNKNOWN;
    bool exists = find_cast(from, to, &least, &code);

    if (is_declared && context == CAST_VARIABLE && (!exists || least > CAST_VARIABLE))
        code = type_is_text(from.kind) ? OPERATOR_PARSE : OPERATOR_REPARSE;
    else if (!exists || least > context)
        return sql_error_set(err, SQLSTATE_CANNOT_COERCE, "cannot cast type %s to %s",
                             type_name(from.kind), type_name(to.kind));
    *choice = (struct operator_choice){
        .code = code,
        .is_explicit = context == CAST_EXPLICIT,
        .argument_count = 1,
        .result = to,
        .takes = { from },
    };
    return STATUS_OK;
}

struct operator_choice operator_argument_cast(const struct operator_choice *choice,
                                              uint32_t argument, struct type from)
{
    uint32_t slot = argument < OPERATOR_TAKES_MAX ? argument : OPERATOR_TAKES_MAX - 1;
    struct operator_choice cast = { .code = OPERATOR_NONE };
    struct sql_error err;
    enum status status;

    /* Resolution has decided that there is one, be it implicit or as in 1 || 'a'. */
    status = operator_cast(from, choice->takes[slot], CAST_EXPLICIT, &cast, &err);
    assert(status == STATUS_OK);
    return cast;
}
