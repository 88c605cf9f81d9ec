#include "checkers/infer/registers_values.h"

#include <stdlib.h>

#include "base/hash.h"

/* --- Values ------------------------------------------------------------------------- */

static struct value plain(const struct history *h, struct value value)
{
    if (value.kind == VALUE_NONE ||
        (value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1]))
        return (struct value){ .kind = VALUE_NULL };
    if (value.kind == VALUE_NULL)
        value.bits = 0;
    return value;
}

static bool is_deep(uint8_t kind)
{
    return kind == VALUE_LIST || kind == VALUE_ROW;
}

static bool same_plain(const struct history *h, struct value a, struct value b)
{
    if (a.kind != b.kind)
        return false;
    return is_deep((uint8_t)a.kind) ? history_values_equal(h, a, b) : a.bits == b.bits;
}

bool register_values_same(const struct history *h, struct value a, struct value b)
{
    return same_plain(h, plain(h, a), plain(h, b));
}

static uint64_t hash_cells(const struct history *h, int64_t row)
{
    uint32_t names = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from, hash = count;

    /* Whatever the order of the columns. */
    for (uint64_t i = 0; i < count; i++) {
        struct value cell = { h->cell_kind[from + i], h->cell_value[from + i] };
        uint64_t bits = (uint64_t)cell.bits + (uint64_t)cell.kind;

        if (is_deep((uint8_t)cell.kind) || cell.kind == VALUE_NULL)
            bits = (uint64_t)cell.kind;
        hash += hash_number(hash_number(bits) + h->shape_column_name[names + i]);
    }
    return hash;
}

static uint64_t hash_elements(const struct history *h, int64_t list)
{
    uint64_t from = h->list_start[list], to = h->list_start[list + 1], hash = to - from;

    for (uint64_t i = from; i < to; i++)
        hash = hash_number(hash ^ (uint64_t)h->list_element[i]);
    return hash;
}

/* What stands in a slot for a plain value. */
static int64_t bits_of(const struct history *h, struct value value)
{
    if (value.kind == VALUE_LIST)
        return (int64_t)hash_elements(h, value.bits);
    if (value.kind == VALUE_ROW)
        return (int64_t)hash_cells(h, value.bits);
    return value.bits;
}

/* --- Slots -------------------------------------------------------------------------- */

static uint32_t version_in(const struct register_values *r, const struct value_slot *slot)
{
    return slot->is_repeated ? r->repeated.at[slot->place].version : slot->place;
}

/* The slot of the key's value, or the free one where it would stand. */
static struct value_slot *seek(const struct register_values *r, uint32_t key, struct value value,
                               int64_t bits)
{
    const struct history *h = r->infer->history;
    uint64_t mask = r->start[key + 1] - r->start[key] - 1;
    uint64_t at = hash_number((uint64_t)bits + (uint64_t)value.kind) & mask;

    for (;; at = (at + 1) & mask) {
        struct value_slot *slot = &r->slots[r->start[key] + at];
        uint32_t op;

        if (slot->kind == VALUE_NONE)
            return slot;
        if (slot->kind != value.kind || slot->bits != bits)
            continue;
        op = r->infer->versions.op[version_in(r, slot)];
        if (!is_deep(slot->kind) || same_plain(h, value, plain(h, history_value(h, op))))
            return slot;
    }
}

static bool is_possible(const struct infer *c, uint32_t version)
{
    return c->versions.is_final[version] &&
           c->places.standing[c->versions.txn[version]] != STANDING_OUT;
}

/* That a transaction overwrote it itself is less than that it did not commit. */
static bool is_more_harmless(const struct infer *c, uint32_t a, uint32_t b)
{
    return b == INFER_NOTHING || (c->places.standing[c->versions.txn[a]] != STANDING_OUT &&
                                  c->places.standing[c->versions.txn[b]] == STANDING_OUT);
}

static void add_writer(const struct infer *c, struct value_writers *w, uint32_t version)
{
    if (!is_possible(c, version)) {
        if (is_more_harmless(c, version, w->other))
            w->other = version;
        return;
    }
    w->count++;
    if (w->count == 1)
        w->first = version;
    else if (w->count == 2)
        w->second = version;
}

static const struct value_writers nobody = { 0, INFER_NOTHING, INFER_NOTHING, INFER_NOTHING };

static enum status repeat(struct register_values *r, struct value_slot *slot, uint32_t version,
                          struct error *err)
{
    if (!slot->is_repeated) {
        struct repetition repetition = { nobody, slot->place };

        add_writer(r->infer, &repetition.writers, slot->place);
        TRY(array_push(&r->repeated, repetition, err));
        slot->place = (uint32_t)(r->repeated.count - 1);
        slot->is_repeated = true;
    }
    add_writer(r->infer, &r->repeated.at[slot->place].writers, version);
    return STATUS_OK;
}

static enum status add_versions(struct register_values *r, struct infer *c, uint32_t key,
                                enum status (*hears)(struct infer *, uint32_t, uint32_t,
                                                     struct error *),
                                struct error *err)
{
    const struct history *h = c->history;

    for (uint32_t n = c->versions.start[key]; n < c->versions.start[key + 1]; n++) {
        struct value value = plain(h, history_value(h, c->versions.op[n]));
        int64_t bits = bits_of(h, value);
        struct value_slot *slot = seek(r, key, value, bits);

        if (slot->kind == VALUE_NONE) {
            *slot = (struct value_slot){ bits, n, (uint8_t)value.kind, false };
            continue;
        }
        TRY(hears(c, version_in(r, slot), n, err));
        TRY(repeat(r, slot, n, err));
    }
    return STATUS_OK;
}

enum status register_values_init(struct register_values *r, struct infer *c,
                                 enum status (*hears)(struct infer *, uint32_t, uint32_t,
                                                      struct error *),
                                 struct error *err)
{
    size_t keys = c->history->key_count;

    *r = (struct register_values){ .infer = c };
    TRY(check_memory((void **)&r->start, keys + 1, sizeof *r->start, 0, err));
    for (uint32_t key = 0; key < keys; key++) {
        uint64_t count = c->versions.start[key + 1] - c->versions.start[key], room = 2;

        while (room < 2 * count)
            room *= 2;
        if (count == 0 || c->key_kind[key] != KEY_REGISTER)
            room = 0;
        r->start[key + 1] = r->start[key] + room;
    }
    TRY(check_memory((void **)&r->slots, r->start[keys], sizeof *r->slots, 0, err));
    for (uint32_t key = 0; key < keys; key++)
        if (c->key_kind[key] == KEY_REGISTER)
            TRY(add_versions(r, c, key, hears, err));
    return STATUS_OK;
}

void register_values_close(struct register_values *r)
{
    free(r->start);
    free(r->slots);
    array_close(&r->repeated);
    *r = (struct register_values){ 0 };
}

struct value_writers register_values_find(const struct register_values *r, uint32_t key,
                                          struct value value)
{
    const struct value_slot *slot;
    struct value_writers writers = nobody;

    if (r->start[key] == r->start[key + 1])
        return nobody;
    value = plain(r->infer->history, value);
    slot = seek(r, key, value, bits_of(r->infer->history, value));
    if (slot->kind == VALUE_NONE)
        return nobody;
    if (slot->is_repeated)
        return r->repeated.at[slot->place].writers;
    add_writer(r->infer, &writers, slot->place);
    return writers;
}
