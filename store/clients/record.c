#include "store/clients/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "programs/machine/row_keys.h"
#include "store/clients/record_private.h"

enum status record_open(struct run_record **out, const struct record_options *options,
                        struct error *err)
{
    struct run_record *r = calloc(1, sizeof *r);

    if (!r)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a record");
    r->options = *options;
    *out = r;
    /* So that there is a transaction to count on even where memory runs out at once. */
    return array_reserve(&r->txns, 1024, err);
}

void record_close(struct run_record *r)
{
    if (!r)
        return;
    array_close(&r->txns);
    array_close(&r->ops);
    array_close(&r->rows);
    array_close(&r->initial);
    array_close(&r->snapshots);
    array_close(&r->sets);
    array_close(&r->entries);
    intern_close(&r->values);
    free(r);
}

bool record_is_short(const struct run_record *r)
{
    return r->is_short;
}

/* Appends, or remembers that there was no room. */
#define KEEP(record, array, value)                                                                 \
    do {                                                                                           \
        struct error keep_error;                                                                   \
        if (array_push(array, value, &keep_error) != STATUS_OK)                                    \
            (record)->is_short = true;                                                             \
    } while (0)

static uint32_t number_value(struct run_record *r, struct text row)
{
    struct error err;
    uint32_t number = VALUE_OF_NO_ROW;

    if (intern_add(&r->values, row, &number, &err) != STATUS_OK)
        r->is_short = true;
    return number;
}

void record_initial(struct run_record *r, uint32_t key, struct text row)
{
    struct recorded_value value = { .key = key };

    if (!r->options.keeps)
        return;
    value.value = number_value(r, row);
    KEEP(r, &r->initial, value);
}

/* --- Transactions ----------------------------------------------------------------------------- */

uint64_t record_begin(struct run_record *r, uint32_t session, int64_t invoked_ns)
{
    struct recorded_txn txn = {
        .invoked_ns = invoked_ns,
        .completed_ns = TIME_NEVER,
        .session = session,
        .status = TXN_UNKNOWN,
        .is_open = true,
    };

    KEEP(r, &r->txns, txn);
    return r->txns.count;
}

static struct recorded_txn *txn_of(struct run_record *r, uint64_t number)
{
    assert(number >= 1 && number <= r->txns.count);
    return &r->txns.at[number - 1];
}

void record_end(struct run_record *r, uint64_t number, enum txn_status status, int64_t completed_ns)
{
    struct recorded_txn *txn = txn_of(r, number);

    assert(txn->is_open);
    txn->is_open = false;
    txn->status = (uint8_t)status;
    txn->completed_ns = status == TXN_UNKNOWN ? TIME_NEVER : completed_ns;
    if (txn->is_forgotten || txn->is_uncounted)
        return;
    r->counts.committed += status == TXN_OK;
    r->counts.aborted += status == TXN_ABORT;
    r->counts.unknown += status == TXN_UNKNOWN;
}

void record_forget(struct run_record *r, uint64_t number)
{
    struct recorded_txn *txn = txn_of(r, number);

    assert(txn->is_open);
    txn->is_forgotten = true;
}

void record_do_not_count(struct run_record *r, uint64_t number)
{
    struct recorded_txn *txn = txn_of(r, number);

    assert(txn->is_open);
    txn->is_uncounted = true;
}

struct record_counts record_counts(const struct run_record *r)
{
    return r->counts;
}

/* --- Operations ------------------------------------------------------------------------------- */

static void keep_snapshot(struct run_record *r, uint32_t op, struct stamp at)
{
    struct recorded_snapshot snapshot = { .op = op, .at = at };

    KEEP(r, &r->snapshots, snapshot);
}

static void keep_set(struct run_record *r, uint32_t op, const struct record_op *o)
{
    struct recorded_set set = { .op = op, .count = o->set_count, .start = r->entries.count };

    for (uint32_t i = 0; i < o->set_count; i++) {
        struct recorded_entry entry = { .key = o->set[i].key, .writer = o->set[i].writer };

        KEEP(r, &r->entries, entry);
    }
    KEEP(r, &r->sets, set);
}

/* Behind the transaction's last. What the operation is has been filled in. */
static void keep_op(struct run_record *r, uint64_t number, const struct record_op *o,
                    struct recorded_op op)
{
    struct recorded_txn *txn = txn_of(r, number);
    uint32_t place = (uint32_t)r->ops.count;

    op.invoked_ns = o->invoked_ns;
    op.completed_ns = o->completed_ns;
    op.lock = (uint8_t)o->lock;
    if (o->completed_ns != TIME_NEVER || op.row_count > 0)
        op.flags |= RECORDED_ANSWER;
    if (!stamp_is_zero(o->snapshot)) {
        op.flags |= RECORDED_SNAPSHOT;
        keep_snapshot(r, place, o->snapshot);
    }
    if (o->has_set) {
        op.flags |= RECORDED_SET;
        keep_set(r, place, o);
    }
    KEEP(r, &r->ops, op);
    if (r->is_short)
        return;
    if (txn->last_op)
        r->ops.at[txn->last_op - 1].next = place + 1;
    else
        txn->first_op = place + 1;
    txn->last_op = place + 1;
}

static bool is_kept(struct run_record *r, uint64_t txn)
{
    return r->options.keeps && !r->is_short && !txn_of(r, txn)->is_forgotten;
}

void record_read(struct run_record *r, uint64_t txn, const struct record_op *o, uint32_t key,
                 bool is_row, struct text row)
{
    struct recorded_op op = { .kind = OP_READ, .key = key, .value = VALUE_OF_NO_ROW };

    if (!is_kept(r, txn))
        return;
    if (is_row)
        op.value = number_value(r, row);
    keep_op(r, txn, o, op);
}

/* Of what all keys were seen at, what is about one; it mostly stands where the key does. */
static struct record_op op_of_key(const struct record_op *op, uint32_t index, uint32_t key)
{
    struct record_op of_key = *op;
    uint32_t at = index;

    if (!op->has_set || op->set_count == 0)
        return of_key;
    if (at >= op->set_count || op->set[at].key != key)
        for (at = 0; at < op->set_count && op->set[at].key != key; at++)
            ;
    of_key.set = op->set + at;
    of_key.set_count = at < op->set_count;
    return of_key;
}

void record_read_keys(struct run_record *r, uint64_t txn, const struct record_op *o,
                      const struct record_keys *read)
{
    for (uint32_t i = 0; i < read->key_count; i++) {
        bool is_row = i < read->row_count && read->rows[i].is_row;
        struct record_op of_key = op_of_key(o, i, read->keys[i]);

        record_read(r, txn, &of_key, read->keys[i], is_row, is_row ? read->rows[i].row : TEXT(""));
    }
}

void record_write(struct run_record *r, uint64_t txn, const struct record_op *o, uint32_t key,
                  struct text row)
{
    struct recorded_op op = { .kind = OP_WRITE, .key = key };

    if (!is_kept(r, txn))
        return;
    op.value = number_value(r, row);
    keep_op(r, txn, o, op);
}

void record_append(struct run_record *r, uint64_t txn, const struct record_op *o, uint32_t key,
                   int64_t element)
{
    struct recorded_op op = { .kind = OP_APPEND, .key = key, .as.element = element };

    if (is_kept(r, txn))
        keep_op(r, txn, o, op);
}

void record_remove(struct run_record *r, uint64_t txn, const struct record_op *o, uint32_t key)
{
    struct recorded_op op = { .kind = OP_REMOVE, .key = key };

    if (is_kept(r, txn))
        keep_op(r, txn, o, op);
}

void record_statement(struct run_record *r, uint64_t txn, const struct record_op *o,
                      const struct record_statement *statement)
{
    struct recorded_op op = {
        .kind = (uint8_t)statement->kind,
        .key = statement->table,
        .value = statement->scope,
        .as.rows = r->rows.count,
        .row_count = statement->row_count,
    };

    assert(op_is_head(op.kind));
    if (!is_kept(r, txn))
        return;
    for (uint32_t i = 0; i < statement->row_count; i++) {
        struct recorded_value row = { .key = statement->rows[i].key, .value = VALUE_OF_NO_ROW };

        if (!statement->rows[i].is_removed)
            row.value = number_value(r, statement->rows[i].row);
        KEEP(r, &r->rows, row);
    }
    keep_op(r, txn, o, op);
}

/* --- The certificate -------------------------------------------------------------------------- */

static void decide(struct run_record *r, struct recorded_txn *txn, bool commits, struct stamp place,
                   struct stamp snapshot)
{
    if (txn->is_decided) {
        r->contradictions +=
            commits != txn->has_place || (commits && !stamp_equal(place, txn->place));
        return;
    }
    txn->is_decided = true;
    txn->has_place = commits;
    txn->place = place;
    txn->snapshot = snapshot;
}

void record_decision(struct run_record *r, const struct decision *d)
{
    decide(r, txn_of(r, d->txn), d->commits, d->place, d->snapshot);
}

void record_read_only(struct run_record *r, uint64_t number, struct stamp place, bool has_place,
                      struct stamp snapshot)
{
    txn_of(r, number)->is_read_only = true;
    decide(r, txn_of(r, number), has_place, place, snapshot);
}

void record_applied(struct run_record *r, uint64_t number)
{
    txn_of(r, number)->is_applied = true;
}

static bool has_written(const struct run_record *r, const struct recorded_txn *txn)
{
    for (uint32_t op = txn->first_op; op; op = r->ops.at[op - 1].next) {
        const struct recorded_op *o = &r->ops.at[op - 1];

        if (op_is_head(o->kind) ? o->kind != OP_SELECT && o->row_count > 0 : op_is_write(o->kind))
            return true;
    }
    return false;
}

enum false_word record_false_word(const struct run_record *r, uint64_t number)
{
    const struct recorded_txn *txn = &r->txns.at[number - 1];

    assert(number >= 1 && number <= r->txns.count);
    if (txn->is_open)
        return FALSE_NOTHING;
    if (txn->status == TXN_ABORT)
        return txn->is_applied ? FALSE_ABORT : FALSE_NOTHING;
    if (txn->status != TXN_OK)
        return FALSE_NOTHING;
    if (!txn->is_decided)
        return FALSE_UNDECIDED;
    return txn->is_read_only && has_written(r, txn) ? FALSE_READ_ONLY : FALSE_NOTHING;
}

uint64_t record_txn_count(const struct run_record *r)
{
    return r->txns.count;
}

/* --- As a history ----------------------------------------------------------------------------- */

/*
 * Keys, values and statements' texts are numbered anew by the history's builder as they first come.
 * A row's bytes are made into a value once and remembered.
 */

#define HEAP_BYTES_MAX ((size_t)1 << 30)

/* What a row's bytes have been made into, for the table that asked last. */
struct made_value {
    uint32_t table_plus_one;
    struct value value;
};

/* A committed write, for the version orders; sorted by key and then by place. */
struct placed_write {
    uint32_t key; /* the history's */
    struct stamp place;
    uint64_t txn;
};

struct history_teller {
    const struct run_record *record;
    struct catalog *catalog;
    struct builder builder;
    uint32_t table_count;
    uint32_t *tables;        /* the history's number of a table; HISTORY_NONE: its rows are items */
    uint32_t *keys;          /* by the catalog's key */
    uint32_t *scopes;        /* by scope: the text, or HISTORY_NONE */
    struct made_value *made; /* by the record's value */
    struct datum *cells;
    struct value *values;
    struct heap heap;
    struct buffer scratch;
    uint32_t *key_statements; /* by the catalog's key: the last that had a row of it, from 1 */
    uint32_t statement_count;
    ARRAY(struct placed_write) writes; /* of all that wrote, in the order in which they wrote */
};

/* --- Tables ----------------------------------------------------------------------------------- */

/* Items and lists stand alone: their tables are not the history's. */
static enum status add_tables(struct history_teller *t, struct error *err)
{
    for (uint32_t i = 0; i < t->table_count; i++) {
        const struct schema_table *table = &t->catalog->schema->tables[i];

        t->tables[i] = HISTORY_NONE;
        if (t->catalog->shapes[i] != TABLE_ROWS)
            continue;
        TRY(row_tell_table(&t->builder, table, &t->scratch, &t->tables[i], err));
    }
    return STATUS_OK;
}

/* --- Keys and values -------------------------------------------------------------------------- */

static enum status tell_key(struct history_teller *t, uint32_t key, uint32_t *out,
                            struct error *err)
{
    if (t->keys[key] == HISTORY_NONE)
        TRY(builder_key(&t->builder, catalog_key_text(t->catalog, key), &t->keys[key], err));
    *out = t->keys[key];
    return STATUS_OK;
}

static enum status make_value(struct history_teller *t, uint32_t table, struct text row,
                              struct value *value, struct error *err)
{
    uint16_t width = catalog_width(t->catalog, table);
    bool is_row;

    heap_reset(&t->heap);
    is_row = row_get(row, t->cells, width, &t->heap);
    assert(is_row || memory_failures() > 0);
    if (!is_row)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a row");
    if (t->catalog->shapes[table] != TABLE_ROWS)
        return row_tell_cell(&t->builder, &t->cells[1], value, err);
    return row_tell(&t->builder, t->tables[table], t->cells, width, t->values, value, err);
}

static enum status tell_value(struct history_teller *t, uint32_t table, uint32_t number,
                              struct value *value, struct error *err)
{
    struct made_value *made;

    *value = value_null();
    if (number == VALUE_OF_NO_ROW)
        return STATUS_OK;
    made = &t->made[number];
    if (made->table_plus_one != table + 1) {
        struct text row = intern_text(&t->record->values, number);

        TRY(make_value(t, table, row, &made->value, err));
        made->table_plus_one = table + 1;
    }
    *value = made->value;
    return STATUS_OK;
}

static enum status tell_initial(struct history_teller *t, struct error *err)
{
    const struct run_record *r = t->record;

    for (size_t i = 0; i < r->initial.count; i++) {
        uint32_t key = r->initial.at[i].key, table = catalog_table(t->catalog, key), number;
        struct value value;

        if (table >= t->table_count)
            continue;
        TRY(tell_key(t, key, &number, err));
        TRY(tell_value(t, table, r->initial.at[i].value, &value, err));
        TRY(builder_add_initial(&t->builder, number, value, err));
    }
    return STATUS_OK;
}

/* --- Operations ------------------------------------------------------------------------------- */

/* Zeros at the end say nothing: a place that ends earlier comes first. */
static struct place place_of(struct stamp stamp)
{
    struct place place = {
        .parts = stamp.txn       ? 3
                 : stamp.logical ? 2
                                 : 1,
        .part = { stamp.wall_ns, stamp.logical, (int64_t)stamp.txn },
    };

    return place;
}

static enum status note_write(struct history_teller *t, uint64_t number, uint32_t key,
                              struct error *err)
{
    const struct recorded_txn *txn = &t->record->txns.at[number - 1];
    struct placed_write write = { .key = key, .place = txn->place, .txn = number };

    return array_push(&t->writes, write, err);
}

static enum status tell_item(struct history_teller *t, uint64_t txn, const struct recorded_op *op,
                             struct error *err)
{
    uint32_t table = catalog_table(t->catalog, op->key), key;
    struct value value = value_none();

    TRY(tell_key(t, op->key, &key, err));
    if (op->kind == OP_APPEND)
        value = value_integer(op->as.element);
    else if (op->kind == OP_WRITE || (op->kind == OP_READ && op->flags & RECORDED_ANSWER))
        TRY(tell_value(t, table, op->value, &value, err));
    TRY(builder_add_op(&t->builder, (enum op_kind)op->kind, key, value, err));
    return op->kind == OP_READ ? STATUS_OK : note_write(t, txn, key, err);
}

static enum status tell_where(struct history_teller *t, uint32_t scope, uint32_t *text,
                              struct error *err)
{
    struct text where;

    *text = HISTORY_NONE;
    if (scope == SCOPE_NONE)
        return STATUS_OK;
    where = catalog_where(t->catalog, scope);
    if (t->scopes[scope] == HISTORY_NONE && where.length > 0)
        TRY(builder_text(&t->builder, where, &t->scopes[scope], err));
    *text = t->scopes[scope];
    return STATUS_OK;
}

static enum status tell_statement(struct history_teller *t, uint64_t txn,
                                  const struct recorded_op *op, struct error *err)
{
    struct statement statement = {
        .kind = (enum op_kind)op->kind,
        .table = t->tables[op->key],
        .order = HISTORY_NONE,
        .limit = -1,
        .flags = op->flags & RECORDED_ANSWER ? STATEMENT_ANSWERED : 0,
    };

    TRY(tell_where(t, op->value, &statement.where, err));
    TRY(builder_begin_statement(&t->builder, &statement, err));
    t->statement_count++;
    for (uint64_t i = op->as.rows; i < op->as.rows + op->row_count; i++) {
        const struct recorded_value *row = &t->record->rows.at[i];
        struct value value;
        uint32_t key;

        /* A store that repeats itself: of two rows of a key the first is told. */
        if (t->key_statements[row->key] == t->statement_count)
            continue;
        t->key_statements[row->key] = t->statement_count;
        TRY(tell_key(t, row->key, &key, err));
        TRY(tell_value(t, op->key, row->value, &value, err));
        TRY(builder_add_row(&t->builder, key, value, err));
        if (op->kind != OP_SELECT)
            TRY(note_write(t, txn, key, err));
    }
    return builder_end_statement(&t->builder, err);
}

/* --- What stands beside an operation ---------------------------------------------------------- */

static enum status tell_op_snapshot(struct history_teller *t, uint32_t op, struct error *err)
{
    const struct run_record *r = t->record;
    size_t place;

    BISECT(place, 0, r->snapshots.count, r->snapshots.at[place].op < op);
    assert(place < r->snapshots.count && r->snapshots.at[place].op == op);
    return builder_set_op_snapshot(&t->builder, place_of(r->snapshots.at[place].at), err);
}

static const struct recorded_set *find_set(const struct run_record *r, uint32_t op)
{
    size_t place;

    BISECT(place, 0, r->sets.count, r->sets.at[place].op < op);
    assert(place < r->sets.count && r->sets.at[place].op == op);
    return &r->sets.at[place];
}

static bool writes_key(const struct run_record *r, const struct recorded_txn *txn, uint32_t key)
{
    for (uint32_t op = txn->first_op; op; op = r->ops.at[op - 1].next) {
        const struct recorded_op *o = &r->ops.at[op - 1];

        if (op_is_head(o->kind) && o->kind != OP_SELECT) {
            for (uint64_t i = o->as.rows; i < o->as.rows + o->row_count; i++)
                if (r->rows.at[i].key == key)
                    return true;
        } else if (op_is_write(o->kind) && o->key == key) {
            return true;
        }
    }
    return false;
}

/* A version that no transaction of the history made cannot be named. */
static bool can_be_named(const struct run_record *r, const struct recorded_entry *entry)
{
    const struct recorded_txn *txn;

    if (entry->writer == 0)
        return true;
    if (entry->writer > r->txns.count)
        return false;
    txn = &r->txns.at[entry->writer - 1];
    return !txn->is_forgotten && writes_key(r, txn, entry->key);
}

static enum status tell_set(struct history_teller *t, uint32_t op, struct error *err)
{
    const struct run_record *r = t->record;
    const struct recorded_set *set = find_set(r, op);

    TRY(builder_begin_set(&t->builder, err));
    for (uint64_t i = set->start; i < set->start + set->count; i++) {
        const struct recorded_entry *entry = &r->entries.at[i];
        struct version_name name = { .txn_id = (int64_t)entry->writer,
                                     .is_initial = entry->writer == 0 };
        uint32_t key;

        if (!can_be_named(r, entry))
            continue;
        TRY(tell_key(t, entry->key, &key, err));
        TRY(builder_add_set_entry(&t->builder, key, name, err));
    }
    return STATUS_OK;
}

static void tell_lock(struct history_teller *t, const struct recorded_op *op)
{
    if (op->lock == ROW_LOCK_NONE || (op->kind != OP_READ && op->kind != OP_SELECT))
        return;
    builder_set_op_lock(&t->builder, op->lock == ROW_LOCK_SHARE ? OP_LOCK_SHARE : OP_LOCK_UPDATE);
}

static enum status tell_op(struct history_teller *t, uint64_t txn, uint32_t number,
                           struct error *err)
{
    const struct recorded_op *op = &t->record->ops.at[number];

    TRY(op_is_head(op->kind) ? tell_statement(t, txn, op, err) : tell_item(t, txn, op, err));
    TRY(builder_set_op_at(&t->builder, op->invoked_ns, op->completed_ns, err));
    tell_lock(t, op);
    if (op->flags & RECORDED_SNAPSHOT)
        TRY(tell_op_snapshot(t, number, err));
    return op->flags & RECORDED_SET ? tell_set(t, number, err) : STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------------------- */

static enum status tell_txn(struct history_teller *t, uint64_t number, struct error *err)
{
    const struct recorded_txn *txn = &t->record->txns.at[number - 1];

    if (txn->is_forgotten)
        return STATUS_OK;
    TRY(builder_begin_txn(&t->builder, (int64_t)number, txn->session, (enum txn_status)txn->status,
                          err));
    TRY(builder_set_txn_at(&t->builder, txn->invoked_ns, txn->completed_ns, err));
    for (uint32_t op = txn->first_op; op; op = t->record->ops.at[op - 1].next)
        TRY(tell_op(t, number, op - 1, err));
    if (recorded_is_committed(txn))
        TRY(builder_set_ts(&t->builder, place_of(txn->place), err));
    if (t->record->options.exports_snapshot && txn->status == TXN_OK && txn->is_decided &&
        !stamp_is_zero(txn->snapshot))
        TRY(builder_set_snapshot(&t->builder, place_of(txn->snapshot), err));
    return STATUS_OK;
}

static int compare_writes(const void *a, const void *b)
{
    const struct placed_write *x = a, *y = b;
    int order = (x->key > y->key) - (x->key < y->key);

    if (order == 0)
        order = stamp_compare(x->place, y->place);
    if (order == 0)
        order = (x->txn > y->txn) - (x->txn < y->txn);
    return order;
}

/* Each key that was written has one, if only an empty one: nobody's writes were committed. */
static enum status tell_orders(struct history_teller *t, struct error *err)
{
    uint32_t key = HISTORY_NONE;
    uint64_t last = 0;

    if (t->writes.count > 1)
        qsort(t->writes.at, t->writes.count, sizeof *t->writes.at, compare_writes);
    for (size_t i = 0; i < t->writes.count; i++) {
        const struct placed_write *w = &t->writes.at[i];
        struct version_name name = { .txn_id = (int64_t)w->txn };

        if (w->key != key) {
            TRY(builder_begin_order(&t->builder, w->key, err));
            key = w->key;
            last = 0;
        }
        if (w->txn == last || !recorded_is_committed(&t->record->txns.at[w->txn - 1]))
            continue;
        last = w->txn;
        TRY(builder_add_version(&t->builder, name, err));
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

static enum status history_begin(struct history_teller *t, struct error *err)
{
    const struct run_record *r = t->record;
    size_t key_count = catalog_key_count(t->catalog);
    size_t scope_count = t->catalog->scopes.count, value_count = intern_count(&r->values);
    uint16_t width = 1;

    for (uint32_t i = 0; i < t->catalog->schema->table_count; i++)
        if (catalog_width(t->catalog, i) > width)
            width = catalog_width(t->catalog, i);
    t->tables = calloc(t->table_count + (size_t)1, sizeof *t->tables);
    t->keys = malloc((key_count + 1) * sizeof *t->keys);
    t->key_statements = calloc(key_count + 1, sizeof *t->key_statements);
    t->scopes = malloc((scope_count + 1) * sizeof *t->scopes);
    t->made = calloc(value_count + 1, sizeof *t->made);
    t->cells = calloc(width, sizeof *t->cells);
    t->values = calloc(width, sizeof *t->values);
    if (!t->tables || !t->keys || !t->key_statements || !t->scopes || !t->made || !t->cells ||
        !t->values)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the history of a run");
    memset(t->keys, 0xff, key_count * sizeof *t->keys);
    memset(t->scopes, 0xff, scope_count * sizeof *t->scopes);
    return STATUS_OK;
}

static enum status tell(struct history_teller *t, struct error *err)
{
    const struct run_record *r = t->record;

    TRY(history_begin(t, err));
    if (r->options.workload)
        TRY(builder_set_workload(&t->builder, text_of(r->options.workload), err));
    TRY(builder_set_producer(&t->builder, TEXT("ordeal"), err));
    builder_set_unique(&t->builder, r->options.unique);
    TRY(add_tables(t, err));
    TRY(tell_initial(t, err));
    for (uint64_t number = 1; number <= r->txns.count; number++)
        TRY(tell_txn(t, number, err));
    return tell_orders(t, err);
}

static void close_teller(struct history_teller *t)
{
    free(t->tables);
    free(t->keys);
    free(t->key_statements);
    free(t->scopes);
    free(t->made);
    free(t->cells);
    free(t->values);
    heap_close(&t->heap);
    buffer_close(&t->scratch);
    array_close(&t->writes);
}

enum status record_history_finish(struct run_record *r, struct history *h, struct error *err)
{
    struct history_teller t = { .record = r, .catalog = r->options.catalog };
    enum status status;

    if (r->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the record of a run");
    t.table_count =
        r->options.table_count ? r->options.table_count : t.catalog->schema->table_count;
    heap_init(&t.heap, HEAP_BYTES_MAX);
    builder_init(&t.builder);
    status = tell(&t, err);
    if (status == STATUS_OK)
        status = builder_finish(&t.builder, h, err);
    else
        builder_close(&t.builder);
    close_teller(&t);
    return status;
}
