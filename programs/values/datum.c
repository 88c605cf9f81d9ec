#include "programs/values/datum.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/text.h"
#include "programs/values/sql_error.h"

/*
 * Virtual time as SQL reads and writes it.
 *
 * Nanoseconds since 1970-01-01 00:00:00, without time zones, from 1677 to 2262.
 * Texts end at microseconds, as PostgreSQL's do, so whoever makes a timestamp
 * of the virtual clock cuts it to whole microseconds first. Of the many ways in
 * which PostgreSQL reads a date there is one: 'YYYY-MM-DD[ HH:MM[:SS[.ffffff]]]'.
 */

#define TIMESTAMP_TEXT_MAX 26 /* bytes, without a zero byte */

#define SECOND_NS INT64_C(1000000000)
#define MICROSECOND_NS 1000
#define DAY_SECONDS INT64_C(86400)
#define FRACTION_DIGITS 6

/* Days of 400 years, after which the calendar repeats; it starts on 1 March of the year 0. */
#define ERA_DAYS 146097
#define DAYS_BEFORE_1970 719468

struct timestamp_moment {
    int64_t year, month, day, hour, minute, second, microsecond;
};

/* Days since 1970-01-01. Years begin in March, so that a leap day ends one. */
static int64_t days_of(const struct timestamp_moment *m)
{
    int64_t year = m->year - (m->month <= 2);
    int64_t era = year / 400, year_of_era = year % 400;
    int64_t day_of_year = (153 * ((m->month + 9) % 12) + 2) / 5 + m->day - 1;

    return era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           DAYS_BEFORE_1970;
}

static void set_date(struct timestamp_moment *m, int64_t days)
{
    int64_t since = days + DAYS_BEFORE_1970, era = since / ERA_DAYS, day = since % ERA_DAYS;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * day_of_year + 2) / 153;

    m->day = day_of_year - (153 * month + 2) / 5 + 1;
    m->month = month < 10 ? month + 3 : month - 9;
    m->year = year + era * 400 + (m->month <= 2);
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct timestamp_reader {
    struct text text;
    size_t at;
};

static bool take(struct timestamp_reader *r, char c)
{
    if (r->at == r->text.length || r->text.at[r->at] != c)
        return false;
    r->at++;
    return true;
}

static bool take_number(struct timestamp_reader *r, size_t digits_min, size_t digits_max, int64_t *number)
{
    size_t from = r->at;

    *number = 0;
    for (; r->at < r->text.length && is_digit(r->text.at[r->at]); r->at++)
        if (r->at - from < digits_max)
            *number = 10 * *number + (r->text.at[r->at] - '0');
    return r->at - from >= digits_min && r->at - from <= digits_max;
}

/* Behind the point: up to six digits, and zeros. */
static bool take_fraction(struct timestamp_reader *r, int64_t *microseconds)
{
    int digits = 0;

    *microseconds = 0;
    for (; r->at < r->text.length && is_digit(r->text.at[r->at]); r->at++, digits++)
        if (digits < FRACTION_DIGITS)
            *microseconds = 10 * *microseconds + (r->text.at[r->at] - '0');
        else if (r->text.at[r->at] != '0')
            return false;
    for (; digits < FRACTION_DIGITS; digits++)
        *microseconds *= 10;
    return true;
}

static bool take_time(struct timestamp_reader *r, struct timestamp_moment *m)
{
    if (!take_number(r, 1, 2, &m->hour) || !take(r, ':') || !take_number(r, 1, 2, &m->minute))
        return false;
    if (!take(r, ':'))
        return true;
    if (!take_number(r, 1, 2, &m->second))
        return false;
    return !take(r, '.') || take_fraction(r, &m->microsecond);
}

static bool take_moment(struct timestamp_reader *r, struct timestamp_moment *m)
{
    while (r->at < r->text.length && is_blank(r->text.at[r->at]))
        r->at++;
    while (r->text.length > r->at && is_blank(r->text.at[r->text.length - 1]))
        r->text.length--;
    if (!take_number(r, 4, 6, &m->year) || !take(r, '-') || !take_number(r, 1, 2, &m->month) ||
        !take(r, '-') || !take_number(r, 1, 2, &m->day))
        return false;
    if (r->at == r->text.length)
        return true;
    if (!take(r, 'T') && !take(r, ' '))
        return false;
    while (take(r, ' '))
        ;
    return take_time(r, m) && r->at == r->text.length;
}

/* PostgreSQL, too, takes 24:00:00 for the next day and second 60 for the next minute. */
static bool is_in_range(const struct timestamp_moment *m)
{
    bool is_midnight = m->minute == 0 && m->second == 0 && m->microsecond == 0;

    return m->year >= 1 && m->month >= 1 && m->month <= 12 && m->day >= 1 &&
           m->day <= days_in_month(m->year, m->month) && m->minute <= 59 &&
           (m->hour < 24 || (m->hour == 24 && is_midnight)) &&
           (m->second < 60 || (m->second == 60 && m->microsecond == 0));
}

static enum status timestamp_parse(struct text text, int64_t *time_ns, struct sql_error *err)
{
    struct timestamp_reader r = { text, 0 };
    struct timestamp_moment m = { 0 };
    int64_t seconds;

    if (!take_moment(&r, &m))
        return sql_error_set(err, SQLSTATE_DATETIME_FORMAT,
                             "invalid input syntax for type timestamp: \"%.*s\"", TEXT_PRINT(text));
    if (!is_in_range(&m))
        return sql_error_set(err, SQLSTATE_DATETIME_OVERFLOW,
                             "date/time field value out of range: \"%.*s\"", TEXT_PRINT(text));
    seconds = days_of(&m) * DAY_SECONDS + m.hour * 3600 + m.minute * 60 + m.second;
    if (__builtin_mul_overflow(seconds, SECOND_NS, time_ns) ||
        __builtin_add_overflow(*time_ns, m.microsecond * MICROSECOND_NS, time_ns))
        return sql_error_set(err, SQLSTATE_DATETIME_OVERFLOW, "timestamp out of range: \"%.*s\"",
                             TEXT_PRINT(text));
    return STATUS_OK;
}

static char *write_digits(char *to, int64_t number, int digits)
{
    for (int i = digits; i-- > 0; number /= 10)
        to[i] = (char)('0' + number % 10);
    return to + digits;
}

static char *write_fraction(char *to, int64_t microseconds)
{
    int digits = FRACTION_DIGITS;

    if (microseconds == 0)
        return to;
    for (; microseconds % 10 == 0; digits--)
        microseconds /= 10;
    *to++ = '.';
    return write_digits(to, microseconds, digits);
}

/* Returns the end. */
static char *timestamp_write(char *to, int64_t time_ns)
{
    int64_t seconds = time_ns / SECOND_NS - (time_ns % SECOND_NS < 0);
    int64_t days = seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);
    int64_t second = seconds - days * DAY_SECONDS;
    struct timestamp_moment m = { 0 };

    set_date(&m, days);
    to = write_digits(to, m.year, 4);
    *to++ = '-';
    to = write_digits(to, m.month, 2);
    *to++ = '-';
    to = write_digits(to, m.day, 2);
    *to++ = ' ';
    to = write_digits(to, second / 3600, 2);
    *to++ = ':';
    to = write_digits(to, second / 60 % 60, 2);
    *to++ = ':';
    to = write_digits(to, second % 60, 2);
    /* Second by second, as seconds * SECOND_NS may lie below the smallest number. */
    return write_fraction(to, (time_ns % SECOND_NS + SECOND_NS) % SECOND_NS / MICROSECOND_NS);
}

#define INT64_TEXT_MAX 20

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_elements(const struct datum *a, const struct datum *b, uint32_t index)
{
    bool a_null = datum_element_is_null(a, index), b_null = datum_element_is_null(b, index);

    if (a_null || b_null)
        return a_null - b_null;
    return compare_numbers(a->as.array.at[index], b->as.array.at[index]);
}

static int compare_arrays(const struct datum *a, const struct datum *b)
{
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        int order = compare_elements(a, b, i);
        if (order != 0)
            return order;
    }
    return compare_numbers(a->length, b->length);
}

int datum_compare(const struct datum *a, const struct datum *b)
{
    assert(a->kind == b->kind);
    switch ((enum datum_kind)a->kind) {
    case DATUM_INTEGER:
    case DATUM_BOOLEAN:
    case DATUM_TIMESTAMP:
        return compare_numbers(a->as.integer, b->as.integer);
    case DATUM_NUMERIC:
        return numeric_compare(datum_numeric(a), datum_numeric(b));
    case DATUM_TEXT:
        return text_compare(datum_text(a), datum_text(b));
    case DATUM_ARRAY:
        return compare_arrays(a, b);
    case DATUM_NULL:
        break;
    }
    assert(!"null has no place in any order");
    return 0;
}

bool datum_equal(const struct datum *a, const struct datum *b)
{
    if (datum_is_null(a) || datum_is_null(b))
        return datum_is_null(a) && datum_is_null(b);
    if (a->kind == DATUM_TEXT)
        return text_equal(datum_text(a), datum_text(b));
    return datum_compare(a, b) == 0;
}

static uint64_t hash_array(const struct datum *d)
{
    uint64_t hash = hash_number(d->length);

    for (uint32_t i = 0; i < d->length; i++) {
        bool is_null = datum_element_is_null(d, i);
        uint64_t element = is_null ? HASH_ODD_1 : (uint64_t)d->as.array.at[i];

        hash = hash_number(hash + hash_number(element ^ is_null));
    }
    return hash;
}

uint64_t datum_hash(const struct datum *d)
{
    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return HASH_ODD_2;
    case DATUM_INTEGER:
    case DATUM_BOOLEAN:
    case DATUM_TIMESTAMP:
        return hash_number((uint64_t)d->as.integer);
    case DATUM_NUMERIC:
        return numeric_hash(datum_numeric(d));
    case DATUM_TEXT:
        return hash_bytes(d->as.text, d->length);
    case DATUM_ARRAY:
        return hash_array(d);
    }
    assert(!"a kind of datum that does not exist");
    return 0;
}

static enum status copy_bytes(const void *bytes, size_t size, struct heap *heap, const void **copy,
                              struct sql_error *err)
{
    void *to;

    TRY(heap_push(heap, size, &to, err));
    if (size > 0)
        memcpy(to, bytes, size);
    *copy = to;
    return STATUS_OK;
}

static enum status copy_array(const struct datum *from, struct heap *heap, struct datum *copy,
                              struct sql_error *err)
{
    const void *at, *nulls = NULL;
    size_t null_words = (from->length + (size_t)63) / 64;

    TRY(copy_bytes(from->as.array.at, from->length * sizeof(int64_t), heap, &at, err));
    if (from->as.array.nulls)
        TRY(copy_bytes(from->as.array.nulls, null_words * sizeof(uint64_t), heap, &nulls, err));
    copy->as.array.at = at;
    copy->as.array.nulls = nulls;
    return STATUS_OK;
}

enum status datum_copy(const struct datum *from, struct heap *heap, struct datum *copy,
                       struct sql_error *err)
{
    struct datum d = *from;
    const void *text;

    if (d.kind == DATUM_TEXT) {
        TRY(copy_bytes(from->as.text, from->length, heap, &text, err));
        d.as.text = text;
    } else if (d.kind == DATUM_ARRAY) {
        TRY(copy_array(from, heap, &d, err));
    }
    *copy = d;
    return STATUS_OK;
}

size_t datum_print_room(const struct datum *d)
{
    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return 0;
    case DATUM_INTEGER:
    case DATUM_BOOLEAN:
        return INT64_TEXT_MAX;
    case DATUM_TIMESTAMP:
        return TIMESTAMP_TEXT_MAX;
    case DATUM_NUMERIC:
        return NUMERIC_TEXT_MAX;
    case DATUM_TEXT:
        return d->length;
    case DATUM_ARRAY:
        return 2 + (size_t)d->length * (INT64_TEXT_MAX + 1);
    }
    assert(!"a kind of datum that does not exist");
    return 0;
}

static char *write_bytes(char *to, const char *bytes, size_t length)
{
    if (length > 0)
        memcpy(to, bytes, length);
    return to + length;
}

static char *write_array(char *to, const struct datum *d)
{
    *to++ = '{';
    for (uint32_t i = 0; i < d->length; i++) {
        if (i > 0)
            *to++ = ',';
        to = datum_element_is_null(d, i) ? write_bytes(to, "NULL", 4)
                                         : text_write_int64(to, d->as.array.at[i]);
    }
    *to++ = '}';
    return to;
}

char *datum_write(char *to, const struct datum *d)
{
    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return to;
    case DATUM_INTEGER:
        return text_write_int64(to, d->as.integer);
    case DATUM_BOOLEAN:
        *to = d->as.integer ? 't' : 'f';
        return to + 1;
    case DATUM_TIMESTAMP:
        return timestamp_write(to, d->as.integer);
    case DATUM_NUMERIC:
        return numeric_write(to, datum_numeric(d));
    case DATUM_TEXT:
        return write_bytes(to, d->as.text, d->length);
    case DATUM_ARRAY:
        return write_array(to, d);
    }
    assert(!"a kind of datum that does not exist");
    return to;
}

void datum_print(const struct datum *d, struct buffer *out)
{
    char *to = buffer_reserve(out, datum_print_room(d));

    if (to)
        out->count += (size_t)(datum_write(to, d) - to);
}

/*
 * What stands between quotes, read as a value of some type, by the rules and
 * with the errors of PostgreSQL's input functions. Of arrays there are those
 * with one dimension, numbered from 1.
 */

static struct text trim(struct text text)
{
    while (text.length > 0 && is_blank(*text.at))
        text = (struct text){ text.at + 1, text.length - 1 };
    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

static enum status refuse(struct text text, enum type_kind kind, struct sql_error *err)
{
    return sql_error_set(err, SQLSTATE_TEXT_REPRESENTATION,
                         "invalid input syntax for type %s: \"%.*s\"", type_name(kind),
                         TEXT_PRINT(text));
}

/* A number too large is found before what may be wrong behind it. */
static enum status parse_integer(struct text text, enum type_kind kind, int64_t *out,
                                 struct sql_error *err)
{
    int64_t smallest = kind == TYPE_SMALLINT  ? INT16_MIN
                       : kind == TYPE_INTEGER ? INT32_MIN
                                              : INT64_MIN;
    struct text number = trim(text);
    bool negative = number.length > 0 && *number.at == '-';
    size_t at = number.length > 0 && (negative || *number.at == '+');
    int64_t below = 0; /* the negated number, as there are more negative ones */

    if (at == number.length)
        return refuse(text, kind, err);
    for (; at < number.length && is_digit(number.at[at]); at++) {
        int64_t digit = number.at[at] - '0';

        if (below < (smallest + digit) / 10)
            goto too_large;
        below = 10 * below - digit;
    }
    if (at < number.length)
        return refuse(text, kind, err);
    if (!negative && below == smallest)
        goto too_large;
    *out = negative ? below : -below;
    return STATUS_OK;
too_large:
    return sql_error_set(err, SQLSTATE_NUMERIC_OUT_OF_RANGE,
                         "value \"%.*s\" is out of range for type %s", TEXT_PRINT(text),
                         type_name(kind));
}

/* Any beginning of these will do, if it is the beginning of one only. */
static enum status parse_boolean(struct text text, bool *truth, struct sql_error *err)
{
    static const struct {
        const char *word;
        size_t length_min;
        bool truth;
    } words[] = {
        { "true", 1, true }, { "false", 1, false }, { "yes", 1, true }, { "no", 1, false },
        { "on", 2, true },   { "off", 2, false },   { "1", 1, true },   { "0", 1, false },
    };
    struct text word = trim(text);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (word.length < words[i].length_min || word.length > strlen(words[i].word) ||
            strncasecmp(word.at, words[i].word, word.length) != 0)
            continue;
        *truth = words[i].truth;
        return STATUS_OK;
    }
    return refuse(text, TYPE_BOOLEAN, err);
}

/* An array's text and how far it is read. */
struct array_reader {
    struct text text;
    size_t at;
    enum { ELEMENT, NULL_ELEMENT } kind; /* of the element read last */
    struct text element;
};

static enum status refuse_array(const struct array_reader *r, struct sql_error *err)
{
    return sql_error_set(err, SQLSTATE_TEXT_REPRESENTATION, "malformed array literal: \"%.*s\"",
                         TEXT_PRINT(r->text));
}

static char next(const struct array_reader *r)
{
    return r->at < r->text.length ? r->text.at[r->at] : '\0';
}

static void skip_blanks(struct array_reader *r)
{
    while (is_blank(next(r)))
        r->at++;
}

/* Numbers need no quotes, but may have them. */
static bool take_quoted(struct array_reader *r)
{
    size_t from = ++r->at;

    while (r->at < r->text.length && next(r) != '"')
        r->at++;
    r->element = (struct text){ r->text.at + from, r->at - from };
    r->kind = ELEMENT;
    if (r->at == r->text.length)
        return false;
    r->at++;
    return true;
}

static bool take_plain(struct array_reader *r)
{
    size_t from = r->at;

    while (r->at < r->text.length && !strchr(",{}\"", next(r)))
        r->at++;
    r->element = trim((struct text){ r->text.at + from, r->at - from });
    r->kind = r->element.length == 4 && strncasecmp(r->element.at, "null", 4) == 0 ? NULL_ELEMENT
                                                                                   : ELEMENT;
    return r->element.length > 0;
}

/* An element and the comma or brace behind it, at which it stops. */
static bool take_element(struct array_reader *r)
{
    skip_blanks(r);
    if (!(next(r) == '"' ? take_quoted(r) : take_plain(r)))
        return false;
    skip_blanks(r);
    return next(r) == ',' || next(r) == '}';
}

static enum status refuse_shape(const struct array_reader *r, struct sql_error *err)
{
    return sql_error_set(err, SQLSTATE_NOT_SUPPORTED,
                         "array literal \"%.*s\" is not supported: bounds, nesting or backslashes",
                         TEXT_PRINT(r->text));
}

/* Leaves the reader at the first element, or at the closing brace where there is none. */
static enum status open_array(struct array_reader *r, struct sql_error *err)
{
    skip_blanks(r);
    if (next(r) == '[' || (next(r) == '{' && memchr(r->text.at, '\\', r->text.length)))
        return refuse_shape(r, err);
    if (next(r) != '{')
        return refuse_array(r, err);
    r->at++;
    skip_blanks(r);
    return next(r) == '{' ? refuse_shape(r, err) : STATUS_OK;
}

/* The whole is looked over before any element is read, as PostgreSQL does. */
static enum status count_elements(struct array_reader r, uint32_t *count, struct sql_error *err)
{
    *count = 0;
    while (next(&r) != '}') {
        r.at += *count > 0; /* the comma */
        if (!take_element(&r))
            return refuse_array(&r, err);
        ++*count;
    }
    r.at++;
    skip_blanks(&r);
    return r.at == r.text.length ? STATUS_OK : refuse_array(&r, err);
}

static enum status parse_elements(struct array_reader *r, uint32_t count, int64_t *at,
                                  uint64_t *nulls, struct sql_error *err)
{
    for (uint32_t i = 0; i < count; i++, r->at++) {
        bool taken = take_element(r);

        assert(taken);
        if (r->kind == NULL_ELEMENT) {
            at[i] = 0;
            nulls[i / 64] |= UINT64_C(1) << i % 64;
        } else {
            TRY(parse_integer(r->element, TYPE_BIGINT, &at[i], err));
        }
    }
    return STATUS_OK;
}

static enum status parse_array(struct text text, struct heap *heap, struct datum *out,
                               struct sql_error *err)
{
    struct array_reader r = { .text = text };
    size_t null_bytes;
    uint32_t count;
    void *at, *nulls;

    TRY(open_array(&r, err));
    TRY(count_elements(r, &count, err));
    null_bytes = (count + (size_t)63) / 64 * sizeof(uint64_t);
    TRY(heap_push(heap, null_bytes, &nulls, err));
    TRY(heap_push(heap, count * sizeof(int64_t), &at, err));
    memset(nulls, 0, null_bytes);
    TRY(parse_elements(&r, count, at, nulls, err));
    *out = (struct datum){ .kind = DATUM_ARRAY, .length = count };
    out->as.array.at = at;
    out->as.array.nulls = nulls;
    return STATUS_OK;
}

enum status datum_parse(struct text text, enum type_kind kind, struct heap *heap, struct datum *out,
                        struct sql_error *err)
{
    struct numeric number;
    int64_t integer = 0;
    bool truth = false;

    switch (kind) {
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT:
        TRY(parse_integer(text, kind, &integer, err));
        *out = datum_of_int64(integer);
        return STATUS_OK;
    case TYPE_NUMERIC:
        TRY(numeric_parse(text, &number, err));
        *out = datum_of_numeric(number);
        return STATUS_OK;
    case TYPE_BOOLEAN:
        TRY(parse_boolean(text, &truth, err));
        *out = datum_of_bool(truth);
        return STATUS_OK;
    case TYPE_TIMESTAMP:
        TRY(timestamp_parse(text, &integer, err));
        *out = datum_of_timestamp(integer);
        return STATUS_OK;
    case TYPE_BIGINT_ARRAY:
        return parse_array(text, heap, out, err);
    case TYPE_UNKNOWN:
    case TYPE_TEXT:
    case TYPE_VARCHAR:
        *out = datum_of_text(text);
        return STATUS_OK;
    default:
        return sql_error_set(err, SQLSTATE_NOT_SUPPORTED, "type %s has no literals",
                             type_name(kind));
    }
}
