#include "checkers/values/values.h"

#include <string.h>

#include "base/hash.h"

struct elements values_initial(const struct history *h, uint32_t key)
{
    struct elements initial = { 0 };

    if (h->key_initial && h->key_initial[key] != HISTORY_NONE)
        (void)values_elements(h, history_initial(h, key), &initial);
    return initial;
}

bool values_begin(struct elements list, struct elements beginning)
{
    return beginning.count <= list.count &&
           (beginning.count == 0 ||
            memcmp(list.at, beginning.at, beginning.count * sizeof *list.at) == 0);
}

struct value values_plain(const struct history *h, struct value value)
{
    return value.kind == VALUE_NONE || values_is_nothing(h, value)
               ? (struct value){ .kind = VALUE_NULL }
               : value;
}

bool values_same(const struct history *h, struct value a, struct value b)
{
    if (a.kind == VALUE_INTEGER && b.kind == VALUE_INTEGER)
        return a.bits == b.bits;
    a = values_plain(h, a);
    b = values_plain(h, b);
    if (a.kind != b.kind || a.kind == VALUE_NULL)
        return a.kind == b.kind;
    return history_values_equal(h, a, b);
}

static uint64_t hash_list(const struct history *h, int64_t list)
{
    uint64_t from = h->list_start[list], to = h->list_start[list + 1], hash = to - from;

    for (uint64_t i = from; i < to; i++)
        hash = hash_number(hash ^ (uint64_t)h->list_element[i]);
    return hash;
}

/* Whatever the order of the columns. */
static uint64_t hash_row(const struct history *h, int64_t row)
{
    uint32_t names = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from, hash = count;

    for (uint64_t i = 0; i < count; i++) {
        struct value cell = { h->cell_kind[from + i], h->cell_value[from + i] };

        hash += hash_number(values_hash(h, cell) ^ hash_number(h->shape_column_name[names + i]));
    }
    return hash;
}

uint64_t values_hash(const struct history *h, struct value value)
{
    value = values_plain(h, value);
    switch (value.kind) {
    case VALUE_LIST:
        return hash_list(h, value.bits);
    case VALUE_ROW:
        return hash_row(h, value.bits);
    case VALUE_NULL:
        return HASH_ODD_1;
    case VALUE_INTEGER:
        return (uint64_t)value.bits;
    default:
        return hash_number((uint64_t)value.bits + (uint64_t)value.kind);
    }
}
