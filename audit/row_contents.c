#include "audit/row_contents_private.h"

#include <string.h>

#include "base/hash.h"

void row_contents_close(struct row_contents *c)
{
    array_close(&c->lists);
    array_close(&c->listed);
    array_close(&c->sights);
    array_close(&c->left);
    array_close(&c->classes);
    array_close(&c->table);
}

void row_contents_forget(struct row_contents *c)
{
    c->lists.count = c->listed.count = 0;
    row_contents_begin_run(c);
}

void row_contents_begin_run(struct row_contents *c)
{
    c->sights.count = c->left.count = 0;
}

static const struct datum *content(const struct stored_row *row, uint32_t position)
{
    const struct row_version *v = audit_rows_visible(row, position);

    return v ? v->cells : NULL;
}

/* --- Classes ---------------------------------------------------------------------------------------- */

struct division {
    struct row_contents *contents;
    struct rows *rows;
    const struct row_look *look; /* NULL: all that can be told is */
    uint64_t used;
    const struct stored_row *row;
    const uint32_t *positions;
};

static uint64_t hash_of(const struct division *d, uint32_t position)
{
    if (position == CONTENT_BEFORE)
        return 1;
    if (d->look)
        return audit_rows_look_hash(d->rows, d->look, d->used, d->row, content(d->row, position));
    return audit_rows_hash(d->rows, d->row->table, content(d->row, position), ALL_COLUMNS);
}

static bool is_alike(const struct division *d, uint32_t position, uint32_t other)
{
    const struct datum *a, *b;

    if (position == CONTENT_BEFORE || other == CONTENT_BEFORE)
        return position == other;
    a = content(d->row, position);
    b = content(d->row, other);
    return d->look ? audit_rows_looks_alike(d->rows, d->look, d->used, d->row, a, b)
                   : audit_rows_equal(d->rows, d->row->table, a, b);
}

/* The class of one of the positions, whose hash this is; a new one if it is like none before. */
static uint32_t class_of(const struct division *d, uint32_t number, uint64_t hash, uint32_t *count)
{
    struct row_contents *c = d->contents;
    size_t mask = c->table.count - 1, slot = (size_t)hash_number(hash) & mask;

    for (; c->table.at[slot] > 0; slot = (slot + 1) & mask)
        if (is_alike(d, d->positions[number], d->positions[c->table.at[slot] - 1]))
            return c->classes.at[c->table.at[slot] - 1];
    c->table.at[slot] = number + 1;
    return (*count)++;
}

static enum status divide(const struct division *d, uint32_t position_count, uint32_t *count,
                          struct error *err)
{
    struct row_contents *c = d->contents;
    size_t slots = 4;

    while (slots < 2 * (size_t)position_count)
        slots *= 2;
    *count = 0;
    c->classes.count = c->table.count = 0;
    TRY(array_reserve(&c->classes, position_count, err));
    TRY(array_reserve(&c->table, slots, err));
    memset(c->table.at, 0, slots * sizeof *c->table.at);
    c->table.count = slots;
    for (uint32_t i = 0; i < position_count; i++)
        c->classes.at[c->classes.count++] = class_of(d, i, hash_of(d, d->positions[i]), count);
    return STATUS_OK;
}

/* --- Lists ------------------------------------------------------------------------------------------ */

const struct content_list *row_contents_find(const struct row_contents *c,
                                             const struct stored_row *row, uint32_t place)
{
    for (size_t i = c->lists.count; i > 0; i--)
        if (c->lists.at[i - 1].row == row && c->lists.at[i - 1].place == place)
            return &c->lists.at[i - 1];
    return NULL;
}

enum status row_contents_begin_list(struct row_contents *c, const struct stored_row *row,
                                    uint32_t place, struct error *err)
{
    return array_push(
        &c->lists, ((struct content_list){ .row = row, .place = place, .first = c->listed.count }),
        err);
}

enum status row_contents_add(struct row_contents *c, uint32_t position, struct error *err)
{
    return array_push(&c->listed, position, err);
}

enum status row_contents_end_list(struct row_contents *c, struct rows *rows, bool is_open,
                                  struct error *err)
{
    struct content_list *list = &c->lists.at[c->lists.count - 1];
    uint32_t *positions = c->listed.at + list->first,
             count = (uint32_t)(c->listed.count - list->first);
    struct division d = { c, rows, NULL, ALL_COLUMNS, list->row, positions };

    list->is_open = is_open;
    TRY(divide(&d, count, &list->count, err));
    /* The first of each class stays. */
    for (uint32_t i = 0, kept = 0; i < count; i++)
        if (c->classes.at[i] == kept)
            positions[kept++] = positions[i];
    c->listed.count = list->first + list->count;
    return STATUS_OK;
}

/* --- What a run sees -------------------------------------------------------------------------------- */

struct content_sight *row_contents_seen(const struct row_contents *c, const struct stored_row *row,
                                        uint32_t scope, uint32_t place)
{
    for (size_t i = c->sights.count; i > 0; i--) {
        struct content_sight *s = &c->sights.at[i - 1];

        if (s->row == row && s->scope == scope && s->place == place)
            return s;
    }
    return NULL;
}

enum status row_contents_see(struct row_contents *c, const struct content_list *list,
                             uint32_t scope, struct error *err)
{
    struct content_sight s = { list->row,     scope,       list->place,
                               c->left.count, list->count, list->is_open };

    TRY(array_reserve(&c->left, list->count, err));
    memcpy(c->left.at + c->left.count, c->listed.at + list->first,
           list->count * sizeof *c->left.at);
    c->left.count += list->count;
    return array_push(&c->sights, s, err);
}

enum status row_contents_divide(struct row_contents *c, struct rows *rows,
                                const struct row_look *look, const struct content_sight *s,
                                uint32_t *count, struct error *err)
{
    /* Of rows that are locked, what is in them is seen in the newest state. */
    uint64_t used = look->is_locking && s->place == 0 ? 0 : look->used;
    struct division d = { c, rows, look, used, s->row, c->left.at + s->first };

    if (audit_rows_tells_all(rows, look, used)) {
        TRY(array_reserve(&c->classes, s->count, err));
        for (*count = 0; *count < s->count; ++*count)
            c->classes.at[*count] = *count;
        return STATUS_OK;
    }
    return divide(&d, s->count, count, err);
}

enum status row_contents_narrow(struct row_contents *c, struct content_sight *s, uint32_t class_,
                                struct error *err)
{
    size_t first = c->left.count;

    TRY(array_reserve(&c->left, s->count, err));
    for (uint32_t i = 0; i < s->count; i++)
        if (c->classes.at[i] == class_)
            c->left.at[c->left.count++] = c->left.at[s->first + i];
    s->first = first;
    s->count = (uint32_t)(c->left.count - first);
    return STATUS_OK;
}
