#include "audit/rows_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/row_index_private.h"
#include "base/hash.h"

#define PREFIX_MAX 32 /* columns by which an index is sought */
#define SCRATCH_BYTES ((size_t)64 << 20)
#define WORD ((size_t)8)
#define ALL_COLUMNS UINT64_MAX

struct rows_table {
    struct row_index *indexes; /* the first by the primary key */
    uint32_t index_count;
    uint16_t width;
};

struct rows {
    const struct program *program;
    struct rows_table *tables;
    uint32_t table_count;
    struct arena stored; /* of rows, and the keys of ghosts */
    struct arena cells;  /* a stack */
    ARRAY(size_t) marks; /* by position: where the stack ended */
    ARRAY(struct stored_row *) log;
    ARRAY(size_t) log_ends; /* by position */
    row_list written;
    cell_list answer, spare;
    struct heap scratch;
    row_list all; /* to be closed */
};

static const struct schema *schema_of(const struct rows *r)
{
    return &r->program->tree.schema;
}

static enum status open_table(struct rows *r, uint32_t number, struct error *err)
{
    const struct schema *schema = schema_of(r);
    const struct schema_table *table = &schema->tables[number];
    struct rows_table *t = &r->tables[number];
    uint32_t room = 1 + table->unique_count;

    t->width = table->column_count;
    for (uint32_t i = 0; i < schema->reference_count; i++)
        room += schema->references[i].from == number;
    t->indexes = calloc(room, sizeof *t->indexes);
    if (!t->indexes)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for indexes");
    TRY(row_index_init(&t->indexes[t->index_count++], table->key, table->key, err));
    for (uint32_t i = 0; i < table->unique_count; i++)
        TRY(row_index_init(&t->indexes[t->index_count++], table->uniques[i].columns, table->key,
                           err));
    for (uint32_t i = 0; i < schema->reference_count; i++)
        if (schema->references[i].from == number)
            TRY(row_index_init(&t->indexes[t->index_count++], schema->references[i].columns,
                               table->key, err));
    return STATUS_OK;
}

static enum status open_all(struct rows *r, struct error *err)
{
    uint32_t count = schema_of(r)->table_count;

    TRY(arena_init(&r->stored, ARENA_UNLIMITED, err));
    TRY(arena_init(&r->cells, ARENA_UNLIMITED, err));
    r->tables = calloc(count + 1, sizeof *r->tables);
    if (!r->tables)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for tables");
    r->table_count = count;
    for (uint32_t i = 0; i < count; i++)
        TRY(open_table(r, i, err));
    TRY(array_push(&r->marks, 0, err));
    return array_push(&r->log_ends, 0, err);
}

enum status audit_rows_open(struct rows **out, const struct program *program, struct error *err)
{
    struct rows *r = calloc(1, sizeof *r);
    enum status status;

    if (!r)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for rows");
    r->program = program;
    heap_init(&r->scratch, SCRATCH_BYTES);
    status = open_all(r, err);
    if (status != STATUS_OK) {
        audit_rows_close(r);
        return status;
    }
    *out = r;
    return STATUS_OK;
}

void audit_rows_close(struct rows *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->table_count; i++) {
        for (uint32_t k = 0; k < r->tables[i].index_count; k++)
            row_index_close(&r->tables[i].indexes[k]);
        free(r->tables[i].indexes);
    }
    for (size_t i = 0; i < r->all.count; i++) {
        struct stored_row *row = r->all.at[i];

        free(row->versions);
        if (row->touches)
            array_close(&row->touches->list);
        free(row->touches);
    }
    free(r->tables);
    array_close(&r->all);
    array_close(&r->marks);
    array_close(&r->log);
    array_close(&r->log_ends);
    array_close(&r->written);
    array_close(&r->answer);
    array_close(&r->spare);
    heap_close(&r->scratch);
    arena_close(&r->stored);
    arena_close(&r->cells);
    free(r);
}

/* --- Cells ------------------------------------------------------------------------------------ */

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
    size_t bytes = bytes_behind(d), elements = d->length * WORD;

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

/* A text that the version before has as well need not be there twice. */
static bool is_shared(const struct datum *d, const struct datum *before)
{
    return d->kind == DATUM_TEXT && before && before->kind == DATUM_TEXT &&
           d->length == before->length && d->length > 0 &&
           memcmp(d->as.text, before->as.text, d->length) == 0;
}

static enum status copy_cells(struct arena *arena, const struct datum *from, uint32_t width,
                              const struct datum *before, const struct datum **out,
                              struct error *err)
{
    size_t bytes = width * sizeof *from;
    struct datum *cells;
    char *behind;

    for (uint32_t i = 0; i < width; i++)
        if (!is_shared(&from[i], before ? &before[i] : NULL))
            bytes += bytes_behind(&from[i]);
    cells = arena_push(arena, bytes, 1);
    if (!cells)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for versions of rows");
    memcpy(cells, from, width * sizeof *cells);
    behind = (char *)(cells + width);
    for (uint32_t i = 0; i < width; i++) {
        if (is_shared(&cells[i], before ? &before[i] : NULL))
            cells[i] = before[i];
        else
            behind = put_behind(behind, &cells[i]);
    }
    *out = cells;
    return STATUS_OK;
}

bool audit_rows_equal(const struct rows *r, uint32_t table, const struct datum *a, const struct datum *b)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < r->tables[table].width && a != b; i++)
        if (!datum_equal(&a[i], &b[i]) || a[i].scale != b[i].scale)
            return false;
    return true;
}

/* --- Versions ----------------------------------------------------------------------------------- */

const struct row_version *audit_rows_visible(const struct stored_row *row, uint32_t state)
{
    uint32_t low = 0, high = row->version_count;

    if (high > 0 && row->versions[high - 1].position <= state)
        return &row->versions[high - 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (row->versions[middle].position <= state)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &row->versions[low - 1] : NULL;
}

static const struct datum *cells_of(const struct row_version *v)
{
    return v ? v->cells : NULL;
}

static uint64_t bit_of(uint16_t column)
{
    return UINT64_C(1) << (column < 63 ? column : 63);
}

static uint64_t filter_columns(const struct filter *f)
{
    const struct schema_columns *columns = &f->condition->columns;
    uint64_t bits = 0;

    for (uint32_t i = 0; i < columns->count; i++)
        bits |= bit_of(columns->at[i]);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        bits |= bit_of(f->restrictions[i].column);
    return bits;
}

/* Whether two cells that both match are the same to who uses these columns. */
static bool same_to(const struct datum *a, const struct datum *b, uint64_t used, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if ((used & bit_of((uint16_t)i)) &&
            (!datum_equal(&a[i], &b[i]) || a[i].scale != b[i].scale))
            return false;
    return true;
}

struct narrowing {
    const struct row_look *look;
    const struct stored_row *row;
    struct heap *scratch;
    uint64_t filtered;
    uint32_t width;
};

static bool matches(const struct narrowing *n, const struct datum *cells)
{
    return cells && condition_matches(n->look->filter, cells, n->scratch);
}

/* Whether a version looks as the one before it; number 0 is that the row is not there yet. */
static bool looks_as_before(const struct narrowing *n, uint32_t number)
{
    const struct row_version *v = &n->row->versions[number - 1];
    const struct datum *now = v->cells, *before = number > 1 ? v[-1].cells : NULL;
    uint64_t used = n->look->is_locking ? 0 : n->look->used;
    bool now_matches;

    if (!now && !before)
        return true;
    if (now && before && !v->is_whole && !(v->changes & (used | n->filtered)))
        return true;
    now_matches = matches(n, now);
    if (now_matches != matches(n, before))
        return false;
    return !now_matches || same_to(now, before, used, n->width);
}

static void narrow(const struct narrowing *n, uint32_t state, uint32_t *low, uint32_t *high)
{
    const struct row_version *v = audit_rows_visible(n->row, state);
    uint32_t number = v ? (uint32_t)(v - n->row->versions) + 1 : 0, i;

    for (i = number; i > 0 && n->row->versions[i - 1].position > *low; i--)
        if (!looks_as_before(n, i)) {
            *low = n->row->versions[i - 1].position;
            break;
        }
    for (i = number + 1; i <= n->row->version_count && n->row->versions[i - 1].position <= *high;
         i++)
        if (!looks_as_before(n, i)) {
            *high = n->row->versions[i - 1].position - 1;
            break;
        }
}

void audit_rows_narrow(struct rows *r, const struct row_look *look, const struct stored_row *row,
                 uint32_t state, uint32_t *low, uint32_t *high)
{
    struct narrowing n = { .look = look,
                           .row = row,
                           .scratch = &r->scratch,
                           .filtered = filter_columns(look->filter),
                           .width = r->tables[row->table].width };

    narrow(&n, state, low, high);
}

/* --- Looks ---------------------------------------------------------------------------------------- */

struct rows_scan {
    struct rows *rows;
    struct row_look *look;
    const struct row_index *index;
    bool is_secondary;
    uint64_t filtered;
    struct datum prefix[PREFIX_MAX + 1];
};

static enum status glance_at(struct rows_scan *s, struct stored_row *row, struct error *err)
{
    struct row_glance glance = { row, s->look->used | s->filtered, s->look->query };

    if (!s->look->footprint)
        return STATUS_OK;
    return array_push(&s->look->footprint->glances, glance, err);
}

/* What is seen of a row, without what the newest state says of it. */
static enum status see(struct rows_scan *s, struct stored_row *row, const struct datum **cells,
                       struct error *err)
{
    struct row_look *look = s->look;
    uint32_t state = look->state;

    if (row->has_own) {
        look->saw_own = true;
        *cells = row->own;
        return STATUS_OK;
    }
    if (look->choose)
        TRY(look->choose(look->context, row, look->filter, look->used, &state, err));
    *cells = cells_of(audit_rows_visible(row, state));
    if (look->tracks) {
        struct narrowing n = { .look = look,
                               .row = row,
                               .scratch = &s->rows->scratch,
                               .filtered = s->filtered,
                               .width = s->rows->tables[row->table].width };

        narrow(&n, state, &look->low, &look->high);
    }
    return STATUS_OK;
}

static enum status consider(struct rows_scan *s, const struct row_entry *entry, struct error *err)
{
    struct stored_row *row = entry->row;
    const struct datum *cells, *seen;
    struct heap *scratch = &s->rows->scratch;

    TRY(glance_at(s, row, err));
    TRY(see(s, row, &cells, err));
    if (!cells || (s->is_secondary && !row_index_agrees(s->index, cells, entry->cells)) ||
        !condition_matches(s->look->filter, cells, scratch))
        return STATUS_OK;
    if (s->look->is_locking && !row->has_own) {
        seen = cells;
        cells = cells_of(audit_rows_visible(row, STATE_NEWEST));
        if (!cells || (cells != seen && !condition_matches(s->look->filter, cells, scratch)))
            return STATUS_OK;
    }
    return array_push(&s->rows->answer, cells, err);
}

/* How many of an index's first columns a filter pins or restricts, twice; a range is one more. */
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
static enum status scan_range(struct rows_scan *s, uint32_t count, struct error *err)
{
    const struct row_index *index = s->index;
    bool is_ranged = count < index->column_count;
    struct range range = { .has_low = false };
    struct row_place place;
    const struct row_entry *entry;

    if (is_ranged)
        range = condition_range(s->look->filter, index->columns[count]);
    if (range.has_low)
        s->prefix[count] = range.low;
    place = row_index_seek(index, s->prefix, count + range.has_low,
                           range.has_low && range.low_is_open);
    for (; (entry = row_index_at(index, place)); place = row_index_next(index, place)) {
        if (!row_index_has_prefix(index, entry->cells, s->prefix, count) ||
            (is_ranged && is_beyond(&range, &entry->cells[index->columns[count]])))
            break;
        TRY(consider(s, entry, err));
    }
    return STATUS_OK;
}

static enum status scan_from(struct rows_scan *s, uint32_t count, struct error *err)
{
    const struct filter *f = s->look->filter;
    const struct restriction *r;
    bool is_done = count == s->index->column_count || count == PREFIX_MAX;
    uint16_t column = is_done ? 0 : s->index->columns[count];

    if (is_done)
        return scan_range(s, count, err);
    if (condition_pin(f, column, &s->prefix[count]))
        return scan_from(s, count + 1, err);
    r = condition_restriction(f, column);
    if (!r)
        return scan_range(s, count, err);
    for (uint32_t i = 0; i < r->value_count; i++) {
        s->prefix[count] = r->values[i];
        TRY(scan_from(s, count + 1, err));
    }
    return STATUS_OK;
}

/* Merge sort by the primary key. */
static void sort_cells(const struct row_index *by, const struct datum **cells,
                       const struct datum **spare, size_t count)
{
    size_t half = count / 2, a = 0, b = half;

    if (count < 2)
        return;
    sort_cells(by, cells, spare, half);
    sort_cells(by, cells + half, spare, count - half);
    memcpy(spare, cells, count * sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        bool takes_a = b == count || (a < half && row_index_compare(by, spare[a], spare[b]) < 0);

        cells[i] = takes_a ? spare[a++] : spare[b++];
    }
}

static const struct row_index *best_index(const struct rows_table *t, const struct filter *f)
{
    const struct row_index *index = &t->indexes[0];
    uint32_t best = merit_of(index, f);

    for (uint32_t i = 1; i < t->index_count; i++) {
        uint32_t merit = merit_of(&t->indexes[i], f);

        if (merit > best) {
            best = merit;
            index = &t->indexes[i];
        }
    }
    return index;
}

enum status audit_rows_find(struct rows *r, struct row_look *look, const struct datum *const **cells,
                      uint32_t *count, struct error *err)
{
    const struct rows_table *t = &r->tables[look->filter->condition->table];
    struct rows_scan scan = { .rows = r, .look = look };

    r->answer.count = 0;
    if (!condition_is_empty(look->filter)) {
        scan.index = best_index(t, look->filter);
        scan.is_secondary = scan.index != &t->indexes[0];
        if (look->tracks || look->footprint)
            scan.filtered = filter_columns(look->filter);
        TRY(scan_from(&scan, 0, err));
        if (scan.is_secondary && r->answer.count > 1) {
            TRY(array_reserve(&r->spare, r->answer.count, err));
            sort_cells(&t->indexes[0], r->answer.at, r->spare.at, r->answer.count);
        }
    }
    *cells = r->answer.at;
    *count = (uint32_t)r->answer.count;
    return STATUS_OK;
}

/* --- Writes -------------------------------------------------------------------------------------- */

/* An entry in each index for what the row is now. The primary one is there. */
static enum status add_entries(struct rows *r, struct stored_row *row, const struct datum *cells,
                               struct error *err)
{
    const struct rows_table *t = &r->tables[row->table];
    const struct datum *latest =
        row->version_count > 0 ? row->versions[row->version_count - 1].cells : NULL;

    for (uint32_t i = 1; i < t->index_count; i++) {
        struct row_index *index = &t->indexes[i];

        if ((latest && row_index_agrees(index, latest, cells)) || row_index_find(index, cells))
            continue;
        TRY(row_index_add(index, (struct row_entry){ cells, row }, err));
    }
    return STATUS_OK;
}

/* Cells are about to go: the entries that are made of them go as well. */
static void remove_entries(struct rows *r, struct stored_row *row, const struct datum *cells)
{
    const struct rows_table *t = &r->tables[row->table];

    for (uint32_t i = 1; cells && i < t->index_count; i++) {
        const struct row_entry *entry = row_index_find(&t->indexes[i], cells);

        if (entry && entry->cells == cells)
            row_index_remove(&t->indexes[i], cells);
    }
}

/* Of a row that has no version left the place must still be told, by a copy. */
static enum status keep_place(struct rows *r, struct stored_row *row, struct error *err)
{
    struct rows_table *t = &r->tables[row->table];

    if (row->version_count > 0 || row->is_kept)
        return STATUS_OK;
    TRY(copy_cells(&r->stored, row->like, t->width, NULL, &row->like, err));
    row_index_find(&t->indexes[0], row->like)->cells = row->like;
    row->is_kept = true;
    return STATUS_OK;
}

static enum status find_or_make(struct rows *r, uint32_t table, const struct datum *like,
                                struct stored_row **out, struct error *err)
{
    struct rows_table *t = &r->tables[table];
    const struct row_entry *entry = row_index_find(&t->indexes[0], like);
    struct stored_row *row;

    if (entry) {
        *out = entry->row;
        return STATUS_OK;
    }
    row = arena_push(&r->stored, 1, sizeof *row);
    if (!row)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for rows");
    row->table = table;
    TRY(array_push(&r->all, row, err));
    *out = row;
    return STATUS_OK;
}

/* A row that is new gets its place by its first cells. */
static enum status give_place(struct rows *r, struct stored_row *row, const struct datum *cells,
                              struct error *err)
{
    if (row->like)
        return STATUS_OK;
    row->like = cells;
    return row_index_add(&r->tables[row->table].indexes[0], (struct row_entry){ cells, row }, err);
}

enum status audit_rows_write(struct rows *r, uint32_t table, const struct row_write *w, uint64_t changes,
                       struct error *err)
{
    struct rows_table *t = &r->tables[table];
    const struct row_version *latest;
    const struct datum *cells = NULL;
    struct stored_row *row = NULL;

    TRY(find_or_make(r, table, w->row, &row, err));
    latest = audit_rows_visible(row, STATE_NEWEST);
    if (!w->is_removed || !row->like)
        TRY(copy_cells(&r->cells, w->row, t->width, cells_of(latest), &cells, err));
    TRY(give_place(r, row, cells, err));
    if (row->has_own) {
        remove_entries(r, row, row->own);
        /* The old cells are still there until the run ends, so the place may be told by them. */
    } else {
        TRY(array_push(&r->written, row, err));
        row->own_changes = 0;
        row->has_own = true;
    }
    row->own = w->is_removed ? NULL : cells;
    row->own_changes |= w->is_removed || w->is_insert ? ALL_COLUMNS : changes;
    return row->own ? add_entries(r, row, row->own, err) : STATUS_OK;
}

const row_list *audit_rows_written(const struct rows *r)
{
    return &r->written;
}

uint32_t audit_rows_position(const struct rows *r)
{
    return (uint32_t)r->marks.count - 1;
}

static enum status touch(struct stored_row *row, uint32_t txn, uint64_t changes, struct error *err)
{
    struct row_touches *t = row->touches;

    if (!t) {
        row->touches = t = calloc(1, sizeof *t);
        if (!t)
            return error_set(err, STATUS_OVER_LIMIT, "no memory for touches");
    }
    for (size_t i = t->list.count; i > 0; i--)
        if (t->list.at[i - 1].txn == txn) {
            t->list.at[i - 1].changes |= changes;
            return STATUS_OK;
        }
    return array_push(&t->list, ((struct row_touch){ txn, changes }), err);
}

enum status audit_rows_abandon(struct rows *r, struct error *err)
{
    for (size_t i = 0; i < r->written.count; i++) {
        struct stored_row *row = r->written.at[i];

        remove_entries(r, row, row->own);
        row->has_own = false;
        row->own = NULL;
        TRY(keep_place(r, row, err));
    }
    r->written.count = 0;
    arena_reset_to(&r->cells, r->marks.at[r->marks.count - 1]);
    return STATUS_OK;
}

enum status audit_rows_drop(struct rows *r, uint32_t txn, struct error *err)
{
    for (size_t i = 0; i < r->written.count; i++)
        TRY(touch(r->written.at[i], txn, r->written.at[i]->own_changes, err));
    return audit_rows_abandon(r, err);
}

static enum status add_version(struct stored_row *row, struct row_version version,
                               struct error *err)
{
    if (row->version_count == row->version_room) {
        uint32_t room = row->version_room ? 2 * row->version_room : 1;

        TRY(memory_resize((void **)&row->versions, room, sizeof *row->versions, err));
        row->version_room = room;
    }
    row->versions[row->version_count++] = version;
    return STATUS_OK;
}

enum status audit_rows_commit(struct rows *r, struct error *err)
{
    uint32_t position = audit_rows_position(r) + 1;

    TRY(array_reserve(&r->log, r->written.count, err));
    for (size_t i = 0; i < r->written.count; i++) {
        struct stored_row *row = r->written.at[i];
        const struct row_version version = { .position = position,
                                             .is_whole = row->own_changes == ALL_COLUMNS,
                                             .changes = row->own_changes,
                                             .cells = row->own };

        TRY(add_version(row, version, err));
        row->has_own = false;
        row->own = NULL;
        r->log.at[r->log.count++] = row;
    }
    r->written.count = 0;
    TRY(array_push(&r->log_ends, r->log.count, err));
    return array_push(&r->marks, r->cells.used, err);
}

enum status audit_rows_pop(struct rows *r, uint32_t txn, struct error *err)
{
    size_t from = r->log_ends.at[r->log_ends.count - 2];

    assert(r->written.count == 0 && audit_rows_position(r) > 0);
    while (r->log.count > from) {
        struct stored_row *row = r->log.at[--r->log.count];
        const struct row_version gone = row->versions[--row->version_count];

        remove_entries(r, row, gone.cells);
        TRY(touch(row, txn, gone.changes, err));
        TRY(keep_place(r, row, err));
    }
    r->log_ends.count--;
    r->marks.count--;
    arena_reset_to(&r->cells, r->marks.at[r->marks.count - 1]);
    return STATUS_OK;
}

enum status audit_rows_put_initial(struct rows *r, uint32_t table, const struct datum *cells,
                             bool *is_new, struct error *err)
{
    struct stored_row *row = NULL;
    const struct datum *copy;

    assert(audit_rows_position(r) == 0);
    TRY(find_or_make(r, table, cells, &row, err));
    *is_new = row->version_count == 0;
    if (!*is_new)
        return STATUS_OK;
    TRY(copy_cells(&r->cells, cells, r->tables[table].width, NULL, &copy, err));
    TRY(give_place(r, row, copy, err));
    TRY(add_entries(r, row, copy, err));
    r->marks.at[0] = r->cells.used;
    return add_version(row, (struct row_version){ 0, true, ALL_COLUMNS, copy }, err);
}

uint64_t audit_rows_own_hash(const struct rows *r, const struct stored_row *row, uint64_t used)
{
    uint64_t hash = hash_mix(row->own != NULL, (uint64_t)(uintptr_t)row);

    for (uint16_t k = 0; row->own && k < r->tables[row->table].width; k++)
        if (used & bit_of(k))
            hash = hash_mix(hash, datum_hash(&row->own[k]) + row->own[k].kind);
    return hash;
}

uint64_t audit_rows_written_hash(const struct rows *r)
{
    uint64_t hash = r->written.count;

    for (size_t i = 0; i < r->written.count; i++)
        hash += hash_number(audit_rows_own_hash(r, r->written.at[i], ALL_COLUMNS));
    return hash;
}
