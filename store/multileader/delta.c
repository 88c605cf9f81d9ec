#include "store/multileader/delta_private.h"

#include <assert.h>

static void put_changes(struct writer *w, const struct delta *d)
{
    put_number(w, d->change_count);
    for (uint32_t i = 0; i < d->change_count; i++) {
        const struct row_change *change = &d->changes[i];

        put_number(w, change->key);
        put_byte(w, change->is_removed);
        if (!change->is_removed)
            put_text(w, change->row);
    }
}

void delta_put(struct writer *w, const struct delta *d)
{
    put_number(w, d->origin);
    put_number(w, d->sequence);
    put_stamp(w, d->at);
    put_number(w, d->past_count);
    for (uint32_t i = 0; i < d->past_count; i++)
        put_number(w, d->past[i]);
    put_changes(w, d);
}

static void get_head(struct reader *r, struct delta *d)
{
    *d = (struct delta){ .origin = (uint32_t)get_number(r) };
    d->sequence = get_number(r);
    d->at = get_stamp(r);
}

static void get_past(struct reader *r, struct delta *d, struct arena *scratch)
{
    uint64_t *past;

    d->past_count = get_count(r);
    if (d->past_count == 0)
        return;
    d->past = past = arena_push(scratch, d->past_count, sizeof *past);
    assert(past);
    for (uint32_t i = 0; i < d->past_count; i++)
        past[i] = get_number(r);
}

static void get_changes(struct reader *r, struct delta *d, struct arena *scratch)
{
    struct row_change *changes;

    d->change_count = get_count(r);
    d->changes = changes = arena_push(scratch, d->change_count, sizeof *changes);
    assert(changes);
    for (uint32_t i = 0; i < d->change_count; i++) {
        changes[i].key = (uint32_t)get_number(r);
        changes[i].is_removed = get_byte(r) != 0;
        if (!changes[i].is_removed)
            changes[i].row = get_text(r);
    }
}

bool delta_get(struct text bytes, struct delta *d, struct arena *scratch)
{
    struct reader r = reader_of(bytes);

    get_head(&r, d);
    get_past(&r, d, scratch);
    get_changes(&r, d, scratch);
    return reader_is_done(&r);
}

struct delta delta_head(struct text bytes)
{
    struct reader r = reader_of(bytes);
    struct delta d;

    get_head(&r, &d);
    assert(!r.bad);
    return d;
}
