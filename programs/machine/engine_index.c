#include "programs/machine/engine_index_private.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"

/* What rows are compared with: another row, or values for the first columns. */
struct probe {
    const struct datum *cells;
    bool is_row;
    uint32_t count;
};

static bool is_among(const uint16_t *columns, uint32_t count, uint16_t column)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i] == column)
            return true;
    return false;
}

enum status engine_index_init(struct index *index, const uint16_t *own, uint32_t own_count,
                              const uint16_t *key, uint32_t key_count, struct error *err)
{
    *index = (struct index){ .columns = malloc((own_count + key_count) * sizeof *own) };
    if (!index->columns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an index");
    memcpy(index->columns, own, own_count * sizeof *own);
    index->column_count = own_count;
    for (uint32_t i = 0; i < key_count; i++)
        if (!is_among(own, own_count, key[i]))
            index->columns[index->column_count++] = key[i];
    return STATUS_OK;
}

void engine_index_close(struct index *index)
{
    for (size_t i = 0; i < index->chunks.count; i++)
        free(index->chunks.at[i]);
    array_close(&index->chunks);
    free(index->columns);
    index->columns = NULL;
}

static int compare_cells(const struct datum *a, const struct datum *b)
{
    bool a_null = datum_is_null(a), b_null = datum_is_null(b);

    if (a_null || b_null)
        return a_null - b_null;
    return datum_compare(a, b);
}

static int compare(const struct index *index, const struct datum *row, const struct probe *probe)
{
    for (uint32_t i = 0; i < probe->count; i++) {
        uint16_t column = index->columns[i];
        const struct datum *other = &probe->cells[probe->is_row ? column : i];
        int order = compare_cells(&row[column], other);

        if (order != 0)
            return order;
    }
    return 0;
}

static bool is_before(const struct index *index, const struct datum *row,
                      const struct probe *probe, bool after)
{
    int order = compare(index, row, probe);

    return order < 0 || (order == 0 && after);
}

static const struct datum *last_row(const struct index_chunk *chunk)
{
    return chunk->rows[chunk->count - 1];
}

static struct index_place seek(const struct index *index, const struct probe *probe, bool after)
{
    struct index_place place = { 0, 0 };
    const struct index_chunk *chunk;

    BISECT(place.chunk, 0, index->chunks.count,
           is_before(index, last_row(index->chunks.at[place.chunk]), probe, after));
    if (place.chunk == index->chunks.count)
        return place;
    chunk = index->chunks.at[place.chunk];
    BISECT(place.row, 0, chunk->count, is_before(index, chunk->rows[place.row], probe, after));
    return place;
}

struct index_place engine_index_seek(const struct index *index, const struct datum *values,
                                     uint32_t count, bool after)
{
    struct probe probe = { values, false, count };

    assert(count <= index->column_count);
    return seek(index, &probe, after);
}

const struct datum *engine_index_at(const struct index *index, struct index_place place)
{
    return place.chunk < index->chunks.count ? index->chunks.at[place.chunk]->rows[place.row]
                                             : NULL;
}

struct index_place engine_index_next(const struct index *index, struct index_place place)
{
    if (++place.row == index->chunks.at[place.chunk]->count)
        place = (struct index_place){ place.chunk + 1, 0 };
    return place;
}

bool engine_index_has_prefix(const struct index *index, const struct datum *row,
                             const struct datum *values, uint32_t count)
{
    struct probe probe = { values, false, count };

    return compare(index, row, &probe) == 0;
}

bool engine_index_agrees(const struct index *index, const struct datum *a, const struct datum *b)
{
    struct probe probe = { b, true, index->column_count };

    return compare(index, a, &probe) == 0;
}

bool engine_index_is_before(const struct index *index, const struct datum *a, const struct datum *b)
{
    struct probe probe = { b, true, index->column_count };

    return compare(index, a, &probe) < 0;
}

static enum status add_chunk(struct index *index, size_t at, struct error *err)
{
    struct index_chunk *chunk;

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
static enum status split(struct index *index, struct index_place *place, struct error *err)
{
    bool rises = place->chunk + 1 == index->chunks.count && place->row == INDEX_CHUNK_ROWS;
    uint32_t half = rises ? INDEX_CHUNK_ROWS : INDEX_CHUNK_ROWS / 2;
    struct index_chunk *lower, *upper;

    TRY(add_chunk(index, place->chunk + 1, err));
    lower = index->chunks.at[place->chunk];
    upper = index->chunks.at[place->chunk + 1];
    memcpy(upper->rows, lower->rows + half, (lower->count - half) * sizeof *lower->rows);
    upper->count = lower->count - half;
    lower->count = half;
    if (place->row > half || rises)
        *place = (struct index_place){ place->chunk + 1, place->row - half };
    return STATUS_OK;
}

enum status engine_index_add(struct index *index, const struct datum *row, struct error *err)
{
    struct probe probe = { row, true, index->column_count };
    struct index_place place = seek(index, &probe, false);
    struct index_chunk *chunk;

    if (index->chunks.count == 0)
        TRY(add_chunk(index, 0, err));
    if (place.chunk == index->chunks.count) {
        place.chunk--;
        place.row = index->chunks.at[place.chunk]->count;
    }
    if (index->chunks.at[place.chunk]->count == INDEX_CHUNK_ROWS)
        TRY(split(index, &place, err));
    chunk = index->chunks.at[place.chunk];
    memmove(&chunk->rows[place.row + 1], &chunk->rows[place.row],
            (chunk->count - place.row) * sizeof *chunk->rows);
    chunk->rows[place.row] = row;
    chunk->count++;
    return STATUS_OK;
}

static struct index_place place_of(const struct index *index, const struct datum *row)
{
    struct probe probe = { row, true, index->column_count };
    struct index_place place = seek(index, &probe, false);

    assert(engine_index_at(index, place) == row);
    return place;
}

void engine_index_remove(struct index *index, const struct datum *row)
{
    struct index_place place = place_of(index, row);
    struct index_chunk *chunk = index->chunks.at[place.chunk];

    chunk->count--;
    memmove(&chunk->rows[place.row], &chunk->rows[place.row + 1],
            (chunk->count - place.row) * sizeof *chunk->rows);
    if (chunk->count > 0)
        return;
    free(chunk);
    index->chunks.count--;
    memmove(&index->chunks.at[place.chunk], &index->chunks.at[place.chunk + 1],
            (index->chunks.count - place.chunk) * sizeof *index->chunks.at);
}

void engine_index_replace(struct index *index, const struct datum *row, const struct datum *by)
{
    struct index_place place = place_of(index, row);

    index->chunks.at[place.chunk]->rows[place.row] = by;
}
