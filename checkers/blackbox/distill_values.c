/*
 * Which final writes hold a value: a table over (key, value), where equal ones are linked.
 */
#include "base/hash.h"
#include "checkers/blackbox/distill_private.h"

static uint64_t hash_value(const struct history *h, struct value value);

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

        hash += hash_number(hash_value(h, cell) ^ hash_number(h->shape_column_name[names + i]));
    }
    return hash;
}

static uint64_t hash_value(const struct history *h, struct value value)
{
    switch (value.kind) {
    case VALUE_LIST:
        return hash_list(h, value.bits);
    case VALUE_ROW:
        return hash_row(h, value.bits);
    case VALUE_NULL:
        return 1;
    default:
        return hash_number((uint64_t)value.bits + (uint64_t)value.kind);
    }
}

/* A delete leaves null; the empty list is one that was never written. */
static struct value plain(const struct history *h, struct value value)
{
    bool is_nothing =
        value.kind == VALUE_NONE ||
        (value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1]);

    return is_nothing ? (struct value){ .kind = VALUE_NULL } : value;
}

bool distill_same_value(const struct history *h, struct value a, struct value b)
{
    a = plain(h, a);
    b = plain(h, b);
    if (a.kind == VALUE_NULL || a.kind == VALUE_INTEGER || a.kind != b.kind)
        return a.kind == b.kind && (a.kind == VALUE_NULL || a.bits == b.bits);
    return history_values_equal(h, a, b);
}

static uint64_t slot_of(const struct distiller *s, uint32_t key, struct value value)
{
    return hash_number(hash_value(s->history, value) + ((uint64_t)key << 32)) & s->slot_mask;
}

/* The slot of the key's value, or the free one where it would stand. */
static uint32_t *seek(const struct distiller *s, uint32_t key, struct value value)
{
    uint64_t slot = slot_of(s, key, plain(s->history, value));

    for (; s->slots[slot] != 0; slot = (slot + 1) & s->slot_mask) {
        const struct final *f = &s->finals.at[s->slots[slot] - 1];

        if (f->key == key &&
            distill_same_value(s->history, history_value(s->history, f->op), value))
            break;
    }
    return &s->slots[slot];
}

enum status distill_index_values(struct distiller *s, struct error *err)
{
    uint64_t room = 16;

    while (room < 2 * (uint64_t)s->finals.count)
        room *= 2;
    s->slot_mask = room - 1;
    TAKE(s->arena, s->slots, room, err);
    /* From behind, so that equal ones are found in the order of the history. */
    for (size_t i = s->finals.count; i-- > 0;) {
        struct final *f = &s->finals.at[i];
        uint32_t *slot;

        if (s->key_kind[f->key] != KEY_REGISTER)
            continue;
        slot = seek(s, f->key, history_value(s->history, f->op));
        f->same = *slot == 0 ? NOBODY : *slot - 1;
        *slot = (uint32_t)i + 1;
    }
    return STATUS_OK;
}

uint32_t distill_find_value(struct distiller *s, uint32_t key, struct value value)
{
    uint32_t slot = *seek(s, key, value);

    return slot == 0 ? NOBODY : slot - 1;
}
