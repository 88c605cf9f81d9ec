#include "checkers/infer/registers/registers_values_private.h"

#include <stdlib.h>

#include "base/hash.h"
#include "checkers/values/values.h"

/* --- Slots -------------------------------------------------------------------------- */

static uint32_t version_in(const struct register_values *r, const struct value_slot *slot)
{
    return slot->is_repeated ? r->repeated.at[slot->place].version : slot->place;
}

/* The slot of the key's value, which is a plain one, or the free one where it would stand. */
static struct value_slot *seek(const struct register_values *r, uint32_t key, struct value value,
                               uint64_t hash)
{
    const struct history *h = r->infer->history;
    uint64_t mask = r->start[key + 1] - r->start[key] - 1;
    uint64_t at = hash_number(hash) & mask;

    for (;; at = (at + 1) & mask) {
        struct value_slot *slot = &r->slots[r->start[key] + at];
        uint32_t op;

        if (slot->kind == VALUE_NONE)
            return slot;
        if (slot->kind != value.kind || slot->hash != hash)
            continue;
        if (value.kind == VALUE_INTEGER)
            return slot;
        op = r->infer->versions.op[version_in(r, slot)];
        if (values_same(h, value, history_value(h, op)))
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
        struct value value = values_plain(h, history_value(h, c->versions.op[n]));
        uint64_t hash = values_hash(h, value);
        struct value_slot *slot = seek(r, key, value, hash);

        if (slot->kind == VALUE_NONE) {
            *slot = (struct value_slot){ hash, n, (uint8_t)value.kind, false };
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
    value = values_plain(r->infer->history, value);
    slot = seek(r, key, value, values_hash(r->infer->history, value));
    if (slot->kind == VALUE_NONE)
        return nobody;
    if (slot->is_repeated)
        return r->repeated.at[slot->place].writers;
    add_writer(r->infer, &writers, slot->place);
    return writers;
}
