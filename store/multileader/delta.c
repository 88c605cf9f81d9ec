#include "store/multileader/delta_private.h"

#include <assert.h>

static void put_changes(struct wire_writer *w, const struct delta *d)
{
    wire_put_number(w, d->change_count);
    for (uint32_t i = 0; i < d->change_count; i++) {
        const struct row_change *change = &d->changes[i];

        wire_put_number(w, change->key);
        wire_put_byte(w, change->is_removed);
        if (!change->is_removed)
            wire_put_text(w, change->row);
    }
}

void delta_put(struct wire_writer *w, const struct delta *d)
{
    wire_put_number(w, d->origin);
    wire_put_number(w, d->sequence);
    wire_put_stamp(w, d->at);
    wire_put_number(w, d->past_count);
    for (uint32_t i = 0; i < d->past_count; i++)
        wire_put_number(w, d->past[i]);
    put_changes(w, d);
}

static void get_head(struct wire_reader *r, struct delta *d)
{
    *d = (struct delta){ .origin = (uint32_t)wire_get_number(r) };
    d->sequence = wire_get_number(r);
    d->at = wire_get_stamp(r);
}

static void get_past(struct wire_reader *r, struct delta *d, struct arena *scratch)
{
    uint64_t *past;

    d->past_count = wire_get_count(r);
    if (d->past_count == 0)
        return;
    d->past = past = arena_push(scratch, d->past_count, sizeof *past);
    assert(past);
    for (uint32_t i = 0; i < d->past_count; i++)
        past[i] = wire_get_number(r);
}

static void get_changes(struct wire_reader *r, struct delta *d, struct arena *scratch)
{
    struct row_change *changes;

    d->change_count = wire_get_count(r);
    d->changes = changes = arena_push(scratch, d->change_count, sizeof *changes);
    assert(changes);
    for (uint32_t i = 0; i < d->change_count; i++) {
        changes[i].key = (uint32_t)wire_get_number(r);
        changes[i].is_removed = wire_get_byte(r) != 0;
        if (!changes[i].is_removed)
            changes[i].row = wire_get_text(r);
    }
}

bool delta_get(struct text bytes, struct delta *d, struct arena *scratch)
{
    struct wire_reader r = wire_reader_of(bytes);

    get_head(&r, d);
    get_past(&r, d, scratch);
    get_changes(&r, d, scratch);
    return wire_reader_is_done(&r);
}

struct delta delta_head(struct text bytes)
{
    struct wire_reader r = wire_reader_of(bytes);
    struct delta d;

    get_head(&r, &d);
    assert(!r.bad);
    return d;
}
