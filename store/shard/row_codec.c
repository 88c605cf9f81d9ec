#include "store/shard/row_codec.h"

void *row_codec_take(struct arena *scratch, uint32_t count, size_t size)
{
    return count > 0 ? arena_take(scratch, count, size) : NULL;
}

void row_codec_put_keys(struct wire_writer *w, const uint32_t *keys, uint32_t count)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++)
        wire_put_number(w, keys[i]);
}

const uint32_t *row_codec_get_keys(struct wire_reader *r, uint32_t *count, struct arena *scratch)
{
    uint32_t *keys;

    *count = wire_get_count(r);
    keys = row_codec_take(scratch, *count, sizeof *keys);
    for (uint32_t i = 0; i < *count; i++)
        keys[i] = wire_get_number32(r);
    return keys;
}

void row_codec_put_changes(struct wire_writer *w, const struct row_change *changes, uint32_t count)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, changes[i].key);
        wire_put_byte(w, changes[i].is_removed);
        if (!changes[i].is_removed)
            wire_put_text(w, changes[i].row);
    }
}

const struct row_change *row_codec_get_changes(struct wire_reader *r, uint32_t *count,
                                               struct arena *scratch)
{
    struct row_change *changes;

    *count = wire_get_count(r);
    changes = row_codec_take(scratch, *count, sizeof *changes);
    for (uint32_t i = 0; i < *count; i++) {
        changes[i].key = wire_get_number32(r);
        changes[i].is_removed = wire_get_at_most(r, 1);
        if (!changes[i].is_removed)
            changes[i].row = wire_get_text(r);
    }
    return changes;
}

/* --- Stamps and who wrote there --------------------------------------------------------------- */

static void put_place(struct wire_writer *w, struct stamp at, uint64_t writer, enum stamp_form form)
{
    if (form == STAMP_SHORT)
        wire_put_short_stamp(w, at);
    else
        wire_put_stamp(w, at);
    wire_put_number(w, form == STAMP_SHORT ? writer ^ at.txn : writer);
}

static struct stamp get_place(struct wire_reader *r, uint64_t *writer, enum stamp_form form)
{
    struct stamp at = form == STAMP_SHORT ? wire_get_short_stamp(r) : wire_get_stamp(r);

    *writer = wire_get_number(r) ^ (form == STAMP_SHORT ? at.txn : 0);
    return at;
}

void row_codec_put_seen(struct wire_writer *w, const struct seen_key *keys, uint32_t count,
                        enum stamp_form form)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, keys[i].key);
        put_place(w, keys[i].at, keys[i].writer, form);
    }
}

const struct seen_key *row_codec_get_seen(struct wire_reader *r, uint32_t *count,
                                          enum stamp_form form, struct arena *scratch)
{
    struct seen_key *keys;

    *count = wire_get_count(r);
    keys = row_codec_take(scratch, *count, sizeof *keys);
    for (uint32_t i = 0; i < *count; i++) {
        keys[i].key = wire_get_number32(r);
        keys[i].at = get_place(r, &keys[i].writer, form);
    }
    return keys;
}

void row_codec_put_rows(struct wire_writer *w, const struct read_row *rows, uint32_t count,
                        enum stamp_form form)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, rows[i].key);
        put_place(w, rows[i].at, rows[i].writer, form);
        wire_put_byte(w, rows[i].is_row);
        if (rows[i].is_row)
            wire_put_text(w, rows[i].row);
    }
}

const struct read_row *row_codec_get_rows(struct wire_reader *r, uint32_t *count,
                                          enum stamp_form form, struct arena *scratch)
{
    struct read_row *rows;

    *count = wire_get_count(r);
    rows = row_codec_take(scratch, *count, sizeof *rows);
    for (uint32_t i = 0; i < *count; i++) {
        rows[i].key = wire_get_number32(r);
        rows[i].at = get_place(r, &rows[i].writer, form);
        rows[i].is_row = wire_get_at_most(r, 1);
        if (rows[i].is_row)
            rows[i].row = wire_get_text(r);
    }
    return rows;
}
