#include "programs/machine/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "programs/machine/row_cells.h"
#include "programs/machine/row_indexes.h"

/* A row that was replaced, added (no old one) or removed (no new one). */
struct change {
    uint32_t table;
    struct datum *old, *new;
};

struct engine {
    const struct program *program;
    struct machine *machine;
    struct sequences sequences;
    struct row_indexes *tables;
    ARRAY(struct change) changes; /* of the call that is running */
    ARRAY(const struct datum *) answer;
    uint64_t visited; /* rows that were looked at for it */
    struct heap scratch;
    engine_watcher *watcher;
    void *context;
};

/* --- Rows ---------------------------------------------------------------------- */

/* One block: the cells, and behind them texts and arrays. */
static struct datum *copy_row(const struct datum *from, uint32_t count, struct error *err)
{
    struct datum *row = malloc(row_cells_bytes(from, count, NULL));
    enum status status;

    if (!row) {
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a row");
        (void)status;
        return NULL;
    }
    row_cells_copy(row, from, count, NULL);
    return row;
}

/* --- Life ------------------------------------------------------------------------ */

static enum status open_all(struct engine *e, struct error *err)
{
    TRY(row_indexes_open(&e->tables, e->program, NULL, err));
    TRY(sequences_open(&e->sequences, &e->program->tree.schema, err));
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

static void free_rows(const struct row_index *index)
{
    const struct row_entry *entry;

    for (struct row_place place = { 0, 0 }; (entry = row_index_at(index, place));
         place = row_index_next(index, place))
        free((void *)entry->cells);
}

void engine_close(struct engine *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; e->tables && i < e->program->tree.schema.table_count; i++)
        free_rows(&e->tables[i].at[0]);
    row_indexes_close(e->tables, e->program);
    machine_close(e->machine);
    sequences_close(&e->sequences);
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

struct engine_scan {
    struct engine *e;
    const struct filter *filter;
};

static enum status consider(void *context, const struct row_entry *entry, bool *is_enough,
                            struct error *err)
{
    const struct engine_scan *s = context;

    (void)is_enough;
    s->e->visited++;
    if (!condition_matches(s->filter, entry->cells, &s->e->scratch))
        return STATUS_OK;
    return array_push(&s->e->answer, entry->cells, err);
}

static enum status read_by_index(struct engine *e, const struct filter *f, const struct row_indexes *t,
                                 struct error *err)
{
    struct engine_scan scan = { e, f };
    const struct row_visit visit = { .index = row_index_best(t->at, t->count, f),
                                     .filter = f,
                                     .visit = consider,
                                     .context = &scan };
    size_t count;

    TRY(row_index_visit(&visit, err));
    count = e->answer.count;
    if (visit.index == &t->at[0] || count == 0)
        return STATUS_OK;
    TRY(array_reserve(&e->answer, count, err));
    row_index_sort(&t->at[0], e->answer.at, e->answer.at + count, count);
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

const struct sequences *engine_sequences(const struct engine *e)
{
    return &e->sequences;
}

enum status engine_read_table(struct engine *e, uint32_t table, const struct datum *const **rows,
                              uint32_t *count, struct error *err)
{
    const struct row_index *index = &e->tables[table].at[0];
    struct row_place place = { 0, 0 };
    const struct row_entry *entry;

    e->answer.count = 0;
    for (; (entry = row_index_at(index, place)); place = row_index_next(index, place))
        TRY(array_push(&e->answer, entry->cells, err));
    *rows = e->answer.at;
    *count = (uint32_t)e->answer.count;
    return STATUS_OK;
}

/* --- Writes -------------------------------------------------------------------------- */

static enum status apply(struct engine *e, uint32_t table, struct datum *old, struct datum *new,
                         struct error *err)
{
    struct row_indexes *t = &e->tables[table];

    for (uint32_t i = 0; i < t->count; i++) {
        struct row_index *index = &t->at[i];

        if (old && new && row_index_agrees(index, old, new)) {
            row_index_find(index, old, NULL)->cells = new;
            continue;
        }
        if (old)
            row_index_remove(index, old);
        if (new)
            TRY(row_index_add(index, (struct row_entry){ new, NULL }, err));
    }
    return STATUS_OK;
}

static struct datum *find_row(struct engine *e, uint32_t table, const struct datum *like)
{
    const struct row_entry *entry = row_index_find(&e->tables[table].at[0], like, NULL);

    return entry ? (struct datum *)entry->cells : NULL;
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

    if (r->kind == REQUEST_NUMBER) {
        sequences_answer(&e->sequences, e->machine);
        return STATUS_OK;
    }
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
