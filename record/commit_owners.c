#include "record/commit_owners.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"

struct commit_match {
    placed_txns *txns;
    const struct recovered_order *order;
    size_t *commit_txns;
    struct record_certificate *certificate;
};

bool commit_owners_may_write(enum builtin_request_kind kind)
{
    return kind == BUILTIN_WRITE || kind == BUILTIN_APPEND || kind == BUILTIN_INSERT ||
           kind == BUILTIN_UPDATE || kind == BUILTIN_DELETE;
}

static bool op_made(const struct placed_txn *t, const struct log_op *op,
                    const struct recovered_change *c)
{
    if (!commit_owners_may_write(op->request.kind) ||
        (op->request.kind == BUILTIN_DELETE) != (c->kind == RECOVERED_REMOVAL))
        return false;
    if (c->kind == RECOVERED_ROW && op->request.value != c->value)
        return false;
    if (op->request.kind != BUILTIN_UPDATE && op->request.kind != BUILTIN_DELETE)
        return op->request.key == c->key;
    for (uint64_t i = op->first; i < op->first + op->count; i++)
        if (t->log->rows.at[i].key == c->key)
            return true;
    return false;
}

/* Numbers of transactions are used again after a crash: what it wrote must be there, too. */
static bool txn_made(const struct placed_txn *t, const struct recovered_change *c)
{
    for (uint64_t i = t->txn->first_op; i < t->txn->first_op + t->txn->op_count; i++)
        if (op_made(t, &t->log->ops.at[i], c))
            return true;
    return false;
}

struct candidate {
    size_t txn;
    uint64_t next; /* of the same key, plus one; 0: none */
};

/* Transactions by a number. */
struct candidates {
    struct map first; /* by number: the first of a chain, plus one */
    ARRAY(struct candidate) chains;
};

static enum status add_candidate(struct candidates *c, uint64_t number, size_t txn,
                                 struct error *err)
{
    struct candidate made = { .txn = txn };
    size_t place;

    TRY(map_add(&c->first, number, 0, &place, err));
    made.next = c->first.values.at[place];
    TRY(array_push(&c->chains, made, err));
    c->first.values.at[place] = c->chains.count;
    return STATUS_OK;
}

/* One that has made the change, and no other commit. */
static size_t find_candidate(const struct commit_match *t, const struct candidates *c,
                             uint64_t number, const struct recovered_change *change)
{
    uint64_t at = 0;

    if (!map_find(&c->first, number, &at))
        return NO_COMMIT;
    for (; at > 0; at = c->chains.at[at - 1].next) {
        size_t txn = c->chains.at[at - 1].txn;

        if (t->txns->at[txn].commit == NO_COMMIT && txn_made(&t->txns->at[txn], change))
            return txn;
    }
    return NO_COMMIT;
}

static void close_candidates(struct candidates *c)
{
    map_close(&c->first);
    array_close(&c->chains);
}

/* Of unknown transactions, which have no number: what they would have written. */
static enum status note_unknown(struct candidates *unknown, const struct placed_txn *t,
                                size_t number, struct error *err)
{
    for (uint64_t i = t->txn->first_op; i < t->txn->first_op + t->txn->op_count; i++) {
        const struct builtin_request *r = &t->log->ops.at[i].request;

        if (r->kind == BUILTIN_WRITE || r->kind == BUILTIN_APPEND || r->kind == BUILTIN_INSERT)
            TRY(add_candidate(unknown, hash_mix(r->key, (uint64_t)r->value), number, err));
    }
    return STATUS_OK;
}

static enum status index_txns(struct commit_match *t, struct candidates *by_xid,
                              struct candidates *unknown, struct error *err)
{
    for (size_t i = 0; i < t->txns->count; i++) {
        const struct placed_txn *txn = &t->txns->at[i];

        if (txn->txn->xid != 0)
            TRY(add_candidate(by_xid, txn->txn->xid, i, err));
        else if (txn->txn->status == TXN_UNKNOWN)
            TRY(note_unknown(unknown, txn, i, err));
    }
    return STATUS_OK;
}

static void match_commit(struct commit_match *t, size_t number, const struct candidates *by_xid,
                         const struct candidates *unknown)
{
    const struct recovered_commit *commit = &t->order->commits.at[number];
    const struct recovered_change *first = &t->order->changes.at[commit->first];
    size_t txn = NO_COMMIT;

    t->commit_txns[number] = NO_COMMIT;
    if (commit->count == 0)
        return; /* of other tables */
    t->certificate->commits++;
    txn = find_candidate(t, by_xid, commit->xid, first);
    if (txn == NO_COMMIT && first->kind == RECOVERED_ROW)
        txn = find_candidate(t, unknown, hash_mix(first->key, (uint64_t)first->value), first);
    if (txn == NO_COMMIT) {
        t->certificate->strange++;
        return;
    }
    t->commit_txns[number] = txn;
    t->txns->at[txn].commit = number;
    t->certificate->resolved += t->txns->at[txn].txn->status == TXN_UNKNOWN;
    if (t->txns->at[txn].txn->status == TXN_ABORT && t->certificate->aborted++ == 0)
        t->certificate->first_aborted = (int64_t)txn + 1;
}

bool commit_owners_has_written(const struct placed_txn *t)
{
    for (uint64_t i = t->txn->first_op; i < t->txn->first_op + t->txn->op_count; i++) {
        const struct log_op *op = &t->log->ops.at[i];

        if (commit_owners_may_write(op->request.kind) &&
            ((op->request.kind != BUILTIN_UPDATE && op->request.kind != BUILTIN_DELETE) ||
             op->count > 0))
            return true;
    }
    return false;
}

enum status commit_owners_find(placed_txns *txns, const struct recovered_order *order,
                               size_t **commit_txns, struct record_certificate *certificate,
                               struct error *err)
{
    size_t commit_count = order->commits.count;
    struct commit_match m = { txns, order, NULL, certificate }, *t = &m;
    struct candidates by_xid = { .first = { 0 } }, unknown = { .first = { 0 } };
    enum status status;

    *commit_txns = t->commit_txns = malloc((commit_count + 1) * sizeof *t->commit_txns);
    if (!t->commit_txns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu commits", commit_count);
    status = index_txns(t, &by_xid, &unknown, err);
    for (size_t i = 0; status == STATUS_OK && i < commit_count; i++)
        match_commit(t, i, &by_xid, &unknown);
    for (size_t i = 0; status == STATUS_OK && i < t->txns->count; i++)
        if (t->txns->at[i].txn->status == TXN_OK && t->txns->at[i].commit == NO_COMMIT &&
            commit_owners_has_written(&t->txns->at[i]) && t->certificate->missing++ == 0)
            t->certificate->first_missing = (int64_t)i + 1;
    close_candidates(&by_xid);
    close_candidates(&unknown);
    return status;
}
