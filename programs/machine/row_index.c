#include "programs/machine/row_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

#define PREFIX_MAX 32 /* columns by which an index is sought */

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

struct row_entry *row_index_find(const struct row_index *index, const struct datum *cells,
                                 struct row_place *place)
{
    struct row_probe probe = { cells, true, index->column_count };
    struct row_place at = seek(index, &probe, false);
    struct row_entry *entry = row_index_at(index, at);

    if (place)
        *place = at;
    return entry && compare(index, entry->cells, &probe) == 0 ? entry : NULL;
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
    chunk->note = ROW_CHUNK_UNKNOWN;
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
    lower->note = ROW_CHUNK_UNKNOWN;
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
    chunk->note = ROW_CHUNK_UNKNOWN;
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
    chunk->note = ROW_CHUNK_UNKNOWN;
    memmove(&chunk->entries[place.entry], &chunk->entries[place.entry + 1],
            (chunk->count - place.entry) * sizeof *chunk->entries);
    if (chunk->count > 0)
        return;
    free(chunk);
    index->chunks.count--;
    memmove(&index->chunks.at[place.chunk], &index->chunks.at[place.chunk + 1],
            (index->chunks.count - place.chunk) * sizeof *index->chunks.at);
}

void row_index_sort(const struct row_index *by, const struct datum **rows,
                    const struct datum **spare, size_t count)
{
    size_t half = count / 2, a = 0, b = half;

    if (count < 2)
        return;
    row_index_sort(by, rows, spare, half);
    row_index_sort(by, rows + half, spare, count - half);
    memcpy(spare, rows, count * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        bool takes_a = b == count || (a < half && row_index_compare(by, spare[a], spare[b]) < 0);

        rows[i] = takes_a ? spare[a++] : spare[b++];
    }
}

/* --- Visits --------------------------------------------------------------------------------------- */

/* How many of the first columns a filter pins or restricts, twice; a range is one more. */
static uint32_t merit_of(const struct row_index *index, const struct filter *f)
{
    struct datum value;
    struct range range;
    uint32_t i = 0;

    while (i < index->column_count && i < PREFIX_MAX &&
           (condition_pin(f, index->columns[i], &value) ||
            condition_restriction(f, index->columns[i])))
        i++;
    if (i == index->column_count || i == PREFIX_MAX)
        return 2 * i;
    range = condition_range(f, index->columns[i]);
    return 2 * i + (range.has_low || range.has_high);
}

const struct row_index *row_index_best(const struct row_index *indexes, uint32_t count,
                                       const struct filter *f)
{
    const struct row_index *index = &indexes[0];
    uint32_t best = merit_of(index, f);

    for (uint32_t i = 1; i < count; i++) {
        uint32_t merit = merit_of(&indexes[i], f);

        if (merit > best) {
            best = merit;
            index = &indexes[i];
        }
    }
    return index;
}

bool row_index_is_ordered(const struct row_index *index, const struct filter *f,
                          const struct row_order *order)
{
    struct datum value;
    uint32_t next = 0;

    for (uint32_t i = 0; i < index->column_count; i++) {
        while (next < order->column_count && condition_pin(f, order->columns[next], &value))
            next++;
        if (next < order->column_count && order->columns[next] == index->columns[i])
            next++;
        else if (!condition_pin(f, index->columns[i], &value))
            return false;
    }
    while (next < order->column_count && condition_pin(f, order->columns[next], &value))
        next++;
    return next == order->column_count;
}

/* What entries of a visit have in common, and how far they go. */
struct visited_range {
    const struct row_visit *visit;
    struct datum prefix[PREFIX_MAX + 1];
    uint32_t count; /* of the prefix */
    struct range range;
    bool is_enough;
};

static bool is_below(const struct range *range, const struct datum *value)
{
    int order;

    if (!range->has_low || datum_is_null(value))
        return false;
    order = datum_compare(value, &range->low);
    return order < 0 || (order == 0 && range->low_is_open);
}

static bool is_beyond(const struct range *range, const struct datum *value)
{
    int order;

    /* Nulls come last, and are in no range. */
    if (datum_is_null(value))
        return range->has_low || range->has_high;
    if (!range->has_high)
        return false;
    order = datum_compare(value, &range->high);
    return order > 0 || (order == 0 && range->high_is_open);
}

/* Whether an entry that is on the right side of where the visit began has not passed its end. */
static bool is_within(const struct visited_range *v, const struct row_entry *entry)
{
    const struct row_index *index = v->visit->index;
    struct row_probe probe = { v->prefix, false, v->count };
    const struct datum *value;

    if (compare(index, entry->cells, &probe) != 0)
        return false;
    if (v->count == index->column_count)
        return true;
    value = &entry->cells[index->columns[v->count]];
    return v->visit->is_backwards ? !is_below(&v->range, value) : !is_beyond(&v->range, value);
}

static enum status go_forwards(struct visited_range *v, struct row_place place, struct error *err)
{
    const struct row_visit *visit = v->visit;
    const struct row_index *index = visit->index;

    for (; place.chunk < index->chunks.count && !v->is_enough;
         place = row_index_next(index, place)) {
        struct row_chunk *chunk = index->chunks.at[place.chunk];

        if (place.entry == 0 && visit->skips && is_within(v, &chunk->entries[chunk->count - 1]) &&
            visit->skips(visit->context, chunk)) {
            place.entry = chunk->count - 1;
            continue;
        }
        if (!is_within(v, &chunk->entries[place.entry]))
            break;
        TRY(visit->visit(visit->context, &chunk->entries[place.entry], &v->is_enough, err));
    }
    return STATUS_OK;
}

/* From the entry before the place. */
static enum status go_backwards(struct visited_range *v, struct row_place place, struct error *err)
{
    const struct row_visit *visit = v->visit;
    const struct row_index *index = visit->index;
    size_t number = place.chunk;
    uint32_t left = place.entry;

    for (; !v->is_enough; left = 0) {
        struct row_chunk *chunk;

        if (left == 0) {
            if (number == 0)
                break;
            chunk = index->chunks.at[--number];
            left = chunk->count;
            if (visit->skips && is_within(v, &chunk->entries[0]) &&
                visit->skips(visit->context, chunk))
                continue;
        }
        chunk = index->chunks.at[number];
        for (; left > 0 && !v->is_enough; left--) {
            if (!is_within(v, &chunk->entries[left - 1]))
                return STATUS_OK;
            TRY(visit->visit(visit->context, &chunk->entries[left - 1], &v->is_enough, err));
        }
    }
    return STATUS_OK;
}

/* Rows with the first `count` columns as they are in the prefix. */
static enum status visit_range(struct visited_range *v, struct error *err)
{
    const struct row_index *index = v->visit->index;
    struct row_probe probe = { v->prefix, false, v->count };
    struct range *range = &v->range;

    *range = (struct range){ .has_low = false };
    if (v->count < index->column_count)
        *range = condition_range(v->visit->filter, index->columns[v->count]);
    if (v->visit->is_backwards) {
        bool is_after = !range->has_low && !range->has_high;

        if (range->has_high)
            is_after = !range->high_is_open;
        if (range->has_low || range->has_high)
            v->prefix[probe.count++] = range->has_high ? range->high : datum_null();
        return go_backwards(v, seek(index, &probe, is_after), err);
    }
    if (range->has_low)
        v->prefix[probe.count++] = range->low;
    return go_forwards(v, seek(index, &probe, range->has_low && range->low_is_open), err);
}

static enum status visit_from(struct visited_range *v, uint32_t count, struct error *err)
{
    const struct row_index *index = v->visit->index;
    const struct filter *f = v->visit->filter;
    bool is_done = count == index->column_count || count == PREFIX_MAX;
    const struct restriction *r = NULL;

    v->count = count;
    if (!is_done && condition_pin(f, index->columns[count], &v->prefix[count]))
        return visit_from(v, count + 1, err);
    if (!is_done)
        r = condition_restriction(f, index->columns[count]);
    if (!r)
        return visit_range(v, err);
    for (uint32_t i = 0; i < r->value_count && !v->is_enough; i++) {
        uint32_t at = v->visit->is_backwards ? r->value_count - 1 - i : i;

        v->prefix[count] = r->values[at];
        TRY(visit_from(v, count + 1, err));
    }
    return STATUS_OK;
}

enum status row_index_visit(const struct row_visit *visit, struct error *err)
{
    struct visited_range v = { .visit = visit };

    return visit_from(&v, 0, err);
}
