#include "predict/director/requests_private.h"

#include <assert.h>
#include <string.h>

#include "programs/machine/row_cells.h"

#define WRITER_ITSELF (DIRECTED_INITIAL - 1)

/* --- Memory ------------------------------------------------------------------------------------- */

static enum status push(struct arena *arena, size_t size, void **at, struct error *err)
{
    *at = arena_push(arena, size + 1, 1);
    return *at ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for a directed store");
}

enum status requests_keep_row(struct directed *d, const struct datum *from, uint32_t count,
                              const struct datum **row, struct error *err)
{
    void *at;

    TRY(push(&d->arena, row_cells_bytes(from, count, NULL), &at, err));
    row_cells_copy(at, from, count, NULL);
    *row = at;
    return STATUS_OK;
}

enum status requests_keep_text(struct directed *d, const struct buffer *from, struct text *text,
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

enum status requests_key_of_row(struct directed *d, uint32_t table, const struct datum *row,
                                uint32_t *key, struct error *err)
{
    const struct datum *parts[TABLE_KEY_COLUMN_COUNT_MAX];

    row_key_of(&d->schema->tables[table], row, parts);
    TRY(find_key(d, table, parts, key, err));
    return index_key(d, *key, row, err);
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

const struct datum *requests_final_row(const struct directed *d, uint32_t key)
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
        *row = requests_final_row(d, key);
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
    TRY(requests_keep_text(d, &d->text, &op.where, err));
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
        d->txns.at[d->txns.count - 1].scanned |= UINT64_C(1) << r->table % 64;
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

enum status requests_read(struct directed *d, struct machine *machine, const struct request *r,
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
enum status requests_write(struct directed *d, const struct request *r, bool *is_refused,
                           struct error *err)
{
    uint16_t width = d->schema->tables[r->table].column_count;
    struct kept_row *writes;
    void *at;

    TRY(push(&d->arena, r->write_count * sizeof *writes, &at, err));
    writes = at;
    for (uint32_t i = 0; i < r->write_count; i++) {
        TRY(requests_key_of_row(d, r->table, r->writes[i].row, &writes[i].key, err));
        if (!legality_write(&d->legality, writes[i].key))
            *is_refused = true;
        if (!r->writes[i].is_removed)
            TRY(requests_keep_row(d, r->writes[i].row, width, &writes[i].row, err));
    }
    TRY(keep_written(d, r, writes, err));
    for (uint32_t i = 0; i < r->write_count; i++)
        TRY(put_write(d, writes[i], err));
    return STATUS_OK;
}
