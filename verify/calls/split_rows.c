#include "verify/calls/split_rows_private.h"

#include "base/hash.h"
#include "verify/calls/grow_private.h"
#include "verify/calls/possible_rows_private.h"

#define SLOTS 1024

void split_rows_begin(struct split_rows *s, struct arena *arena)
{
    *s = (struct split_rows){ .slots = arena_take(arena, SLOTS, sizeof *s->slots) };
}

static struct split_row *row_of(struct split_rows *s, struct arena *arena, struct row_entry *entry)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        if (s->rows[i].entry == entry)
            return &s->rows[i];
    GROW(arena, s->rows, s->row_count, &s->row_room);
    s->rows[s->row_count] = (struct split_row){ .entry = entry };
    return &s->rows[s->row_count++];
}

static uint64_t content_hash(const struct split_content *content)
{
    uint64_t hash = hash_mix(content->entry->hash, content->row != NULL);

    for (uint32_t c = 0; content->row && c < content->entry->relation->column_count; c++) {
        struct item item = row_states_unpack(&content->row[c]);

        hash = hash_mix(hash, item_hash(&item));
    }
    return hash;
}

/* True: it is new. */
static bool add_content(struct split_rows *s, struct arena *arena, struct split_row *row,
                        const struct packed *cells)
{
    struct split_content content = { .entry = row->entry, .row = cells };
    uint32_t *slot = &s->slots[content_hash(&content) % SLOTS];

    for (uint32_t at = *slot; at > 0; at = s->contents[at - 1].next)
        if (s->contents[at - 1].entry == row->entry &&
            row_states_identical(row->entry->relation, s->contents[at - 1].row, cells))
            return false;
    s->is_overfull |= row->count++ == SPLIT_CONTENTS_MAX;
    content.next = *slot;
    GROW(arena, s->contents, s->content_count, &s->content_room);
    s->contents[s->content_count++] = content;
    *slot = s->content_count;
    return true;
}

static uint32_t count_always(const struct split_rows *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->row_count; i++)
        count += s->rows[i].runs == s->runs;
    return count;
}

bool split_rows_add(struct split_rows *s, struct arena *arena, const struct written_rows *written)
{
    uint32_t always = count_always(s);
    bool is_new = false;

    for (uint32_t i = 0; i < written->count; i++) {
        struct split_row *row = row_of(s, arena, written->entries[i]);

        is_new |= add_content(s, arena, row, written->rows[i]);
        row->runs++;
    }
    s->runs++;
    return is_new || count_always(s) < always;
}

bool split_rows_always(const struct split_rows *s, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        if (s->rows[i].entry == entry)
            return s->rows[i].runs == s->runs;
    return false;
}
