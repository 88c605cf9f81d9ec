/*
 * row_index: rows in the order of some of their columns.
 *
 *     chunks   [ a b c . ]  [ d e . . ]  [ f g h i ]
 *
 * Chunks of entries, none of them empty, in a directory. Nulls come last. The columns end in those of
 * the primary key, so that no two entries are equal: a row has one for each combination of
 * values that some version of it has.
 */
#ifndef AUDIT_ROW_INDEX_PRIVATE_H
#define AUDIT_ROW_INDEX_PRIVATE_H

#include "base/array.h"
#include "programs/sql/schema.h"
#include "programs/values/datum.h"

#define ROW_INDEX_CHUNK 64

struct stored_row;

struct row_entry {
    const struct datum *cells;
    struct stored_row *row;
};

struct row_chunk {
    uint32_t count;
    struct row_entry entries[ROW_INDEX_CHUNK];
};

struct row_index {
    uint16_t *columns;
    uint32_t column_count, own_count;
    ARRAY(struct row_chunk *) chunks;
};

struct row_place {
    size_t chunk;
    uint32_t entry;
};

/* The first of the columns are `own`, then come those of the key that are not among them. */
MUST_USE enum status row_index_init(struct row_index *, struct schema_columns own,
                                    struct schema_columns key, struct error *);
void row_index_close(struct row_index *);

/* The first entry whose first columns are not below the values, or, with `after`, above them. */
struct row_place row_index_seek(const struct row_index *, const struct datum *values,
                                uint32_t count, bool after);
/* The entry with the values that a row has, or NULL. */
struct row_entry *row_index_find(const struct row_index *, const struct datum *cells);
/* The entry there, NULL at the end. */
static inline struct row_entry *row_index_at(const struct row_index *index, struct row_place place)
{
    return place.chunk < index->chunks.count ? &index->chunks.at[place.chunk]->entries[place.entry]
                                             : NULL;
}
static inline struct row_place row_index_next(const struct row_index *index, struct row_place place)
{
    if (++place.entry == index->chunks.at[place.chunk]->count)
        place = (struct row_place){ place.chunk + 1, 0 };
    return place;
}

/* Whether the first columns of the cells are these. */
bool row_index_has_prefix(const struct row_index *, const struct datum *cells,
                          const struct datum *values, uint32_t count);
/* Whether two rows have one place. */
bool row_index_agrees(const struct row_index *, const struct datum *, const struct datum *);
int row_index_compare(const struct row_index *, const struct datum *, const struct datum *);

/* There must be no such entry, and one to be removed must be there. */
MUST_USE enum status row_index_add(struct row_index *, struct row_entry, struct error *);
void row_index_remove(struct row_index *, const struct datum *cells);

#endif
