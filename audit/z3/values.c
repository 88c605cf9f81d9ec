#include "audit/z3/values_private.h"

#include <string.h>

#include "programs/values/operator_evaluate.h"

#define SCALE_MAX 18 /* powers of ten with 64 bits */

struct sym sym_of_datum(struct datum datum)
{
    return (struct sym){ .datum = datum };
}

static bool is_null_datum(const struct sym *a)
{
    return !a->is_open && datum_is_null(&a->datum);
}

/* A datum where nothing is left to be found. */
static struct sym close_if_known(struct symbolic *s, struct sym a)
{
    const struct term_node *value = terms_node(&s->terms, a.value);

    if (a.null == TERM_TRUE)
        return sym_of_datum(datum_null());
    if (a.null != TERM_FALSE || !terms_is_constant(&s->terms, a.value))
        return a;
    switch (a.kind) {
    case DATUM_INTEGER:
        return sym_of_datum(datum_of_int64(value->low));
    case DATUM_BOOLEAN:
        return sym_of_datum(datum_of_bool(value->low != 0));
    case DATUM_TIMESTAMP:
        return sym_of_datum(datum_of_timestamp(value->low));
    case DATUM_NUMERIC:
        return sym_of_datum(datum_of_numeric((struct numeric){ value->low, a.scale }));
    default:
        return sym_of_datum(s->texts.at[value->low]);
    }
}

static struct sym open_value(struct symbolic *s, enum datum_kind kind, uint8_t scale, term value,
                             term null)
{
    return close_if_known(
        s,
        (struct sym){
            .value = value, .null = null, .kind = (uint8_t)kind, .scale = scale, .is_open = true });
}

struct sym sym_of_truth(struct symbolic *s, term truth)
{
    return open_value(s, DATUM_BOOLEAN, 0, truth, TERM_FALSE);
}

struct sym sym_of_integer(struct symbolic *s, term value)
{
    return open_value(s, DATUM_INTEGER, 0, value, TERM_FALSE);
}

static term number_of_text(struct symbolic *s, const struct datum *text)
{
    size_t at = 0;
    struct datum copy = *text;

    while (at < s->texts.count &&
           !(s->texts.at[at].kind == text->kind && datum_equal(&s->texts.at[at], text)))
        at++;
    if (at == s->texts.count) {
        struct sql_error unsaid;

        if (datum_copy(text, &s->heap, &copy, &unsaid) != STATUS_OK) {
            symbolic_stick(s, 0, "texts of so many bytes");
            return terms_number(&s->terms, 0);
        }
        symbolic_note(s, array_push(&s->texts, copy, s->err));
    }
    return terms_number(&s->terms, (int64_t)at);
}

/* A datum as a term. */
static struct sym lift(struct symbolic *s, const struct sym *a)
{
    struct sym b = { .is_open = true,
                     .kind = a->datum.kind,
                     .scale = a->datum.kind == DATUM_NUMERIC ? a->datum.scale : 0 };

    if (a->is_open)
        return *a;
    switch ((enum datum_kind)a->datum.kind) {
    case DATUM_NULL:
        b.null = TERM_TRUE;
        break;
    case DATUM_BOOLEAN:
        b.value = terms_truth(a->datum.as.integer != 0);
        break;
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        b.value = terms_number(&s->terms, a->datum.as.integer);
        break;
    case DATUM_NUMERIC:
        if (a->datum.as.digits < INT64_MIN || a->datum.as.digits > INT64_MAX)
            s->terms.overflows = true;
        b.value = terms_number(&s->terms, (int64_t)a->datum.as.digits);
        break;
    case DATUM_TEXT:
    case DATUM_ARRAY:
        b.value = number_of_text(s, &a->datum);
        break;
    }
    return b;
}

struct sym sym_now(struct symbolic *s, const struct sym *a)
{
    if (!a->is_open)
        return *a;
    return open_value(s, a->kind, a->scale, terms_now(&s->terms, a->value),
                      terms_now(&s->terms, a->null));
}

term sym_is_null(const struct sym *a)
{
    return a->is_open ? a->null : terms_truth(datum_is_null(&a->datum));
}

term sym_is_true(const struct sym *a)
{
    /* A null's value is a truth that nobody asks for: see open_truth(). */
    return a->is_open ? a->value : terms_truth(datum_is_true(&a->datum));
}

/* Truths that are null are false besides, so that sym_is_true() need not look. */
static struct sym open_truth(struct symbolic *s, term value, term null)
{
    return open_value(s, DATUM_BOOLEAN, 0, terms_and(&s->terms, value, terms_not(&s->terms, null)),
                      null);
}

struct sym sym_merge(struct symbolic *s, term c, const struct sym *a, const struct sym *b)
{
    struct terms *t = &s->terms;
    struct sym x, y;
    term null;

    if (terms_is_constant(t, c))
        return c == TERM_TRUE ? *a : *b;
    if (!a->is_open && !b->is_open && a->datum.kind == b->datum.kind &&
        a->datum.scale == b->datum.scale && datum_equal(&a->datum, &b->datum))
        return *a;
    x = lift(s, a);
    y = lift(s, b);
    null = terms_if(t, c, x.null, y.null);
    if (is_null_datum(a) || is_null_datum(b)) {
        const struct sym *other = is_null_datum(a) ? &y : &x;

        if (other->kind == DATUM_BOOLEAN)
            return open_truth(s, other->value, null);
        return open_value(s, other->kind, other->scale, other->value, null);
    }
    if (x.kind != y.kind || x.scale != y.scale) {
        symbolic_stick(s, 0, "numbers whose digits behind the point depend on what was read");
        return *a;
    }
    return open_value(s, x.kind, x.scale, terms_if(t, c, x.value, y.value), null);
}

/* --- Comparisons ---------------------------------------------------------------------------------------- */

static term power_of_ten(struct symbolic *s, int exponent)
{
    int64_t power = 1;

    if (exponent > SCALE_MAX) {
        s->terms.overflows = true;
        exponent = 0;
    }
    for (int i = 0; i < exponent; i++)
        power *= 10;
    return terms_number(&s->terms, power);
}

/* With as many digits behind the point as the other has, if those are more. */
static void align(struct symbolic *s, struct sym *a, uint8_t scale)
{
    if (a->kind != DATUM_NUMERIC || a->scale >= scale)
        return;
    a->value = terms_multiply(&s->terms, a->value, power_of_ten(s, scale - a->scale));
    a->scale = scale;
}

static void align_both(struct symbolic *s, struct sym *a, struct sym *b)
{
    align(s, a, b->scale);
    align(s, b, a->scale);
}

term sym_same(struct symbolic *s, const struct sym *a, const struct sym *b)
{
    struct terms *t = &s->terms;
    struct sym x = lift(s, a), y = lift(s, b);

    if (is_null_datum(a) || is_null_datum(b))
        return is_null_datum(a) ? y.null : x.null;
    align_both(s, &x, &y);
    if (x.kind != y.kind)
        return TERM_FALSE;
    return terms_or(t, terms_and(t, x.null, y.null),
                    terms_and(t, terms_and(t, terms_not(t, x.null), terms_not(t, y.null)),
                              terms_equal(t, x.value, y.value)));
}

static term compare(struct symbolic *s, unsigned how, struct sym *x, struct sym *y, uint32_t line)
{
    struct terms *t = &s->terms;
    bool is_ordered =
        x->kind == DATUM_INTEGER || x->kind == DATUM_TIMESTAMP || x->kind == DATUM_NUMERIC;

    align_both(s, x, y);
    if (how > 1 && !is_ordered) {
        symbolic_stick(s, line, "an order of texts, arrays or truths that depend on what was read");
        return TERM_FALSE;
    }
    switch (how) {
    case 0:
        return terms_equal(t, x->value, y->value);
    case 1:
        return terms_not(t, terms_equal(t, x->value, y->value));
    case 2:
        return terms_less(t, x->value, y->value);
    case 3:
        return terms_at_most(t, x->value, y->value);
    case 4:
        return terms_less(t, y->value, x->value);
    default:
        return terms_at_most(t, y->value, x->value);
    }
}

/* --- Numbers -------------------------------------------------------------------------------------------- */

/* It fails where the value is not between these. */
static void require_between(struct symbolic *s, const struct sym *a, int64_t low, int64_t high)
{
    struct terms *t = &s->terms;
    term fits = terms_and(t, terms_at_least(t, a->value, low),
                          terms_at_most(t, a->value, terms_number(t, high)));

    symbolic_fail(s, terms_and(t, terms_not(t, a->null), terms_not(t, fits)),
                  SQLSTATE_NUMERIC_OUT_OF_RANGE);
}

/* Sizes stand in the order smallint, integer, bigint, numeric. */
static void require_size(struct symbolic *s, const struct sym *a, unsigned size)
{
    if (size == 0)
        require_between(s, a, INT16_MIN, INT16_MAX);
    else if (size == 1)
        require_between(s, a, INT32_MIN, INT32_MAX);
}

static struct sym divide(struct symbolic *s, const struct sym *x, const struct sym *y,
                         bool wants_rest, uint32_t line)
{
    struct terms *t = &s->terms;
    int64_t by = terms_node(t, y->value)->low;
    term quotient;

    if (!terms_is_constant(t, y->value) || by <= 0 || y->kind != DATUM_INTEGER) {
        symbolic_stick(s, line, "a division by anything but an integer above 0 that is known");
        return *x;
    }
    quotient = terms_divide(t, x->value, by);
    if (wants_rest)
        quotient = terms_subtract(t, x->value, terms_multiply(t, quotient, y->value));
    return (struct sym){ .kind = x->kind, .value = quotient };
}

static struct sym compute(struct symbolic *s, enum operator_code code, struct sym *x, struct sym *y,
                          uint32_t line)
{
    struct terms *t = &s->terms;
    unsigned group = (unsigned)(code - OPERATOR_ADD_SMALLINT) / 4;
    struct sym result = { .kind = x->kind };

    if (group < 2)
        align_both(s, x, y);
    result.scale = x->scale;
    switch (group) {
    case 0:
        result.value = terms_add(t, x->value, y->value);
        break;
    case 1:
        result.value = terms_subtract(t, x->value, y->value);
        break;
    case 2:
        result.value = terms_multiply(t, x->value, y->value);
        result.scale = x->scale + y->scale;
        break;
    case 3:
    case 4:
        result = divide(s, x, y, group == 4, line);
        break;
    case 5:
        result.value = terms_multiply(t, x->value, terms_number(t, -1));
        break;
    default:
        result.value = terms_if(t, terms_at_least(t, x->value, 0), x->value,
                                terms_multiply(t, x->value, terms_number(t, -1)));
        break;
    }
    return result;
}

/* Into a precision: a numeric of so many digits before and behind the point. */
static struct sym fit(struct symbolic *s, struct sym x, struct type type, uint32_t line)
{
    int64_t most;

    if (type.precision == 0)
        return x;
    if (type.scale < 0 || x.scale > type.scale || type.precision > SCALE_MAX) {
        symbolic_stick(s, line, "the rounding of a number that depends on what was read");
        return x;
    }
    align(s, &x, (uint8_t)type.scale);
    most = terms_node(&s->terms, power_of_ten(s, type.precision))->low - 1;
    require_between(s, &x, -most, most);
    return x;
}

static struct sym convert(struct symbolic *s, const struct operator_choice *choice, struct sym x,
                          uint32_t line)
{
    struct terms *t = &s->terms;

    switch (choice->code) {
    case OPERATOR_INTEGER_TO_SMALLINT:
        require_size(s, &x, 0);
        return x;
    case OPERATOR_INTEGER_TO_INTEGER:
        require_size(s, &x, 1);
        return x;
    case OPERATOR_INTEGER_TO_NUMERIC:
        x.kind = DATUM_NUMERIC;
        return x;
    case OPERATOR_BOOLEAN_TO_INTEGER:
        x.kind = DATUM_INTEGER;
        x.value = terms_if(t, x.value, terms_number(t, 1), terms_number(t, 0));
        return x;
    case OPERATOR_NUMERIC_FIT:
        return fit(s, x, choice->result, line);
    default:
        symbolic_stick(s, line, "this operation on what was read");
        return x;
    }
}

/* --- Operators ------------------------------------------------------------------------------------------ */

static struct sym apply_data(struct symbolic *s, const struct operator_choice *choice,
                             const struct sym *arguments, uint32_t count)
{
    struct datum *data = arena_take(&s->arena, (size_t)count + 1, sizeof *data),
                 result = datum_null();
    struct sql_error error = { .sqlstate = "" };

    for (uint32_t i = 0; i < count; i++)
        data[i] = arguments[i].datum;
    if (operator_evaluate(choice, data, &result, &s->heap, &error) != STATUS_OK)
        symbolic_fail(s, TERM_TRUE, error.sqlstate);
    return sym_of_datum(result);
}

static struct sym apply_unary(struct symbolic *s, enum operator_code code, const struct sym *x,
                              uint32_t line)
{
    struct terms *t = &s->terms;
    term is_false = terms_and(t, terms_not(t, x->null), terms_not(t, x->value));

    switch (code) {
    case OPERATOR_IS_NULL:
        return sym_of_truth(s, x->null);
    case OPERATOR_IS_NOT_NULL:
        return sym_of_truth(s, terms_not(t, x->null));
    case OPERATOR_NOT:
        return open_truth(s, terms_not(t, x->value), x->null);
    case OPERATOR_IS_TRUE:
        return sym_of_truth(s, x->value);
    case OPERATOR_IS_NOT_TRUE:
        return sym_of_truth(s, terms_not(t, x->value));
    case OPERATOR_IS_FALSE:
        return sym_of_truth(s, is_false);
    case OPERATOR_IS_NOT_FALSE:
        return sym_of_truth(s, terms_not(t, is_false));
    default:
        symbolic_stick(s, line, "this operation on what was read");
        return *x;
    }
}

static struct sym apply_strict(struct symbolic *s, const struct operator_choice *choice,
                               struct sym x, struct sym y, uint32_t line)
{
    enum operator_code code = choice->code;
    term null = terms_or(&s->terms, x.null, y.null);
    struct sym result;

    if (code >= OPERATOR_EQUAL_INTEGER && code <= OPERATOR_AT_LEAST_OTHER) {
        unsigned how = (unsigned)(code - OPERATOR_EQUAL_INTEGER) % 6;

        return open_truth(s, compare(s, how, &x, &y, line), null);
    }
    if (code >= OPERATOR_ADD_SMALLINT && code <= OPERATOR_ABS_NUMERIC) {
        result = compute(s, code, &x, &y, line);
        result.null = null;
        require_size(s, &result, (unsigned)(code - OPERATOR_ADD_SMALLINT) % 4);
    } else {
        result = convert(s, choice, x, line);
        result.null = null;
    }
    return open_value(s, result.kind, result.scale, result.value, result.null);
}

struct sym sym_apply(struct symbolic *s, const struct operator_choice *choice,
                     const struct sym *arguments, uint32_t count, uint32_t line)
{
    struct sym x, y = { .null = TERM_FALSE };
    bool is_open = false;
    enum operator_code code = choice->code;

    for (uint32_t i = 0; i < count; i++)
        is_open |= arguments[i].is_open;
    if (code == OPERATOR_NONE)
        return arguments[0];
    if (!is_open)
        return apply_data(s, choice, arguments, count);
    if (count == 2 && (code == OPERATOR_DISTINCT || code == OPERATOR_NOT_DISTINCT)) {
        term same = sym_same(s, &arguments[0], &arguments[1]);

        return sym_of_truth(s, code == OPERATOR_DISTINCT ? terms_not(&s->terms, same) : same);
    }
    if (count > 2) {
        symbolic_stick(s, line, "this operation on what was read");
        return arguments[0];
    }
    x = lift(s, &arguments[0]);
    if (count == 2)
        y = lift(s, &arguments[1]);
    if ((code >= OPERATOR_IS_NULL && code <= OPERATOR_IS_NOT_FALSE) || code == OPERATOR_NOT)
        return apply_unary(s, code, &x, line);
    /* Of a strict operator. */
    if (is_null_datum(&arguments[0]) || (count == 2 && is_null_datum(&arguments[1])))
        return sym_of_datum(datum_null());
    return apply_strict(s, choice, x, y, line);
}

/* --- Answers -------------------------------------------------------------------------------------------- */

static enum type_kind type_of_kind(enum datum_kind kind)
{
    switch (kind) {
    case DATUM_BOOLEAN:
        return TYPE_BOOLEAN;
    case DATUM_TIMESTAMP:
        return TYPE_TIMESTAMP;
    case DATUM_NUMERIC:
        return TYPE_NUMERIC;
    case DATUM_TEXT:
        return TYPE_TEXT;
    case DATUM_ARRAY:
        return TYPE_BIGINT_ARRAY;
    default:
        return TYPE_BIGINT;
    }
}

/* The datum that prints as this text, if there is one. */
static bool parse_answer(struct symbolic *s, enum datum_kind kind, struct text cell,
                         struct datum *datum)
{
    struct buffer printed = { 0 };
    struct sql_error unsaid;
    bool is_same = false;

    if (datum_parse(cell, type_of_kind(kind), &s->heap, datum, &unsaid) == STATUS_OK) {
        datum_print(datum, &printed);
        is_same = text_equal((struct text){ printed.at ? printed.at : "", printed.count }, cell);
    }
    buffer_close(&printed);
    return is_same;
}

term sym_is_answer(struct symbolic *s, const struct sym *a, struct text cell)
{
    struct datum datum = datum_null();
    struct sym answered;

    if (!cell.at)
        return sym_is_null(a);
    if (!a->is_open && datum_is_null(&a->datum))
        return TERM_FALSE;
    if (!parse_answer(s, a->is_open ? a->kind : a->datum.kind, cell, &datum))
        return TERM_FALSE;
    if (datum.kind == DATUM_NUMERIC && datum.scale != (a->is_open ? a->scale : a->datum.scale))
        return TERM_FALSE;
    answered = sym_of_datum(datum);
    return sym_same(s, a, &answered);
}

struct sym sym_element(struct symbolic *s, const struct sym *a)
{
    struct terms *t = &s->terms;
    struct sym x = lift(s, a);
    const struct term_node *value = terms_node(t, x.value);
    struct sym b = { .is_open = true, .kind = x.kind, .scale = x.scale, .null = x.null };

    if (is_null_datum(a))
        return *a;
    if (!value->is_boolean && (value->low == INT64_MIN || value->high == INT64_MAX)) {
        s->terms.overflows = true;
        return *a;
    }
    /* A bit more than it can be: what is known of a variable is for Z3 to find out. */
    b.value =
        value->is_boolean ? terms_free_truth(t) : terms_choice(t, value->low - 1, value->high + 1);
    symbolic_assert(s, terms_equal(t, b.value, x.value));
    return b;
}
