/*
 * row_index: rows in the order of some of their columns, and which of them a filter may mean.
 *
 *     chunks   [ a b c . ]  [ d e . . ]  [ f g h i ]
 *
 * Chunks of entries, none of them empty, in a directory. Nulls come last. The columns end in those of
 * the primary key, so that no two rows are equal. Whose rows have versions may have an entry
 * for each combination of values that some version of a row has.
 *
 * A visit seeks by what a filter pins and by the sets that it restricts columns to, and then by the range of the
 * column behind them. It may go in either direction, and end early.
 */
#ifndef PROGRAMS_MACHINE_ROW_INDEX_H
#define PROGRAMS_MACHINE_ROW_INDEX_H

#include "base/array.h"
#include "programs/machine/condition.h"
#include "programs/sql/schema.h"
#include "programs/values/datum.h"

#define ROW_INDEX_CHUNK 64
#define ROW_CHUNK_UNKNOWN UINT32_MAX

struct row_entry {
    const struct datum *cells;
    void *row; /* what the owner knows the row by, or NULL */
};

struct row_chunk {
    uint32_t count;
    uint32_t note; /* the owner's, of all the entries; ROW_CHUNK_UNKNOWN whenever they change */
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

/* The entry with the values that a row has, or NULL; and where it is, if `place` is not NULL. */
struct row_entry *row_index_find(const struct row_index *, const struct datum *cells,
                                 struct row_place *place);
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

/* Whether two rows have one place. */
bool row_index_agrees(const struct row_index *, const struct datum *, const struct datum *);
int row_index_compare(const struct row_index *, const struct datum *, const struct datum *);

/* There must be no such entry, and one to be removed must be there. */
MUST_USE enum status row_index_add(struct row_index *, struct row_entry, struct error *);
void row_index_remove(struct row_index *, const struct datum *cells);

/* Merge sort; `spare` has room for as many. */
void row_index_sort(const struct row_index *, const struct datum **rows, const struct datum **spare,
                    size_t count);

/* --- Visits ------------------------------------------------------------------------------------- */

/* The one of which the filter pins most columns; of equals the first. */
const struct row_index *row_index_best(const struct row_index *indexes, uint32_t count,
                                       const struct filter *);

/* An order of rows in which somebody wants the first ones. */
struct row_order {
    const uint16_t *columns;
    uint32_t column_count;
    bool descends; /* all of them do, and nulls come first */
};

/* Whether the rows of a filter stand in this order in the index, and it tells them all apart. */
bool row_index_is_ordered(const struct row_index *, const struct filter *, const struct row_order *);

struct row_visit {
    const struct row_index *index;
    const struct filter *filter;
    bool is_backwards;
    /* Of each entry that the filter may mean. *is_enough: no more is wanted. */
    enum status (*visit)(void *context, const struct row_entry *, bool *is_enough, struct error *);
    /* Whether a chunk that would be visited as a whole need not be; NULL: all must be. */
    bool (*skips)(void *context, struct row_chunk *);
    void *context;
};

MUST_USE enum status row_index_visit(const struct row_visit *, struct error *);

#endif
