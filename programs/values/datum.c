#include "programs/values/datum.h"

#include <string.h>

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
