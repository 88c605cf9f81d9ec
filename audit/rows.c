#include "audit/rows_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/programs/used_columns.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "programs/machine/row_cells.h"
#include "programs/machine/row_indexes.h"

#define SCRATCH_BYTES ((size_t)64 << 20)

struct rows {
    const struct program *program;
    struct row_indexes *tables;
    struct arena stored; /* of rows, and the keys of ghosts */
    struct arena cells;  /* a stack */
    ARRAY(size_t) marks; /* by position: where the stack ended */
    ARRAY(struct stored_row *) log;
    ARRAY(size_t) log_ends; /* by position */
    row_list written;
    cell_list answer, spare;
    struct heap scratch;
    row_list all; /* to be closed */
    bool *has_open; /* by table: some of its rows may be anything */
};

static const struct schema *schema_of(const struct rows *r)
{
    return &r->program->tree.schema;
}

static uint32_t width_of(const struct rows *r, uint32_t table)
{
    return schema_of(r)->tables[table].column_count;
}

static enum status open_all(struct rows *r, const bool *is_called, struct error *err)
{
    TRY(arena_init(&r->stored, ARENA_UNLIMITED, err));
    TRY(arena_init(&r->cells, ARENA_UNLIMITED, err));
    TRY(row_indexes_open(&r->tables, r->program, is_called, err));
    TRY(array_push(&r->marks, 0, err));
    return array_push(&r->log_ends, 0, err);
}

enum status audit_rows_open(struct rows **out, const struct program *program,
                            const bool *is_called, struct error *err)
{
    struct rows *r = calloc(1, sizeof *r);
    enum status status;

    if (!r)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for rows");
    r->program = program;
    heap_init(&r->scratch, SCRATCH_BYTES);
    r->has_open = calloc(program->tree.schema.table_count + 1U, sizeof *r->has_open);
    status = r->has_open ? open_all(r, is_called, err) : error_set(err, STATUS_OVER_LIMIT, "no memory for rows");
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
    row_indexes_close(r->tables, r->program);
    free(r->has_open);
    for (size_t i = 0; i < r->all.count; i++) {
        struct stored_row *row = r->all.at[i];

        free(row->versions);
        if (row->touches)
            array_close(&row->touches->list);
        free(row->touches);
    }
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

static enum status copy_cells(struct arena *arena, const struct datum *from, uint32_t width,
                              const struct datum *before, const struct datum **out,
                              struct error *err)
{
    struct datum *cells = arena_push(arena, row_cells_bytes(from, width, before), 1);

    if (!cells)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for versions of rows");
    row_cells_copy(cells, from, width, before);
    *out = cells;
    return STATUS_OK;
}

bool audit_rows_equal(const struct rows *r, uint32_t table, const struct datum *a, const struct datum *b)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < width_of(r, table) && a != b; i++)
        if (!datum_equal(&a[i], &b[i]) || a[i].scale != b[i].scale)
            return false;
    return true;
}

/* --- Versions ----------------------------------------------------------------------------------- */

const struct row_version *audit_rows_visible(const struct stored_row *row, uint32_t state)
{
    uint32_t count = row->version_count, low;

    if (count > 0 && row->versions[count - 1].position <= state)
        return &row->versions[count - 1];
    BISECT(low, 0, count, row->versions[low].position <= state);
    return low > 0 ? &row->versions[low - 1] : NULL;
}

static const struct datum *cells_of(const struct row_version *v)
{
    return v ? v->cells : NULL;
}

static uint64_t filter_columns(const struct filter *f)
{
    const struct schema_columns *columns = &f->condition->columns;
    uint64_t bits = 0;

    for (uint32_t i = 0; i < columns->count; i++)
        bits |= used_bit(columns->at[i]);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        bits |= used_bit(f->restrictions[i].column);
    return bits;
}

/* Whether two cells that both match are the same to who uses these columns. */
static bool same_to(const struct datum *a, const struct datum *b, uint64_t used, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if ((used & used_bit((uint16_t)i)) &&
            (!datum_equal(&a[i], &b[i]) || a[i].scale != b[i].scale))
            return false;
    return true;
}

bool audit_rows_look_same(const struct rows *r, const struct row_look *look,
                          const struct stored_row *row, const struct datum *a,
                          const struct datum *b)
{
    if (!a || !b)
        return a == b;
    return same_to(a, b, look->used | filter_columns(look->filter), width_of(r, row->table));
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
                           .width = width_of(r, row->table) };

    narrow(&n, state, low, high);
}

uint64_t audit_rows_look_hash(struct rows *r, const struct row_look *look, uint64_t used,
                              const struct stored_row *row, const struct datum *cells)
{
    if (!cells || !condition_matches(look->filter, cells, &r->scratch))
        return 0;
    return audit_rows_hash(r, row->table, cells, used);
}

bool audit_rows_tells_all(const struct rows *r, const struct row_look *look, uint64_t used)
{
    const struct schema_columns *key = &schema_of(r)->tables[look->filter->condition->table].key;
    uint64_t filtered = filter_columns(look->filter);

    for (uint32_t i = 0; i < key->count; i++)
        filtered &= ~used_bit(key->at[i]);
    return used == ALL_COLUMNS && filtered == 0;
}

bool audit_rows_looks_alike(struct rows *r, const struct row_look *look, uint64_t used,
                            const struct stored_row *row, const struct datum *a, const struct datum *b)
{
    bool a_matches = a && condition_matches(look->filter, a, &r->scratch);
    bool b_matches = b && condition_matches(look->filter, b, &r->scratch);

    if (!a_matches || !b_matches)
        return a_matches == b_matches;
    return same_to(a, b, used, width_of(r, row->table));
}

/* --- Looks ---------------------------------------------------------------------------------------- */

struct rows_scan {
    struct rows *rows;
    struct row_look *look;
    const struct row_index *index;
    bool is_secondary;
    uint64_t filtered;
    uint64_t wanted;
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
        *cells = row->own;
        return STATUS_OK;
    }
    /* A ghost is absent in any state: it must not be a choice in one run and none in another. */
    if (look->choose && (row->version_count > 0 || row->is_wild))
        TRY(look->choose(look->context, row, look->filter, look->used, &state, err));
    *cells = cells_of(audit_rows_visible(row, state));
    if (look->tracks) {
        struct narrowing n = { .look = look,
                               .row = row,
                               .scratch = &s->rows->scratch,
                               .filtered = s->filtered,
                               .width = width_of(s->rows, row->table) };

        narrow(&n, state, &look->low, &look->high);
    }
    return STATUS_OK;
}

static enum status consider(void *context, const struct row_entry *entry, bool *is_enough,
                            struct error *err)
{
    struct rows_scan *s = context;
    struct stored_row *row = entry->row;
    const struct datum *cells, *seen;
    const struct row_version *latest;
    struct heap *scratch = &s->rows->scratch;

    TRY(glance_at(s, row, err));
    TRY(see(s, row, &cells, err));
    if (!cells || (s->is_secondary && !row_index_agrees(s->index, cells, entry->cells)) ||
        !condition_matches(s->look->filter, cells, scratch))
        return STATUS_OK;
    if (s->look->is_locking && !row->has_own) {
        uint32_t newest = STATE_NEWEST;

        seen = cells;
        if (s->look->choose)
            TRY(s->look->choose(s->look->context, row, s->look->filter, s->look->used, &newest, err));
        latest = audit_rows_visible(row, newest);
        cells = cells_of(latest);
        if (latest && latest->position > s->look->newest)
            s->look->newest = latest->position;
        if (!cells || (cells != seen && !condition_matches(s->look->filter, cells, scratch)))
            return STATUS_OK;
    }
    TRY(array_push(&s->rows->answer, cells, err));
    *is_enough = s->rows->answer.count >= s->wanted;
    return STATUS_OK;
}

/* From which state on no row of the chunk is where its entry is; ROW_CHUNK_UNKNOWN: one is now. */
static uint32_t quiet_from(const struct rows_scan *s, const struct row_chunk *chunk)
{
    uint32_t from = 0;

    for (uint32_t i = 0; i < chunk->count; i++) {
        const struct stored_row *row = chunk->entries[i].row;
        const struct row_version *latest = audit_rows_visible(row, STATE_NEWEST);

        if (row->has_own || (latest && latest->cells &&
                             (!s->is_secondary || row_index_agrees(s->index, latest->cells,
                                                                   chunk->entries[i].cells))))
            return ROW_CHUNK_UNKNOWN;
        if (latest && latest->position > from)
            from = latest->position;
    }
    return from;
}

static bool skips(void *context, struct row_chunk *chunk)
{
    struct rows_scan *s = context;
    struct footprint *footprint = s->look->footprint;
    struct error err;

    if (chunk->note == ROW_CHUNK_UNKNOWN)
        chunk->note = quiet_from(s, chunk);
    if (chunk->note == ROW_CHUNK_UNKNOWN || chunk->note > s->look->state)
        return false;
    /* Without memory for it, its rows are looked at. */
    return !footprint || array_push(&footprint->quiet, chunk, &err) == STATUS_OK;
}

/* Whether nobody has to know at which rows the look has looked. */
static bool may_skip(const struct rows_scan *s)
{
    const struct row_look *look = s->look;

    return !look->choose && !look->tracks &&
           (!look->footprint || (look->footprint->takes_quiet && !s->is_secondary));
}

enum status audit_rows_find(struct rows *r, struct row_look *look, const struct datum *const **cells,
                      uint32_t *count, struct error *err)
{
    const struct row_indexes *t = &r->tables[look->filter->condition->table];
    struct rows_scan scan = { .rows = r, .look = look };

    struct row_visit visit = { .filter = look->filter, .visit = consider, .context = &scan };
    bool is_ordered;

    r->answer.count = 0;
    if (!condition_is_empty(look->filter)) {
        scan.index = visit.index = row_index_best(t->at, t->count, look->filter);
        scan.is_secondary = scan.index != &t->at[0];
        look->missed_open = scan.is_secondary && r->has_open[look->filter->condition->table];
        if (look->tracks || look->footprint)
            scan.filtered = filter_columns(look->filter);
        /* A lock takes the newest version of a row, which may have another place in all but the key. */
        is_ordered = look->wanted > 0 && !(look->is_locking && scan.is_secondary) &&
                     row_index_is_ordered(scan.index, look->filter, look->order);
        scan.wanted = is_ordered ? look->wanted : UINT64_MAX;
        visit.is_backwards = is_ordered && look->order->descends;
        visit.skips = may_skip(&scan) ? skips : NULL;
        TRY(row_index_visit(&visit, err));
        if (scan.is_secondary && !is_ordered && r->answer.count > 1) {
            TRY(array_reserve(&r->spare, r->answer.count, err));
            row_index_sort(&t->at[0], r->answer.at, r->spare.at, r->answer.count);
        }
    }
    *cells = r->answer.at;
    *count = (uint32_t)r->answer.count;
    return STATUS_OK;
}

/* --- Writes -------------------------------------------------------------------------------------- */

/* Something is where the entry is that was not. */
static bool wake(const struct row_index *index, const struct datum *cells)
{
    struct row_place place;

    if (!row_index_find(index, cells, &place))
        return false;
    index->chunks.at[place.chunk]->note = ROW_CHUNK_UNKNOWN;
    return true;
}

/* An entry in each index for what the row is now. The primary one is there. */
static enum status add_entries(struct rows *r, struct stored_row *row, const struct datum *cells,
                               struct error *err)
{
    const struct row_indexes *t = &r->tables[row->table];
    const struct datum *latest =
        row->version_count > 0 ? row->versions[row->version_count - 1].cells : NULL;

    for (uint32_t i = 1; i < t->count; i++) {
        struct row_index *index = &t->at[i];

        if ((latest && row_index_agrees(index, latest, cells)) || wake(index, cells))
            continue;
        TRY(row_index_add(index, (struct row_entry){ cells, row }, err));
    }
    return STATUS_OK;
}

/* Cells are about to go: the entries that are made of them go as well. */
static void remove_entries(struct rows *r, struct stored_row *row, const struct datum *cells)
{
    const struct row_indexes *t = &r->tables[row->table];

    for (uint32_t i = 1; cells && i < t->count; i++) {
        const struct row_entry *entry = row_index_find(&t->at[i], cells, NULL);

        if (entry && entry->cells == cells)
            row_index_remove(&t->at[i], cells);
    }
}

/* Of a row that has no version left the place must still be told, by a copy. */
static enum status keep_place(struct rows *r, struct stored_row *row, struct error *err)
{
    struct row_indexes *t = &r->tables[row->table];

    if (row->version_count > 0 || row->is_kept)
        return STATUS_OK;
    TRY(copy_cells(&r->stored, row->like, width_of(r, row->table), NULL, &row->like, err));
    row_index_find(&t->at[0], row->like, NULL)->cells = row->like;
    row->is_kept = true;
    return STATUS_OK;
}

const struct stored_row *audit_rows_get(const struct rows *r, uint32_t table, const struct datum *cells)
{
    const struct row_entry *entry = row_index_find(&r->tables[table].at[0], cells, NULL);

    return entry ? entry->row : NULL;
}

static enum status find_or_make(struct rows *r, uint32_t table, const struct datum *like,
                                struct stored_row **out, struct error *err)
{
    struct row_indexes *t = &r->tables[table];
    const struct row_entry *entry = row_index_find(&t->at[0], like, NULL);
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
    return row_index_add(&r->tables[row->table].at[0], (struct row_entry){ cells, row }, err);
}

enum status audit_rows_write(struct rows *r, uint32_t table, const struct row_write *w, uint64_t changes,
                       struct error *err)
{
    struct row_indexes *t = &r->tables[table];
    const struct row_version *latest;
    const struct datum *cells = NULL;
    struct stored_row *row = NULL;

    TRY(find_or_make(r, table, w->row, &row, err));
    latest = audit_rows_visible(row, STATE_NEWEST);
    if (!w->is_removed || !row->like)
        TRY(copy_cells(&r->cells, w->row, width_of(r, row->table), cells_of(latest), &cells, err));
    TRY(give_place(r, row, cells, err));
    if (!row->has_own && !cells_of(latest))
        wake(&t->at[0], row->like);
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

const row_list *audit_rows_all(const struct rows *r)
{
    return &r->all;
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

uint32_t audit_rows_written_at(const struct rows *r, uint32_t position)
{
    return (uint32_t)(r->log_ends.at[position] - r->log_ends.at[position - 1]);
}

void audit_rows_mark(struct rows *r, uint32_t position, uint32_t end, bool is_open)
{
    for (size_t i = r->log_ends.at[position - 1]; i < r->log_ends.at[end - 1]; i++) {
        r->log.at[i]->is_forked = true;
        r->log.at[i]->is_open |= is_open;
        r->has_open[r->log.at[i]->table] |= is_open;
    }
}

void audit_rows_mark_wild(struct rows *r)
{
    for (size_t i = 0; i < r->written.count; i++) {
        r->written.at[i]->is_wild = true;
        r->has_open[r->written.at[i]->table] = true;
    }
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

/*
 * The columns that may differ from the version before. What was written was not made of that one where the
 * transaction saw an older state.
 */
static uint64_t changes_of(const struct rows *r, const struct stored_row *row)
{
    const struct datum *before = cells_of(audit_rows_visible(row, STATE_NEWEST));

    if (row->own_changes == ALL_COLUMNS || !row->own || !before ||
        !same_to(row->own, before, ~row->own_changes, width_of(r, row->table)))
        return ALL_COLUMNS;
    return row->own_changes;
}

/* As a version at the next position. */
static enum status commit_row(struct rows *r, struct stored_row *row, struct error *err)
{
    uint64_t changes = changes_of(r, row);
    const struct row_version version = { .position = audit_rows_position(r) + 1,
                                         .is_whole = changes == ALL_COLUMNS,
                                         .changes = changes,
                                         .cells = row->own };

    TRY(add_version(row, version, err));
    row->has_own = false;
    row->own = NULL;
    return array_push(&r->log, row, err);
}

static enum status end_commit(struct rows *r, struct error *err)
{
    TRY(array_push(&r->log_ends, r->log.count, err));
    return array_push(&r->marks, r->cells.used, err);
}

enum status audit_rows_commit(struct rows *r, struct error *err)
{
    TRY(array_reserve(&r->log, r->written.count, err));
    for (size_t i = 0; i < r->written.count; i++)
        TRY(commit_row(r, r->written.at[i], err));
    r->written.count = 0;
    return end_commit(r, err);
}

enum status audit_rows_commit_one(struct rows *r, size_t number, struct error *err)
{
    TRY(commit_row(r, r->written.at[number], err));
    r->written.at[number] = r->written.at[--r->written.count];
    return end_commit(r, err);
}

/* The version before the one that is gone is the latest again. */
static void wake_latest(const struct rows *r, const struct stored_row *row,
                        const struct datum *gone)
{
    const struct row_indexes *t = &r->tables[row->table];
    const struct row_version *latest = audit_rows_visible(row, STATE_NEWEST);

    for (uint32_t i = 0; latest && latest->cells && i < t->count; i++)
        if (!gone || !row_index_agrees(&t->at[i], gone, latest->cells))
            wake(&t->at[i], latest->cells);
}

enum status audit_rows_pop(struct rows *r, uint32_t txn, struct error *err)
{
    size_t from = r->log_ends.at[r->log_ends.count - 2];

    assert(r->written.count == 0 && audit_rows_position(r) > 0);
    while (r->log.count > from) {
        struct stored_row *row = r->log.at[--r->log.count];
        const struct row_version gone = row->versions[--row->version_count];

        wake_latest(r, row, gone.cells);
        remove_entries(r, row, gone.cells);
        if (txn != UINT32_MAX)
            TRY(touch(row, txn, gone.changes, err));
        TRY(keep_place(r, row, err));
    }
    r->log_ends.count--;
    r->marks.count--;
    arena_reset_to(&r->cells, r->marks.at[r->marks.count - 1]);
    return STATUS_OK;
}

struct stored_row *const *audit_rows_of_newest(const struct rows *r, uint32_t *count)
{
    size_t from = r->log_ends.at[r->log_ends.count - 2];

    *count = (uint32_t)(r->log.count - from);
    return r->log.at + from;
}

enum status audit_rows_copy_newest(const struct rows *r, struct arena *arena, struct row_copy **copies,
                                   uint32_t *count, struct error *err)
{
    struct stored_row *const *rows = audit_rows_of_newest(r, count);

    *copies = arena_push(arena, (size_t)*count + 1, sizeof **copies);
    if (!*copies)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for versions of rows");
    for (uint32_t i = 0; i < *count; i++) {
        const struct row_version *v = &rows[i]->versions[rows[i]->version_count - 1];

        (*copies)[i] = (struct row_copy){ .row = rows[i], .changes = v->is_whole ? ALL_COLUMNS : v->changes };
        if (v->cells)
            TRY(copy_cells(arena, v->cells, width_of(r, rows[i]->table), NULL, &(*copies)[i].cells, err));
    }
    return STATUS_OK;
}

enum status audit_rows_rewrite(struct rows *r, const struct row_copy *copies, uint32_t count, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct stored_row *row = copies[i].row;
        const struct row_write w = { .row = copies[i].cells ? copies[i].cells : row->like,
                                     .is_removed = !copies[i].cells };

        TRY(audit_rows_write(r, row->table, &w, copies[i].changes, err));
    }
    return STATUS_OK;
}

enum status audit_rows_put_initial(struct rows *r, uint32_t table, const struct datum *cells,
                             bool *is_new, struct error *err)
{
    struct stored_row *row = NULL;
    const struct datum *copy = NULL;

    assert(audit_rows_position(r) == 0);
    TRY(find_or_make(r, table, cells, &row, err));
    *is_new = row->version_count == 0;
    if (!*is_new)
        return STATUS_OK;
    TRY(copy_cells(&r->cells, cells, width_of(r, table), NULL, &copy, err));
    TRY(give_place(r, row, copy, err));
    TRY(add_entries(r, row, copy, err));
    r->marks.at[0] = r->cells.used;
    return add_version(row, (struct row_version){ 0, true, ALL_COLUMNS, copy }, err);
}

uint64_t audit_rows_cell_hash(const struct datum *d)
{
    return datum_hash(d) + d->kind + ((uint64_t)d->scale << 8);
}

uint64_t audit_rows_hash(const struct rows *r, uint32_t table, const struct datum *cells, uint64_t used)
{
    uint64_t hash = cells != NULL;

    for (uint16_t k = 0; cells && k < width_of(r, table); k++)
        if (used & used_bit(k))
            hash = hash_mix(hash, audit_rows_cell_hash(&cells[k]));
    return hash;
}

uint64_t audit_rows_own_hash(const struct rows *r, const struct stored_row *row, uint64_t used)
{
    return hash_mix(audit_rows_hash(r, row->table, row->own, used), (uint64_t)(uintptr_t)row);
}

uint64_t audit_rows_written_hash(const struct rows *r)
{
    uint64_t hash = r->written.count;

    for (size_t i = 0; i < r->written.count; i++)
        hash += hash_number(audit_rows_own_hash(r, r->written.at[i], ALL_COLUMNS));
    return hash;
}
