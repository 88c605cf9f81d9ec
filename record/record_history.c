#include "record/record_history.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "history/builder.h"
#include "record/commit_owners.h"
#include "record/commit_ranks.h"

struct ordered_version {
    uint64_t key;
    size_t commit; /* NO_COMMIT: the key was written, and nothing of it stands in the order */
};

static int compare_versions(const void *a, const void *b)
{
    const struct ordered_version *x = a, *y = b;
    int order = (x->key > y->key) - (x->key < y->key);

    return order ? order : (x->commit > y->commit) - (x->commit < y->commit);
}

typedef ARRAY(struct ordered_version) ordered_versions;

struct record_teller {
    const struct record_source *source;
    struct builder builder;
    uint32_t table;
    placed_txns txns;
    size_t *commit_txns; /* by commit: its transaction, or NO_COMMIT */
    struct commit_ranks visibility;
    ordered_versions versions; /* by key, then by commit */
    size_t next_snapshot;      /* of statements, in the order in which they are told */
    struct buffer text;
    struct map answer; /* keys of the rows that are told of one statement */
    struct record_certificate *certificate;
};

/* --- Transactions and snapshots --------------------------------------------------------------- */

static int compare_begins(const void *a, const void *b)
{
    const struct placed_txn *x = a, *y = b;

    if (x->txn->invoked_ns != y->txn->invoked_ns)
        return x->txn->invoked_ns < y->txn->invoked_ns ? -1 : 1;
    if (x->log != y->log)
        return x->log < y->log ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static enum status gather(struct record_teller *t, struct error *err)
{
    for (uint32_t i = 0; i < t->source->log_count; i++) {
        const struct client_log *log = &t->source->logs[i];

        for (size_t j = 0; j < log->txns.count; j++) {
            struct placed_txn txn = { log, &log->txns.at[j], NO_COMMIT };

            TRY(array_push(&t->txns, txn, err));
        }
    }
    if (t->txns.count > 1)
        qsort(t->txns.at, t->txns.count, sizeof *t->txns.at, compare_begins);
    return STATUS_OK;
}

typedef ARRAY(struct taken_snapshot) taken_snapshots;

/* Whether the transaction has such an operation, and its snapshot is of use. */
static bool tells_statement(const struct placed_txn *txn, uint64_t op)
{
    return txn->txn->status == TXN_OK && op < txn->txn->first_op + txn->txn->op_count;
}

/* Of transactions, and behind them those of statements, of which most have none. */
static enum status list_snapshots(const struct record_teller *t, taken_snapshots *snapshots,
                                  struct error *err)
{
    for (size_t i = 0; i < t->txns.count; i++) {
        const struct placed_txn *txn = &t->txns.at[i];
        struct taken_snapshot taken = { TEXT(""), txn->txn->completed_ns };

        if (txn->txn->status == TXN_OK)
            taken.text = client_log_snapshot(txn->log, txn->txn);
        TRY(array_push(snapshots, taken, err));
    }
    for (size_t i = 0; i < t->txns.count; i++) {
        const struct placed_txn *txn = &t->txns.at[i];

        for (uint64_t j = txn->txn->first_op; tells_statement(txn, j); j++) {
            struct taken_snapshot taken = { client_log_statement(txn->log, &txn->log->ops.at[j]),
                                            txn->txn->completed_ns };

            TRY(array_push(snapshots, taken, err));
        }
    }
    return STATUS_OK;
}

static struct numbered_commit number_commit(const struct record_teller *t, size_t number)
{
    const struct recovered_commit *commit = &t->source->order->commits.at[number];
    size_t txn = t->commit_txns[number];

    return (struct numbered_commit){ .xid = commit->place ? commit->place : commit->xid,
                                     .begun_ns = txn == NO_COMMIT
                                                     ? INT64_MIN
                                                     : t->txns.at[txn].txn->invoked_ns };
}

static enum status order_commits(struct record_teller *t, struct error *err)
{
    const struct recovered_order *order = t->source->order;
    struct numbered_commit *commits = malloc((order->commits.count + 1) * sizeof *commits);
    taken_snapshots snapshots = { 0 };
    enum status status = list_snapshots(t, &snapshots, err);

    if (status == STATUS_OK && commits) {
        for (size_t i = 0; i < order->commits.count; i++)
            commits[i] = number_commit(t, i);
        status = commit_ranks_find(&t->visibility, commits, order->commits.count, snapshots.at,
                                   snapshots.count, err);
        t->certificate->misfits = t->visibility.misfits;
    } else if (status == STATUS_OK) {
        status =
            error_set(err, STATUS_OVER_LIMIT, "no memory for %zu commits", order->commits.count);
    }
    t->next_snapshot = t->txns.count;
    free(commits);
    array_close(&snapshots);
    return status;
}

/* --- Keys and values -------------------------------------------------------------------------- */

static enum status tell_key(struct record_teller *t, uint64_t key, uint32_t *number,
                            struct error *err)
{
    buffer_clear(&t->text);
    builtin_print_key(t->source->builtin, key, &t->text);
    TRY(buffer_status(&t->text, err));
    return builder_key(&t->builder, (struct text){ t->text.at, t->text.count }, number, err);
}

static enum status tell_row(struct record_teller *t, const struct builtin_row *row,
                            struct value *value, struct error *err)
{
    const struct stored_table *table = t->source->table;
    struct named_value cells[3] = {
        { text_of(table->key_column), value_integer((int64_t)row->key) },
        { text_of(table->value_column), value_integer(row->value) },
    };

    if (table->shape == SHAPE_ITEMS) {
        *value = value_integer(row->value);
        return STATUS_OK;
    }
    if (table->tag_column)
        cells[2] = (struct named_value){ text_of(table->tag_column), value_integer(row->tag) };
    return builder_row(&t->builder, t->table, cells, table->tag_column ? 3 : 2, value, err);
}

static enum status tell_header(struct record_teller *t, struct error *err)
{
    const struct stored_table *table = t->source->table;

    TRY(builder_set_workload(&t->builder, text_of(t->source->builtin->workload->name), err));
    TRY(builder_set_producer(&t->builder, t->source->producer, err));
    builder_set_unique(&t->builder, builtin_is_unique(t->source->builtin));
    t->table = HISTORY_NONE;
    if (table->shape != SHAPE_ROWS)
        return STATUS_OK;
    TRY(builder_add_table(&t->builder, text_of(t->source->builtin->workload->table->name),
                          &t->table, err));
    TRY(builder_add_column(&t->builder, text_of(table->key_column), TEXT("bigint"), err));
    TRY(builder_add_column(&t->builder, text_of(table->value_column), TEXT("bigint"), err));
    if (table->tag_column)
        TRY(builder_add_column(&t->builder, text_of(table->tag_column), TEXT("bigint"), err));
    TRY(builder_add_key_column(&t->builder, text_of(table->key_column), err));
    return builder_end_table(&t->builder, err);
}

static enum status tell_initial(struct record_teller *t, struct error *err)
{
    uint64_t count = builtin_initial_count(t->source->builtin);

    for (uint64_t i = 0; i < count; i++) {
        struct builtin_row row = builtin_initial(t->source->builtin, i);
        struct value value;
        uint32_t key;

        TRY(tell_key(t, row.key, &key, err));
        if (t->source->table->shape == SHAPE_LISTS)
            TRY(builder_list(&t->builder, NULL, 0, &value, err));
        else
            TRY(tell_row(t, &row, &value, err));
        TRY(builder_add_initial(&t->builder, key, value, err));
    }
    return STATUS_OK;
}

/* --- Versions --------------------------------------------------------------------------------- */

/* Of what was written at all, so that a key without committed writers has an empty order. */
static enum status gather_versions(struct record_teller *t, ordered_versions *versions,
                                   struct error *err)
{
    const struct recovered_order *order = t->source->order;

    for (size_t i = 0; i < t->txns.count; i++) {
        const struct placed_txn *txn = &t->txns.at[i];

        for (uint64_t j = txn->txn->first_op; j < txn->txn->first_op + txn->txn->op_count; j++) {
            const struct log_op *op = &txn->log->ops.at[j];

            if (op->request.kind == BUILTIN_UPDATE || op->request.kind == BUILTIN_DELETE)
                for (uint64_t row = op->first; row < op->first + op->count; row++)
                    TRY(array_push(
                        versions,
                        ((struct ordered_version){ txn->log->rows.at[row].key, NO_COMMIT }), err));
            else if (commit_owners_may_write(op->request.kind))
                TRY(array_push(versions, ((struct ordered_version){ op->request.key, NO_COMMIT }),
                               err));
        }
    }
    for (size_t i = 0; i < order->commits.count; i++) {
        size_t txn = t->commit_txns[i];

        if (txn == NO_COMMIT || t->txns.at[txn].txn->status == TXN_ABORT)
            continue;
        for (uint64_t j = order->commits.at[i].first;
             j < order->commits.at[i].first + order->commits.at[i].count; j++)
            TRY(array_push(versions, ((struct ordered_version){ order->changes.at[j].key, i }),
                           err));
    }
    if (versions->count > 1)
        qsort(versions->at, versions->count, sizeof *versions->at, compare_versions);
    return STATUS_OK;
}

static bool is_version_of(const struct record_teller *t, size_t place, uint64_t key)
{
    return place < t->versions.count && t->versions.at[place].key == key &&
           t->versions.at[place].commit != NO_COMMIT;
}

static int64_t id_of(const struct record_teller *t, size_t number)
{
    return (int64_t)number + (t->source->first_id ? t->source->first_id : 1);
}

static struct place place_of(int64_t rank, int64_t within, unsigned parts)
{
    struct place place = { .parts = parts };

    place.part[0] = rank;
    place.part[1] = within;
    return place;
}

/* --- Rows that changed while a statement waited for them ---------------------------------------- */

static bool matches(const struct builtin_request *r, uint64_t key, int64_t value)
{
    int64_t number = r->column == BUILTIN_KEY_COLUMN ? (int64_t)key : value;

    return r->column == BUILTIN_NO_COLUMN || (number >= r->low && number <= r->high);
}

/* What the commit left of the key. */
static bool version_matches(const struct record_teller *t, const struct builtin_request *r,
                            const struct ordered_version *v)
{
    const struct recovered_commit *commit = &t->source->order->commits.at[v->commit];

    for (uint64_t i = commit->first + commit->count; i-- > commit->first;) {
        const struct recovered_change *c = &t->source->order->changes.at[i];

        if (c->key == v->key)
            return c->kind == RECOVERED_ROW && matches(r, v->key, c->value);
    }
    return false;
}

static bool initial_matches(const struct record_teller *t, const struct builtin_request *r,
                            uint64_t key)
{
    uint64_t count = builtin_initial_count(t->source->builtin);

    for (uint64_t i = 0; i < count; i++) {
        struct builtin_row row = builtin_initial(t->source->builtin, i);

        if (row.key == key)
            return matches(r, key, row.value);
    }
    return false;
}

static bool op_returned(const struct placed_txn *txn, const struct log_op *op, uint64_t key)
{
    for (uint64_t i = op->first; i < op->first + op->count; i++)
        if (txn->log->rows.at[i].key == key)
            return true;
    return false;
}

static enum status tell_set_entry(struct record_teller *t, const struct ordered_version *v,
                                  struct error *err)
{
    uint32_t key;

    TRY(tell_key(t, v->key, &key, err));
    return builder_add_set_entry(
        &t->builder, key, (struct version_name){ .txn_id = id_of(t, t->commit_txns[v->commit]) },
        err);
}

/*
 * The key's version that the statement looked at, from the first of the key; NO_COMMIT: the initial one.
 * An UPDATE or DELETE of READ COMMITTED finds rows by its snapshot. One that another is about to
 * write it waits for, and looks at the newest version instead: it wrote over that, or passed it by
 * as it does not match.
 *
 *     snapshot sees   v1 (matches)       commits later   v2, v3 (its own)       it saw v2
 *     snapshot sees   v1 (matches)       commits later   v2 (does not match)    it saw v2
 */
static size_t find_seen(const struct record_teller *t, const struct placed_txn *txn,
                        const struct log_op *op, uint32_t rank, size_t first, bool *is_reread)
{
    uint64_t key = t->versions.at[first].key;
    bool returned = op_returned(txn, op, key);
    size_t seen = NO_COMMIT;

    for (size_t i = first; is_version_of(t, i, key) && t->versions.at[i].commit != txn->commit;
         i++) {
        const struct ordered_version *v = &t->versions.at[i];
        bool is_later = t->visibility.commit_ranks[v->commit] > rank;

        if (is_later && !returned &&
            !(seen == NO_COMMIT ? initial_matches(t, &op->request, key)
                                : version_matches(t, &op->request, &t->versions.at[seen])))
            return seen;
        if (!is_later || returned || !version_matches(t, &op->request, v)) {
            *is_reread |= is_later;
            seen = i;
        }
        if (is_later && seen == i && !returned)
            return seen;
    }
    return seen;
}

/* If there is such a row, what the statement saw of every row is told. */
static enum status tell_reread(struct record_teller *t, const struct placed_txn *txn,
                               const struct log_op *op, uint32_t rank, struct error *err)
{
    bool is_reread = false;

    for (int tells = 0; tells <= (int)is_reread; tells++)
        for (size_t i = 0; i < t->versions.count;) {
            uint64_t key = t->versions.at[i].key;
            size_t seen = find_seen(t, txn, op, rank, i, &is_reread);

            if (tells && seen != NO_COMMIT)
                TRY(tell_set_entry(t, &t->versions.at[seen], err));
            while (i < t->versions.count && t->versions.at[i].key == key)
                i++;
        }
    return STATUS_OK;
}

static enum status tell_statement_place(struct record_teller *t, const struct placed_txn *txn,
                                        const struct log_op *op, struct error *err)
{
    uint32_t rank = t->visibility.snapshot_ranks[t->next_snapshot++];

    if (rank == COMMIT_RANKS_NONE)
        return STATUS_OK;
    TRY(builder_set_op_snapshot(&t->builder, place_of((int64_t)rank + 1, 0, 1), err));
    if (op->request.kind != BUILTIN_UPDATE && op->request.kind != BUILTIN_DELETE)
        return STATUS_OK;
    return tell_reread(t, txn, op, rank, err);
}

/* --- Operations ------------------------------------------------------------------------------- */

static bool is_answered(const struct log_op *op)
{
    return op->completed_ns != TIME_NEVER;
}

static enum status tell_read(struct record_teller *t, const struct client_log *log,
                             const struct log_op *op, struct error *err)
{
    struct value value = value_null();
    uint32_t key;

    TRY(tell_key(t, op->request.key, &key, err));
    if (!is_answered(op))
        value = value_none();
    else if (op->is_there && t->source->table->shape == SHAPE_LISTS)
        TRY(builder_list(&t->builder, op->count ? log->elements.at + op->first : NULL, op->count,
                         &value, err));
    else if (op->is_there)
        TRY(tell_row(t, &log->rows.at[op->first], &value, err));
    return builder_add_op(&t->builder, OP_READ, key, value, err);
}

static enum status tell_write(struct record_teller *t, const struct log_op *op, struct error *err)
{
    struct builtin_row row = { op->request.key, op->request.value, op->request.tag };
    struct value value;
    uint32_t key;

    TRY(tell_key(t, row.key, &key, err));
    if (op->request.kind == BUILTIN_APPEND)
        return builder_add_op(&t->builder, OP_APPEND, key, value_integer(row.value), err);
    TRY(tell_row(t, &row, &value, err));
    return builder_add_op(&t->builder, OP_WRITE, key, value, err);
}

static enum status tell_where(struct record_teller *t, const struct builtin_request *r,
                              uint32_t *where, struct error *err)
{
    const struct stored_table *table = t->source->table;

    *where = HISTORY_NONE;
    if (r->column == BUILTIN_NO_COLUMN)
        return STATUS_OK;
    buffer_clear(&t->text);
    buffer_print(&t->text, "%s BETWEEN %" PRId64 " AND %" PRId64,
                 r->column == BUILTIN_KEY_COLUMN ? table->key_column : table->value_column, r->low,
                 r->high);
    TRY(buffer_status(&t->text, err));
    return builder_text(&t->builder, (struct text){ t->text.at, t->text.count }, where, err);
}

static enum status tell_statement_row(struct record_teller *t, const struct builtin_row *row,
                                      bool is_deleted, struct error *err)
{
    struct value value = value_null();
    uint32_t key;

    TRY(tell_key(t, row->key, &key, err));
    if (!is_deleted)
        TRY(tell_row(t, row, &value, err));
    return builder_add_row(&t->builder, key, value, err);
}

/* A key is unique, and a history has it once in an answer. A database may have answered two rows all the same. */
static enum status tell_answer(struct record_teller *t, const struct placed_txn *txn, const struct log_op *op,
                               struct error *err)
{
    map_clear(&t->answer);
    for (uint64_t i = op->first; i < op->first + op->count; i++) {
        const struct builtin_row *row = &txn->log->rows.at[i];
        size_t place, before = t->answer.keys.count;

        TRY(map_add(&t->answer, row->key, i, &place, err));
        if (place == before)
            TRY(tell_statement_row(t, row, op->request.kind == BUILTIN_DELETE, err));
        else if (t->certificate->twins++ == 0)
            t->certificate->first_twin = id_of(t, (size_t)(txn - t->txns.at));
    }
    return STATUS_OK;
}

static enum op_kind kind_of(enum builtin_request_kind kind)
{
    return kind == BUILTIN_SELECT   ? OP_SELECT
           : kind == BUILTIN_INSERT ? OP_INSERT
           : kind == BUILTIN_UPDATE ? OP_UPDATE
                                    : OP_DELETE;
}

static enum status tell_statement(struct record_teller *t, const struct placed_txn *txn,
                                  const struct log_op *op, struct error *err)
{
    struct statement statement = { .kind = kind_of(op->request.kind),
                                   .table = t->table,
                                   .where = HISTORY_NONE,
                                   .order = HISTORY_NONE,
                                   .limit = -1,
                                   .flags = is_answered(op) ? STATEMENT_ANSWERED : 0 };
    bool inserts = op->request.kind == BUILTIN_INSERT;
    struct builtin_row inserted = { op->request.key, op->request.value, op->request.tag };

    if (inserts)
        statement.flags = STATEMENT_ANSWERED;
    else
        TRY(tell_where(t, &op->request, &statement.where, err));
    TRY(builder_begin_statement(&t->builder, &statement, err));
    if (inserts)
        TRY(tell_statement_row(t, &inserted, false, err));
    else if (is_answered(op))
        TRY(tell_answer(t, txn, op, err));
    return builder_end_statement(&t->builder, err);
}

static enum status tell_op(struct record_teller *t, const struct placed_txn *txn, uint64_t number,
                           struct error *err)
{
    const struct client_log *log = txn->log;
    const struct log_op *op = &log->ops.at[number];
    int64_t began = t->source->began_ns;

    switch (op->request.kind) {
    case BUILTIN_READ:
        TRY(tell_read(t, log, op, err));
        break;
    case BUILTIN_WRITE:
    case BUILTIN_APPEND:
        TRY(tell_write(t, op, err));
        break;
    default:
        TRY(tell_statement(t, txn, op, err));
    }
    if (t->source->order && tells_statement(txn, number))
        TRY(tell_statement_place(t, txn, op, err));
    if (op->is_untimed)
        return STATUS_OK;
    return builder_set_op_at(&t->builder, op->invoked_ns - began,
                             is_answered(op) ? op->completed_ns - began : TIME_NEVER, err);
}

/* --- Transactions ----------------------------------------------------------------------------- */

/*
 * A snapshot of rank k is the place [k+1], before all commits of rank k+1, [k+1,1], [k+1,2] and so
 * on. One that only read stands behind its snapshot and before those: [k+1,-n].
 */
static enum status tell_places(struct record_teller *t, size_t number, struct error *err)
{
    const struct placed_txn *txn = &t->txns.at[number];
    uint32_t rank;

    if (!t->source->order)
        return STATUS_OK;
    rank = t->visibility.snapshot_ranks[number];
    if (txn->commit != NO_COMMIT && txn->txn->status != TXN_ABORT)
        TRY(builder_set_ts(
            &t->builder,
            place_of(t->visibility.commit_ranks[txn->commit], (int64_t)txn->commit + 1, 2), err));
    else if (txn->txn->status == TXN_OK && rank != COMMIT_RANKS_NONE &&
             !commit_owners_has_written(txn))
        TRY(builder_set_ts(&t->builder, place_of((int64_t)rank + 1, -1 - (int64_t)number, 2), err));
    if (txn->txn->status == TXN_OK && rank != COMMIT_RANKS_NONE)
        TRY(builder_set_snapshot(&t->builder, place_of((int64_t)rank + 1, 0, 1), err));
    return STATUS_OK;
}

static enum status tell_txn(struct record_teller *t, size_t number, struct error *err)
{
    const struct placed_txn *txn = &t->txns.at[number];
    int64_t began = t->source->began_ns;

    TRY(builder_begin_txn(&t->builder, id_of(t, number), txn->txn->session,
                          (enum txn_status)txn->txn->status, err));
    TRY(builder_set_txn_at(
        &t->builder, txn->txn->invoked_ns - began,
        txn->txn->completed_ns == TIME_NEVER ? TIME_NEVER : txn->txn->completed_ns - began, err));
    for (uint64_t i = txn->txn->first_op; i < txn->txn->first_op + txn->txn->op_count; i++)
        TRY(tell_op(t, txn, i, err));
    return tell_places(t, number, err);
}

/* --- Version orders --------------------------------------------------------------------------- */

static enum status tell_versions(struct record_teller *t, const ordered_versions *versions,
                                 struct error *err)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct ordered_version *v = &versions->at[i];
        bool is_new = i == 0 || versions->at[i - 1].key != v->key;
        uint32_t key;

        if (is_new) {
            TRY(tell_key(t, v->key, &key, err));
            TRY(builder_begin_order(&t->builder, key, err));
        }
        if (v->commit == NO_COMMIT || (!is_new && versions->at[i - 1].commit == v->commit))
            continue;
        TRY(builder_add_version(
            &t->builder, (struct version_name){ .txn_id = (int64_t)t->commit_txns[v->commit] + 1 },
            err));
    }
    return STATUS_OK;
}

/* --- What is gone ----------------------------------------------------------------------------- */

/* Finds the element, or the item, in what the last session read. */
static enum status list_kept(const struct record_teller *t, struct map *kept, struct error *err)
{
    const struct client_log *log = &t->source->logs[t->source->log_count - 1];
    bool is_list = t->source->table->shape == SHAPE_LISTS;
    size_t place;

    for (size_t i = 0; i < log->ops.count; i++) {
        const struct log_op *op = &log->ops.at[i];

        for (uint64_t k = op->first; is_list && k < op->first + op->count; k++)
            TRY(map_add(kept, hash_mix(op->request.key, (uint64_t)log->elements.at[k]), 0, &place,
                        err));
        if (!is_list && op->is_there)
            TRY(map_add(kept, hash_mix(op->request.key, 0), 0, &place, err));
    }
    return STATUS_OK;
}

static bool is_kept(const struct record_teller *t, const struct placed_txn *txn,
                    const struct map *kept)
{
    bool is_list = t->source->table->shape == SHAPE_LISTS;
    uint64_t found;

    for (uint64_t i = txn->txn->first_op; i < txn->txn->first_op + txn->txn->op_count; i++) {
        const struct builtin_request *r = &txn->log->ops.at[i].request;

        if (commit_owners_may_write(r->kind) &&
            !map_find(kept, hash_mix(r->key, is_list ? (uint64_t)r->value : 0), &found))
            return false;
    }
    return true;
}

/*
 * Elements of lists and items are never taken away, so what a committed transaction wrote must be
 * there at the end. Of rows nothing follows, as they may be deleted.
 */
static enum status find_lost(struct record_teller *t, struct error *err)
{
    const struct client_log *last = &t->source->logs[t->source->log_count - 1];
    struct map kept = { 0 };
    enum status status;

    if (t->source->table->shape == SHAPE_ROWS || last->txns.count == 0 ||
        last->txns.at[last->txns.count - 1].status != TXN_OK)
        return STATUS_OK;
    status = list_kept(t, &kept, err);
    for (size_t i = 0; status == STATUS_OK && i < t->txns.count; i++)
        if (t->txns.at[i].txn->status == TXN_OK && !is_kept(t, &t->txns.at[i], &kept) &&
            t->certificate->lost++ == 0)
            t->certificate->first_lost = (int64_t)i + 1;
    map_close(&kept);
    return status;
}

/* --- The whole -------------------------------------------------------------------------------- */

static enum status tell(struct record_teller *t, struct error *err)
{
    TRY(gather(t, err));
    if (t->source->is_over)
        TRY(find_lost(t, err));
    if (t->source->order) {
        TRY(commit_owners_find(&t->txns, t->source->order, &t->commit_txns, t->certificate, err));
        TRY(order_commits(t, err));
        TRY(gather_versions(t, &t->versions, err));
    }
    TRY(tell_header(t, err));
    if (!t->source->is_without_initial)
        TRY(tell_initial(t, err));
    for (size_t i = 0; i < t->txns.count; i++)
        TRY(tell_txn(t, i, err));
    return t->source->order ? tell_versions(t, &t->versions, err) : STATUS_OK;
}

enum status record_history_make(const struct record_source *source,
                                struct record_certificate *certificate, struct history *history,
                                struct error *err)
{
    struct record_teller t = { .source = source, .certificate = certificate };
    enum status status;

    *certificate = (struct record_certificate){ 0 };
    builder_init(&t.builder);
    status = tell(&t, err);
    if (status == STATUS_OK)
        status = builder_finish(&t.builder, history, err);
    else
        builder_close(&t.builder);
    array_close(&t.txns);
    array_close(&t.versions);
    free(t.commit_txns);
    commit_ranks_close(&t.visibility);
    buffer_close(&t.text);
    map_close(&t.answer);
    return status;
}
