#include "predict/director/directed.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "history/call_log_write.h"
#include "predict/director/directed_private.h"
#include "programs/machine/engine.h"
#include "programs/machine/row_cells.h"
#include "programs/workloads/calls.h"

#define HEAP_BYTES_MAX ((size_t)256 << 20)
#define WRITER_ITSELF (DIRECTED_INITIAL - 1)

uint64_t directed_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) |
           LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX) | LEVEL_BIT(LEVEL_SNAPSHOT) |
           LEVEL_BIT(LEVEL_SERIALIZABLE);
}

/* --- Memory ------------------------------------------------------------------------------------- */

static enum status push(struct arena *arena, size_t size, void **at, struct error *err)
{
    *at = arena_push(arena, size + 1, 1);
    return *at ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for a directed store");
}

static enum status keep_row(struct directed *d, const struct datum *from, uint32_t count,
                            const struct datum **row, struct error *err)
{
    void *at;

    TRY(push(&d->arena, row_cells_bytes(from, count, NULL), &at, err));
    row_cells_copy(at, from, count, NULL);
    *row = at;
    return STATUS_OK;
}

static enum status keep_text(struct directed *d, const struct buffer *from, struct text *text,
                             struct error *err)
{
    void *at;

    TRY(buffer_status(from, err));
    TRY(push(&d->arena, from->count, &at, err));
    if (from->count > 0)
        memcpy(at, from->at, from->count);
    *text = (struct text){ at, from->count };
    return STATUS_OK;
}

/* --- Keys --------------------------------------------------------------------------------------- */

static enum status add_key(struct directed *d, uint32_t table, struct error *err)
{
    struct directed_key key = { .table = table };

    TRY(array_push(&key.versions, ((struct key_version){ DIRECTED_INITIAL, NULL }), err));
    if (array_push(&d->keys.keys, key, err) == STATUS_OK)
        return STATUS_OK;
    array_close(&key.versions);
    return err->status;
}

/* `parts` are the key's columns, in its order. */
static enum status find_key(struct directed *d, uint32_t table, const struct datum *const *parts,
                            uint32_t *key, struct error *err)
{
    buffer_clear(&d->text);
    tables_spell_text(&d->text, d->schema->tables[table].name);
    buffer_byte(&d->text, '/');
    row_key_spell(&d->schema->tables[table], parts, &d->text);
    TRY(buffer_status(&d->text, err));
    TRY(intern_add(&d->keys.texts, (struct text){ d->text.at, d->text.count }, key, err));
    return *key < d->keys.keys.count ? STATUS_OK : add_key(d, table, err);
}

/* From now on whoever looks through the table finds it. */
static enum status index_key(struct directed *d, uint32_t key, const struct datum *row,
                             struct error *err)
{
    uint32_t table = d->keys.keys.at[key].table;
    const struct schema_table *t = &d->schema->tables[table];
    struct row_entry entry = { .row = (void *)((uintptr_t)key + 1) };
    uint16_t width = 0;
    void *at;

    if (d->keys.keys.at[key].is_indexed)
        return STATUS_OK;
    for (uint16_t i = 0; i < t->key.count; i++)
        if (t->key.at[i] >= width)
            width = t->key.at[i] + 1;
    TRY(push(&d->names, row_cells_bytes(row, width, NULL), &at, err));
    row_cells_copy(at, row, width, NULL);
    entry.cells = at;
    d->keys.keys.at[key].is_indexed = true;
    return row_index_add(&d->tables[table].at[0], entry, err);
}

static enum status key_of_row(struct directed *d, uint32_t table, const struct datum *row,
                              uint32_t *key, struct error *err)
{
    const struct datum *parts[TABLE_KEY_COLUMN_COUNT_MAX];

    row_key_of(&d->schema->tables[table], row, parts);
    TRY(find_key(d, table, parts, key, err));
    return index_key(d, *key, row, err);
}

/* --- Life --------------------------------------------------------------------------------------- */

static enum status open_all(struct directed *d, struct error *err)
{
    TRY(arena_init(&d->arena, ARENA_UNLIMITED, err));
    TRY(arena_init(&d->names, ARENA_UNLIMITED, err));
    TRY(row_indexes_open(&d->tables, d->options.program, NULL, err));
    TRY(sequences_open(&d->sequences, d->schema, err));
    d->sessions = calloc(d->options.sessions + (size_t)1, sizeof *d->sessions);
    if (!d->sessions)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %u sessions",
                         (unsigned)d->options.sessions);
    for (uint32_t i = 0; i < d->options.sessions; i++)
        d->sessions[i].previous = LEGALITY_NOBODY;
    return STATUS_OK;
}

enum status directed_open(struct directed **out, const struct directed_options *options,
                          struct error *err)
{
    struct directed *d = calloc(1, sizeof *d);

    assert((directed_levels() | LEVEL_BIT(LEVEL_READ_UNCOMMITTED)) & LEVEL_BIT(options->level));
    assert(options->sessions <= DIRECTED_SESSIONS_MAX);
    *out = d;
    if (!d)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a directed store");
    d->options = *options;
    d->schema = &options->program->tree.schema;
    legality_init(&d->legality, options->level, &d->keys);
    heap_init(&d->heap, HEAP_BYTES_MAX);
    return open_all(d, err);
}

void directed_close(struct directed *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->sessions && i < d->options.sessions; i++) {
        machine_close(d->sessions[i].machine);
        array_close(&d->sessions[i].txns);
    }
    free(d->sessions);
    for (size_t i = 0; i < d->keys.keys.count; i++)
        array_close(&d->keys.keys.at[i].versions);
    array_close(&d->keys.keys);
    intern_close(&d->keys.texts);
    row_indexes_close(d->tables, d->options.program);
    sequences_close(&d->sequences);
    legality_close(&d->legality);
    machine_close(d->judge);
    array_close(&d->txns);
    array_close(&d->ops);
    array_close(&d->rows);
    array_close(&d->set);
    array_close(&d->reads);
    array_close(&d->writes);
    array_close(&d->write_keys);
    array_close(&d->kept_sequences);
    array_close(&d->places);
    array_close(&d->candidates);
    array_close(&d->answer);
    array_close(&d->order);
    array_close(&d->ranks);
    heap_close(&d->heap);
    buffer_close(&d->text);
    buffer_close(&d->room);
    arena_close(&d->arena);
    arena_close(&d->names);
    free(d);
}

enum status directed_put_row(struct directed *d, uint32_t table, const struct datum *cells,
                             struct error *err)
{
    uint32_t key;

    assert(d->txns.count == 0);
    TRY(key_of_row(d, table, cells, &key, err));
    return keep_row(d, cells, d->schema->tables[table].column_count,
                    &d->keys.keys.at[key].versions.at[0].row, err);
}

static enum status call_load(struct directed *d, struct text call, struct engine *engine,
                             struct error *err)
{
    struct datum arguments[CALL_ARGUMENTS_MAX];
    struct engine_outcome outcome;
    uint32_t function;

    heap_reset(&d->heap);
    TRY(program_parse_call(d->options.program, call, &d->heap, &function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
    TRY(engine_call(engine, function, arguments, &outcome, err));
    if (!outcome.is_done)
        return error_set(err, STATUS_BAD_INPUT, "%.*s failed in line %" PRIu32 ": %s",
                         TEXT_PRINT(call), outcome.line, outcome.message);
    for (uint32_t table = 0; table < d->schema->table_count; table++) {
        const struct datum *const *rows;
        uint32_t count;

        TRY(engine_read_table(engine, table, &rows, &count, err));
        for (uint32_t i = 0; i < count; i++)
            TRY(directed_put_row(d, table, rows[i], err));
    }
    sequences_go_on(&d->sequences, engine_sequences(engine));
    return STATUS_OK;
}

enum status directed_load(struct directed *d, struct text call, struct error *err)
{
    struct engine *engine;
    enum status status;

    TRY(engine_open(&engine, d->options.program, err));
    status = call_load(d, call, engine, err);
    engine_close(engine);
    return status;
}

/* --- What is kept for the history --------------------------------------------------------------- */

static enum status keep_op(struct directed *d, struct kept_op op, struct error *err)
{
    op.rows = d->rows.count;
    op.set = d->set.count;
    d->has_half = false;
    return d->options.keeps ? array_push(&d->ops, op, err) : STATUS_OK;
}

static enum status keep_op_row(struct directed *d, uint32_t key, const struct datum *row,
                               struct error *err)
{
    if (!d->options.keeps)
        return STATUS_OK;
    d->ops.at[d->ops.count - 1].row_count++;
    return array_push(&d->rows, ((struct kept_row){ key, row }), err);
}

static enum status keep_seen(struct directed *d, uint32_t key, uint32_t writer, struct error *err)
{
    if (!d->options.keeps)
        return STATUS_OK;
    d->ops.at[d->ops.count - 1].set_count++;
    return array_push(&d->set, ((struct kept_version){ key, writer }), err);
}

/* --- Reads -------------------------------------------------------------------------------------- */

static enum status list_candidates(struct directed *d, uint32_t key, struct error *err)
{
    const struct directed_key *k = &d->keys.keys.at[key];
    uint32_t count;

    d->places.count = d->candidates.count = 0;
    TRY(array_reserve(&d->places, k->versions.count, err));
    TRY(array_reserve(&d->candidates, k->versions.count, err));
    TRY(legality_find(&d->legality, key, d->places.at, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct key_version *v = &k->versions.at[d->places.at[i]];
        struct directed_version *c = &d->candidates.at[i];

        *c = (struct directed_version){ .writer = v->writer, .row = v->row };
        if (v->writer == DIRECTED_INITIAL)
            continue;
        c->session = d->txns.at[v->writer].session;
        c->position = d->txns.at[v->writer].position;
    }
    d->read.count = count;
    d->read.has_latest = d->places.at[count - 1] == k->versions.count - 1;
    return STATUS_OK;
}

/* Which version of a key that has not been read yet. */
static enum status choose(struct directed *d, uint32_t key, struct directed_version *version,
                          struct error *err)
{
    struct directed_seen seen = { .key = key, .statement = d->read.statement };
    uint32_t choice;

    d->read.key = key;
    d->read.table = d->keys.keys.at[key].table;
    TRY(list_candidates(d, key, err));
    d->read.candidates = d->candidates.at;
    choice = d->director->choose(d->director->context, &d->read);
    assert(choice < d->read.count);
    d->read.number++;
    d->counts.reads++;
    d->counts.stale += choice + 1 < d->read.count || !d->read.has_latest;
    *version = d->candidates.at[choice];
    seen.writer = version->writer;
    TRY(legality_read(&d->legality, key, d->places.at[choice], err));
    return array_push(&d->reads, seen, err);
}

/* The row that the transaction wrote, or read already in this moment. */
static bool is_known(struct directed *d, uint32_t key, const struct datum **row, uint32_t *writer)
{
    const struct directed_key *k = &d->keys.keys.at[key];
    const struct directed_seen *seen;

    if (k->write_round == d->round) {
        *writer = WRITER_ITSELF;
        *row = d->writes.at[k->write].row;
        return true;
    }
    if (k->read_round != d->round)
        return false;
    seen = &d->reads.at[k->read];
    if (d->options.level <= LEVEL_READ_COMMITTED && seen->statement != d->read.statement)
        return false;
    *writer = seen->writer;
    for (size_t i = k->versions.count; i-- > 0;)
        if (k->versions.at[i].writer == seen->writer)
            *row = k->versions.at[i].row;
    return true;
}

static const struct datum *final_row(const struct directed *d, uint32_t key)
{
    const struct directed_key *k = &d->keys.keys.at[key];
    const struct key_version *last = &k->versions.at[0];

    for (size_t i = 1; i < k->versions.count; i++)
        if (last->writer == DIRECTED_INITIAL ||
            d->ranks.at[k->versions.at[i].writer] > d->ranks.at[last->writer])
            last = &k->versions.at[i];
    return last->row;
}

/* NULL: there is no row. */
static enum status read_key(struct directed *d, uint32_t key, const struct datum **row,
                            struct error *err)
{
    struct directed_version version;
    uint32_t writer;

    if (d->is_final) {
        *row = final_row(d, key);
        return STATUS_OK;
    }
    if (!is_known(d, key, row, &writer)) {
        TRY(choose(d, key, &version, err));
        d->keys.keys.at[key].read_round = d->round;
        d->keys.keys.at[key].read = d->reads.count - 1;
        writer = version.writer;
        *row = version.row;
    }
    return writer == WRITER_ITSELF ? STATUS_OK : keep_seen(d, key, writer, err);
}

/* --- Reads of keys ------------------------------------------------------------------------------ */

static enum status read_pinned(struct directed *d, const struct request *r,
                               const struct key_parts *parts, struct error *err)
{
    const struct schema_table *t = &d->schema->tables[r->table];
    uint32_t count = row_keys_count(t, parts);

    for (uint32_t i = 0; i < count; i++) {
        const struct datum *chosen[TABLE_KEY_COLUMN_COUNT_MAX], *row;
        struct kept_op op = { .kind = OP_READ, .lock = (uint8_t)r->lock, .table = r->table };
        uint32_t key;

        row_keys_choose(t, parts, i, chosen);
        TRY(find_key(d, r->table, chosen, &key, err));
        if (!d->is_final)
            TRY(keep_op(d, op, err));
        TRY(read_key(d, key, &row, err));
        if (!d->is_final)
            TRY(keep_op_row(d, key, row, err));
        if (row)
            TRY(array_push(&d->answer, row, err));
    }
    d->visited += count;
    return STATUS_OK;
}

/* --- Reads of tables ---------------------------------------------------------------------------- */

struct table_scan {
    struct directed *d;
    const struct filter *filter;
    const struct schema_table *table;
    bool is_pinned[TABLE_KEY_COLUMN_COUNT_MAX]; /* by column of the key */
    struct datum pins[TABLE_KEY_COLUMN_COUNT_MAX];
};

static bool contradicts(const struct table_scan *s, const struct datum *cells)
{
    for (uint16_t i = 0; i < s->table->key.count; i++)
        if (s->is_pinned[i] && !datum_equal(&s->pins[i], &cells[s->table->key.at[i]]))
            return true;
    return false;
}

/* A key that nobody has written is no row that might have been there. */
static bool is_written(const struct directed *d, uint32_t key)
{
    const struct directed_key *k = &d->keys.keys.at[key];

    return k->versions.count > 1 || k->versions.at[0].row ||
           (!d->is_final && k->write_round == d->round);
}

static enum status scan_entry(void *context, const struct row_entry *entry, bool *is_enough,
                              struct error *err)
{
    const struct table_scan *s = context;
    uint32_t key = (uint32_t)((uintptr_t)entry->row - 1);
    const struct datum *row;

    (void)is_enough;
    s->d->visited++;
    if (contradicts(s, entry->cells) || !is_written(s->d, key))
        return STATUS_OK;
    TRY(read_key(s->d, key, &row, err));
    if (!row || !condition_matches(s->filter, row, &s->d->heap))
        return STATUS_OK;
    if (!s->d->is_final)
        TRY(keep_op_row(s->d, key, row, err));
    return array_push(&s->d->answer, row, err);
}

static enum op_kind op_of(enum read_purpose purpose, bool has_rows)
{
    if (has_rows) /* until they are written */
        return OP_SELECT;
    return purpose == READ_UPDATE ? OP_UPDATE : purpose == READ_DELETE ? OP_DELETE : OP_SELECT;
}

static enum status keep_scan(struct directed *d, const struct request *r, struct error *err)
{
    struct kept_op op = { .kind = OP_SELECT, .lock = (uint8_t)r->lock, .table = r->table };

    if (!d->options.keeps)
        return STATUS_OK;
    buffer_clear(&d->text);
    if (r->filter.condition->conjunct_count > 0 || r->filter.restriction_count > 0)
        condition_print_filter(&r->filter, d->schema, &d->text);
    TRY(keep_text(d, &d->text, &op.where, err));
    return keep_op(d, op, err);
}

static enum status read_table(struct directed *d, const struct request *r, struct error *err)
{
    struct table_scan scan = { .d = d,
                               .filter = &r->filter,
                               .table = &d->schema->tables[r->table] };
    const struct row_visit visit = { .index = &d->tables[r->table].at[0],
                                     .filter = &r->filter,
                                     .visit = scan_entry,
                                     .context = &scan };
    bool is_to_be_written = r->purpose == READ_UPDATE || r->purpose == READ_DELETE;

    for (uint16_t i = 0; i < scan.table->key.count; i++)
        scan.is_pinned[i] = condition_pin(&r->filter, scan.table->key.at[i], &scan.pins[i]);
    if (!d->is_final)
        TRY(keep_scan(d, r, err));
    if (!condition_is_empty(&r->filter))
        TRY(row_index_visit(&visit, err));
    if (d->is_final)
        return STATUS_OK;
    if (d->options.keeps)
        d->ops.at[d->ops.count - 1].kind = (uint8_t)op_of(r->purpose, d->answer.count > 0);
    d->has_half = is_to_be_written && d->answer.count > 0;
    return STATUS_OK;
}

static enum status answer_read(struct directed *d, struct machine *machine, const struct request *r,
                               struct error *err)
{
    struct key_parts parts;

    d->answer.count = 0;
    d->visited = 0;
    if (row_keys_pin(d->schema, &r->filter, &parts))
        TRY(read_pinned(d, r, &parts, err));
    else
        TRY(read_table(d, r, err));
    machine_charge(machine, d->visited);
    machine_answer_rows(machine, d->answer.at, (uint32_t)d->answer.count);
    return STATUS_OK;
}

/* --- Writes ------------------------------------------------------------------------------------- */

/* Whether exactly the rows that were matched are written, each where it was. */
static bool writes_what_matched(const struct directed *d, const struct request *r,
                                const struct kept_row *writes)
{
    const struct kept_op *op = &d->ops.at[d->ops.count - 1];

    if (!d->has_half || r->write_count != op->row_count)
        return false;
    for (uint32_t i = 0; i < r->write_count; i++)
        if (r->writes[i].is_insert || r->writes[i].is_removed != (r->statement == QUERY_DELETE) ||
            writes[i].key != d->rows.at[op->rows + i].key)
            return false;
    return true;
}

/* Rows that are inserted one after another are one statement; all others are items. */
static enum status keep_writes(struct directed *d, const struct request *r,
                               const struct kept_row *writes, struct error *err)
{
    for (uint32_t i = 0; i < r->write_count; i++) {
        bool goes_on = i > 0 && r->writes[i].is_insert && r->writes[i - 1].is_insert;
        struct kept_op op = { .kind = r->writes[i].is_insert    ? OP_INSERT
                                      : r->writes[i].is_removed ? OP_REMOVE
                                                                : OP_WRITE,
                              .table = r->table };

        if (!goes_on)
            TRY(keep_op(d, op, err));
        TRY(keep_op_row(d, writes[i].key, writes[i].row, err));
    }
    return STATUS_OK;
}

static enum status keep_written(struct directed *d, const struct request *r,
                                const struct kept_row *writes, struct error *err)
{
    struct kept_op *op;

    if (!d->options.keeps || r->write_count == 0)
        return STATUS_OK;
    if (!writes_what_matched(d, r, writes))
        return keep_writes(d, r, writes, err);
    op = &d->ops.at[d->ops.count - 1];
    op->kind = r->statement == QUERY_DELETE ? OP_DELETE : OP_UPDATE;
    memcpy(d->rows.at + op->rows, writes, op->row_count * sizeof *writes);
    d->has_half = false;
    return STATUS_OK;
}

static enum status put_write(struct directed *d, struct kept_row write, struct error *err)
{
    struct directed_key *k = &d->keys.keys.at[write.key];

    if (k->write_round == d->round) {
        d->writes.at[k->write].row = write.row;
        return STATUS_OK;
    }
    TRY(array_push(&d->write_keys, write.key, err));
    TRY(array_push(&d->writes, write, err));
    k->write_round = d->round;
    k->write = d->writes.count - 1;
    return STATUS_OK;
}

/* *is_refused: some key has a newer version than the transaction may have seen. */
static enum status write_rows(struct directed *d, const struct request *r, bool *is_refused,
                              struct error *err)
{
    uint16_t width = d->schema->tables[r->table].column_count;
    struct kept_row *writes;
    void *at;

    TRY(push(&d->arena, r->write_count * sizeof *writes, &at, err));
    writes = at;
    for (uint32_t i = 0; i < r->write_count; i++) {
        TRY(key_of_row(d, r->table, r->writes[i].row, &writes[i].key, err));
        if (!legality_write(&d->legality, writes[i].key))
            *is_refused = true;
        if (!r->writes[i].is_removed)
            TRY(keep_row(d, r->writes[i].row, width, &writes[i].row, err));
    }
    TRY(keep_written(d, r, writes, err));
    for (uint32_t i = 0; i < r->write_count; i++)
        TRY(put_write(d, writes[i], err));
    return STATUS_OK;
}

/* --- A transaction ------------------------------------------------------------------------------ */

static struct directed_marks marks_of(const struct directed *d)
{
    return (
        struct directed_marks){ d->arena.used,           d->ops.count,
                                d->rows.count,           d->set.count,
                                d->reads.count,          d->writes.count,
                                d->kept_sequences.count, commit_order_mark(&d->legality.order) };
}

static enum status begin(struct directed *d, const struct directed_call *call, struct error *err)
{
    struct directed_session *session = &d->sessions[call->session];
    uint32_t number = (uint32_t)d->txns.count;
    struct executed txn = { .session = call->session,
                            .position = session->count,
                            .previous = session->previous,
                            .from = marks_of(d),
                            .counts = d->counts };

    assert(call->session < d->options.sessions);
    if (!session->machine)
        TRY(machine_open(&session->machine, d->options.program, MACHINE_STEPS_MAX,
                         MACHINE_BYTES_MAX, err));
    machine_number_rows(
        session->machine,
        schema_first_row((uint64_t)txn.position * d->options.sessions + txn.session + 1));
    for (uint32_t i = 0; i < d->schema->sequence_count; i++)
        TRY(array_push(&d->kept_sequences, d->sequences.at[i], err));
    TRY(legality_begin(&d->legality, number, session->previous, err));
    TRY(array_push(&session->txns, number, err));
    TRY(array_push(&d->txns, txn, err));
    session->count++;
    d->round++;
    d->has_half = false;
    d->read = (struct directed_read){
        .store = d, .txn = number, .session = txn.session, .position = txn.position
    };
    return STATUS_OK;
}

static enum status keep_call(struct directed *d, const struct directed_call *call,
                             struct error *err)
{
    struct json_writer json = { .out = &d->text };

    if (!d->options.keeps)
        return STATUS_OK;
    buffer_clear(&d->text);
    call_log_begin_call(&json, d->options.program->tree.functions[call->function].name);
    calls_write_arguments(&json, d->options.program, call->function, call->arguments, &d->room);
    TRY(buffer_status(&d->room, err));
    return keep_text(d, &d->text, &d->txns.at[d->txns.count - 1].call, err);
}

/* What the client was answered, behind the call: [["12.50"]], or nothing where it was told of a failure. */
static enum status keep_answer(struct directed *d, const struct directed_call *call,
                               const struct directed_outcome *outcome, struct error *err)
{
    bool is_void = d->options.program->tree.functions[call->function].result.kind == TYPE_VOID;
    struct executed *txn = &d->txns.at[d->txns.count - 1];
    struct buffer rows = { 0 };
    struct json_writer json = { .out = &rows };
    enum status status;

    if (!d->options.keeps)
        return STATUS_OK;
    if (outcome->end == DIRECTED_COMMITTED) {
        json_writer_open(&json, NULL, '[');
        if (!is_void) {
            json_writer_open(&json, NULL, '[');
            calls_write_value(&json, &outcome->value, &d->room);
            json_writer_close(&json, ']');
        }
        json_writer_close(&json, ']');
    }
    buffer_clear(&d->text);
    buffer_text(&d->text, txn->call);
    json = (struct json_writer){ .out = &d->text, .needs_comma = true };
    call_log_end_call(&json, outcome->sqlstate ? outcome->sqlstate : "",
                      (struct text){ rows.at, rows.count });
    status = buffer_status(&rows, err);
    if (status == STATUS_OK)
        status = buffer_status(&d->room, err);
    if (status == STATUS_OK)
        status = keep_text(d, &d->text, &txn->call, err);
    buffer_close(&rows);
    return status;
}

/* To its end, or to the request that is refused. */
static enum status execute(struct directed *d, struct machine *machine, bool *is_refused,
                           struct error *err)
{
    for (;;) {
        const struct request *r = machine_run(machine);

        switch (r->kind) {
        case REQUEST_RETURNED:
        case REQUEST_FAILED:
            return STATUS_OK;
        case REQUEST_NUMBER:
            sequences_answer(&d->sequences, machine);
            break;
        case REQUEST_READ:
            d->read.statement = r->ordinal;
            legality_enter(&d->legality, r->ordinal);
            TRY(answer_read(d, machine, r, err));
            break;
        case REQUEST_WRITE:
            TRY(write_rows(d, r, is_refused, err));
            if (*is_refused)
                return STATUS_OK;
            machine_answer_written(machine);
            break;
        }
    }
}

static enum status commit(struct directed *d, struct error *err)
{
    uint32_t number = (uint32_t)d->txns.count - 1;
    struct executed *txn = &d->txns.at[number];

    for (size_t i = txn->from.writes; i < d->writes.count; i++) {
        struct key_version version = { number, d->writes.at[i].row };

        TRY(array_push(&d->keys.keys.at[d->writes.at[i].key].versions, version, err));
    }
    legality_commit(&d->legality, number);
    d->sessions[txn->session].previous = number;
    return STATUS_OK;
}

static void settle(const struct request *r, bool is_refused, struct directed_outcome *outcome)
{
    *outcome = (struct directed_outcome){ .end = DIRECTED_REFUSED,
                                          .line = r->line,
                                          .sqlstate = "40001",
                                          .message = "another transaction has written the row" };
    if (is_refused)
        return;
    outcome->end = r->kind == REQUEST_RETURNED ? DIRECTED_COMMITTED : DIRECTED_FAILED;
    outcome->value = r->value;
    outcome->sqlstate = r->kind == REQUEST_FAILED ? r->sqlstate : NULL;
    outcome->message = r->kind == REQUEST_FAILED ? r->message : NULL;
}

static enum status directed_execute(struct directed *d, const struct directed_call *call,
                                    struct directed_outcome *outcome, struct error *err)
{
    bool is_refused = false;
    struct machine *machine;

    TRY(begin(d, call, err));
    TRY(keep_call(d, call, err));
    machine = d->sessions[call->session].machine;
    machine_start(machine, call->function, call->arguments);
    TRY(execute(d, machine, &is_refused, err));
    settle(machine_request(machine), is_refused, outcome);
    outcome->txn = (uint32_t)d->txns.count - 1;
    d->txns.at[outcome->txn].end = (uint8_t)outcome->end;
    TRY(keep_answer(d, call, outcome, err));
    if (outcome->end == DIRECTED_COMMITTED)
        return commit(d, err);
    legality_abort(&d->legality);
    return STATUS_OK;
}

/* A program that lacks memory fails as by an error of its own. */
enum status directed_run(struct directed *d, const struct directed_call *call,
                         const struct director *director, struct directed_outcome *outcome,
                         struct error *err)
{
    uint64_t before = memory_failures();

    d->director = director;
    return memory_confirm(before, directed_execute(d, call, outcome, err), err);
}

void directed_undo(struct directed *d)
{
    const struct executed *txn;
    const struct directed_marks *from;
    struct directed_session *session;
    uint32_t number;

    assert(d->txns.count > 0);
    number = (uint32_t)d->txns.count - 1;
    txn = &d->txns.at[number];
    from = &txn->from;
    session = &d->sessions[txn->session];
    if (txn->end == DIRECTED_COMMITTED) {
        legality_undo(&d->legality, number, from->order);
        for (size_t i = from->writes; i < d->writes.count; i++)
            d->keys.keys.at[d->writes.at[i].key].versions.count--;
    }
    if (d->schema->sequence_count > 0)
        memcpy(d->sequences.at, d->kept_sequences.at + from->sequences,
               d->schema->sequence_count * sizeof *d->sequences.at);
    session->count--;
    session->txns.count--;
    session->previous = txn->previous;
    d->counts = txn->counts;
    d->ops.count = from->ops;
    d->rows.count = from->rows;
    d->set.count = from->set;
    d->reads.count = from->reads;
    d->writes.count = d->write_keys.count = from->writes;
    d->kept_sequences.count = from->sequences;
    arena_reset_to(&d->arena, from->arena);
    d->txns.count = number;
}

/* --- What there is ------------------------------------------------------------------------------ */

uint32_t directed_txn_count(const struct directed *d)
{
    return (uint32_t)d->txns.count;
}

struct directed_txn_facts directed_txn(const struct directed *d, uint32_t number)
{
    const struct executed *txn = &d->txns.at[number];

    assert(number < d->txns.count);
    return (struct directed_txn_facts){ txn->session, txn->position, (enum directed_end)txn->end };
}

uint32_t directed_find_txn(const struct directed *d, uint32_t session, uint32_t position)
{
    if (session >= d->options.sessions || position >= d->sessions[session].count)
        return UINT32_MAX;
    return d->sessions[session].txns.at[position];
}

struct directed_counts directed_counts(const struct directed *d)
{
    return d->counts;
}

struct text directed_key_text(const struct directed *d, uint32_t key)
{
    return intern_text(&d->keys.texts, key);
}

uint32_t directed_find_key(const struct directed *d, struct text name)
{
    return intern_find(&d->keys.texts, name);
}

bool directed_has_version(const struct directed *d, uint32_t key, uint32_t writer)
{
    const struct directed_key *k = &d->keys.keys.at[key];

    for (size_t i = 0; i < k->versions.count; i++)
        if (k->versions.at[i].writer == writer)
            return true;
    return false;
}

static size_t end_of(const struct directed *d, uint32_t txn, size_t last, bool of_reads)
{
    const struct executed *next = &d->txns.at[txn + 1];

    assert(txn < d->txns.count);
    if (txn + 1 == d->txns.count)
        return last;
    return of_reads ? next->from.reads : next->from.writes;
}

const struct directed_seen *directed_reads(const struct directed *d, uint32_t txn, uint32_t *count)
{
    size_t from = d->txns.at[txn].from.reads;

    *count = (uint32_t)(end_of(d, txn, d->reads.count, true) - from);
    return d->reads.at + from;
}

const uint32_t *directed_writes(const struct directed *d, uint32_t txn, uint32_t *count)
{
    size_t from = d->txns.at[txn].from.writes;

    *count = (uint32_t)(end_of(d, txn, d->writes.count, false) - from);
    return d->write_keys.at + from;
}

/* --- The final state ---------------------------------------------------------------------------- */

static enum status rank(struct directed *d, struct error *err)
{
    uint32_t count = (uint32_t)d->txns.count;

    d->order.count = d->ranks.count = 0;
    TRY(array_reserve(&d->order, count + 1, err));
    TRY(array_reserve(&d->ranks, count + 1, err));
    TRY(legality_final_order(&d->legality, count, d->order.at, err));
    for (uint32_t i = 0; i < count; i++)
        d->ranks.at[d->order.at[i]] = i;
    return STATUS_OK;
}

enum status directed_each_final_row(struct directed *d, uint32_t table, final_row_taker *take,
                                    void *taker, struct error *err)
{
    const struct row_index *index = &d->tables[table].at[0];
    const struct row_entry *entry;

    TRY(rank(d, err));
    for (struct row_place place = { 0, 0 }; (entry = row_index_at(index, place));
         place = row_index_next(index, place)) {
        const struct datum *row = final_row(d, (uint32_t)((uintptr_t)entry->row - 1));

        if (row)
            TRY(take(taker, row, err));
    }
    return STATUS_OK;
}

static enum status refuse_function(const struct directed *d, uint32_t function, const char *why,
                                   struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%.*s: %s",
                     TEXT_PRINT(d->options.program->tree.functions[function].name), why);
}

static enum status evaluate(struct directed *d, uint32_t function, struct error *err)
{
    const struct request *r;

    machine_start(d->judge, function, NULL);
    while ((r = machine_run(d->judge))->kind == REQUEST_READ)
        TRY(answer_read(d, d->judge, r, err));
    if (r->kind == REQUEST_WRITE || r->kind == REQUEST_NUMBER)
        return refuse_function(d, function, "what is asked of the final rows must not write", err);
    if (r->kind == REQUEST_FAILED)
        return refuse_function(d, function, r->message, err);
    return STATUS_OK;
}

enum status directed_evaluate(struct directed *d, uint32_t function, struct datum *value,
                              struct error *err)
{
    uint64_t before = memory_failures();
    enum status status;

    if (d->options.program->tree.functions[function].parameter_count > 0)
        return refuse_function(d, function, "what is asked of the final rows has no parameters",
                               err);
    if (!d->judge)
        TRY(machine_open(&d->judge, d->options.program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    TRY(rank(d, err));
    d->is_final = true;
    status = memory_confirm(before, evaluate(d, function, err), err);
    d->is_final = false;
    if (status == STATUS_OK)
        *value = machine_request(d->judge)->value;
    return status;
}
