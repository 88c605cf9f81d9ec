#include "store/row_private.h"

#include <string.h>

#define NULL_WORDS(length) (((length) + 63) / 64)

_Static_assert(DATUM_NULL == 0 && DATUM_INTEGER == 1 && DATUM_BOOLEAN == 2 &&
                   DATUM_TIMESTAMP == 3 && DATUM_NUMERIC == 4 && DATUM_TEXT == 5 &&
                   DATUM_ARRAY == 6,
               "the kinds of datums stand in logs");

/* --- Writing ---------------------------------------------------------------------------------- */

static void put_numeric(struct wire_writer *w, const struct datum *d)
{
    unsigned __int128 digits = (unsigned __int128)d->as.digits;
    unsigned __int128 zigzag = digits << 1 ^ (0 - (digits >> 127));

    wire_put_byte(w, d->scale);
    wire_put_number(w, (uint64_t)zigzag);
    wire_put_number(w, (uint64_t)(zigzag >> 64));
}

static bool has_nulls(const struct datum *d)
{
    if (!d->as.array.nulls)
        return false;
    for (uint32_t i = 0; i < d->length; i++)
        if (datum_element_is_null(d, i))
            return true;
    return false;
}

/* What stands in the place of a null, or behind the last null bit, is the writer's own zero. */
static void put_array(struct wire_writer *w, const struct datum *d)
{
    bool with_nulls = has_nulls(d);

    wire_put_number(w, (uint64_t)d->length << 1 | with_nulls);
    for (uint32_t word = 0; with_nulls && word < NULL_WORDS((uint64_t)d->length); word++) {
        uint64_t bits = 0;

        for (uint32_t i = word * 64; i < d->length && i / 64 == word; i++)
            bits |= (uint64_t)datum_element_is_null(d, i) << i % 64;
        wire_put_number(w, bits);
    }
    for (uint32_t i = 0; i < d->length; i++)
        wire_put_signed(w, datum_element_is_null(d, i) ? 0 : d->as.array.at[i]);
}

void row_put(struct wire_writer *w, const struct datum *cells, uint16_t count)
{
    for (const struct datum *d = cells; d < cells + count; d++) {
        wire_put_byte(w, d->kind);
        switch ((enum datum_kind)d->kind) {
        case DATUM_NULL:
            break;
        case DATUM_INTEGER:
        case DATUM_TIMESTAMP:
            wire_put_signed(w, d->as.integer);
            break;
        case DATUM_BOOLEAN:
            wire_put_byte(w, d->as.integer != 0);
            break;
        case DATUM_NUMERIC:
            put_numeric(w, d);
            break;
        case DATUM_TEXT:
            wire_put_text(w, datum_text(d));
            break;
        case DATUM_ARRAY:
            put_array(w, d);
            break;
        }
    }
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void get_numeric(struct wire_reader *r, struct datum *d)
{
    uint8_t scale = wire_get_byte(r);
    unsigned __int128 zigzag = wire_get_number(r);

    zigzag |= (unsigned __int128)wire_get_number(r) << 64;
    r->bad |= scale > NUMERIC_DIGITS_MAX;
    *d = (struct datum){ .kind = DATUM_NUMERIC, .scale = scale };
    d->as.digits = (__int128)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

/* The length of an array, each of whose elements takes a byte at least. */
static uint32_t get_length(struct wire_reader *r, bool *with_nulls)
{
    uint64_t head = wire_get_number(r);
    uint64_t length = head >> 1;

    *with_nulls = head & 1;
    if (length <= (uint64_t)(r->end - r->at) && length <= UINT32_MAX)
        return (uint32_t)length;
    r->bad = true;
    return 0;
}

static void get_array(struct wire_reader *r, struct datum *d, struct heap *heap)
{
    struct sql_error err;
    void *at = NULL, *nulls = NULL;
    bool with_nulls;
    uint32_t length = get_length(r, &with_nulls);
    size_t words = with_nulls ? NULL_WORDS((size_t)length) : 0;

    *d = (struct datum){ .kind = DATUM_ARRAY, .length = length };
    if (r->bad || heap_push(heap, words * sizeof(uint64_t), &nulls, &err) != STATUS_OK ||
        heap_push(heap, length * sizeof(int64_t), &at, &err) != STATUS_OK) {
        r->bad = true;
        d->length = 0;
        return;
    }
    for (size_t i = 0; i < words; i++)
        ((uint64_t *)nulls)[i] = wire_get_number(r);
    for (uint32_t i = 0; i < length; i++)
        ((int64_t *)at)[i] = wire_get_signed(r);
    d->as.array.at = at;
    d->as.array.nulls = with_nulls ? nulls : NULL;
}

static void get_cell(struct wire_reader *r, struct datum *d, struct heap *heap)
{
    uint8_t kind = wire_get_byte(r);
    struct text text;

    switch (kind) {
    case DATUM_NULL:
        *d = datum_null();
        break;
    case DATUM_INTEGER:
        *d = datum_of_int64(wire_get_signed(r));
        break;
    case DATUM_TIMESTAMP:
        *d = datum_of_timestamp(wire_get_signed(r));
        break;
    case DATUM_BOOLEAN:
        *d = datum_of_bool(wire_get_byte(r));
        break;
    case DATUM_NUMERIC:
        get_numeric(r, d);
        break;
    case DATUM_TEXT:
        text = wire_get_text(r);
        *d = datum_of_text(text);
        break;
    case DATUM_ARRAY:
        get_array(r, d, heap);
        break;
    default:
        *d = datum_null();
        r->bad = true;
    }
}

bool row_get(struct text bytes, struct datum *cells, uint16_t count, struct heap *heap)
{
    struct wire_reader r = wire_reader_of(bytes);

    for (uint16_t i = 0; i < count; i++)
        get_cell(&r, &cells[i], heap);
    return wire_reader_is_done(&r);
}

static void skip_numbers(struct wire_reader *r, uint64_t count)
{
    for (uint64_t i = 0; i < count && !r->bad; i++)
        wire_get_number(r);
}

void row_skip_cell(struct wire_reader *r)
{
    bool with_nulls;
    uint32_t length;

    switch (wire_get_byte(r)) {
    case DATUM_NULL:
        break;
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        wire_get_number(r);
        break;
    case DATUM_BOOLEAN:
        wire_get_byte(r);
        break;
    case DATUM_NUMERIC:
        wire_get_byte(r);
        skip_numbers(r, 2);
        break;
    case DATUM_TEXT:
        wire_get_text(r);
        break;
    case DATUM_ARRAY:
        length = get_length(r, &with_nulls);
        skip_numbers(r, length + (with_nulls ? NULL_WORDS((uint64_t)length) : 0));
        break;
    default:
        r->bad = true;
    }
}

bool row_get_integer(struct wire_reader *r, int64_t *number)
{
    uint8_t kind = r->at < r->end ? (uint8_t)*r->at : 0;

    if (kind == DATUM_INTEGER || kind == DATUM_TIMESTAMP) {
        r->at++;
        *number = wire_get_signed(r);
        return true;
    }
    if (kind == DATUM_BOOLEAN) {
        r->at++;
        *number = wire_get_byte(r);
        return true;
    }
    row_skip_cell(r);
    return false;
}

bool row_get_some(struct text bytes, const uint16_t *columns, uint16_t column_count,
                  struct datum *cells, struct heap *heap)
{
    struct wire_reader r = wire_reader_of(bytes);
    uint16_t column = 0;

    for (uint16_t i = 0; i < column_count; i++) {
        for (; column < columns[i]; column++)
            row_skip_cell(&r);
        get_cell(&r, &cells[column++], heap);
    }
    return !r.bad;
}
