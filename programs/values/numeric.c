#include "programs/values/numeric.h"

#include <assert.h>

#include "base/array.h"
#include "base/hash.h"

/* PostgreSQL computes in digits of base 10000, and the scale of a quotient shows it. */
#define GROUP_DIGITS 4
#define QUOTIENT_DIGITS_MIN 16

#define TEN_TO_19 UINT64_C(10000000000000000000)

static const uint64_t small_powers[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    TEN_TO_19,
};

static unsigned __int128 power_of_ten(int exponent)
{
    assert(exponent >= 0 && exponent <= NUMERIC_DIGITS_MAX);
    if (exponent < 19)
        return small_powers[exponent];
    return (unsigned __int128)TEN_TO_19 * small_powers[exponent - 19];
}

static unsigned __int128 magnitude_of(__int128 digits)
{
    return digits < 0 ? -(unsigned __int128)digits : (unsigned __int128)digits;
}

static __int128 with_sign(unsigned __int128 magnitude, bool negative)
{
    return negative ? -(__int128)magnitude : (__int128)magnitude;
}

static enum status refuse_digits(struct sql_error *err)
{
    return sql_error_set(err, SQLSTATE_NUMERIC_OUT_OF_RANGE,
                         "numeric values of more than %d digits are not supported",
                         NUMERIC_DIGITS_MAX);
}

static enum status refuse_zero(struct sql_error *err)
{
    return sql_error_set(err, SQLSTATE_DIVISION_BY_ZERO, "division by zero");
}

static int count_bits(unsigned __int128 magnitude)
{
    uint64_t high = (uint64_t)(magnitude >> 64), low = (uint64_t)magnitude;

    if (high > 0)
        return 128 - __builtin_clzll(high);
    return low > 0 ? 64 - __builtin_clzll(low) : 0;
}

static int count_digits(unsigned __int128 magnitude)
{
    int fewest = count_bits(magnitude) * 1233 / 4096; /* log10(2), from below */

    return fewest + (magnitude > 0 && magnitude >= power_of_ten(fewest));
}

/* Multiplies by 10^exponent. False: that is more digits than there may be. */
static bool shift_left(__int128 *digits, int exponent)
{
    unsigned __int128 magnitude = magnitude_of(*digits);

    if (exponent == 0 || magnitude == 0)
        return true;
    if (exponent >= NUMERIC_DIGITS_MAX || magnitude >= power_of_ten(NUMERIC_DIGITS_MAX - exponent))
        return false;
    *digits = with_sign(magnitude * power_of_ten(exponent), *digits < 0);
    return true;
}

/* Divides by 10^exponent, rounding half away from zero. */
static __int128 shift_right(__int128 digits, int exponent)
{
    unsigned __int128 magnitude = magnitude_of(digits), unit;

    if (exponent > NUMERIC_DIGITS_MAX)
        return 0;
    unit = power_of_ten(exponent);
    return with_sign(magnitude / unit + (magnitude % unit >= unit - magnitude % unit), digits < 0);
}

/* Brings both to the larger scale. False: one of them has no room for that. */
static bool align(struct numeric *a, struct numeric *b)
{
    struct numeric *coarse = a->scale < b->scale ? a : b;
    int scale = a->scale < b->scale ? b->scale : a->scale;
    int exponent = scale - coarse->scale;

    coarse->scale = scale;
    return shift_left(&coarse->digits, exponent);
}

static enum status check_digits(__int128 digits, int scale, struct numeric *out,
                                struct sql_error *err)
{
    if (scale > NUMERIC_DIGITS_MAX || magnitude_of(digits) >= power_of_ten(NUMERIC_DIGITS_MAX))
        return refuse_digits(err);
    *out = (struct numeric){ digits, scale };
    return STATUS_OK;
}

enum status numeric_add(struct numeric a, struct numeric b, struct numeric *out,
                        struct sql_error *err)
{
    __int128 sum;

    if (!align(&a, &b) || __builtin_add_overflow(a.digits, b.digits, &sum))
        return refuse_digits(err);
    return check_digits(sum, a.scale, out, err);
}

enum status numeric_subtract(struct numeric a, struct numeric b, struct numeric *out,
                             struct sql_error *err)
{
    return numeric_add(a, numeric_negate(b), out, err);
}

enum status numeric_multiply(struct numeric a, struct numeric b, struct numeric *out,
                             struct sql_error *err)
{
    __int128 product;

    if (__builtin_mul_overflow(a.digits, b.digits, &product))
        return refuse_digits(err);
    return check_digits(product, a.scale + b.scale, out, err);
}

/* Where the first digit of base 10000 stands, counted from the point, and what it is. */
static int find_first_group(struct numeric a, int *group)
{
    unsigned __int128 magnitude = magnitude_of(a.digits);
    int place, weight, shift;

    *group = 0;
    if (magnitude == 0)
        return 0;
    place = count_digits(magnitude) - 1 - a.scale;
    weight = place >= 0 ? place / GROUP_DIGITS : -((GROUP_DIGITS - 1 - place) / GROUP_DIGITS);
    shift = GROUP_DIGITS * weight + a.scale;
    *group = (int)(shift >= 0 ? magnitude / power_of_ten(shift) : magnitude * power_of_ten(-shift));
    return weight;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* PostgreSQL's select_div_scale(): sixteen digits at least, as far as it can guess. */
static int choose_quotient_scale(struct numeric a, struct numeric b)
{
    int a_group, b_group;
    int weight = find_first_group(a, &a_group) - find_first_group(b, &b_group);

    if (a_group <= b_group)
        weight--;
    return larger(larger(QUOTIENT_DIGITS_MIN - weight * GROUP_DIGITS, 0), larger(a.scale, b.scale));
}

/* Adds to a rest that stays below the divisor; says how often the divisor was full. */
static unsigned add_below(unsigned __int128 *rest, unsigned __int128 more,
                          unsigned __int128 divisor)
{
    *rest += more;
    if (*rest < divisor)
        return 0;
    *rest -= divisor;
    return 1;
}

/* Ten times the remainder, divided, where ten times it would not fit: 10 = 2 (2 * 2 + 1). */
static unsigned next_digit(unsigned __int128 *remainder, unsigned __int128 divisor)
{
    unsigned __int128 rest = *remainder;
    unsigned digit = add_below(&rest, rest, divisor);

    digit = 2 * digit + add_below(&rest, rest, divisor);
    digit += add_below(&rest, *remainder, divisor);
    digit = 2 * digit + add_below(&rest, rest, divisor);
    *remainder = rest;
    return digit;
}

/* Appends `count` more digits to a quotient. False: there is no room for them. */
static bool divide_on(unsigned __int128 *quotient, unsigned __int128 *remainder,
                      unsigned __int128 divisor, int count)
{
    int stride = NUMERIC_DIGITS_MAX - count_digits(divisor);

    while (count > 0) {
        int step = stride < 1 ? 1 : stride < count ? stride : count;
        unsigned __int128 unit = power_of_ten(step), more;

        if (*quotient >= power_of_ten(NUMERIC_DIGITS_MAX - step))
            return false;
        if (stride < 1) {
            more = next_digit(remainder, divisor);
        } else {
            more = *remainder * unit / divisor;
            *remainder = *remainder * unit % divisor;
        }
        *quotient = *quotient * unit + more;
        count -= step;
    }
    return true;
}

enum status numeric_divide(struct numeric a, struct numeric b, struct numeric *out,
                           struct sql_error *err)
{
    unsigned __int128 divisor = magnitude_of(b.digits), dividend = magnitude_of(a.digits);
    unsigned __int128 quotient, remainder;
    int scale, exponent;

    if (divisor == 0)
        return refuse_zero(err);
    scale = choose_quotient_scale(a, b);
    exponent = scale + b.scale - a.scale; /* never negative: scale >= a.scale */
    quotient = dividend / divisor;
    remainder = dividend % divisor;
    if (!divide_on(&quotient, &remainder, divisor, exponent))
        return refuse_digits(err);
    quotient += remainder >= divisor - remainder;
    return check_digits(with_sign(quotient, (a.digits < 0) != (b.digits < 0)), scale, out, err);
}

enum status numeric_modulo(struct numeric a, struct numeric b, struct numeric *out,
                           struct sql_error *err)
{
    if (b.digits == 0)
        return refuse_zero(err);
    if (!align(&a, &b))
        return refuse_digits(err);
    *out = (struct numeric){ a.digits % b.digits, a.scale };
    return STATUS_OK;
}

struct numeric numeric_negate(struct numeric a)
{
    return (struct numeric){ -a.digits, a.scale };
}

struct numeric numeric_abs(struct numeric a)
{
    return a.digits < 0 ? numeric_negate(a) : a;
}

struct numeric numeric_sign(struct numeric a)
{
    return numeric_from_int64((a.digits > 0) - (a.digits < 0));
}

struct numeric numeric_floor(struct numeric a)
{
    __int128 unit = (__int128)power_of_ten(a.scale);

    return (struct numeric){ a.digits / unit - (a.digits % unit < 0), 0 };
}

struct numeric numeric_ceil(struct numeric a)
{
    return numeric_negate(numeric_floor(numeric_negate(a)));
}

enum status numeric_round(struct numeric a, int64_t scale, struct numeric *out,
                          struct sql_error *err)
{
    int lowest = -NUMERIC_DIGITS_MAX - 1; /* from there on all is zero */
    int to = scale < lowest ? lowest : (int)scale;

    if (scale > NUMERIC_DIGITS_MAX)
        return refuse_digits(err);
    if (to >= a.scale) {
        if (!shift_left(&a.digits, to - a.scale))
            return refuse_digits(err);
        *out = (struct numeric){ a.digits, to };
        return STATUS_OK;
    }
    a.digits = shift_right(a.digits, a.scale - to);
    if (to < 0 && !shift_left(&a.digits, -to))
        return refuse_digits(err);
    return check_digits(a.digits, to < 0 ? 0 : to, out, err);
}

enum status numeric_fit(struct numeric a, int precision, int scale, struct numeric *out,
                        struct sql_error *err)
{
    struct numeric rounded;
    int limit_digits;

    assert(precision >= 1 && precision <= NUMERIC_DIGITS_MAX);
    if (numeric_round(a, scale, &rounded, err) != STATUS_OK)
        goto overflow; /* more than 38 digits are more than the precision */
    limit_digits = precision - scale + rounded.scale;
    if (limit_digits < NUMERIC_DIGITS_MAX &&
        magnitude_of(rounded.digits) >= power_of_ten(limit_digits))
        goto overflow;
    *out = rounded;
    return STATUS_OK;
overflow:
    return sql_error_set(err, SQLSTATE_NUMERIC_OUT_OF_RANGE, "numeric field overflow");
}

int numeric_compare(struct numeric a, struct numeric b)
{
    bool a_is_coarse = a.scale < b.scale;

    if (a.scale != b.scale && !align(&a, &b)) {
        /* The one that has no room to become finer is the larger by far. */
        __int128 giant = a_is_coarse ? a.digits : b.digits;
        return (giant > 0) == a_is_coarse ? 1 : -1;
    }
    return (a.digits > b.digits) - (a.digits < b.digits);
}

uint64_t numeric_hash(struct numeric a)
{
    while (a.scale > 0 && a.digits % 10 == 0) {
        a.digits /= 10;
        a.scale--;
    }
    return hash_number((uint64_t)a.digits ^
                       hash_number((uint64_t)(a.digits >> 64) + (uint64_t)a.scale));
}

bool numeric_to_int64(struct numeric a, int64_t *out)
{
    __int128 rounded = shift_right(a.digits, a.scale);

    if (rounded > INT64_MAX || rounded < INT64_MIN)
        return false;
    *out = (int64_t)rounded;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number in text, taken apart. Digits beyond 38 are only counted. */
struct numeric_reading {
    unsigned __int128 magnitude;
    int64_t digit_count; /* without leading zeros */
    int64_t scale;
    bool negative;
};

static size_t read_digits(struct text text, size_t at, struct numeric_reading *r, bool behind_point)
{
    for (; at < text.length && is_digit(text.at[at]); at++) {
        unsigned digit = (unsigned)(text.at[at] - '0');

        r->digit_count += r->digit_count > 0 || digit > 0;
        if (r->digit_count <= NUMERIC_DIGITS_MAX)
            r->magnitude = 10 * r->magnitude + digit;
        r->scale += behind_point;
    }
    return at;
}

/* "e-3", at the letter. Returns `at` itself if that is no exponent. */
static size_t read_exponent(struct text text, size_t at, int64_t *exponent)
{
    size_t from = at + 1, i;
    bool negative = from < text.length && text.at[from] == '-';

    *exponent = 0;
    from += from < text.length && (text.at[from] == '-' || text.at[from] == '+');
    for (i = from; i < text.length && is_digit(text.at[i]); i++)
        if (*exponent < INT32_MAX)
            *exponent = 10 * *exponent + (text.at[i] - '0');
    if (negative)
        *exponent = -*exponent;
    return i > from ? i : at;
}

static bool read_number(struct text text, struct numeric_reading *r)
{
    size_t at = 0, from, digits = 0;
    int64_t exponent = 0;

    while (at < text.length && is_blank(text.at[at]))
        at++;
    if (at < text.length && (text.at[at] == '-' || text.at[at] == '+'))
        r->negative = text.at[at++] == '-';
    from = at;
    at = read_digits(text, at, r, false);
    digits = at - from;
    if (at < text.length && text.at[at] == '.') {
        from = ++at;
        at = read_digits(text, at, r, true);
        digits += at - from;
    }
    if (digits == 0)
        return false;
    if (at < text.length && (text.at[at] == 'e' || text.at[at] == 'E'))
        at = read_exponent(text, at, &exponent);
    while (at < text.length && is_blank(text.at[at]))
        at++;
    r->scale -= exponent;
    return at == text.length;
}

enum status numeric_parse(struct text text, struct numeric *out, struct sql_error *err)
{
    struct numeric_reading r = { 0 };
    __int128 digits;

    if (!read_number(text, &r))
        return sql_error_set(err, SQLSTATE_TEXT_REPRESENTATION,
                             "invalid input syntax for type numeric: \"%.*s\"", TEXT_PRINT(text));
    if (r.digit_count > NUMERIC_DIGITS_MAX || r.scale > NUMERIC_DIGITS_MAX)
        return refuse_digits(err);
    digits = with_sign(r.magnitude, r.negative);
    if (r.scale < 0) {
        if (digits != 0 && (r.scale < -NUMERIC_DIGITS_MAX || !shift_left(&digits, (int)-r.scale)))
            return refuse_digits(err);
        r.scale = 0;
    }
    *out = (struct numeric){ digits, (int)r.scale };
    return STATUS_OK;
}

char *numeric_write(char *to, struct numeric a)
{
    unsigned __int128 magnitude = magnitude_of(a.digits);
    uint64_t low = (uint64_t)(magnitude % TEN_TO_19), high = (uint64_t)(magnitude / TEN_TO_19);
    int total =
        larger(count_digits(magnitude), a.scale + 1); /* "0.5" has a zero before the point */
    char *end;

    if (a.digits < 0)
        *to++ = '-';
    to = end = to + total + (a.scale > 0);
    for (int i = 0; i < total; i++, low /= 10) {
        if (i == 19)
            low = high;
        if (i == a.scale && i > 0)
            *--to = '.';
        *--to = (char)('0' + low % 10);
    }
    return end;
}
