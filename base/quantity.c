#include "base/quantity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"

struct unit {
    const char *name;
    int64_t size;
};

static const struct unit durations[] = {
    { "ns", 1 },
    { "us", INT64_C(1000) },
    { "ms", INT64_C(1000000) },
    { "s", INT64_C(1000000000) },
    { "m", INT64_C(60000000000) },
    { "h", INT64_C(3600000000000) },
};

static const struct unit sizes[] = {
    { "", 1 },
    { "K", INT64_C(1) << 10 },
    { "M", INT64_C(1) << 20 },
    { "G", INT64_C(1) << 30 },
    { "T", INT64_C(1) << 40 },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The text without its underscores, each of which stands between two digits. */
static bool drop_underscores(struct text text, char *to, size_t size, struct text *plain)
{
    size_t length = 0;

    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '_') {
            if (i == 0 || i + 1 == text.length || !is_digit(text.at[i - 1]) ||
                !is_digit(text.at[i + 1]))
                return false;
            continue;
        }
        if (length == size)
            return false;
        to[length++] = text.at[i];
    }
    *plain = (struct text){ to, length };
    return true;
}

bool quantity_to_integer(struct text text, int64_t *number)
{
    char digits[40];
    struct text plain;

    if (text.length > 1 && text.at[0] == '+' && is_digit(text.at[1])) {
        text.at++;
        text.length--;
    }
    return drop_underscores(text, digits, sizeof digits, &plain) && text_to_int64(plain, number);
}

static const struct unit *find_unit(const struct unit *units, size_t count, struct text name)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal(text_of(units[i].name), name))
            return &units[i];
    return NULL;
}

/* A decimal and the name of a unit, of which it is a whole number of the smallest. */
static bool read_with_unit(struct text text, const struct unit *units, size_t count,
                           int64_t *number_of_smallest)
{
    char digits[40];
    struct text plain;
    struct ratio number;
    size_t split;
    unsigned __int128 product;
    const struct unit *unit;

    for (split = text.length; split > 0 && !is_digit(text.at[split - 1]);)
        split--;
    unit = find_unit(units, count, (struct text){ text.at + split, text.length - split });
    text.length = split;
    if (!unit || !drop_underscores(text, digits, sizeof digits, &plain) ||
        !random_ratio_of_text(plain, &number))
        return false;
    product = (unsigned __int128)number.numerator * (uint64_t)unit->size;
    if (product % number.denominator != 0 || product / number.denominator > INT64_MAX)
        return false;
    *number_of_smallest = (int64_t)(product / number.denominator);
    return true;
}

bool quantity_to_duration(struct text text, int64_t *ns)
{
    bool negative = text.length > 0 && text.at[0] == '-';

    if (negative) {
        text.at++;
        text.length--;
    }
    if (!read_with_unit(text, durations, ROW_COUNT(durations), ns))
        return false;
    if (negative)
        *ns = -*ns;
    return true;
}

bool quantity_to_bytes(struct text text, int64_t *bytes)
{
    return read_with_unit(text, sizes, ROW_COUNT(sizes), bytes);
}

bool quantity_to_probability(struct text text, struct ratio *ratio)
{
    char digits[40];
    struct text plain;

    return drop_underscores(text, digits, sizeof digits, &plain) &&
           random_ratio_of_text(plain, ratio) && ratio->numerator <= ratio->denominator;
}

/* In the largest unit that divides it. */
static void print_with_unit(struct buffer *out, const struct unit *units, size_t count,
                            int64_t number)
{
    size_t u = count - 1;

    while (number % units[u].size != 0)
        u--;
    buffer_print(out, "%" PRId64 "%s", number / units[u].size, units[u].name);
}

void quantity_print_duration(struct buffer *out, int64_t ns)
{
    /* Zero is divisible by all; hours would look odd. */
    if (ns == 0)
        buffer_text(out, TEXT("0s"));
    else
        print_with_unit(out, durations, ROW_COUNT(durations), ns);
}

void quantity_print_bytes(struct buffer *out, int64_t bytes)
{
    if (bytes == 0)
        buffer_text(out, TEXT("0"));
    else
        print_with_unit(out, sizes, ROW_COUNT(sizes), bytes);
}

void quantity_print_rounded(struct buffer *out, int64_t ns)
{
    size_t u = 3;
    int64_t hundredths;

    assert(ns >= 0);
    while (u > 0 && ns < durations[u].size)
        u--;
    hundredths = ns / durations[u].size * 100 + ns % durations[u].size * 100 / durations[u].size;
    if (hundredths % 100 == 0 || hundredths >= 10000)
        buffer_print(out, "%" PRId64 " %s", hundredths / 100, durations[u].name);
    else
        buffer_print(out, "%" PRId64 ".%02" PRId64 " %s", hundredths / 100, hundredths % 100,
                     durations[u].name);
}

void quantity_print_probability(struct buffer *out, struct ratio ratio)
{
    uint64_t digits = ratio.numerator % ratio.denominator;

    buffer_print(out, "%" PRIu64 ".", ratio.numerator / ratio.denominator);
    for (uint64_t unit = ratio.denominator / 10; unit > 0; unit /= 10) {
        buffer_byte(out, (char)('0' + digits / unit % 10));
    }
    if (ratio.denominator == 1)
        buffer_byte(out, '0');
}

void quantity_print_count(struct buffer *out, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buffer_byte(out, ' ');
        buffer_byte(out, digits[i]);
    }
}
