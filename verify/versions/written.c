/*
 * Values as bytes, by which they are found again; and all that anybody wrote.
 */
#include "verify/versions/written.h"

#include "verify/verify_private.h"
#include "verify/versions/versions.h"

/* --- As bytes ---------------------------------------------------------------- */

static void put(struct buffer *out, const void *at, size_t size)
{
    buffer_text(out, (struct text){ at, size });
}

static void put_number(struct buffer *out, uint64_t number)
{
    put(out, &number, sizeof number);
}

static void put_value(struct buffer *out, const struct history *h, struct value value)
{
    buffer_byte(out, (char)value.kind);
    if (value.kind == VALUE_LIST) {
        uint64_t from = h->list_start[value.bits], count = h->list_start[value.bits + 1] - from;

        put_number(out, count);
        put(out, h->list_element + from, count * sizeof *h->list_element);
    } else if (value.kind == VALUE_ROW) {
        uint32_t first = h->shape_start[h->row_shape[value.bits]];
        uint64_t from = h->row_start[value.bits], count = h->row_start[value.bits + 1] - from;

        for (uint64_t i = 0; i < count; i++) {
            uint32_t column = h->shape_sorted[first + i];

            put_number(out, h->shape_column_name[first + column]);
            put_value(out, h,
                      (struct value){ h->cell_kind[from + column], h->cell_value[from + column] });
        }
    } else if (value.kind != VALUE_NULL) {
        put_number(out, (uint64_t)value.bits);
    }
}

struct text written_value_bytes(struct verifier *v, uint32_t key, bool is_element,
                                struct value value)
{
    buffer_clear(&v->bytes);
    put_number(&v->bytes, (uint64_t)key << 1 | is_element);
    put_value(&v->bytes, v->h, versions_value_plain(v->h, value));
    return (struct text){ v->bytes.at, v->bytes.count };
}

struct text written_element_bytes(struct verifier *v, uint32_t key, int64_t element)
{
    return written_value_bytes(v, key, true, (struct value){ VALUE_INTEGER, element });
}

/* --- Written ----------------------------------------------------------------- */

static enum status add(struct verifier *v, struct text bytes, struct error *err)
{
    uint32_t number;

    TRY(buffer_status(&v->bytes, err));
    return intern_add(&v->written, bytes, &number, err);
}

/* A value; of a list each element, or null if it is empty. */
static enum status add_value(struct verifier *v, uint32_t key, struct value value,
                             struct error *err)
{
    const struct history *h = v->h;

    value = versions_value_plain(h, value);
    if (value.kind != VALUE_LIST)
        return add(v, written_value_bytes(v, key, false, value), err);
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
        TRY(add(v, written_element_bytes(v, key, h->list_element[i]), err));
    return STATUS_OK;
}

static enum status add_all(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (uint32_t key = 0; key < h->key_count; key++)
        TRY(add_value(v, key, history_initial(h, key), err));
    for (size_t op = 0; op < h->op_count; op++) {
        if (!history_makes_version(h, op))
            continue;
        if (h->op_kind[op] == OP_APPEND)
            TRY(add(v, written_element_bytes(v, h->op_key[op], h->op_value[op]), err));
        else
            TRY(add_value(v, h->op_key[op], history_value(h, op), err));
    }
    return STATUS_OK;
}

enum status written_by_nobody(struct verifier *v, uint32_t key, struct value value, bool *strange,
                              struct error *err)
{
    const struct history *h = v->h;

    if (!v->has_written)
        TRY(add_all(v, err));
    v->has_written = true;
    value = versions_value_plain(h, value);
    *strange = value.kind != VALUE_LIST &&
               intern_find(&v->written, written_value_bytes(v, key, false, value)) == INTERN_NONE;
    for (uint64_t i = 0; value.kind == VALUE_LIST && !*strange &&
                         i < h->list_start[value.bits + 1] - h->list_start[value.bits];
         i++) {
        int64_t element = h->list_element[h->list_start[value.bits] + i];

        *strange = intern_find(&v->written, written_element_bytes(v, key, element)) == INTERN_NONE;
    }
    return buffer_status(&v->bytes, err);
}
