#include "programs/values/operator_evaluate.h"

#include <assert.h>
#include <string.h>

#include "programs/values/operator_text_private.h"

/* Refuses what does not fit: "smallint out of range". */
static enum status operator_give_integer(const struct operator_call *c, enum type_kind kind, bool overflow,
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

/* --- Arrays ---------------------------------------------------------------------------------- */

/*
 * Functions of bigint[]. Arrays have one dimension and are counted from 1; what
 * they make is new, so a program that appends one by one copies quadratically,
 * as it does in PostgreSQL.
 */

#define ELEMENT_COUNT_MAX 134217727 /* PostgreSQL's: 1 GB of them */

/* An array under construction. */
struct array_draft {
    int64_t *at;
    uint64_t *nulls;
    uint32_t count;
};

static enum status build(struct array_draft *b, const struct operator_call *c, uint64_t count)
{
    size_t null_bytes = (size_t)(count + 63) / 64 * sizeof(uint64_t);
    void *at, *nulls;

    if (count > ELEMENT_COUNT_MAX)
        return sql_error_set(c->err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    TRY(heap_push(c->heap, (size_t)count * sizeof(int64_t), &at, c->err));
    TRY(heap_push(c->heap, null_bytes, &nulls, c->err));
    memset(nulls, 0, null_bytes);
    *b = (struct array_draft){ at, nulls, 0 };
    return STATUS_OK;
}

static void add_element(struct array_draft *b, const struct datum *element)
{
    if (datum_is_null(element)) {
        b->nulls[b->count / 64] |= UINT64_C(1) << b->count % 64;
        b->at[b->count++] = 0;
    } else {
        b->at[b->count++] = element->as.integer;
    }
}

static void add_all(struct array_draft *b, const struct datum *array)
{
    if (datum_is_null(array))
        return;
    if (!array->as.array.nulls && array->length > 0) {
        memcpy(b->at + b->count, array->as.array.at, array->length * sizeof *b->at);
        b->count += array->length;
        return;
    }
    for (uint32_t i = 0; i < array->length; i++) {
        struct datum element = datum_element(array, i);
        add_element(b, &element);
    }
}

static struct datum finish(const struct array_draft *b)
{
    struct datum array = { .kind = DATUM_ARRAY, .length = b->count };

    array.as.array.at = b->at;
    for (uint32_t i = 0; i < (b->count + 63) / 64; i++)
        if (b->nulls[i] != 0)
            array.as.array.nulls = b->nulls;
    return array;
}

static enum status operator_array(const struct operator_call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, c->choice->argument_count));
    for (uint32_t i = 0; i < c->choice->argument_count; i++)
        add_element(&b, &c->arguments[i]);
    *out = finish(&b);
    return STATUS_OK;
}

/* An array that is null is an empty one here. */
static uint64_t length_of(const struct datum *array)
{
    return datum_is_null(array) ? 0 : array->length;
}

static enum status operator_array_append(const struct operator_call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, length_of(&c->arguments[0]) + 1));
    add_all(&b, &c->arguments[0]);
    add_element(&b, &c->arguments[1]);
    *out = finish(&b);
    return STATUS_OK;
}

static enum status operator_array_prepend(const struct operator_call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, length_of(&c->arguments[1]) + 1));
    add_element(&b, &c->arguments[0]);
    add_all(&b, &c->arguments[1]);
    *out = finish(&b);
    return STATUS_OK;
}

static enum status operator_array_concatenate(const struct operator_call *c, struct datum *out)
{
    const struct datum *first = &c->arguments[0], *second = &c->arguments[1];
    struct array_draft b = { 0 };

    if (datum_is_null(first) || datum_is_null(second)) {
        *out = datum_is_null(first) ? *second : *first;
        return STATUS_OK;
    }
    TRY(build(&b, c, length_of(first) + length_of(second)));
    add_all(&b, first);
    add_all(&b, second);
    *out = finish(&b);
    return STATUS_OK;
}

static enum status operator_subscript(const struct operator_call *c, struct datum *out)
{
    const struct datum *array = &c->arguments[0];
    int64_t place = c->arguments[1].as.integer;

    *out = place >= 1 && place <= array->length ? datum_element(array, (uint32_t)(place - 1))
                                                : datum_null();
    return STATUS_OK;
}

static enum status operator_cardinality(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_int64(c->arguments[0].length);
    return STATUS_OK;
}

/* An empty array has no dimensions, not one of length 0. */
static enum status operator_array_length(const struct operator_call *c, struct datum *out)
{
    bool has_length = c->arguments[1].as.integer == 1 && c->arguments[0].length > 0;

    *out = has_length ? datum_of_int64(c->arguments[0].length) : datum_null();
    return STATUS_OK;
}

static enum status operator_equal_any(const struct operator_call *c, struct datum *out)
{
    const struct datum *wanted = &c->arguments[0], *array = &c->arguments[1];
    bool is_undecided = false;

    *out = datum_null();
    if (datum_is_null(array))
        return STATUS_OK;
    for (uint32_t i = 0; i < array->length; i++) {
        if (datum_is_null(wanted) || datum_element_is_null(array, i)) {
            is_undecided = true;
        } else if (array->as.array.at[i] == wanted->as.integer) {
            *out = datum_of_bool(true);
            return STATUS_OK;
        }
    }
    if (!is_undecided)
        *out = datum_of_bool(false);
    return STATUS_OK;
}

/* --- Casts ----------------------------------------------------------------------------------- */

static enum status operator_integer_to_integer(const struct operator_call *c, struct datum *out)
{
    return operator_give_integer(c, c->choice->result.kind, false, c->arguments[0].as.integer, out);
}

static enum status fit_numeric(const struct operator_call *c, struct numeric number, struct datum *out)
{
    struct type to = c->choice->result;

    if (to.precision > 0)
        TRY(numeric_fit(number, to.precision, to.scale, &number, c->err));
    *out = datum_of_numeric(number);
    return STATUS_OK;
}

static enum status operator_integer_to_numeric(const struct operator_call *c, struct datum *out)
{
    return fit_numeric(c, numeric_from_int64(c->arguments[0].as.integer), out);
}

static enum status operator_numeric_fit(const struct operator_call *c, struct datum *out)
{
    return fit_numeric(c, datum_numeric(&c->arguments[0]), out);
}

static enum status operator_integer_to_boolean(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(c->arguments[0].as.integer != 0);
    return STATUS_OK;
}

static enum status operator_boolean_to_integer(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_int64(c->arguments[0].as.integer);
    return STATUS_OK;
}

static enum status operator_numeric_to_integer(const struct operator_call *c, struct datum *out)
{
    int64_t number = 0;
    bool fits = numeric_to_int64(datum_numeric(&c->arguments[0]), &number);

    return operator_give_integer(c, c->choice->result.kind, !fits, number, out);
}

/* A cast cuts; an assignment may lose blanks only. */
static enum status fit_text(const struct operator_call *c, struct text text, struct datum *out)
{
    uint32_t length = c->choice->result.length;
    size_t clip = length > 0 ? operator_clip(text, length) : text.length;

    for (size_t i = clip; i < text.length && !c->choice->is_explicit; i++)
        if (text.at[i] != ' ')
            return sql_error_set(c->err, SQLSTATE_STRING_TOO_LONG,
                                 "value too long for type character varying(%u)", (unsigned)length);
    *out = datum_of_text((struct text){ text.at, clip });
    return STATUS_OK;
}

static enum status operator_text_fit(const struct operator_call *c, struct datum *out)
{
    return fit_text(c, datum_text(&c->arguments[0]), out);
}

static enum status print(const struct operator_call *c, struct text *text)
{
    const struct datum *d = &c->arguments[0];
    void *to;

    TRY(heap_push(c->heap, datum_print_room(d), &to, c->err));
    *text = (struct text){ to, (size_t)(datum_write(to, d) - (char *)to) };
    heap_shrink(c->heap, to, text->length);
    return STATUS_OK;
}

/* A boolean that is cast is written out, unlike one that is shown. */
static enum status operator_print(const struct operator_call *c, struct datum *out)
{
    struct text text;

    if (c->arguments[0].kind == DATUM_BOOLEAN)
        text = c->arguments[0].as.integer ? TEXT("true") : TEXT("false");
    else
        TRY(print(c, &text));
    return fit_text(c, text, out);
}

static enum status parse(const struct operator_call *c, struct text text, struct datum *out)
{
    TRY(datum_parse(text, c->choice->result.kind, c->heap, out, c->err));
    return out->kind == DATUM_NUMERIC ? fit_numeric(c, datum_numeric(out), out) : STATUS_OK;
}

static enum status operator_parse(const struct operator_call *c, struct datum *out)
{
    return parse(c, datum_text(&c->arguments[0]), out);
}

static enum status operator_reparse(const struct operator_call *c, struct datum *out)
{
    struct text text;

    TRY(print(c, &text));
    return parse(c, text, out);
}

/* --- Numbers --------------------------------------------------------------------------------- */

#define FIRST(c) ((c)->arguments[0].as.integer)
#define SECOND(c) ((c)->arguments[1].as.integer)

static enum status give_numeric(enum status status, struct numeric number, struct datum *out)
{
    if (status == STATUS_OK)
        *out = datum_of_numeric(number);
    return status;
}

static enum status add(const struct operator_call *c, struct datum *out)
{
    int64_t sum;
    bool overflow = __builtin_add_overflow(FIRST(c), SECOND(c), &sum);

    return operator_give_integer(c, c->choice->result.kind, overflow, sum, out);
}

static enum status subtract(const struct operator_call *c, struct datum *out)
{
    int64_t difference;
    bool overflow = __builtin_sub_overflow(FIRST(c), SECOND(c), &difference);

    return operator_give_integer(c, c->choice->result.kind, overflow, difference, out);
}

static enum status multiply(const struct operator_call *c, struct datum *out)
{
    int64_t product;
    bool overflow = __builtin_mul_overflow(FIRST(c), SECOND(c), &product);

    return operator_give_integer(c, c->choice->result.kind, overflow, product, out);
}

static enum status negate(const struct operator_call *c, struct datum *out)
{
    int64_t negated;
    bool overflow = __builtin_sub_overflow(0, FIRST(c), &negated);

    return operator_give_integer(c, c->choice->result.kind, overflow, negated, out);
}

static enum status absolute(const struct operator_call *c, struct datum *out)
{
    if (FIRST(c) < 0)
        return negate(c, out);
    *out = c->arguments[0];
    return STATUS_OK;
}

static enum status refuse_zero(const struct operator_call *c)
{
    return sql_error_set(c->err, SQLSTATE_DIVISION_BY_ZERO, "division by zero");
}

static enum status divide(const struct operator_call *c, struct datum *out)
{
    if (SECOND(c) == 0)
        return refuse_zero(c);
    if (SECOND(c) == -1)
        return negate(c, out);
    return operator_give_integer(c, c->choice->result.kind, false, FIRST(c) / SECOND(c), out);
}

static enum status modulo(const struct operator_call *c, struct datum *out)
{
    if (SECOND(c) == 0)
        return refuse_zero(c);
    *out = datum_of_int64(SECOND(c) == -1 ? 0 : FIRST(c) % SECOND(c));
    return STATUS_OK;
}

/* A function of two numerics, as an evaluator. */
#define NUMERIC_EVALUATOR(name, function)                                                          \
    static enum status name(const struct operator_call *c, struct datum *out)                               \
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

static enum status negate_numeric(const struct operator_call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_negate(datum_numeric(&c->arguments[0])), out);
}

static enum status absolute_numeric(const struct operator_call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_abs(datum_numeric(&c->arguments[0])), out);
}

static enum status floor_numeric(const struct operator_call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_floor(datum_numeric(&c->arguments[0])), out);
}

static enum status ceil_numeric(const struct operator_call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_ceil(datum_numeric(&c->arguments[0])), out);
}

static enum status sign_numeric(const struct operator_call *c, struct datum *out)
{
    return give_numeric(STATUS_OK, numeric_sign(datum_numeric(&c->arguments[0])), out);
}

static enum status round_numeric(const struct operator_call *c, struct datum *out)
{
    int64_t scale = c->choice->argument_count == 2 ? SECOND(c) : 0;
    struct numeric number = { 0 };
    enum status status = numeric_round(datum_numeric(&c->arguments[0]), scale, &number, c->err);

    return give_numeric(status, number, out);
}

/* --- Comparisons and truths ------------------------------------------------------------------ */

static enum status compare(const struct operator_call *c, struct datum *out)
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

static enum status equal(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(datum_equal(&c->arguments[0], &c->arguments[1]));
    return STATUS_OK;
}

static enum status unequal(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(!datum_equal(&c->arguments[0], &c->arguments[1]));
    return STATUS_OK;
}

static enum status is_true(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(datum_is_true(&c->arguments[0]));
    return STATUS_OK;
}

static enum status is_not_true(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(!datum_is_true(&c->arguments[0]));
    return STATUS_OK;
}

static bool is_known_false(const struct datum *d)
{
    return d->kind == DATUM_BOOLEAN && !d->as.integer;
}

static enum status is_false(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(is_known_false(&c->arguments[0]));
    return STATUS_OK;
}

static enum status is_not_false(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_bool(!is_known_false(&c->arguments[0]));
    return STATUS_OK;
}

/* Nulls do not take part; of equal ones the first is given, whose scale may show. */
static enum status choose_extreme(const struct operator_call *c, int sign, struct datum *out)
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

static enum status greatest(const struct operator_call *c, struct datum *out)
{
    return choose_extreme(c, 1, out);
}

static enum status least(const struct operator_call *c, struct datum *out)
{
    return choose_extreme(c, -1, out);
}

static enum status coalesce(const struct operator_call *c, struct datum *out)
{
    uint32_t i = 0;

    while (i + 1 < c->choice->argument_count && datum_is_null(&c->arguments[i]))
        i++;
    *out = c->arguments[i];
    return STATUS_OK;
}

static enum status nullif(const struct operator_call *c, struct datum *out)
{
    const struct datum *a = &c->arguments[0], *b = &c->arguments[1];

    *out = datum_is_null(b) || !datum_equal(a, b) ? *a : datum_null();
    return STATUS_OK;
}

typedef enum status evaluator(const struct operator_call *, struct datum *);

/* --- The table ------------------------------------------------------------------------------- */

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
    [OPERATOR_LIKE] = operator_like,
    [OPERATOR_NOT_LIKE] = operator_like,
    [OPERATOR_LIKE_ESCAPE] = operator_like_escape,
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
    [OPERATOR_NULLIF] = nullif,
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
    struct operator_call call = { choice, arguments, heap, err };
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

/* --- What is common -------------------------------------------------------------------------- */

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
