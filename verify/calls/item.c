#include "verify/calls/item_private.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define MICROSECONDS INT64_C(1000000)
#define DAY (86400 * MICROSECONDS)

/* --- Comparing ------------------------------------------------------------------------- */

/* Multiplies by ten to the power. False: that is larger than any other there is. */
static bool stretch(__int128 *number, unsigned exponent)
{
    for (; exponent > 0 && *number != 0; exponent--) {
        __int128 tenfold;

        if (__builtin_mul_overflow(*number, 10, &tenfold))
            return false;
        *number = tenfold;
    }
    return true;
}

static int compare_numbers(struct item a, struct item b)
{
    a = item_to_numeric(a);
    b = item_to_numeric(b);
    if (a.scale < b.scale && !stretch(&a.as.number, (unsigned)b.scale - a.scale))
        return a.as.number < 0 ? -1 : 1;
    if (b.scale < a.scale && !stretch(&b.as.number, (unsigned)a.scale - b.scale))
        return b.as.number < 0 ? 1 : -1;
    return (a.as.number > b.as.number) - (a.as.number < b.as.number);
}

static int compare_arrays(const struct item *a, const struct item *b)
{
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        const struct item *x = &a->as.elements[i], *y = &b->as.elements[i];
        int order;

        if (item_is_null(x) || item_is_null(y)) {
            if (item_is_null(x) != item_is_null(y))
                return item_is_null(x) ? 1 : -1;
            continue;
        }
        order = item_compare(x, y);
        if (order != 0)
            return order;
    }
    return (a->length > b->length) - (a->length < b->length);
}

int item_compare(const struct item *a, const struct item *b)
{
    if (a->kind == ITEM_NUMERIC || b->kind == ITEM_NUMERIC)
        return compare_numbers(*a, *b);
    if (a->kind == ITEM_TEXT)
        return text_compare(item_text_of(a), item_text_of(b));
    if (a->kind == ITEM_ARRAY)
        return compare_arrays(a, b);
    return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
}

bool item_same(const struct item *a, const struct item *b)
{
    if (item_is_null(a) || item_is_null(b))
        return item_is_null(a) && item_is_null(b);
    return item_compare(a, b) == 0;
}

bool item_identical(const struct item *a, const struct item *b)
{
    return item_same(a, b) && (a->kind != ITEM_NUMERIC || b->kind != ITEM_NUMERIC || a->scale == b->scale);
}

uint64_t item_hash(const struct item *item)
{
    uint64_t hash = 0;
    __int128 number;

    switch (item->kind) {
    case ITEM_NULL:
        return 1;
    case ITEM_NUMERIC: {
        unsigned scale = item->scale;

        number = item->as.number;
        for (; scale > 0 && number % 10 == 0; scale--)
            number /= 10;
        hash = scale > 0 ? hash_number(scale) : 0;
        return hash_mix(hash_number((uint64_t)number), hash ^ (uint64_t)(number >> 64));
    }
    case ITEM_TEXT:
        return hash_bytes(item->as.text, item->length);
    case ITEM_ARRAY:
        for (uint32_t i = 0; i < item->length; i++)
            hash = hash_mix(hash, item_hash(&item->as.elements[i]));
        return hash;
    default:
        /* As a decimal without a fraction. */
        return hash_mix(hash_number((uint64_t)item->as.integer),
                        item->as.integer < 0 ? UINT64_MAX : 0);
    }
}

/* --- Timestamps ---------------------------------------------------------------------------- */

static bool leaps(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t month_days(int64_t year, int64_t month)
{
    static const int64_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month - 1] + (month == 2 && leaps(year));
}

/* Days from 1970-01-01, by counting the leap years before. */
static int64_t days_before(int64_t year)
{
    int64_t y = year - 1;

    return 365 * (year - 1970) + (y / 4 - 1969 / 4) - (y / 100 - 1969 / 100) +
           (y / 400 - 1969 / 400);
}

static bool take_number(struct text *text, size_t digits_max, int64_t *number)
{
    size_t digits = 0;

    for (*number = 0; text->length > 0 && digits < digits_max && *text->at >= '0' && *text->at <= '9';
         digits++, text->at++, text->length--)
        *number = *number * 10 + (*text->at - '0');
    return digits > 0;
}

static bool take_mark(struct text *text, char mark)
{
    if (text->length == 0 || *text->at != mark)
        return false;
    text->at++, text->length--;
    return true;
}

static struct text trim(struct text text)
{
    while (text.length > 0 && (*text.at == ' ' || (*text.at >= '\t' && *text.at <= '\r')))
        text.at++, text.length--;
    while (text.length > 0 && (text.at[text.length - 1] == ' ' ||
                               (text.at[text.length - 1] >= '\t' && text.at[text.length - 1] <= '\r')))
        text.length--;
    return text;
}

static struct item parse_timestamp(const struct workbench *w, struct text whole)
{
    int64_t year, month, day, hour = 0, minute = 0, second = 0, micro = 0, days;
    struct text text = trim(whole);

    if (!take_number(&text, 4, &year) || !take_mark(&text, '-') || !take_number(&text, 2, &month) ||
        !take_mark(&text, '-') || !take_number(&text, 2, &day))
        trap_unknown(w->trap, "the timestamp \"%.*s\"", TEXT_PRINT(whole));
    if (text.length > 0 &&
        ((!take_mark(&text, ' ') && !take_mark(&text, 'T')) || !take_number(&text, 2, &hour) ||
         !take_mark(&text, ':') || !take_number(&text, 2, &minute)))
        trap_unknown(w->trap, "the timestamp \"%.*s\"", TEXT_PRINT(whole));
    if (take_mark(&text, ':') && !take_number(&text, 2, &second))
        trap_unknown(w->trap, "the timestamp \"%.*s\"", TEXT_PRINT(whole));
    if (take_mark(&text, '.')) {
        int64_t unit = MICROSECONDS, digit;

        while (unit > 1 && take_number(&text, 1, &digit))
            micro += digit * (unit /= 10);
    }
    if (text.length > 0 || year < 1678 || year > 2261)
        trap_unknown(w->trap, "the timestamp \"%.*s\"", TEXT_PRINT(whole));
    /* PostgreSQL takes 24:00:00 for the next day, and second 60 for the next minute. */
    if (month < 1 || month > 12 || day < 1 || day > month_days(year, month) || minute > 59 ||
        (hour > 23 && !(hour == 24 && minute + second + micro == 0)) ||
        (second > 59 && !(second == 60 && micro == 0)))
        trap_error(w->trap, "22008");
    days = days_before(year) + day - 1;
    for (int64_t m = 1; m < month; m++)
        days += month_days(year, m);
    return (struct item){ .kind = ITEM_TIMESTAMP,
                          .as.integer = days * DAY +
                                        ((hour * 60 + minute) * 60 + second) * MICROSECONDS + micro };
}

static void print_timestamp(int64_t moment, struct buffer *out)
{
    int64_t days = moment / DAY, rest = moment % DAY, year, month = 1, micro;

    if (rest < 0)
        rest += DAY, days--;
    year = 1970 + days / 366;
    while (days_before(year + 1) <= days)
        year++;
    while (days_before(year) > days)
        year--;
    days -= days_before(year);
    for (; days >= month_days(year, month); month++)
        days -= month_days(year, month);
    buffer_print(out, "%04d-%02d-%02d %02d:%02d:%02d", (int)year, (int)month, (int)days + 1,
                 (int)(rest / MICROSECONDS / 3600), (int)(rest / MICROSECONDS / 60 % 60),
                 (int)(rest / MICROSECONDS % 60));
    micro = rest % MICROSECONDS;
    if (micro == 0)
        return;
    buffer_byte(out, '.');
    for (int64_t unit = MICROSECONDS / 10; micro > 0; unit /= 10) {
        buffer_byte(out, (char)('0' + micro / unit));
        micro %= unit;
    }
}

/* --- Printing -------------------------------------------------------------------------------- */

static void print_numeric(const struct item *item, struct buffer *out)
{
    char digits[48];
    int count = 0;
    __int128 rest = item->as.number < 0 ? -item->as.number : item->as.number;

    for (; rest > 0 || count <= item->scale; rest /= 10)
        digits[count++] = (char)('0' + (int)(rest % 10));
    if (item->as.number < 0)
        buffer_byte(out, '-');
    while (count > 0) {
        buffer_byte(out, digits[--count]);
        if (count == item->scale && count > 0)
            buffer_byte(out, '.');
    }
}

void item_print(const struct item *item, struct buffer *out)
{
    switch (item->kind) {
    case ITEM_BOOLEAN:
        buffer_byte(out, item->as.integer ? 't' : 'f');
        return;
    case ITEM_INTEGER:
        buffer_int64(out, item->as.integer);
        return;
    case ITEM_TIMESTAMP:
        print_timestamp(item->as.integer, out);
        return;
    case ITEM_NUMERIC:
        print_numeric(item, out);
        return;
    case ITEM_TEXT:
        buffer_text(out, item_text_of(item));
        return;
    case ITEM_ARRAY:
        buffer_byte(out, '{');
        for (uint32_t i = 0; i < item->length; i++) {
            if (i > 0)
                buffer_byte(out, ',');
            if (item_is_null(&item->as.elements[i]))
                buffer_text(out, TEXT("NULL"));
            else
                item_print(&item->as.elements[i], out);
        }
        buffer_byte(out, '}');
        return;
    default:
        return;
    }
}

/* In the memory of the workbench; as a cast does: true and not t. */
static struct text item_to_text(const struct workbench *w, const struct item *item)
{
    struct buffer out = { 0 };
    size_t length;
    char *bytes;

    if (item->kind == ITEM_TEXT)
        return item_text_of(item);
    if (item->kind == ITEM_BOOLEAN)
        return item->as.integer ? TEXT("true") : TEXT("false");
    item_print(item, &out);
    if (out.out_of_memory) {
        buffer_close(&out);
        trap_unknown(w->trap, "anything without memory");
    }
    /* Given up as a whole if there is none: but this buffer is no arena's. */
    bytes = arena_push(w->arena, out.count + 1, 1);
    if (!bytes) {
        buffer_close(&out);
        bytes = arena_take(w->arena, SIZE_MAX / 8, 1);
    }
    length = out.count;
    if (length > 0)
        memcpy(bytes, out.at, length);
    buffer_close(&out);
    return (struct text){ bytes, length };
}

/* --- Casts -------------------------------------------------------------------------------------- */

static struct item parse_integer(const struct workbench *w, struct text text, enum kind kind)
{
    bool is_negative;
    __int128 number = 0;

    text = trim(text);
    is_negative = take_mark(&text, '-');
    if (!is_negative)
        take_mark(&text, '+');
    if (text.length == 0)
        trap_error(w->trap, "22P02");
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            trap_error(w->trap, "22P02");
        if (number < (__int128)1 << 100)
            number = number * 10 + (text.at[i] - '0');
    }
    return item_fit_integer(w, is_negative ? -number : number, kind);
}

/* Any beginning of a word that no other has. */
static struct item parse_boolean(const struct workbench *w, struct text text)
{
    static const struct {
        const char *word;
        size_t least;
        bool truth;
    } words[] = { { "true", 1, true }, { "false", 1, false }, { "yes", 1, true }, { "no", 1, false },
                  { "on", 2, true },   { "off", 2, false },   { "1", 1, true },   { "0", 1, false } };

    text = trim(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.length >= words[i].least && text.length <= strlen(words[i].word) &&
            strncasecmp(text.at, words[i].word, text.length) == 0)
            return item_boolean(words[i].truth);
    trap_error(w->trap, "22P02");
}

static struct item parse_array(const struct workbench *w, struct text whole)
{
    struct text text = trim(whole);
    struct item array = { .kind = ITEM_ARRAY };
    struct item *elements = arena_take(w->arena, text.length + 1, sizeof *elements);

    array.as.elements = elements;
    if (!take_mark(&text, '{') || text.length == 0 || text.at[text.length - 1] != '}')
        trap_error(w->trap, "22P02");
    text.length--;
    if (trim(text).length == 0)
        return array;
    while (true) {
        const char *comma = memchr(text.at, ',', text.length);
        struct text one = { text.at, comma ? (size_t)(comma - text.at) : text.length };
        struct text element = trim(one);

        if (element.length >= 2 && *element.at == '"' && element.at[element.length - 1] == '"')
            element = (struct text){ element.at + 1, element.length - 2 };
        if (element.length > 0 && strchr("{}\"\\", *element.at))
            trap_unknown(w->trap, "the array \"%.*s\"", TEXT_PRINT(whole));
        if (!(element.length == 4 && strncasecmp(element.at, "null", 4) == 0))
            elements[array.length] = parse_integer(w, element, KIND_BIGINT);
        array.length++;
        if (!comma)
            return array;
        text = (struct text){ comma + 1, text.length - one.length - 1 };
    }
}

static struct item fit_text(const struct workbench *w, struct item item, struct item_type to,
                            enum cast cast)
{
    struct text text = item_text_of(&item);
    size_t clip;

    if (to.length == 0)
        return item;
    clip = item_clip(text, to.length);
    for (size_t i = clip; i < text.length && cast != CAST_IS_EXPLICIT; i++)
        if (text.at[i] != ' ')
            trap_error(w->trap, "22001");
    text.length = clip;
    return item_text(text);
}

static struct item cast_to_integer(const struct workbench *w, struct item item, struct item_type to)
{
    switch (item.kind) {
    case ITEM_INTEGER:
    case ITEM_BOOLEAN:
        return item_fit_integer(w, item.as.integer, to.kind);
    case ITEM_NUMERIC:
        return item_fit_integer(w, item_round(w, item, 0).as.number, to.kind);
    default:
        return parse_integer(w, item_to_text(w, &item), to.kind);
    }
}

struct item item_cast(const struct workbench *w, struct item item, struct item_type to, enum cast cast)
{
    if (item_is_null(&item))
        return item;
    switch (to.kind) {
    case KIND_SMALLINT:
    case KIND_INTEGER:
    case KIND_BIGINT:
        return cast_to_integer(w, item, to);
    case KIND_NUMERIC:
        if (item.kind != ITEM_INTEGER && item.kind != ITEM_NUMERIC)
            item = item_parse_numeric(w, item_to_text(w, &item));
        return item_fit_numeric(w, item, to);
    case KIND_TEXT:
    case KIND_VARCHAR:
        return fit_text(w, item_text(item_to_text(w, &item)), to, cast);
    case KIND_BOOLEAN:
        if (item.kind == ITEM_INTEGER)
            return item_boolean(item.as.integer != 0);
        return item.kind == ITEM_BOOLEAN ? item : parse_boolean(w, item_to_text(w, &item));
    case KIND_TIMESTAMP:
        return item.kind == ITEM_TIMESTAMP ? item : parse_timestamp(w, item_to_text(w, &item));
    case KIND_ARRAY:
        return item.kind == ITEM_ARRAY ? item : parse_array(w, item_to_text(w, &item));
    default:
        return item;
    }
}
