#include "store/coordinator/own_rows.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"

/* Where a key is, or would be. */
static uint32_t place_of(const struct own_rows *rows, uint32_t key)
{
    uint32_t place;

    BISECT(place, 0, rows->count, rows->at[place].key < key);
    return place;
}

const struct own_row *own_rows_find(const struct own_rows *rows, uint32_t key)
{
    uint32_t place = place_of(rows, key);

    return place < rows->count && rows->at[place].key == key ? &rows->at[place] : NULL;
}

static struct own_row *find_or_add(struct own_rows *rows, struct pool *pool, uint32_t key)
{
    uint32_t place = place_of(rows, key);

    if (place < rows->count && rows->at[place].key == key)
        return &rows->at[place];
    pool_reserve(pool, rows, 1);
    memmove(&rows->at[place + 1], &rows->at[place], (rows->count - place) * sizeof *rows->at);
    rows->count++;
    rows->at[place] = (struct own_row){ .key = key };
    assert(place == 0 || rows->at[place - 1].key < key); /* they rise */
    assert(place + 1 == rows->count || key < rows->at[place + 1].key);
    return &rows->at[place];
}

void own_rows_keep(struct own_rows *rows, struct pool *pool, const struct row_change *change)
{
    struct own_row *own = find_or_add(rows, pool, change->key);
    char *copy = NULL;

    own->is_reborn = !change->is_removed && (own->is_removed || own->is_reborn);
    own->is_removed = change->is_removed;
    pool_give(pool, (void *)own->row.at, own->row.length);
    own->row = (struct text){ 0 };
    if (change->is_removed || change->row.length == 0)
        return;
    copy = pool_take(pool, change->row.length);
    memcpy(copy, change->row.at, change->row.length);
    own->row = (struct text){ copy, change->row.length };
}

void own_rows_close(struct own_rows *rows, struct pool *pool)
{
    for (uint32_t i = 0; i < rows->count; i++)
        pool_give(pool, (void *)rows->at[i].row.at, rows->at[i].row.length);
    pool_close(pool, rows);
}

struct read_row own_row_as_read(const struct own_row *own, uint64_t txn)
{
    return (struct read_row){
        .key = own->key, .writer = txn, .is_row = !own->is_removed, .row = own->row
    };
}

bool own_row_is_in(const struct own_row *own, struct catalog *catalog, uint32_t scope)
{
    return !own->is_removed &&
           catalog_table(catalog, own->key) == catalog_scope_table(catalog, scope) &&
           catalog_matches(catalog, scope, own->row);
}
