/*
 * engine_index: the rows of a table in the order of some of its columns.
 *
 *     chunks   [ a b c . ]  [ d e . . ]  [ f g h i ]
 *
 * Chunks of pointers to rows, none of them empty, in a directory. Nulls come
 * last. The columns end in those of the primary key, so no two rows are equal.
 */
#ifndef PROGRAMS_MACHINE_ENGINE_INDEX_PRIVATE_H
#define PROGRAMS_MACHINE_ENGINE_INDEX_PRIVATE_H

#include "base/array.h"
#include "programs/values/datum.h"

#define INDEX_CHUNK_ROWS 64

struct index_chunk {
    uint32_t count;
    const struct datum *rows[INDEX_CHUNK_ROWS];
};

struct index {
    uint16_t *columns;
    uint32_t column_count;
    ARRAY(struct index_chunk *) chunks;
};

struct index_place {
    size_t chunk;
    uint32_t row;
};

/* The first of the columns are `own`, then come those of the key that are not among them. */
MUST_USE enum status engine_index_init(struct index *, const uint16_t *own, uint32_t own_count,
                                       const uint16_t *key, uint32_t key_count, struct error *);
void engine_index_close(struct index *);

MUST_USE enum status engine_index_add(struct index *, const struct datum *row, struct error *);
void engine_index_remove(struct index *, const struct datum *row);
/* Puts a row in the place of another that is equal in all the columns. */
void engine_index_replace(struct index *, const struct datum *row, const struct datum *by);
bool engine_index_agrees(const struct index *, const struct datum *, const struct datum *);
bool engine_index_is_before(const struct index *, const struct datum *, const struct datum *);

/* The first row whose first columns are not below the values, or, with `after`, above them. */
struct index_place engine_index_seek(const struct index *, const struct datum *values, uint32_t count,
                                     bool after);
/* The row there, NULL at the end. */
const struct datum *engine_index_at(const struct index *, struct index_place);
struct index_place engine_index_next(const struct index *, struct index_place);

/* Whether the row's first columns are these. */
bool engine_index_has_prefix(const struct index *, const struct datum *row, const struct datum *values,
                             uint32_t count);

#endif
