/*
 * Which final writes hold a value: a table over (key, value), where equal ones are linked.
 */
#include "base/hash.h"
#include "checkers/search/polygraph/distill_private.h"
#include "checkers/values/values.h"

static uint64_t slot_of(const struct distiller *s, uint32_t key, struct value value)
{
    return hash_number(values_hash(s->history, value) + hash_number(key)) & s->slot_mask;
}

/* The slot of the key's value, or the free one where it would stand. */
static uint32_t *seek(const struct distiller *s, uint32_t key, struct value value)
{
    uint64_t slot = slot_of(s, key, value);

    for (; s->slots[slot] != 0; slot = (slot + 1) & s->slot_mask) {
        const struct final *f = &s->finals.at[s->slots[slot] - 1];

        if (f->key == key &&
            values_same(s->history, history_value(s->history, f->op), value))
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
