#include "verify/calls/item_private.h"

#define DIGITS_MAX 38
#define DIVISION_DIGITS 16 /* what PostgreSQL's division aims at */
#define GROUP 4            /* decimal digits in one of its digits */

typedef unsigned __int128 magnitude_bits;

static __int128 ten_to(unsigned exponent)
{
    __int128 power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static __int128 absolute(__int128 number)
{
    return number < 0 ? -number : number;
}

static _Noreturn void refuse_digits(const struct workbench *w)
{
    trap_unknown(w->trap, "numbers of more than %d digits", DIGITS_MAX);
}

static struct item checked(const struct workbench *w, __int128 number, unsigned scale)
{
    if (scale > DIGITS_MAX || absolute(number) >= ten_to(DIGITS_MAX))
        refuse_digits(w);
    return item_numeric(number, scale);
}

static __int128 scaled_up(const struct workbench *w, __int128 number, unsigned exponent)
{
    __int128 result;

    if (number == 0)
        return 0;
    if (exponent > DIGITS_MAX || __builtin_mul_overflow(number, ten_to(exponent), &result))
        refuse_digits(w);
    return result;
}

struct item item_to_numeric(struct item item)
{
    return item.kind == ITEM_INTEGER ? item_numeric(item.as.integer, 0) : item;
}

struct item item_fit_integer(const struct workbench *w, __int128 number, enum kind kind)
{
    unsigned bits = kind == KIND_SMALLINT ? 16 : kind == KIND_INTEGER ? 32 : 64;
    __int128 limit = (__int128)1 << (bits - 1);

    if (number < -limit || number >= limit)
        trap_error(w->trap, "22003");
    return item_integer((int64_t)number);
}

struct item item_round(const struct workbench *w, struct item item, int64_t scale)
{
    __int128 unit, half;
    unsigned drop;

    if (scale > DIGITS_MAX)
        refuse_digits(w);
    if (scale >= (int64_t)item.scale)
        return checked(w, scaled_up(w, item.as.number, (unsigned)(scale - item.scale)),
                       (unsigned)scale);
    if (scale < -DIGITS_MAX || (int64_t)item.scale - scale > DIGITS_MAX)
        return item_numeric(0, scale > 0 ? (unsigned)scale : 0);
    drop = (unsigned)(item.scale - scale);
    unit = ten_to(drop);
    half = absolute(item.as.number) % unit >= unit - absolute(item.as.number) % unit;
    item.as.number = item.as.number < 0 ? -(absolute(item.as.number) / unit + half)
                                        : item.as.number / unit + half;
    if (scale >= 0)
        return item_numeric(item.as.number, (unsigned)scale);
    return checked(w, scaled_up(w, item.as.number, (unsigned)-scale), 0);
}

struct item item_floor(struct item item)
{
    __int128 unit = ten_to(item.scale), whole = item.as.number / unit;

    return item_numeric(whole - (item.as.number % unit < 0), 0);
}

static unsigned digits_of(__int128 number)
{
    unsigned count = 0;

    for (number = absolute(number); number > 0; number /= 10)
        count++;
    return count;
}

/* PostgreSQL keeps groups of four digits: the weight of the first one, and that one. */
static int first_group(struct item item, int *group)
{
    int place, weight, shift;

    *group = 0;
    if (item.as.number == 0)
        return 0;
    place = (int)digits_of(item.as.number) - 1 - item.scale; /* of the first digit */
    weight = place >= 0 ? place / GROUP : -((-place + GROUP - 1) / GROUP);
    shift = weight * GROUP + item.scale;
    *group = (int)(shift >= 0 ? absolute(item.as.number) / ten_to((unsigned)shift)
                              : absolute(item.as.number) * ten_to((unsigned)-shift));
    return weight;
}

static unsigned quotient_scale(struct item a, struct item b)
{
    int a_group, b_group, scale;
    int weight = first_group(a, &a_group) - first_group(b, &b_group);

    if (a_group <= b_group)
        weight--;
    scale = DIVISION_DIGITS - weight * GROUP;
    if (scale < a.scale)
        scale = a.scale;
    return (unsigned)(scale < b.scale ? b.scale : scale);
}

/* By hand, digit for digit: a / 10^a.scale / (b / 10^b.scale) with so many digits behind the point. */
static struct item divide(const struct workbench *w, struct item a, struct item b)
{
    magnitude_bits divisor = (magnitude_bits)absolute(b.as.number);
    magnitude_bits rest = (magnitude_bits)absolute(a.as.number), quotient;
    bool is_negative = (a.as.number < 0) != (b.as.number < 0);
    unsigned scale;

    if (divisor == 0)
        trap_error(w->trap, "22012");
    scale = quotient_scale(a, b);
    if (scale > DIGITS_MAX || divisor >= (magnitude_bits)ten_to(DIGITS_MAX - 1))
        refuse_digits(w);
    quotient = rest / divisor;
    rest %= divisor;
    for (unsigned i = 0; i < scale + b.scale - a.scale; i++) {
        if (quotient >= (magnitude_bits)ten_to(DIGITS_MAX - 1))
            refuse_digits(w);
        rest *= 10;
        quotient = quotient * 10 + rest / divisor;
        rest %= divisor;
    }
    quotient += rest >= divisor - rest;
    return checked(w, is_negative ? -(__int128)quotient : (__int128)quotient, scale);
}

static struct item compute_numeric(const struct workbench *w, char operation, struct item a,
                                   struct item b)
{
    unsigned scale = a.scale > b.scale ? a.scale : b.scale;
    __int128 result;

    a = item_to_numeric(a);
    b = item_to_numeric(b);
    if (operation == '/')
        return divide(w, a, b);
    if (operation == '*') {
        if (__builtin_mul_overflow(a.as.number, b.as.number, &result))
            refuse_digits(w);
        return checked(w, result, (unsigned)(a.scale + b.scale));
    }
    a.as.number = scaled_up(w, a.as.number, scale - a.scale);
    b.as.number = scaled_up(w, b.as.number, scale - b.scale);
    if (operation == '%') {
        if (b.as.number == 0)
            trap_error(w->trap, "22012");
        return checked(w, a.as.number % b.as.number, scale);
    }
    if (operation == '-')
        b.as.number = -b.as.number;
    if (__builtin_add_overflow(a.as.number, b.as.number, &result))
        refuse_digits(w);
    return checked(w, result, scale);
}

struct item item_compute(const struct workbench *w, char operation, enum kind kind, struct item a,
                         struct item b)
{
    __int128 x, y;

    if (kind == KIND_NUMERIC)
        return compute_numeric(w, operation, a, b);
    x = a.as.integer;
    y = b.as.integer;
    switch (operation) {
    case '+':
        return item_fit_integer(w, x + y, kind);
    case '-':
        return item_fit_integer(w, x - y, kind);
    case '*':
        return item_fit_integer(w, x * y, kind);
    default:
        if (y == 0)
            trap_error(w->trap, "22012");
        return item_fit_integer(w, operation == '/' ? x / y : x % y, kind);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, a point, digits, an exponent; blanks around. */
struct item item_parse_numeric(const struct workbench *w, struct text text)
{
    size_t i = 0, digits = 0;
    bool is_negative = false, has_point = false;
    int64_t scale = 0, exponent = 0;
    __int128 number = 0;

    while (i < text.length && text.at[i] == ' ')
        i++;
    if (i < text.length && (text.at[i] == '-' || text.at[i] == '+'))
        is_negative = text.at[i++] == '-';
    for (; i < text.length && (is_digit(text.at[i]) || (text.at[i] == '.' && !has_point)); i++) {
        if (text.at[i] == '.') {
            has_point = true;
            continue;
        }
        if (number >= ten_to(DIGITS_MAX - 1))
            refuse_digits(w);
        number = number * 10 + (text.at[i] - '0');
        scale += has_point;
        digits++;
    }
    if (i + 1 < text.length && digits > 0 && (text.at[i] == 'e' || text.at[i] == 'E')) {
        bool shrinks = text.at[i + 1] == '-';
        size_t from;

        i += 1 + (shrinks || text.at[i + 1] == '+');
        for (from = i; i < text.length && is_digit(text.at[i]) && exponent < 1000; i++)
            exponent = exponent * 10 + (text.at[i] - '0');
        if (i == from)
            digits = 0;
        scale += shrinks ? exponent : -exponent;
    }
    while (i < text.length && text.at[i] == ' ')
        i++;
    if (digits == 0 || i < text.length)
        trap_error(w->trap, "22P02");
    if (scale > DIGITS_MAX || scale < -DIGITS_MAX)
        refuse_digits(w);
    number = is_negative ? -number : number;
    if (scale < 0)
        return checked(w, scaled_up(w, number, (unsigned)-scale), 0);
    return item_numeric(number, (unsigned)scale);
}

struct item item_fit_numeric(const struct workbench *w, struct item item, struct item_type type)
{
    item = item_to_numeric(item);
    if (type.precision == 0)
        return item;
    if (item.scale < type.scale &&
        digits_of(item.as.number) + type.scale - item.scale > type.precision && item.as.number != 0)
        trap_error(w->trap, "22003");
    item = item_round(w, item, type.scale);
    if (absolute(item.as.number) >= ten_to(type.precision))
        trap_error(w->trap, "22003");
    return item;
}
