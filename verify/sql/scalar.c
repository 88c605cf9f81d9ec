#include "verify/sql/scalar_private.h"

#include <assert.h>
#include <string.h>

static __int128 power_of_ten(unsigned exponent)
{
    __int128 power = 1;

    assert(exponent <= SCALAR_SCALE_MAX);
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* --- Making them ------------------------------------------------------------- */

enum outcome scalar_integer(__int128 number, unsigned width, struct scalar *scalar)
{
    __int128 limit = (__int128)1 << (8 * width - 1);

    *scalar = (struct scalar){ .kind = SCALAR_INTEGER, .width = width, .number = number };
    return number >= -limit && number < limit ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* So that sums of two, and of one and a half, still have room. */
static enum outcome decimal(__int128 number, unsigned scale, struct scalar *scalar)
{
    __int128 limit = power_of_ten(SCALAR_SCALE_MAX);

    *scalar = (struct scalar){ .kind = SCALAR_DECIMAL, .number = number, .scale = scale };
    return number > -limit && number < limit && scale <= SCALAR_SCALE_MAX ? OUTCOME_DONE
                                                                          : OUTCOME_UNKNOWN;
}

enum outcome scalar_decimal(struct text text, struct scalar *scalar)
{
    bool is_negative = text.length > 0 && text.at[0] == '-', has_point = false;
    unsigned scale = 0;
    size_t digits = 0;
    __int128 number = 0;

    for (size_t i = is_negative; i < text.length; i++) {
        char c = text.at[i];

        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return OUTCOME_FAILED;
        if (number >= power_of_ten(SCALAR_SCALE_MAX - 1))
            return OUTCOME_UNKNOWN;
        number = number * 10 + (c - '0');
        scale += has_point;
        digits++;
    }
    if (digits == 0)
        return OUTCOME_FAILED;
    return decimal(is_negative ? -number : number, scale, scalar);
}

static bool type_is(struct text type, const char *name)
{
    size_t length = strlen(name);

    /* With or without a length: "varchar", "varchar(20)". */
    return type.length >= length && memcmp(type.at, name, length) == 0 &&
           (type.length == length || type.at[length] == '(');
}

static unsigned width_of_type(struct text type)
{
    if (type_is(type, "smallint") || type_is(type, "int2"))
        return 2;
    return type_is(type, "int") || type_is(type, "integer") || type_is(type, "int4") ? 4 : 8;
}

enum outcome scalar_of_cell(const struct history *h, struct value value, struct text type,
                            struct scalar *scalar)
{
    switch (value.kind) {
    case VALUE_NULL:
        *scalar = scalar_null();
        return OUTCOME_DONE;
    case VALUE_BOOLEAN:
        *scalar = scalar_boolean(value.bits);
        return OUTCOME_DONE;
    case VALUE_INTEGER:
        if (!type_is(type, "timestamp"))
            return scalar_integer(value.bits, width_of_type(type), scalar);
        *scalar = (struct scalar){ .kind = SCALAR_TIMESTAMP, .number = value.bits };
        return OUTCOME_DONE;
    case VALUE_TEXT:
        if (type_is(type, "numeric"))
            return scalar_decimal(history_text(h, (uint32_t)value.bits), scalar);
        if (type_is(type, "char"))
            return OUTCOME_UNKNOWN; /* padded with blanks that count here and not there */
        *scalar =
            (struct scalar){ .kind = SCALAR_TEXT, .text = history_text(h, (uint32_t)value.bits) };
        return OUTCOME_DONE;
    case VALUE_LIST:
        *scalar = (struct scalar){ .kind = SCALAR_LIST,
                                   .number = (__int128)(h->list_start[value.bits + 1] -
                                                        h->list_start[value.bits]),
                                   .elements = h->list_element + h->list_start[value.bits] };
        return OUTCOME_DONE;
    default:
        return OUTCOME_UNKNOWN;
    }
}

/* --- Types ------------------------------------------------------------------- */

static bool is_number(const struct scalar *s)
{
    return s->kind == SCALAR_INTEGER || s->kind == SCALAR_DECIMAL;
}

static enum outcome boolean_of_text(struct text text, struct scalar *scalar)
{
    static const struct {
        const char *word;
        bool truth;
    } words[] = { { "true", true },   { "t", true },  { "1", true },
                  { "false", false }, { "f", false }, { "0", false } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_equal(text, text_of(words[i].word))) {
            *scalar = scalar_boolean(words[i].truth);
            return OUTCOME_DONE;
        }
    return OUTCOME_UNKNOWN;
}

static bool read_digits(struct text *text, unsigned count, int64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < count; i++, text->at++, text->length--) {
        if (text->length == 0 || *text->at < '0' || *text->at > '9')
            return false;
        *number = *number * 10 + (*text->at - '0');
    }
    return true;
}

static bool read_mark(struct text *text, char mark)
{
    if (text->length == 0 || *text->at != mark)
        return false;
    text->at++, text->length--;
    return true;
}

/* Days from 1970-01-01 in the Gregorian calendar; March is first, so that leap days are last. */
static int64_t days_of_date(int64_t year, int64_t month, int64_t day)
{
    int64_t years = month <= 2 ? year - 1 : year;
    int64_t months = month <= 2 ? month + 9 : month - 3;

    return 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 -
           719468;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    bool leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (month == 2)
        return leaps ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* 2024-02-29 12:30:00.25, with its time or without. */
static enum outcome timestamp_of_text(struct text text, struct scalar *scalar)
{
    int64_t year, month, day, hour = 0, minute = 0, second = 0, unit = 1000000000, fraction = 0;
    bool has_time;
    __int128 seconds;

    if (!read_digits(&text, 4, &year) || !read_mark(&text, '-') || !read_digits(&text, 2, &month) ||
        !read_mark(&text, '-') || !read_digits(&text, 2, &day) || month < 1 || month > 12 ||
        day < 1 || day > days_of_month(year, month))
        return OUTCOME_UNKNOWN;
    has_time = text.length > 0;
    if (has_time &&
        (!read_mark(&text, ' ') || !read_digits(&text, 2, &hour) || !read_mark(&text, ':') ||
         !read_digits(&text, 2, &minute) || !read_mark(&text, ':') ||
         !read_digits(&text, 2, &second) || hour > 23 || minute > 59 || second > 59))
        return OUTCOME_UNKNOWN;
    if (has_time && text.length > 1 && read_mark(&text, '.')) {
        int64_t digit;

        while (unit > 1000 && read_digits(&text, 1, &digit)) {
            unit /= 10;
            fraction += digit * unit;
        }
    }
    if (text.length > 0)
        return OUTCOME_UNKNOWN;
    seconds = ((__int128)days_of_date(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
    *scalar =
        (struct scalar){ .kind = SCALAR_TIMESTAMP, .number = seconds * 1000000000 + fraction };
    return OUTCOME_DONE;
}

static struct text trim(struct text text)
{
    while (text.length > 0 && *text.at == ' ')
        text.at++, text.length--;
    while (text.length > 0 && text.at[text.length - 1] == ' ')
        text.length--;
    return text;
}

static enum outcome integer_of_text(struct text text, unsigned width, struct scalar *scalar)
{
    int64_t number;

    if (!text_to_int64(trim(text), &number))
        return OUTCOME_UNKNOWN;
    return scalar_integer(number, width, scalar);
}

enum outcome scalar_adapt(struct scalar *s, const struct scalar *other)
{
    if (s->kind != SCALAR_LITERAL)
        return OUTCOME_DONE;
    switch (other->kind) {
    case SCALAR_BOOLEAN:
        return boolean_of_text(s->text, s);
    case SCALAR_INTEGER:
        return integer_of_text(s->text, other->width, s);
    case SCALAR_DECIMAL:
        return scalar_decimal(trim(s->text), s);
    case SCALAR_TIMESTAMP:
        return timestamp_of_text(s->text, s);
    case SCALAR_LIST:
        return OUTCOME_UNKNOWN;
    default:
        s->kind = SCALAR_TEXT;
        return OUTCOME_DONE;
    }
}

/* Rounds half away from zero, as PostgreSQL does. */
static __int128 round_decimal(const struct scalar *s)
{
    __int128 unit = power_of_ten(s->scale), half = unit / 2;

    return (s->number + (s->number < 0 ? -half : half)) / unit;
}

static enum outcome cast_to_integer(struct scalar s, unsigned width, struct scalar *result)
{
    if (s.kind == SCALAR_LITERAL || s.kind == SCALAR_TEXT)
        return integer_of_text(s.text, width, result);
    if (s.kind == SCALAR_INTEGER)
        return scalar_integer(s.number, width, result);
    if (s.kind == SCALAR_DECIMAL)
        return scalar_integer(round_decimal(&s), width, result);
    return OUTCOME_UNKNOWN;
}

enum outcome scalar_cast(struct scalar s, struct text type, struct scalar *result)
{
    static const struct scalar timestamp = { .kind = SCALAR_TIMESTAMP };
    static const struct scalar boolean = { .kind = SCALAR_BOOLEAN };
    bool is_text = s.kind == SCALAR_LITERAL || s.kind == SCALAR_TEXT;

    *result = s;
    result->is_vague = false;
    if (s.kind == SCALAR_NULL)
        return OUTCOME_DONE;
    if (s.is_vague && s.kind == SCALAR_LITERAL)
        return OUTCOME_UNKNOWN;
    if (text_equal(type, TEXT("int2")) || text_equal(type, TEXT("int4")) ||
        text_equal(type, TEXT("int8")))
        return cast_to_integer(s, width_of_type(type), result);
    if (text_equal(type, TEXT("numeric"))) {
        if (is_text)
            return scalar_decimal(trim(s.text), result);
        result->kind = SCALAR_DECIMAL;
        return is_number(&s) ? OUTCOME_DONE : OUTCOME_UNKNOWN;
    }
    if (text_equal(type, TEXT("text")) || text_equal(type, TEXT("varchar"))) {
        result->kind = SCALAR_TEXT;
        return is_text ? OUTCOME_DONE : OUTCOME_UNKNOWN;
    }
    if (text_equal(type, TEXT("bool")))
        return s.kind == SCALAR_LITERAL   ? scalar_adapt(result, &boolean)
               : s.kind == SCALAR_BOOLEAN ? OUTCOME_DONE
                                          : OUTCOME_UNKNOWN;
    if (text_equal(type, TEXT("timestamp")))
        return s.kind == SCALAR_LITERAL     ? scalar_adapt(result, &timestamp)
               : s.kind == SCALAR_TIMESTAMP ? OUTCOME_DONE
                                            : OUTCOME_UNKNOWN;
    return OUTCOME_UNKNOWN;
}

/* --- Comparing --------------------------------------------------------------- */

static int sign_of(__int128 number)
{
    return (number > 0) - (number < 0);
}

/* Whole parts first: what is left of them fits, however the scales differ. */
static int compare_numbers(const struct scalar *a, const struct scalar *b)
{
    __int128 unit_a = power_of_ten(a->scale), unit_b = power_of_ten(b->scale), rest_a, rest_b;
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;

    if (a->number / unit_a != b->number / unit_b)
        return a->number / unit_a < b->number / unit_b ? -1 : 1;
    rest_a = a->number % unit_a * power_of_ten(scale - a->scale);
    rest_b = b->number % unit_b * power_of_ten(scale - b->scale);
    return (rest_a > rest_b) - (rest_a < rest_b);
}

static int compare_lists(const struct scalar *a, const struct scalar *b)
{
    for (__int128 i = 0; i < a->number && i < b->number; i++)
        if (a->elements[i] != b->elements[i])
            return a->elements[i] < b->elements[i] ? -1 : 1;
    return sign_of(a->number - b->number);
}

/* Gives literals the other's type; that of what is vague is not what it seems. */
static enum outcome settle(struct scalar *a, struct scalar *b)
{
    bool is_vague = a->is_vague || b->is_vague;

    if (is_vague && a->kind == SCALAR_LITERAL && b->kind == SCALAR_LITERAL)
        return OUTCOME_UNKNOWN;
    DONE_OR_RETURN(scalar_adapt(a, b));
    return scalar_adapt(b, a);
}

enum outcome scalar_compare(struct scalar a, struct scalar b, int *comparison)
{
    bool is_vague = a.is_vague || b.is_vague;
    enum outcome outcome = settle(&a, &b);

    if (outcome != OUTCOME_DONE)
        return is_vague ? OUTCOME_UNKNOWN : outcome;
    if (is_number(&a) && is_number(&b)) {
        *comparison = compare_numbers(&a, &b);
        return OUTCOME_DONE;
    }
    if (a.kind != b.kind || a.kind == SCALAR_NULL)
        return OUTCOME_UNKNOWN;
    if (a.kind == SCALAR_TEXT)
        *comparison = text_compare(a.text, b.text);
    else if (a.kind == SCALAR_LIST)
        *comparison = compare_lists(&a, &b);
    else
        *comparison = sign_of(a.number - b.number);
    return OUTCOME_DONE;
}

/* --- Computing --------------------------------------------------------------- */

static enum outcome compute_integers(char operation, const struct scalar *a, const struct scalar *b,
                                     struct scalar *result)
{
    unsigned width = a->width > b->width ? a->width : b->width;
    __int128 x = a->number, y = b->number;

    switch (operation) {
    case '+':
        return scalar_integer(x + y, width, result);
    case '-':
        return scalar_integer(x - y, width, result);
    case '*':
        return scalar_integer(x * y, width, result);
    case '/':
        return y == 0 ? OUTCOME_FAILED : scalar_integer(x / y, width, result);
    case '%':
        return y == 0 ? OUTCOME_FAILED : scalar_integer(x % y, width, result);
    default:
        return OUTCOME_UNKNOWN;
    }
}

/* How many digits a quotient has is a chapter of its own. */
static enum outcome compute_decimals(char operation, const struct scalar *a, const struct scalar *b,
                                     struct scalar *result)
{
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;
    __int128 x, y;

    if (operation == '*')
        return __builtin_mul_overflow(a->number, b->number, &x)
                   ? OUTCOME_UNKNOWN
                   : decimal(x, a->scale + b->scale, result);
    if ((operation != '+' && operation != '-') ||
        __builtin_mul_overflow(a->number, power_of_ten(scale - a->scale), &x) ||
        __builtin_mul_overflow(b->number, power_of_ten(scale - b->scale), &y) ||
        __builtin_add_overflow(x, operation == '+' ? y : -y, &x))
        return OUTCOME_UNKNOWN;
    return decimal(x, scale, result);
}

static enum outcome compute(char operation, struct scalar *a, struct scalar *b,
                            struct scalar *result)
{
    DONE_OR_RETURN(settle(a, b));
    if (!is_number(a) || !is_number(b))
        return OUTCOME_UNKNOWN;
    if (a->kind == SCALAR_INTEGER && b->kind == SCALAR_INTEGER)
        return compute_integers(operation, a, b, result);
    return compute_decimals(operation, a, b, result);
}

enum outcome scalar_compute(char operation, struct scalar a, struct scalar b, struct scalar *result)
{
    bool is_vague = a.is_vague || b.is_vague;
    enum outcome outcome;

    /* Integers and decimals are divided in two ways. */
    if (is_vague && (operation == '/' || operation == '%'))
        return OUTCOME_UNKNOWN;
    outcome = compute(operation, &a, &b, result);
    result->is_vague = is_vague;
    return is_vague && outcome == OUTCOME_FAILED ? OUTCOME_UNKNOWN : outcome;
}
