#include "programs/values/timestamp_private.h"

#include <stdbool.h>

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

enum status timestamp_parse(struct text text, int64_t *time_ns, struct sql_error *err)
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

char *timestamp_write(char *to, int64_t time_ns)
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
