#include "store/clients/record.h"

#include <assert.h>
#include <stdlib.h>

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

