/*
 * Evaluation. What predicates are mostly made of is decided in one switch, by
 * evaluate_common(); everything else, and every error, goes through the table.
 */
#include "programs/values/operator_private.h"

#include <assert.h>

#define FIRST(c) ((c)->arguments[0].as.integer)
#define SECOND(c) ((c)->arguments[1].as.integer)

enum status operator_give_integer(const struct call *c, enum type_kind kind, bool overflow,
                                  int64_t number, struct datum *out)
{
    bool fits = kind == TYPE_SMALLINT  ? number >= INT16_MIN && number <= INT16_MAX
                : kind == TYPE_INTEGER ? number >= INT32_MIN && number <= INT32_MAX
                                       : true;

    if (overflow || !fits)
        return sql_error_set(c->err, SQLSTATE_NUMERIC_OUT_OF_RANGE, "%s out of range",
                             type_name(kind));
    *out = datum_of_int64(number);
    return STATUS_OK;
}

static enum status give_numeric(enum status status, struct numeric number, struct datum *out)
{
    if (status == STATUS_OK)
        *out = datum_of_numeric(number);
    return status;
}

static enum status add(const struct call *c, struct datum *out)
{
    int64_t sum;
    bool overflow = __builtin_add_overflow(FIRST(c), SECOND(c), &sum);

    return operator_give_integer(c, c->choice->result.kind, overflow, sum, out);
}

static enum status subtract(const struct call *c, struct datum *out)
{
    int64_t difference;
    bool overflow = __builtin_sub_overflow(FIRST(c), SECOND(c), &difference);

    return operator_give_integer(c, c->choice->result.kind, overflow, difference, out);
}

static enum status multiply(const struct call *c, struct datum *out)
{
    int64_t product;
    bool overflow = __builtin_mul_overflow(FIRST(c), SECOND(c), &product);

    return operator_give_integer(c, c->choice->result.kind, overflow, product, out);
}

static enum status negate(const struct call *c, struct datum *out)
{
    int64_t negated;
    bool overflow = __builtin_sub_overflow(0, FIRST(c), &negated);

    return operator_give_integer(c, c->choice->result.kind, overflow, negated, out);
}

static enum status absolute(const struct call *c, struct datum *out)
{
    if (FIRST(c) < 0)
        return negate(c, out);
    *out = c->arguments[0];
    return STATUS_OK;
}

static enum status refuse_zero(const struct call *c)
{
    return sql_error_set(c->err, SQLSTATE_DIVISION_BY_ZERO, "division by zero");
}

static enum status divide(const struct call *c, struct datum *out)
{
    if (SECOND(c) == 0)
        return refuse_zero(c);
    if (SECOND(c) == -1)
        return negate(c, out);
    return operator_give_integer(c, c->choice->result.kind, false, FIRST(c) / SECOND(c), out);
}

static enum status modulo(const struct call *c, struct datum *out)
{
    if (SECOND(c) == 0)
        return refuse_zero(c);
    *out = datum_of_int64(SECOND(c) == -1 ? 0 : FIRST(c) % SECOND(c));
    return STATUS_OK;
}

/* A function of two numerics, as an evaluator. */
#define NUMERIC_EVALUATOR(name, function)                                                          \
    static enum status name(const struct call *c, struct datum *out)                               \
    {                                                                                              \
        struct numeric number = { 0 };                                                             \
        enum status status = function(datum_numeric(&c->arguments[0]),                             \
                                      datum_numeric(&c->arguments[1]), &number, c->err);           \
                                                                                                   \
        return give_numeric(status, number, out);                                                  \
    }

NUMERIC_EVALUATOR(add_numeric, numeric_add)
NUMERIC_EVALUATOR(subtract_numeric, numeric_subtract)
NUMERIC_EVALUATOR(multiply_numeric, numeric_multiply)
NUMERIC_EVALUATOR(divide_numeric, numeric_divide)
NUMERIC_EVALUATOR(modulo_numeric, numeric_modulo)

static enum status negate_numeric(const struct call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_negate(datum_numeric(&c->arguments[0])), out);
}

static enum status absolute_numeric(const struct call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_abs(datum_numeric(&c->arguments[0])), out);
}

static enum status floor_numeric(const struct call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_floor(datum_numeric(&c->arguments[0])), out);
}

static enum status ceil_numeric(const struct call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_ceil(datum_numeric(&c->arguments[0])), out);
}

static enum status sign_numeric(const struct call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_sign(datum_numeric(&c->arguments[0])), out);
}

static enum status round_numeric(const struct call *c, struct datum *out)
{
    int64_t scale = c->choice->argument_count == 2 ? SECOND(c) : 0;
    struct numeric number = { 0 };
    enum status status = numeric_round(datum_numeric(&c->arguments[0]), scale, &number, c->err);

    return give_numeric(status, number, out);
}

static enum status compare(const struct call *c, struct datum *out)
{
    int order = datum_compare(&c->arguments[0], &c->arguments[1]);
    bool truth = false;

    switch (c->choice->code) {
    case OPERATOR_LESS_OTHER:
        truth = order < 0;
        break;
    case OPERATOR_AT_MOST_OTHER:
        truth = order <= 0;
        break;
    case OPERATOR_MORE_OTHER:
        truth = order > 0;
        break;
    case OPERATOR_AT_LEAST_OTHER:
        truth = order >= 0;
        break;
    default:
        assert(!"no comparison by order");
    }
    *out = datum_of_bool(truth);
    return STATUS_OK;
}

static enum status equal(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(datum_equal(&c->arguments[0], &c->arguments[1]));
    return STATUS_OK;
}

static enum status unequal(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(!datum_equal(&c->arguments[0], &c->arguments[1]));
    return STATUS_OK;
}

static enum status is_true(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(datum_is_true(&c->arguments[0]));
    return STATUS_OK;
}

static enum status is_not_true(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(!datum_is_true(&c->arguments[0]));
    return STATUS_OK;
}

static bool is_known_false(const struct datum *d)
{
    return d->kind == DATUM_BOOLEAN && !d->as.integer;
}

static enum status is_false(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(is_known_false(&c->arguments[0]));
    return STATUS_OK;
}

static enum status is_not_false(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(!is_known_false(&c->arguments[0]));
    return STATUS_OK;
}

/* Nulls do not take part; of equal ones the first is given, whose scale may show. */
static enum status choose_extreme(const struct call *c, int sign, struct datum *out)
{
    *out = datum_null();
    for (uint32_t i = 0; i < c->choice->argument_count; i++) {
        const struct datum *d = &c->arguments[i];

        if (datum_is_null(d))
            continue;
        if (datum_is_null(out) || sign * datum_compare(d, out) > 0)
            *out = *d;
    }
    return STATUS_OK;
}

static enum status greatest(const struct call *c, struct datum *out)
{
    return choose_extreme(c, 1, out);
}

static enum status least(const struct call *c, struct datum *out)
{
    return choose_extreme(c, -1, out);
}

static enum status coalesce(const struct call *c, struct datum *out)
{
    uint32_t i = 0;

    while (i + 1 < c->choice->argument_count && datum_is_null(&c->arguments[i]))
        i++;
    *out = c->arguments[i];
    return STATUS_OK;
}

typedef enum status evaluator(const struct call *, struct datum *);

/* Codes that are missing here never leave evaluate_common() undecided. */
static evaluator *const evaluators[OPERATOR_COUNT] = {
#define INTEGERS(name, function)                                                                   \
    [OPERATOR_##name##_SMALLINT] = function, [OPERATOR_##name##_INTEGER] = function,               \
    [OPERATOR_##name##_BIGINT] = function
    INTEGERS(ADD, add),
    INTEGERS(SUBTRACT, subtract),
    INTEGERS(MULTIPLY, multiply),
    INTEGERS(DIVIDE, divide),
    INTEGERS(MODULO, modulo),
    INTEGERS(NEGATE, negate),
    INTEGERS(ABS, absolute),
#undef INTEGERS
    [OPERATOR_ADD_NUMERIC] = add_numeric,
    [OPERATOR_SUBTRACT_NUMERIC] = subtract_numeric,
    [OPERATOR_MULTIPLY_NUMERIC] = multiply_numeric,
    [OPERATOR_DIVIDE_NUMERIC] = divide_numeric,
    [OPERATOR_MODULO_NUMERIC] = modulo_numeric,
    [OPERATOR_NEGATE_NUMERIC] = negate_numeric,
    [OPERATOR_ABS_NUMERIC] = absolute_numeric,
    [OPERATOR_EQUAL_OTHER] = equal,
    [OPERATOR_UNEQUAL_OTHER] = unequal,
    [OPERATOR_LESS_OTHER] = compare,
    [OPERATOR_AT_MOST_OTHER] = compare,
    [OPERATOR_MORE_OTHER] = compare,
    [OPERATOR_AT_LEAST_OTHER] = compare,
    [OPERATOR_DISTINCT] = unequal,
    [OPERATOR_NOT_DISTINCT] = equal,
    [OPERATOR_IS_TRUE] = is_true,
    [OPERATOR_IS_NOT_TRUE] = is_not_true,
    [OPERATOR_IS_FALSE] = is_false,
    [OPERATOR_IS_NOT_FALSE] = is_not_false,
    [OPERATOR_FLOOR] = floor_numeric,
    [OPERATOR_CEIL] = ceil_numeric,
    [OPERATOR_SIGN] = sign_numeric,
    [OPERATOR_ROUND] = round_numeric,
    [OPERATOR_CONCATENATE] = operator_concatenate,
    [OPERATOR_LENGTH] = operator_length,
    [OPERATOR_SUBSTRING] = operator_substring,
    [OPERATOR_LPAD] = operator_lpad,
    [OPERATOR_LOWER] = operator_lower,
    [OPERATOR_UPPER] = operator_upper,
    [OPERATOR_ARRAY] = operator_array,
    [OPERATOR_ARRAY_APPEND] = operator_array_append,
    [OPERATOR_ARRAY_PREPEND] = operator_array_prepend,
    [OPERATOR_ARRAY_CONCATENATE] = operator_array_concatenate,
    [OPERATOR_SUBSCRIPT] = operator_subscript,
    [OPERATOR_CARDINALITY] = operator_cardinality,
    [OPERATOR_ARRAY_LENGTH] = operator_array_length,
    [OPERATOR_EQUAL_ANY] = operator_equal_any,
    [OPERATOR_GREATEST] = greatest,
    [OPERATOR_LEAST] = least,
    [OPERATOR_COALESCE] = coalesce,
    [OPERATOR_INTEGER_TO_SMALLINT] = operator_integer_to_integer,
    [OPERATOR_INTEGER_TO_INTEGER] = operator_integer_to_integer,
    [OPERATOR_INTEGER_TO_NUMERIC] = operator_integer_to_numeric,
    [OPERATOR_INTEGER_TO_BOOLEAN] = operator_integer_to_boolean,
    [OPERATOR_BOOLEAN_TO_INTEGER] = operator_boolean_to_integer,
    [OPERATOR_NUMERIC_TO_SMALLINT] = operator_numeric_to_integer,
    [OPERATOR_NUMERIC_TO_INTEGER] = operator_numeric_to_integer,
    [OPERATOR_NUMERIC_TO_BIGINT] = operator_numeric_to_integer,
    [OPERATOR_NUMERIC_FIT] = operator_numeric_fit,
    [OPERATOR_TEXT_FIT] = operator_text_fit,
    [OPERATOR_PRINT] = operator_print,
    [OPERATOR_PARSE] = operator_parse,
    [OPERATOR_REPARSE] = operator_reparse,
};

static const bool is_strict[OPERATOR_COUNT] = {
#define X(code, strict) [OPERATOR_##code] = strict,
    OPERATOR_LIST(X)
#undef X
};

static enum status evaluate_by_table(const struct operator_choice *choice,
                                     const struct datum *arguments, struct datum *result,
                                     struct heap *heap, struct sql_error *err)
{
    struct call call = { choice, arguments, heap, err };
    struct datum out = datum_null();

    assert(choice->code < OPERATOR_COUNT && evaluators[choice->code]);
    if (is_strict[choice->code])
        for (uint32_t i = 0; i < choice->argument_count; i++)
            if (datum_is_null(&arguments[i])) {
                *result = datum_null();
                return STATUS_OK;
            }
    TRY(evaluators[choice->code](&call, &out));
    *result = out;
    return STATUS_OK;
}

static struct datum and_of(const struct datum *a, const struct datum *b)
{
    if (is_known_false(a) || is_known_false(b))
        return datum_of_bool(false);
    return datum_is_null(a) || datum_is_null(b) ? datum_null() : datum_of_bool(true);
}

static struct datum or_of(const struct datum *a, const struct datum *b)
{
    if (datum_is_true(a) || datum_is_true(b))
        return datum_of_bool(true);
    return datum_is_null(a) || datum_is_null(b) ? datum_null() : datum_of_bool(false);
}

static bool are_there(const struct datum *a, const struct datum *b)
{
    return !datum_is_null(a) && !datum_is_null(b);
}

static struct datum truth_of(const struct datum *a, const struct datum *b, bool truth)
{
    return are_there(a, b) ? datum_of_bool(truth) : datum_null();
}

static bool give(int64_t number, struct datum *result)
{
    *result = datum_of_int64(number);
    return true;
}

/* False: not decided here. A sum that overflows or has a null in it is the table's. */
static inline bool evaluate_common(enum operator_code code, const struct datum *a,
                                   const struct datum *b, struct datum *result)
{
    int32_t integer;
    int64_t bigint;

    switch (code) {
    case OPERATOR_NONE:
        *result = *a;
        return true;
    case OPERATOR_EQUAL_INTEGER:
        *result = truth_of(a, b, a->as.integer == b->as.integer);
        return true;
    case OPERATOR_UNEQUAL_INTEGER:
        *result = truth_of(a, b, a->as.integer != b->as.integer);
        return true;
    case OPERATOR_LESS_INTEGER:
        *result = truth_of(a, b, a->as.integer < b->as.integer);
        return true;
    case OPERATOR_AT_MOST_INTEGER:
        *result = truth_of(a, b, a->as.integer <= b->as.integer);
        return true;
    case OPERATOR_MORE_INTEGER:
        *result = truth_of(a, b, a->as.integer > b->as.integer);
        return true;
    case OPERATOR_AT_LEAST_INTEGER:
        *result = truth_of(a, b, a->as.integer >= b->as.integer);
        return true;
    case OPERATOR_AND:
        *result = and_of(a, b);
        return true;
    case OPERATOR_OR:
        *result = or_of(a, b);
        return true;
    case OPERATOR_NOT:
        *result = datum_is_null(a) ? datum_null() : datum_of_bool(!a->as.integer);
        return true;
    case OPERATOR_IS_NULL:
        *result = datum_of_bool(datum_is_null(a));
        return true;
    case OPERATOR_IS_NOT_NULL:
        *result = datum_of_bool(!datum_is_null(a));
        return true;
    case OPERATOR_ADD_INTEGER:
        return are_there(a, b) && !__builtin_add_overflow(a->as.integer, b->as.integer, &integer) &&
               give(integer, result);
    case OPERATOR_ADD_BIGINT:
        return are_there(a, b) && !__builtin_add_overflow(a->as.integer, b->as.integer, &bigint) &&
               give(bigint, result);
    case OPERATOR_MULTIPLY_BIGINT:
        return are_there(a, b) && !__builtin_mul_overflow(a->as.integer, b->as.integer, &bigint) &&
               give(bigint, result);
    case OPERATOR_MODULO_INTEGER:
    case OPERATOR_MODULO_BIGINT:
        return are_there(a, b) && b->as.integer > 0 && give(a->as.integer % b->as.integer, result);
    case OPERATOR_SUBTRACT_INTEGER:
        return are_there(a, b) && !__builtin_sub_overflow(a->as.integer, b->as.integer, &integer) &&
               give(integer, result);
    case OPERATOR_SUBTRACT_BIGINT:
        return are_there(a, b) && !__builtin_sub_overflow(a->as.integer, b->as.integer, &bigint) &&
               give(bigint, result);
    default:
        return false;
    }
}

enum status operator_evaluate(const struct operator_choice *choice, const struct datum *arguments,
                              struct datum *result, struct heap *heap, struct sql_error *err)
{
    /* A second argument that is not there is never looked at. */
    if (evaluate_common(choice->code, &arguments[0], &arguments[1], result))
        return STATUS_OK;
    return evaluate_by_table(choice, arguments, result, heap, err);
}

enum status operator_evaluate_two(const struct operator_choice *choice, const struct datum *a,
                                  const struct datum *b, struct datum *result, struct heap *heap,
                                  struct sql_error *err)
{
    struct datum arguments[2];

    if (evaluate_common(choice->code, a, b, result))
        return STATUS_OK;
    arguments[0] = *a;
    arguments[1] = *b;
    return evaluate_by_table(choice, arguments, result, heap, err);
}
