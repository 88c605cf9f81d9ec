#include "audit/z3/values_private.h"

#include "base/hash.h"
#include "programs/values/operator_evaluate.h"

#define SCALE_MAX 18 /* powers of ten with 64 bits */

/* --- Data ----------------------------------------------------------------------------------------------- */

/* Two that have one hash are taken for the same: what comes of it is run by the machine. */
static term number_of_datum(struct symbolic *s, const struct datum *d)
{
    size_t place = 0;
    struct datum copy;
    struct sql_error unsaid;

    symbolic_note(s, map_add(&s->number_of, hash_mix(d->kind, audit_rows_cell_hash(d)),
                             s->numbered.count, &place, s->err));
    if (s->status != STATUS_OK)
        return terms_number(&s->terms, 0);
    if (s->number_of.values.at[place] == s->numbered.count) {
        if (datum_copy(d, &s->heap, &copy, &unsaid) != STATUS_OK)
            symbolic_stick(s, 0, "texts of so many bytes");
        else
            symbolic_note(s, array_push(&s->numbered, copy, s->err));
    }
    return terms_number(&s->terms, (int64_t)s->number_of.values.at[place]);
}

struct sym sym_of_datum(struct symbolic *s, const struct datum *d)
{
    struct sym a = { .kind = d->kind, .null = TERM_FALSE };

    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return sym_null();
    case DATUM_BOOLEAN:
        a.value = terms_truth(d->as.integer != 0);
        break;
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        a.value = terms_number(&s->terms, d->as.integer);
        break;
    case DATUM_NUMERIC:
        a.scale = d->scale;
        if (d->as.digits >= INT64_MIN && d->as.digits <= INT64_MAX) {
            a.value = terms_number(&s->terms, (int64_t)d->as.digits);
            break;
        }
        a.scale = SYM_SCALE_NUMBERED;
        a.value = number_of_datum(s, d);
        break;
    case DATUM_TEXT:
    case DATUM_ARRAY:
        a.value = number_of_datum(s, d);
        break;
    }
    return a;
}

bool sym_find_datum(const struct symbolic *s, struct sym a, struct datum *d)
{
    int64_t value = terms_node(&s->terms, a.value)->low;

    *d = datum_null();
    if (a.null == TERM_TRUE)
        return true;
    if (a.null != TERM_FALSE || !terms_is_constant(&s->terms, a.value))
        return false;
    if (a.kind == DATUM_TEXT || a.kind == DATUM_ARRAY || a.scale == SYM_SCALE_NUMBERED)
        *d = s->numbered.at[value];
    else if (a.kind == DATUM_NUMERIC)
        *d = datum_of_numeric((struct numeric){ value, a.scale });
    else
        *d = (struct datum){ .kind = a.kind, .as.integer = value };
    return true;
}

/* --- Terms ---------------------------------------------------------------------------------------------- */

/* Of a truth that is null the value is false besides, so that sym_is_true() need not look. */
static struct sym with_null(struct symbolic *s, struct sym a, term null)
{
    if (null == TERM_TRUE)
        return sym_null();
    a.null = null;
    if (a.kind == DATUM_BOOLEAN)
        a.value = terms_and(&s->terms, a.value, terms_not(&s->terms, null));
    return a;
}

struct sym sym_now(const struct symbolic *s, struct sym a)
{
    a.value = terms_now(&s->terms, a.value);
    a.null = terms_now(&s->terms, a.null);
    return a.null == TERM_TRUE ? sym_null() : a;
}

struct sym sym_merge(struct symbolic *s, term c, struct sym a, struct sym b)
{
    struct terms *t = &s->terms;
    term null = terms_if(t, c, a.null, b.null);

    if (terms_is_constant(t, c))
        return c == TERM_TRUE ? a : b;
    if (a.null == TERM_TRUE)
        return with_null(s, b, null);
    if (b.null == TERM_TRUE)
        return with_null(s, a, null);
    if (a.kind != b.kind || a.scale != b.scale) {
        symbolic_stick(s, 0, "numbers whose digits behind the point depend on what was read");
        return a;
    }
    if (a.scale == SYM_SCALE_NUMBERED && a.value != b.value)
        t->overflows = true;
    a.value = terms_if(t, c, a.value, b.value);
    a.null = null;
    return a;
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

/* With as many digits behind the point as that, if those are more. */
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

term sym_same(struct symbolic *s, struct sym a, struct sym b)
{
    struct terms *t = &s->terms;
    term nulls = terms_and(t, a.null, b.null), none;

    align_both(s, &a, &b);
    if (a.kind != b.kind)
        return nulls;
    none = terms_and(t, terms_not(t, a.null), terms_not(t, b.null));
    return terms_or(t, nulls, terms_and(t, none, terms_equal(t, a.value, b.value)));
}

static term compare(struct symbolic *s, enum operator_code how, struct sym x, struct sym y,
                    uint32_t line)
{
    struct terms *t = &s->terms;

    align_both(s, &x, &y);
    if (how == OPERATOR_EQUAL_INTEGER)
        return terms_equal(t, x.value, y.value);
    if (how == OPERATOR_UNEQUAL_INTEGER)
        return terms_not(t, terms_equal(t, x.value, y.value));
    if (x.kind != DATUM_INTEGER && x.kind != DATUM_TIMESTAMP && x.kind != DATUM_NUMERIC) {
        symbolic_stick(s, line, "an order of texts, arrays or truths that depend on what was read");
        return TERM_FALSE;
    }
    switch (how) {
    case OPERATOR_LESS_INTEGER:
        return terms_less(t, x.value, y.value);
    case OPERATOR_AT_MOST_INTEGER:
        return terms_at_most(t, x.value, y.value);
    case OPERATOR_MORE_INTEGER:
        return terms_less(t, y.value, x.value);
    default:
        return terms_at_most(t, y.value, x.value);
    }
}

/* --- Numbers -------------------------------------------------------------------------------------------- */

/* It fails where the value is not between these. */
static void require_between(struct symbolic *s, struct sym a, int64_t low, int64_t high)
{
    struct terms *t = &s->terms;
    term fits = terms_and(t, terms_at_least(t, a.value, low),
                          terms_at_most(t, a.value, terms_number(t, high)));

    symbolic_fail(s, terms_and(t, terms_not(t, a.null), terms_not(t, fits)),
                  SQLSTATE_NUMERIC_OUT_OF_RANGE);
}

/* Sizes stand in the order smallint, integer, bigint, numeric. */
static void require_size(struct symbolic *s, struct sym a, unsigned size)
{
    if (size == 0)
        require_between(s, a, INT16_MIN, INT16_MAX);
    else if (size == 1)
        require_between(s, a, INT32_MIN, INT32_MAX);
}

static term divide(struct symbolic *s, struct sym x, struct sym y, bool wants_rest, uint32_t line)
{
    struct terms *t = &s->terms;
    int64_t by = terms_node(t, y.value)->low;
    term quotient;

    if (!terms_is_constant(t, y.value) || by <= 0 || y.kind != DATUM_INTEGER) {
        symbolic_stick(s, line, "a division by anything but an integer above 0 that is known");
        return x.value;
    }
    quotient = terms_divide(t, x.value, by);
    return wants_rest ? terms_subtract(t, x.value, terms_multiply(t, quotient, y.value)) : quotient;
}

static struct sym compute(struct symbolic *s, enum operator_code code, struct sym x, struct sym y,
                          uint32_t line)
{
    struct terms *t = &s->terms;
    unsigned size = (unsigned)(code - OPERATOR_ADD_SMALLINT) % 4;
    term minus = terms_number(t, -1);

    switch (code - size) {
    case OPERATOR_ADD_SMALLINT:
        align_both(s, &x, &y);
        x.value = terms_add(t, x.value, y.value);
        break;
    case OPERATOR_SUBTRACT_SMALLINT:
        align_both(s, &x, &y);
        x.value = terms_subtract(t, x.value, y.value);
        break;
    case OPERATOR_MULTIPLY_SMALLINT:
        x.value = terms_multiply(t, x.value, y.value);
        x.scale += y.scale;
        break;
    case OPERATOR_NEGATE_SMALLINT:
        x.value = terms_multiply(t, x.value, minus);
        break;
    case OPERATOR_ABS_SMALLINT:
        x.value =
            terms_if(t, terms_at_least(t, x.value, 0), x.value, terms_multiply(t, x.value, minus));
        break;
    default:
        x.value = divide(s, x, y, code - size == OPERATOR_MODULO_SMALLINT, line);
        break;
    }
    x.null = terms_or(t, x.null, y.null);
    require_size(s, x, size);
    return x;
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
    require_between(s, x, -most, most);
    return x;
}

/* --- Operators ------------------------------------------------------------------------------------------ */

static struct sym apply_data(struct symbolic *s, const struct operator_choice *choice,
                             const struct datum *data)
{
    struct datum result = datum_null();
    struct sql_error error = { .sqlstate = "" };

    if (operator_evaluate(choice, data, &result, &s->heap, &error) != STATUS_OK)
        symbolic_fail(s, TERM_TRUE, error.sqlstate);
    return sym_of_datum(s, &result);
}

static struct sym apply_unary(struct symbolic *s, const struct operator_choice *choice,
                              struct sym x, uint32_t line)
{
    struct terms *t = &s->terms;

    switch (choice->code) {
    case OPERATOR_IS_NULL:
        return sym_of_truth(x.null);
    case OPERATOR_IS_NOT_NULL:
        return sym_of_truth(terms_not(t, x.null));
    case OPERATOR_NOT:
        return (struct sym){ .kind = DATUM_BOOLEAN, .value = sym_is_false(t, x), .null = x.null };
    case OPERATOR_IS_TRUE:
        return sym_of_truth(x.value);
    case OPERATOR_IS_NOT_TRUE:
        return sym_of_truth(terms_not(t, x.value));
    case OPERATOR_IS_FALSE:
        return sym_of_truth(sym_is_false(t, x));
    case OPERATOR_IS_NOT_FALSE:
        return sym_of_truth(terms_not(t, sym_is_false(t, x)));
    case OPERATOR_INTEGER_TO_SMALLINT:
    case OPERATOR_INTEGER_TO_INTEGER:
        require_size(s, x, choice->code == OPERATOR_INTEGER_TO_INTEGER);
        return x;
    case OPERATOR_INTEGER_TO_NUMERIC:
        x.kind = DATUM_NUMERIC;
        return x;
    case OPERATOR_BOOLEAN_TO_INTEGER:
        x.kind = DATUM_INTEGER;
        x.value = terms_as_number(t, x.value);
        return x;
    case OPERATOR_NUMERIC_FIT:
        return fit(s, x, choice->result, line);
    default:
        symbolic_stick(s, line, "this operation on what was read");
        return x;
    }
}

struct sym sym_apply(struct symbolic *s, const struct operator_choice *choice,
                     const struct sym *arguments, uint32_t count, uint32_t line)
{
    struct datum *data = arena_take(&s->arena, (size_t)count + 1, sizeof *data);
    enum operator_code code = choice->code;
    struct sym x = arguments[0], y = count > 1 ? arguments[1] : sym_of_integer(0);
    bool is_known = true;

    for (uint32_t i = 0; i < count; i++)
        is_known &= sym_find_datum(s, arguments[i], &data[i]);
    if (code == OPERATOR_NONE)
        return x;
    if (is_known)
        return apply_data(s, choice, data);
    if (x.scale == SYM_SCALE_NUMBERED || y.scale == SYM_SCALE_NUMBERED)
        s->terms.overflows = true;
    if (code == OPERATOR_DISTINCT)
        return sym_of_truth(terms_not(&s->terms, sym_same(s, x, y)));
    if (code == OPERATOR_NOT_DISTINCT)
        return sym_of_truth(sym_same(s, x, y));
    if (code >= OPERATOR_EQUAL_INTEGER && code <= OPERATOR_AT_LEAST_OTHER) {
        enum operator_code how =
            OPERATOR_EQUAL_INTEGER + (unsigned)(code - OPERATOR_EQUAL_INTEGER) % 6;

        if (x.null == TERM_TRUE || y.null == TERM_TRUE)
            return sym_null();
        return with_null(s, sym_of_truth(compare(s, how, x, y, line)),
                         terms_or(&s->terms, x.null, y.null));
    }
    if (code >= OPERATOR_ADD_SMALLINT && code <= OPERATOR_ABS_NUMERIC)
        return x.null == TERM_TRUE || y.null == TERM_TRUE ? sym_null()
                                                          : compute(s, code, x, y, line);
    if (count == 1)
        return apply_unary(s, choice, x, line);
    symbolic_stick(s, line, "this operation on what was read");
    return x;
}

/* --- Answers -------------------------------------------------------------------------------------------- */

term sym_is_answer(struct symbolic *s, struct sym a, struct text cell)
{
    static const enum type_kind types[] = {
        [DATUM_INTEGER] = TYPE_BIGINT,      [DATUM_BOOLEAN] = TYPE_BOOLEAN,
        [DATUM_TIMESTAMP] = TYPE_TIMESTAMP, [DATUM_NUMERIC] = TYPE_NUMERIC,
        [DATUM_TEXT] = TYPE_TEXT,           [DATUM_ARRAY] = TYPE_BIGINT_ARRAY,
    };
    struct datum datum;
    struct sql_error unsaid;
    struct sym answered;

    if (!cell.at)
        return a.null;
    if (a.null == TERM_TRUE ||
        datum_parse(cell, types[a.kind], &s->heap, &datum, &unsaid) != STATUS_OK ||
        !compare_cell(&s->compare, &datum, cell))
        return TERM_FALSE;
    answered = sym_of_datum(s, &datum);
    return answered.scale == a.scale ? sym_same(s, a, answered) : TERM_FALSE;
}

struct sym sym_element(struct symbolic *s, struct sym a)
{
    struct terms *t = &s->terms;
    const struct term_node value = *terms_node(t, a.value);
    struct sym b = a;

    if (a.null == TERM_TRUE)
        return a;
    if (!value.is_boolean && (value.low == INT64_MIN || value.high == INT64_MAX)) {
        t->overflows = true;
        return a;
    }
    /* A bit more than it can be: what is known of a variable is for Z3 to find out. */
    b.value =
        value.is_boolean ? terms_free_truth(t) : terms_choice(t, value.low - 1, value.high + 1);
    symbolic_assert(s, terms_equal(t, b.value, a.value));
    return b;
}
