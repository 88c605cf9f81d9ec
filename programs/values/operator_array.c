/*
 * Functions of bigint[]. Arrays have one dimension and are counted from 1; what
 * they make is new, so a program that appends one by one copies quadratically,
 * as it does in PostgreSQL.
 */
#include "programs/values/operator_private.h"

#include <string.h>

#define ELEMENT_COUNT_MAX 134217727 /* PostgreSQL's: 1 GB of them */

/* An array under construction. */
struct array_draft {
    int64_t *at;
    uint64_t *nulls;
    uint32_t count;
};

static enum status build(struct array_draft *b, const struct call *c, uint64_t count)
{
    size_t null_bytes = (size_t)(count + 63) / 64 * sizeof(uint64_t);
    void *at, *nulls;

    if (count > ELEMENT_COUNT_MAX)
        return sql_error_set(c->err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    TRY(heap_push(c->heap, (size_t)count * sizeof(int64_t), &at, c->err));
    TRY(heap_push(c->heap, null_bytes, &nulls, c->err));
    memset(nulls, 0, null_bytes);
    *b = (struct array_draft){ at, nulls, 0 };
    return STATUS_OK;
}

static void add(struct array_draft *b, const struct datum *element)
{
    if (datum_is_null(element)) {
        b->nulls[b->count / 64] |= UINT64_C(1) << b->count % 64;
        b->at[b->count++] = 0;
    } else {
        b->at[b->count++] = element->as.integer;
    }
}

static void add_all(struct array_draft *b, const struct datum *array)
{
    if (datum_is_null(array))
        return;
    if (!array->as.array.nulls && array->length > 0) {
        memcpy(b->at + b->count, array->as.array.at, array->length * sizeof *b->at);
        b->count += array->length;
        return;
    }
    for (uint32_t i = 0; i < array->length; i++) {
        struct datum element = datum_element(array, i);
        add(b, &element);
    }
}

static struct datum finish(const struct array_draft *b)
{
    struct datum array = { .kind = DATUM_ARRAY, .length = b->count };

    array.as.array.at = b->at;
    for (uint32_t i = 0; i < (b->count + 63) / 64; i++)
        if (b->nulls[i] != 0)
            array.as.array.nulls = b->nulls;
    return array;
}

enum status operator_array(const struct call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, c->choice->argument_count));
    for (uint32_t i = 0; i < c->choice->argument_count; i++)
        add(&b, &c->arguments[i]);
    *out = finish(&b);
    return STATUS_OK;
}

/* An array that is null is an empty one here. */
static uint64_t length_of(const struct datum *array)
{
    return datum_is_null(array) ? 0 : array->length;
}

enum status operator_array_append(const struct call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, length_of(&c->arguments[0]) + 1));
    add_all(&b, &c->arguments[0]);
    add(&b, &c->arguments[1]);
    *out = finish(&b);
    return STATUS_OK;
}

enum status operator_array_prepend(const struct call *c, struct datum *out)
{
    struct array_draft b = { 0 };

    TRY(build(&b, c, length_of(&c->arguments[1]) + 1));
    add(&b, &c->arguments[0]);
    add_all(&b, &c->arguments[1]);
    *out = finish(&b);
    return STATUS_OK;
}

enum status operator_array_concatenate(const struct call *c, struct datum *out)
{
    const struct datum *first = &c->arguments[0], *second = &c->arguments[1];
    struct array_draft b = { 0 };

    if (datum_is_null(first) || datum_is_null(second)) {
        *out = datum_is_null(first) ? *second : *first;
        return STATUS_OK;
    }
    TRY(build(&b, c, length_of(first) + length_of(second)));
    add_all(&b, first);
    add_all(&b, second);
    *out = finish(&b);
    return STATUS_OK;
}

enum status operator_subscript(const struct call *c, struct datum *out)
{
    const struct datum *array = &c->arguments[0];
    int64_t place = c->arguments[1].as.integer;

    *out = place >= 1 && place <= array->length ? datum_element(array, (uint32_t)(place - 1))
                                                : datum_null();
    return STATUS_OK;
}

enum status operator_cardinality(const struct call *c, struct datum *out)
{
    *out = datum_of_int64(c->arguments[0].length);
    return STATUS_OK;
}

/* An empty array has no dimensions, not one of length 0. */
enum status operator_array_length(const struct call *c, struct datum *out)
{
    bool has_length = c->arguments[1].as.integer == 1 && c->arguments[0].length > 0;

    *out = has_length ? datum_of_int64(c->arguments[0].length) : datum_null();
    return STATUS_OK;
}

enum status operator_equal_any(const struct call *c, struct datum *out)
{
    const struct datum *wanted = &c->arguments[0], *array = &c->arguments[1];
    bool is_undecided = false;

    *out = datum_null();
    if (datum_is_null(array))
        return STATUS_OK;
    for (uint32_t i = 0; i < array->length; i++) {
        if (datum_is_null(wanted) || datum_element_is_null(array, i)) {
            is_undecided = true;
        } else if (array->as.array.at[i] == wanted->as.integer) {
            *out = datum_of_bool(true);
            return STATUS_OK;
        }
    }
    if (!is_undecided)
        *out = datum_of_bool(false);
    return STATUS_OK;
}
