#include "checkers/infer/linear/linear_states_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/proof/tell.h"

#define ELEMENTS_TOLD_MAX 12

/* --- Equality ----------------------------------------------------------------------- */

/* Whatever the order of the columns; lists in rows are as their lengths. */
static uint64_t hash_row(const struct history *h, int64_t row)
{
    uint32_t names = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from, hash = count;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)h->cell_value[from + i];

        if (h->cell_kind[from + i] == VALUE_LIST)
            bits = h->list_start[bits + 1] - h->list_start[bits];
        hash += hash_number(hash_number(bits + h->cell_kind[from + i]) ^
                            h->shape_column_name[names + i]);
    }
    return hash;
}

static uint64_t hash_state(const struct history *h, const struct state *s)
{
    uint64_t bits = s->kind == VALUE_ROW ? hash_row(h, s->bits) : (uint64_t)s->bits;

    return hash_number(hash_number(bits ^ (uint64_t)s->kind << 56) ^ s->parent);
}

static bool is_equal(const struct history *h, const struct state *a, const struct state *b)
{
    if (a->kind != b->kind || a->parent != b->parent)
        return false;
    return a->bits == b->bits ||
           (a->kind == VALUE_ROW &&
            history_values_equal(h, (struct value){ VALUE_ROW, a->bits },
                                 (struct value){ VALUE_ROW, b->bits }));
}

/* --- The table ---------------------------------------------------------------------- */

/* The state's slot, or the free one where it would stand. */
static uint32_t *seek(const struct states *s, const struct state *sought)
{
    uint64_t slot = hash_state(s->history, sought) & (s->slot_count - 1);

    while (s->slots[slot] != 0 && !is_equal(s->history, &s->all.at[s->slots[slot] - 1], sought))
        slot = (slot + 1) & (s->slot_count - 1);
    return &s->slots[slot];
}

static enum status make_room(struct states *s, struct error *err)
{
    if (2 * s->all.count < s->slot_count)
        return STATUS_OK;
    s->slot_count = s->slot_count ? 2 * s->slot_count : 64;
    TRY(check_memory((void **)&s->slots, s->slot_count, sizeof *s->slots, 0, err));
    for (size_t i = 0; i < s->all.count; i++)
        *seek(s, &s->all.at[i]) = (uint32_t)i + 1;
    return STATUS_OK;
}

static enum status number(struct states *s, const struct state *state, uint32_t *found,
                          struct error *err)
{
    uint32_t *slot;

    TRY(make_room(s, err));
    slot = seek(s, state);
    if (*slot == 0) {
        if (s->all.count >= STATE_UNSEEN - 1)
            return error_set(err, STATUS_OVER_LIMIT, "there are too many different values");
        TRY(array_push(&s->all, *state, err));
        *slot = (uint32_t)s->all.count;
    }
    *found = *slot - 1;
    return STATUS_OK;
}

enum status linear_states_init(struct states *s, const struct history *h, struct error *err)
{
    static const struct state nothing = { .parent = STATE_ANY, .kind = VALUE_NULL };
    uint32_t unused;

    *s = (struct states){ .history = h };
    TRY(check_memory((void **)&s->seen, h->key_count, sizeof *s->seen, 0xff, err));
    return number(s, &nothing, &unused, err);
}

void linear_states_close(struct states *s)
{
    array_close(&s->all);
    free(s->slots);
    free(s->seen);
    *s = (struct states){ 0 };
}

enum status linear_states_append(struct states *s, uint32_t before, int64_t element, uint32_t *after,
                                 struct error *err)
{
    struct state state = { .bits = element,
                           .parent = before,
                           .depth = s->all.at[before].depth + 1,
                           .kind = VALUE_LIST };

    return number(s, &state, after, err);
}

uint32_t linear_states_find_append(const struct states *s, uint32_t before, int64_t element)
{
    struct state state = { .bits = element, .parent = before, .kind = VALUE_LIST };
    uint32_t slot;

    if (before >= STATE_UNSEEN)
        return STATE_UNSEEN;
    slot = *seek(s, &state);
    return slot == 0 ? STATE_UNSEEN : slot - 1;
}

/* --- Values ------------------------------------------------------------------------- */

/* Goes on from the list of the key that was numbered before it, if one begins the other. */
static enum status number_list(struct states *s, uint32_t key, int64_t list, uint32_t *found,
                               struct error *err)
{
    const struct history *h = s->history;
    uint64_t count = h->list_start[list + 1] - h->list_start[list], done = 0;
    const int64_t *elements = h->list_element + h->list_start[list];
    struct list_seen *seen = &s->seen[key];
    uint32_t state = STATE_NOTHING;

    if (seen->list != HISTORY_NONE) {
        uint64_t before = h->list_start[seen->list + 1] - h->list_start[seen->list];
        uint64_t both = before < count ? before : count;

        if (memcmp(elements, h->list_element + h->list_start[seen->list],
                   both * sizeof *elements) == 0) {
            state = seen->state;
            for (done = before; done > count; done--)
                state = s->all.at[state].parent;
        }
    }
    for (; done < count; done++)
        TRY(linear_states_append(s, state, elements[done], &state, err));
    *found = state;
    *seen = (struct list_seen){ (uint32_t)list, state };
    return STATUS_OK;
}

enum status linear_states_of_value(struct states *s, uint32_t key, struct value value, uint32_t *found,
                                   struct error *err)
{
    struct state state = { .bits = value.bits, .parent = STATE_ANY, .kind = (uint8_t)value.kind };

    if (value.kind == VALUE_NULL || value.kind == VALUE_NONE) {
        *found = STATE_NOTHING;
        return STATUS_OK;
    }
    return value.kind == VALUE_LIST ? number_list(s, key, value.bits, found, err)
                                    : number(s, &state, found, err);
}

void linear_states_tell(struct buffer *out, const struct states *s, uint32_t state)
{
    uint32_t last[ELEMENTS_TOLD_MAX], count = 0;

    if (state == STATE_UNSEEN) {
        buffer_text(out, TEXT("a list that nobody read"));
        return;
    }
    if (s->all.at[state].kind != VALUE_LIST) {
        tell_value(out, s->history,
                   (struct value){ s->all.at[state].kind, s->all.at[state].bits });
        return;
    }
    for (; count < ELEMENTS_TOLD_MAX && s->all.at[state].kind == VALUE_LIST; count++) {
        last[count] = state;
        state = s->all.at[state].parent;
    }
    buffer_text(out, s->all.at[state].kind == VALUE_LIST ? TEXT("[...,") : TEXT("["));
    while (count-- > 0) {
        buffer_int64(out, s->all.at[last[count]].bits);
        buffer_byte(out, count > 0 ? ',' : ']');
    }
}
