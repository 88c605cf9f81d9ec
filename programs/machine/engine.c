#include "programs/machine/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "programs/values/datum.h"

/*
 * The rows of a table in the order of some of its columns.
 *
 *     chunks   [ a b c . ]  [ d e . . ]  [ f g h i ]
 *
 * Chunks of pointers to rows, none of them empty, in a directory. Nulls come
 * last. The columns end in those of the primary key, so no two rows are equal.
 */

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

/* The first of the columns are `own`, then come those of the key that are not among them. */
static enum status engine_index_init(struct index *index, const uint16_t *own, uint32_t own_count,
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

static void engine_index_close(struct index *index)
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

/* The first row whose first columns are not below the values, or, with `after`, above them. */
static struct index_place engine_index_seek(const struct index *index, const struct datum *values,
                                     uint32_t count, bool after)
{
    struct probe probe = { values, false, count };

    assert(count <= index->column_count);
    return seek(index, &probe, after);
}

/* The row there, NULL at the end. */
static const struct datum *engine_index_at(const struct index *index, struct index_place place)
{
    return place.chunk < index->chunks.count ? index->chunks.at[place.chunk]->rows[place.row]
                                             : NULL;
}

static struct index_place engine_index_next(const struct index *index, struct index_place place)
{
    if (++place.row == index->chunks.at[place.chunk]->count)
        place = (struct index_place){ place.chunk + 1, 0 };
    return place;
}

/* Whether the row's first columns are these. */
static bool engine_index_has_prefix(const struct index *index, const struct datum *row,
                             const struct datum *values, uint32_t count)
{
    struct probe probe = { values, false, count };

    return compare(index, row, &probe) == 0;
}

static bool engine_index_agrees(const struct index *index, const struct datum *a, const struct datum *b)
{
    struct probe probe = { b, true, index->column_count };

    return compare(index, a, &probe) == 0;
}

static bool engine_index_is_before(const struct index *index, const struct datum *a, const struct datum *b)
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

static enum status engine_index_add(struct index *index, const struct datum *row, struct error *err)
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

static void engine_index_remove(struct index *index, const struct datum *row)
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

/* Puts a row in the place of another that is equal in all the columns. */
static void engine_index_replace(struct index *index, const struct datum *row, const struct datum *by)
{
    struct index_place place = place_of(index, row);

    index->chunks.at[place.chunk]->rows[place.row] = by;
}

#define PREFIX_MAX 32 /* columns by which an index is sought */
#define WORD ((size_t)8)

struct engine_table {
    struct index *indexes; /* the first by the primary key */
    uint32_t index_count;
};

/* A row that was replaced, added (no old one) or removed (no new one). */
struct change {
    uint32_t table;
    struct datum *old, *new;
};

struct engine {
    const struct program *program;
    struct machine *machine;
    struct engine_table *tables;
    ARRAY(struct change) changes; /* of the call that is running */
    ARRAY(const struct datum *) answer;
    uint64_t visited; /* rows that were looked at for it */
    struct heap scratch;
    engine_watcher *watcher;
    void *context;
};

/* --- Rows ---------------------------------------------------------------------- */

static size_t bytes_behind(const struct datum *d)
{
    size_t bytes = 0;

    if (d->kind == DATUM_TEXT)
        bytes = d->length;
    else if (d->kind == DATUM_ARRAY)
        bytes = (d->length + (d->as.array.nulls ? (d->length + (size_t)63) / 64 : 0)) * WORD;
    return (bytes + WORD - 1) / WORD * WORD;
}

static char *put_behind(char *to, struct datum *d)
{
    size_t bytes = bytes_behind(d);
    size_t elements = d->length * WORD;

    if (d->kind == DATUM_TEXT) {
        if (d->length > 0)
            memcpy(to, d->as.text, d->length);
        d->as.text = to;
    } else if (d->kind == DATUM_ARRAY) {
        if (d->length > 0)
            memcpy(to, d->as.array.at, elements);
        d->as.array.at = (const int64_t *)(const void *)to;
        if (d->as.array.nulls) {
            memcpy(to + elements, d->as.array.nulls, bytes - elements);
            d->as.array.nulls = (const uint64_t *)(const void *)(to + elements);
        }
    }
    return to + bytes;
}

/* One block: the cells, and behind them texts and arrays. */
static struct datum *copy_row(const struct datum *from, uint32_t count, struct error *err)
{
    size_t bytes = count * sizeof *from;
    struct datum *row;
    char *behind;
    enum status status;

    for (uint32_t i = 0; i < count; i++)
        bytes += bytes_behind(&from[i]);
    row = malloc(bytes);
    if (!row) {
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a row");
        (void)status;
        return NULL;
    }
    memcpy(row, from, count * sizeof *row);
    behind = (char *)(row + count);
    for (uint32_t i = 0; i < count; i++)
        behind = put_behind(behind, &row[i]);
    return row;
}

/* --- Life ------------------------------------------------------------------------ */

static enum status open_table(struct engine *e, uint32_t number, struct error *err)
{
    const struct schema *schema = &e->program->tree.schema;
    const struct schema_table *t = &schema->tables[number];
    struct engine_table *table = &e->tables[number];
    const struct schema_columns *key = &t->key;

    table->indexes = calloc(1U + t->unique_count + schema->reference_count,
                            sizeof *table->indexes);
    if (!table->indexes)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a table");
    TRY(engine_index_init(&table->indexes[table->index_count++], key->at, key->count, key->at, key->count,
                          err));
    for (uint32_t i = 0; i < t->unique_count; i++)
        TRY(engine_index_init(&table->indexes[table->index_count++], t->uniques[i].columns.at,
                              t->uniques[i].columns.count, key->at, key->count, err));
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *r = &schema->references[i];

        if (r->from == number)
            TRY(engine_index_init(&table->indexes[table->index_count++], r->columns.at, r->columns.count,
                                  key->at, key->count, err));
    }
    return STATUS_OK;
}

static enum status open_all(struct engine *e, struct error *err)
{
    uint32_t count = e->program->tree.schema.table_count;

    e->tables = calloc(count + 1U, sizeof *e->tables);
    if (!e->tables)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for tables");
    for (uint32_t i = 0; i < count; i++)
        TRY(open_table(e, i, err));
    return machine_open(&e->machine, e->program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err);
}

enum status engine_open(struct engine **out, const struct program *program, struct error *err)
{
    struct engine *e = calloc(1, sizeof *e);
    enum status status;

    if (!e)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an engine");
    e->program = program;
    heap_init(&e->scratch, MACHINE_BYTES_MAX);
    status = open_all(e, err);
    if (status != STATUS_OK) {
        engine_close(e);
        return status;
    }
    *out = e;
    return STATUS_OK;
}

static void close_table(struct engine_table *t)
{
    struct index_place place = { 0, 0 };
    const struct datum *row;

    if (t->index_count > 0)
        for (; (row = engine_index_at(&t->indexes[0], place)); place = engine_index_next(&t->indexes[0], place))
            free((void *)row);
    for (uint32_t i = 0; i < t->index_count; i++)
        engine_index_close(&t->indexes[i]);
    free(t->indexes);
}

void engine_close(struct engine *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; e->tables && i < e->program->tree.schema.table_count; i++)
        close_table(&e->tables[i]);
    free(e->tables);
    machine_close(e->machine);
    array_close(&e->changes);
    array_close(&e->answer);
    heap_close(&e->scratch);
    free(e);
}

void engine_watch(struct engine *e, engine_watcher *watcher, void *context)
{
    e->watcher = watcher;
    e->context = context;
}

/* --- Reads ------------------------------------------------------------------------- */

/* How many of an index's first columns a filter pins or restricts, twice; a range is one more. */
static uint32_t merit_of(const struct index *index, const struct filter *f)
{
    struct datum value;
    struct range range;
    uint32_t i = 0;

    while (i < index->column_count && i < PREFIX_MAX &&
           (condition_pin(f, index->columns[i], &value) || condition_restriction(f, index->columns[i])))
        i++;
    if (i == index->column_count || i == PREFIX_MAX)
        return 2 * i;
    range = condition_range(f, index->columns[i]);
    return 2 * i + (range.has_low || range.has_high);
}

struct engine_scan {
    struct engine *e;
    const struct filter *filter;
    const struct index *index;
    struct datum prefix[PREFIX_MAX + 1];
};

static bool is_beyond(const struct range *range, const struct datum *value)
{
    int order;

    if (!range->has_high)
        return false;
    if (datum_is_null(value))
        return true;
    order = datum_compare(value, &range->high);
    return order > 0 || (order == 0 && range->high_is_open);
}

/* Rows with the first `count` columns as they are in the prefix. */
static enum status scan_range(struct engine_scan *s, uint32_t count, struct error *err)
{
    const struct index *index = s->index;
    bool is_ranged = count < index->column_count;
    struct range range = { .has_low = false };
    struct index_place place;
    const struct datum *row;

    if (is_ranged)
        range = condition_range(s->filter, index->columns[count]);
    if (range.has_low)
        s->prefix[count] = range.low;
    place = engine_index_seek(index, s->prefix, count + range.has_low, range.has_low && range.low_is_open);
    for (; (row = engine_index_at(index, place)); place = engine_index_next(index, place)) {
        if (!engine_index_has_prefix(index, row, s->prefix, count) ||
            (is_ranged && is_beyond(&range, &row[index->columns[count]])))
            break;
        s->e->visited++;
        if (condition_matches(s->filter, row, &s->e->scratch))
            TRY(array_push(&s->e->answer, row, err));
    }
    return STATUS_OK;
}

static enum status scan_from(struct engine_scan *s, uint32_t count, struct error *err)
{
    const struct restriction *r;
    bool is_done = count == s->index->column_count || count == PREFIX_MAX;
    uint16_t column = is_done ? 0 : s->index->columns[count];

    if (is_done)
        return scan_range(s, count, err);
    if (condition_pin(s->filter, column, &s->prefix[count]))
        return scan_from(s, count + 1, err);
    r = condition_restriction(s->filter, column);
    if (!r)
        return scan_range(s, count, err);
    for (uint32_t i = 0; i < r->value_count; i++) {
        s->prefix[count] = r->values[i];
        TRY(scan_from(s, count + 1, err));
    }
    return STATUS_OK;
}

/* Merge sort by the primary key, as an index has it. */
static void sort_rows(const struct index *by, const struct datum **rows,
                      const struct datum **spare, size_t count)
{
    size_t half = count / 2, a = 0, b = half;

    if (count < 2)
        return;
    sort_rows(by, rows, spare, half);
    sort_rows(by, rows + half, spare, count - half);
    memcpy(spare, rows, count * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        bool takes_a = b == count || (a < half && engine_index_is_before(by, spare[a], spare[b]));

        rows[i] = takes_a ? spare[a++] : spare[b++];
    }
}

static enum status read_by_index(struct engine *e, const struct filter *f, const struct engine_table *t,
                                 struct error *err)
{
    struct engine_scan scan = { .e = e, .filter = f, .index = &t->indexes[0] };
    uint32_t best = merit_of(scan.index, f);
    size_t count;

    for (uint32_t i = 1; i < t->index_count; i++) {
        uint32_t merit = merit_of(&t->indexes[i], f);

        if (merit > best) {
            best = merit;
            scan.index = &t->indexes[i];
        }
    }
    TRY(scan_from(&scan, 0, err));
    count = e->answer.count;
    if (scan.index == &t->indexes[0] || count == 0)
        return STATUS_OK;
    TRY(array_reserve(&e->answer, count, err));
    sort_rows(&t->indexes[0], e->answer.at, e->answer.at + count, count);
    return STATUS_OK;
}

enum status engine_read(struct engine *e, const struct filter *f,
                        const struct datum *const **rows, uint32_t *count, struct error *err)
{
    e->answer.count = 0;
    e->visited = 0;
    if (!condition_is_empty(f))
        TRY(read_by_index(e, f, &e->tables[f->condition->table], err));
    *rows = e->answer.at;
    *count = (uint32_t)e->answer.count;
    return STATUS_OK;
}

enum status engine_read_table(struct engine *e, uint32_t table, const struct datum *const **rows,
                              uint32_t *count, struct error *err)
{
    const struct index *index = &e->tables[table].indexes[0];
    struct index_place place = { 0, 0 };
    const struct datum *row;

    e->answer.count = 0;
    for (; (row = engine_index_at(index, place)); place = engine_index_next(index, place))
        TRY(array_push(&e->answer, row, err));
    *rows = e->answer.at;
    *count = (uint32_t)e->answer.count;
    return STATUS_OK;
}

/* --- Writes -------------------------------------------------------------------------- */

static enum status apply(struct engine *e, uint32_t table, struct datum *old, struct datum *new,
                         struct error *err)
{
    struct engine_table *t = &e->tables[table];

    for (uint32_t i = 0; i < t->index_count; i++) {
        struct index *index = &t->indexes[i];

        if (old && new && engine_index_agrees(index, old, new)) {
            engine_index_replace(index, old, new);
            continue;
        }
        if (old)
            engine_index_remove(index, old);
        if (new)
            TRY(engine_index_add(index, new, err));
    }
    return STATUS_OK;
}

static struct datum *find_row(struct engine *e, uint32_t table, const struct datum *like)
{
    const struct schema_columns *key = &e->program->tree.schema.tables[table].key;
    const struct index *index = &e->tables[table].indexes[0];
    struct datum values[PREFIX_MAX];
    const struct datum *row;
    struct index_place place;
    uint32_t count = key->count < PREFIX_MAX ? key->count : PREFIX_MAX;

    for (uint32_t i = 0; i < count; i++)
        values[i] = like[key->at[i]];
    for (place = engine_index_seek(index, values, count, false); (row = engine_index_at(index, place));
         place = engine_index_next(index, place)) {
        if (!engine_index_has_prefix(index, row, values, count))
            break;
        if (engine_index_agrees(index, row, like))
            return (struct datum *)row;
    }
    return NULL;
}

static enum status write_row(struct engine *e, uint32_t table, const struct row_write *w,
                             struct error *err)
{
    uint32_t width = e->program->tree.schema.tables[table].column_count;
    struct change change = { .table = table, .old = find_row(e, table, w->row) };

    assert(w->is_insert == !change.old);
    TRY(array_reserve(&e->changes, 1, err));
    if (!w->is_removed) {
        change.new = copy_row(w->row, width, err);
        if (!change.new)
            return STATUS_OVER_LIMIT;
    }
    TRY(array_push(&e->changes, change, err));
    return apply(e, table, change.old, change.new, err);
}

static void commit(struct engine *e)
{
    for (size_t i = 0; i < e->changes.count; i++)
        free(e->changes.at[i].old);
    e->changes.count = 0;
}

enum status engine_put_row(struct engine *e, uint32_t table, const struct datum *cells,
                           struct error *err)
{
    struct row_write write = { .row = cells, .is_insert = !find_row(e, table, cells) };

    TRY(write_row(e, table, &write, err));
    commit(e);
    return STATUS_OK;
}

static enum status roll_back(struct engine *e, struct error *err)
{
    while (e->changes.count > 0) {
        struct change *change = &e->changes.at[--e->changes.count];

        TRY(apply(e, change->table, change->new, change->old, err));
        free(change->new);
    }
    return STATUS_OK;
}

/* --- Calls ----------------------------------------------------------------------------- */

static void tell(struct engine *e, const struct request *r, const struct datum *const *rows,
                 uint32_t count)
{
    if (e->watcher)
        e->watcher(e->context, r, rows, count);
}

static enum status answer(struct engine *e, const struct request *r, struct error *err)
{
    const struct datum *const *rows;
    uint32_t count;

    if (r->kind == REQUEST_READ) {
        TRY(engine_read(e, &r->filter, &rows, &count, err));
        machine_charge(e->machine, e->visited);
        tell(e, r, rows, count);
        machine_answer_rows(e->machine, rows, count);
        return STATUS_OK;
    }
    tell(e, r, NULL, 0);
    for (uint32_t i = 0; i < r->write_count; i++)
        TRY(write_row(e, r->table, &r->writes[i], err));
    machine_answer_written(e->machine);
    return STATUS_OK;
}

enum status engine_call(struct engine *e, uint32_t function, const struct datum *arguments,
                        struct engine_outcome *outcome, struct error *err)
{
    const struct request *r;

    machine_start(e->machine, function, arguments);
    for (;;) {
        r = machine_run(e->machine);
        if (r->kind == REQUEST_RETURNED || r->kind == REQUEST_FAILED)
            break;
        TRY(answer(e, r, err));
    }
    tell(e, r, NULL, 0);
    *outcome = (struct engine_outcome){
        .is_done = r->kind == REQUEST_RETURNED,
        .value = r->value,
        .line = r->line,
        .sqlstate = r->sqlstate,
        .message = r->message,
    };
    if (!outcome->is_done)
        return roll_back(e, err);
    commit(e);
    return STATUS_OK;
}
