#include "store/multileader/delta_private.h"

#include <assert.h>

#include "store/shard/shard_message.h"

void delta_put(struct wire_writer *w, const struct delta *d)
{
    wire_put_number(w, d->origin);
    wire_put_number(w, d->sequence);
    wire_put_stamp(w, d->at);
    wire_put_number(w, d->past_count);
    for (uint32_t i = 0; i < d->past_count; i++)
        wire_put_number(w, d->past[i]);
    shard_put_changes(w, d->changes, d->change_count);
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
    d->past = past = shard_take(scratch, d->past_count, sizeof *past);
    for (uint32_t i = 0; i < d->past_count; i++)
        past[i] = wire_get_number(r);
}

bool delta_get(struct text bytes, struct delta *d, struct arena *scratch)
{
    struct wire_reader r = wire_reader_of(bytes);

    get_head(&r, d);
    get_past(&r, d, scratch);
    d->changes = shard_get_changes(&r, &d->change_count, scratch);
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
