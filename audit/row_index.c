#include "audit/row_index_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

/* What entries are compared with: a row, or values for the first columns. */
struct row_probe {
    const struct datum *cells;
    bool is_row;
    uint32_t count;
};

static bool is_among(struct schema_columns columns, uint16_t column)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (columns.at[i] == column)
            return true;
    return false;
}

enum status row_index_init(struct row_index *index, struct schema_columns own,
                           struct schema_columns key, struct error *err)
{
    *index = (struct row_index){ .own_count = own.count };
    index->columns = malloc(((size_t)own.count + key.count) * sizeof *own.at);
    if (!index->columns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an index");
    memcpy(index->columns, own.at, own.count * sizeof *own.at);
    index->column_count = own.count;
    for (uint32_t i = 0; i < key.count; i++)
        if (!is_among(own, key.at[i]))
            index->columns[index->column_count++] = key.at[i];
    return STATUS_OK;
}

void row_index_close(struct row_index *index)
{
    for (size_t i = 0; i < index->chunks.count; i++)
        free(index->chunks.at[i]);
    array_close(&index->chunks);
    free(index->columns);
    index->columns = NULL;
}

static inline int compare_cells(const struct datum *a, const struct datum *b)
{
    bool a_null, b_null;

    if (a->kind == DATUM_INTEGER && b->kind == DATUM_INTEGER)
        return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
    a_null = datum_is_null(a);
    b_null = datum_is_null(b);
    if (a_null || b_null)
        return a_null - b_null;
    return datum_compare(a, b);
}

static int compare(const struct row_index *index, const struct datum *cells,
                   const struct row_probe *probe)
{
    for (uint32_t i = 0; i < probe->count; i++) {
        uint16_t column = index->columns[i];
        int order = compare_cells(&cells[column], &probe->cells[probe->is_row ? column : i]);

        if (order != 0)
            return order;
    }
    return 0;
}

static bool is_before(const struct row_index *index, const struct datum *cells,
                      const struct row_probe *probe, bool after)
{
    int order = compare(index, cells, probe);

    return order < 0 || (order == 0 && after);
}

static struct row_place seek(const struct row_index *index, const struct row_probe *probe,
                             bool after)
{
    struct row_place place = { 0, 0 };
    const struct row_chunk *chunk;

    BISECT(place.chunk, 0, index->chunks.count,
           (chunk = index->chunks.at[place.chunk],
            is_before(index, chunk->entries[chunk->count - 1].cells, probe, after)));
    if (place.chunk == index->chunks.count)
        return place;
    chunk = index->chunks.at[place.chunk];
    BISECT(place.entry, 0, chunk->count,
           is_before(index, chunk->entries[place.entry].cells, probe, after));
    return place;
}

struct row_place row_index_seek(const struct row_index *index, const struct datum *values,
                                uint32_t count, bool after)
{
    struct row_probe probe = { values, false, count };

    assert(count <= index->column_count);
    return seek(index, &probe, after);
}

struct row_entry *row_index_find(const struct row_index *index, const struct datum *cells)
{
    struct row_probe probe = { cells, true, index->column_count };
    struct row_entry *entry = row_index_at(index, seek(index, &probe, false));

    return entry && compare(index, entry->cells, &probe) == 0 ? entry : NULL;
}

bool row_index_has_prefix(const struct row_index *index, const struct datum *cells,
                          const struct datum *values, uint32_t count)
{
    struct row_probe probe = { values, false, count };

    return compare(index, cells, &probe) == 0;
}

int row_index_compare(const struct row_index *index, const struct datum *a, const struct datum *b)
{
    struct row_probe probe = { b, true, index->column_count };

    return compare(index, a, &probe);
}

bool row_index_agrees(const struct row_index *index, const struct datum *a, const struct datum *b)
{
    return a == b || row_index_compare(index, a, b) == 0;
}

static enum status add_chunk(struct row_index *index, size_t at, struct error *err)
{
    struct row_chunk *chunk;

    TRY(array_reserve(&index->chunks, 1, err));
    chunk = malloc(sizeof *chunk);
    if (!chunk)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an index");
    chunk->count = 0;
    memmove(&index->chunks.at[at + 1], &index->chunks.at[at],
            (index->chunks.count - at) * sizeof *index->chunks.at);
    index->chunks.at[at] = chunk;
    index->chunks.count++;
    return STATUS_OK;
}

/* The upper half goes to a chunk of its own; all of it but nothing, where rows only ever rise. */
static enum status split(struct row_index *index, struct row_place *place, struct error *err)
{
    bool rises = place->chunk + 1 == index->chunks.count && place->entry == ROW_INDEX_CHUNK;
    uint32_t half = rises ? ROW_INDEX_CHUNK : ROW_INDEX_CHUNK / 2;
    struct row_chunk *lower, *upper;

    TRY(add_chunk(index, place->chunk + 1, err));
    lower = index->chunks.at[place->chunk];
    upper = index->chunks.at[place->chunk + 1];
    memcpy(upper->entries, lower->entries + half, (lower->count - half) * sizeof *lower->entries);
    upper->count = lower->count - half;
    lower->count = half;
    if (place->entry > half || rises)
        *place = (struct row_place){ place->chunk + 1, place->entry - half };
    return STATUS_OK;
}

enum status row_index_add(struct row_index *index, struct row_entry entry, struct error *err)
{
    struct row_probe probe = { entry.cells, true, index->column_count };
    struct row_place place = seek(index, &probe, false);
    struct row_chunk *chunk;

    if (index->chunks.count == 0)
        TRY(add_chunk(index, 0, err));
    if (place.chunk == index->chunks.count) {
        place.chunk--;
        place.entry = index->chunks.at[place.chunk]->count;
    }
    if (index->chunks.at[place.chunk]->count == ROW_INDEX_CHUNK)
        TRY(split(index, &place, err));
    chunk = index->chunks.at[place.chunk];
    memmove(&chunk->entries[place.entry + 1], &chunk->entries[place.entry],
            (chunk->count - place.entry) * sizeof *chunk->entries);
    chunk->entries[place.entry] = entry;
    chunk->count++;
    return STATUS_OK;
}

void row_index_remove(struct row_index *index, const struct datum *cells)
{
    struct row_probe probe = { cells, true, index->column_count };
    struct row_place place = seek(index, &probe, false);
    struct row_chunk *chunk;

    assert(row_index_at(index, place) &&
           row_index_agrees(index, row_index_at(index, place)->cells, cells));
    chunk = index->chunks.at[place.chunk];
    chunk->count--;
    memmove(&chunk->entries[place.entry], &chunk->entries[place.entry + 1],
            (chunk->count - place.entry) * sizeof *chunk->entries);
    if (chunk->count > 0)
        return;
    free(chunk);
    index->chunks.count--;
    memmove(&index->chunks.at[place.chunk], &index->chunks.at[place.chunk + 1],
            (index->chunks.count - place.chunk) * sizeof *index->chunks.at);
}
