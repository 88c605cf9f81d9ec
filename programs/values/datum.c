#include "programs/values/datum.h"

#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "programs/values/timestamp_private.h"

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

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

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
