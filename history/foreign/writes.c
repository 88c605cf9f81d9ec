#include "history/foreign/writes_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"

static int compare_values(struct value a, struct value b)
{
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    return (a.bits > b.bits) - (a.bits < b.bits);
}

/* By key and value alone. */
static int compare_versions(const struct write *a, const struct write *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return compare_values(a->value, b->value);
}

static int compare_writes(const void *a, const void *b)
{
    const struct write *left = a, *right = b;
    int order = compare_versions(left, right);

    return order ? order : (left->op > right->op) - (left->op < right->op);
}

enum status writes_collect(struct writes *w, const struct history *h, struct error *err)
{
    *w = (struct writes){ .has_txn = NULL };
    TRY(memory_resize((void **)&w->has_txn, h->txn_count, sizeof *w->has_txn, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        w->has_txn[t] = h->txn_status[t] == TXN_OK;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            struct write write = { history_value(h, op), h->op_key[op], t, op };

            if (h->op_kind[op] == OP_WRITE && !(h->op_flags[op] & OP_ERROR))
                TRY(array_push(&w->all, write, err));
        }
    }
    if (w->all.count > 0)
        qsort(w->all.at, w->all.count, sizeof *w->all.at, compare_writes);
    TRY(array_push(&w->unknown, 0, err));
    for (size_t i = 0; i < w->all.count; i++)
        TRY(array_push(&w->unknown,
                       w->unknown.at[i] + (h->txn_status[w->all.at[i].txn] == TXN_UNKNOWN), err));
    return STATUS_OK;
}

/* The first write, in their order, that is not before that version and operation. */
static size_t lower_bound(const struct writes *w, const struct write *wanted)
{
    size_t place;

    BISECT(place, 0, w->all.count, compare_writes(&w->all.at[place], wanted) < 0);
    return place;
}

/* The writes of what the read read: from `*first` up to the one returned. */
static size_t find(const struct writes *w, const struct history *h, uint32_t op, size_t *first)
{
    struct write wanted = { history_value(h, op), h->op_key[op], 0, 0 };

    *first = lower_bound(w, &wanted);
    wanted.op = UINT32_MAX;
    return lower_bound(w, &wanted);
}

/* The last of them that the transaction made before the read. */
static bool find_own(const struct writes *w, const struct history *h, uint32_t txn, uint32_t op,
                     struct write *own)
{
    struct write wanted = { history_value(h, op), h->op_key[op], txn, op };
    size_t behind = lower_bound(w, &wanted);

    if (behind == 0 || compare_versions(&w->all.at[behind - 1], &wanted) != 0 ||
        w->all.at[behind - 1].txn != txn)
        return false;
    *own = w->all.at[behind - 1];
    return true;
}

enum source_kind writes_source(const struct writes *w, const struct history *h, uint32_t txn,
                               uint32_t op, struct write *writer)
{
    size_t first, end = find(w, h, op, &first);
    bool is_initial =
        history_values_equal(h, history_value(h, op), history_initial(h, h->op_key[op]));

    if (find_own(w, h, txn, op, writer))
        return SOURCE_WRITE;
    if (first == end)
        return is_initial ? SOURCE_INITIAL : SOURCE_NOBODY;
    /* In the order of operations, so those of one transaction stand together. */
    if (is_initial || w->all.at[first].txn != w->all.at[end - 1].txn)
        return SOURCE_SEVERAL;
    *writer = w->all.at[end - 1];
    return SOURCE_WRITE;
}

static bool is_of_unknown(const struct writes *w, const struct history *h, uint32_t op)
{
    size_t first, end = find(w, h, op, &first);

    return w->unknown.at[end] > w->unknown.at[first];
}

/* Transactions of unknown outcome that this read shows to have committed. */
static enum status settle_read(struct writes *w, const struct history *h, uint32_t txn, uint32_t op,
                               struct error *err)
{
    struct write writer;
    enum source_kind kind = writes_source(w, h, txn, op, &writer);

    if (kind == SOURCE_WRITE && h->txn_status[writer.txn] == TXN_UNKNOWN)
        w->has_txn[writer.txn] = true;
    if (kind == SOURCE_SEVERAL && is_of_unknown(w, h, op))
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " may have read from one of unknown outcome, or "
                         "from another that wrote the same: this format has no unknown outcomes",
                         h->txn_id[txn]);
    return STATUS_OK;
}

enum status writes_init(struct writes *w, const struct history *h, struct error *err)
{
    TRY(writes_collect(w, h, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (h->txn_status[t] == TXN_OK && h->op_kind[op] == OP_READ &&
                h->op_value_kind[op] != VALUE_NONE && !(h->op_flags[op] & OP_ERROR))
                TRY(settle_read(w, h, t, op, err));
    return STATUS_OK;
}

void writes_close(struct writes *w)
{
    array_close(&w->all);
    array_close(&w->unknown);
    free(w->has_txn);
}
