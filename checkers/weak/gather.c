/*
 * What each transaction wrote last of each key, and what it read of others: one pass over
 * the operations, as they stand. Reads of what the transaction itself had written are
 * judged here; only where that is a list must they wait.
 */
#include <stdlib.h>
#include <string.h>

#include "checkers/weak/weak_private.h"

#define FEW 48 /* operations: looking through them is faster than a table */

struct gathering {
    struct weak *w;
    /* By key, for long transactions: which was the last that wrote it, plus one, and where. */
    uint32_t *writer, *place;
    uint64_t *pairs; /* for sorting */
    size_t pair_room;
};

enum status weak_add_fault(struct weak *w, uint32_t txn, uint32_t op, uint32_t other,
                           enum weak_fault_kind kind, struct error *err)
{
    struct weak_fault fault = { txn, op, other, (uint8_t)kind };

    return array_push(&w->faults, fault, err);
}

/* --- Own writes ------------------------------------------------------------------- */

static bool is_long(const struct history *h, uint32_t txn)
{
    return h->txn_op[txn + 1] - h->txn_op[txn] > FEW;
}

/* Where the transaction at hand has its write of the key, or HISTORY_NONE. */
static uint32_t find_own(const struct gathering *g, uint32_t txn, uint32_t key)
{
    const struct weak *w = g->w;

    if (is_long(w->history, txn))
        return g->writer[key] == txn + 1 ? g->place[key] : HISTORY_NONE;
    for (uint32_t i = w->write_start[txn]; i < w->write_count; i++)
        if (w->write_key[i] == key)
            return i;
    return HISTORY_NONE;
}

static void pass_write(struct gathering *g, uint32_t txn, uint32_t op)
{
    struct weak *w = g->w;
    uint32_t key = w->history->op_key[op], own = find_own(g, txn, key);

    if (own == HISTORY_NONE) {
        own = w->write_count++;
        w->write_key[own] = key;
        if (is_long(w->history, txn)) {
            g->writer[key] = txn + 1;
            g->place[key] = own;
        }
    }
    w->write_op[own] = op;
}

/* --- Reads ------------------------------------------------------------------------ */

static enum status note_list(struct gathering *g, uint32_t txn, uint32_t op, uint32_t own,
                             struct error *err)
{
    struct weak_list_read list = { txn, op, g->w->read_count, HISTORY_NONE };

    if (own != HISTORY_NONE) {
        list.read = HISTORY_NONE;
        list.own = g->w->write_op[own];
    }
    return array_push(&g->w->list_reads, list, err);
}

static enum status pass_read(struct gathering *g, uint32_t txn, uint32_t op, struct error *err)
{
    struct weak *w = g->w;
    const struct history *h = w->history;
    uint32_t key = h->op_key[op], own = find_own(g, txn, key);
    uint8_t kind = weak_key_kind(w, key);

    if (kind == WEAK_STRANGE) {
        w->strange_op = w->strange_op == HISTORY_NONE ? op : w->strange_op;
        return STATUS_OK;
    }
    if (kind == WEAK_LIST)
        TRY(note_list(g, txn, op, own, err));
    if (own != HISTORY_NONE) {
        if (kind == WEAK_LIST)
            return STATUS_OK;
        if (values_same(h, history_value(h, w->write_op[own]), history_value(h, op)))
            return STATUS_OK;
        return weak_add_fault(w, txn, op, HISTORY_NONE, WEAK_NOT_OWN, err);
    }
    w->read_key[w->read_count] = key;
    w->read_op[w->read_count++] = op;
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static enum status sort_many(struct gathering *g, uint32_t from, uint32_t count, struct error *err)
{
    struct weak *w = g->w;

    if (count > g->pair_room) {
        TRY(memory_resize((void **)&g->pairs, count, sizeof *g->pairs, err));
        g->pair_room = count;
    }
    for (uint32_t i = 0; i < count; i++)
        g->pairs[i] = (uint64_t)w->write_key[from + i] << 32 | w->write_op[from + i];
    qsort(g->pairs, count, sizeof *g->pairs, compare_pairs);
    for (uint32_t i = 0; i < count; i++) {
        w->write_key[from + i] = (uint32_t)(g->pairs[i] >> 32);
        w->write_op[from + i] = (uint32_t)g->pairs[i];
    }
    return STATUS_OK;
}

static void sort_few(struct weak *w, uint32_t from)
{
    for (uint32_t i = from + 1; i < w->write_count; i++) {
        uint32_t key = w->write_key[i], op = w->write_op[i], at = i;

        for (; at > from && w->write_key[at - 1] > key; at--) {
            w->write_key[at] = w->write_key[at - 1];
            w->write_op[at] = w->write_op[at - 1];
        }
        w->write_key[at] = key;
        w->write_op[at] = op;
    }
}

static enum status pass_txn(struct gathering *g, uint32_t txn, struct error *err)
{
    struct weak *w = g->w;
    const struct history *h = w->history;
    bool is_judged = h->txn_status[txn] == TXN_OK;
    uint32_t from = w->write_count;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (!weak_counts(h, op))
            continue;
        if (op_is_write(kind))
            pass_write(g, txn, op);
        else if (is_judged && op_is_read(kind) && h->op_value_kind[op] != VALUE_NONE)
            TRY(pass_read(g, txn, op, err));
    }
    if (w->write_count - from > FEW)
        return sort_many(g, from, w->write_count - from, err);
    sort_few(w, from);
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

/* As many as there can be, and tables where some transaction is long. */
static enum status make_room(struct gathering *g, struct error *err)
{
    struct weak *w = g->w;
    const struct history *h = w->history;
    size_t writes = 0, reads = 0, count = h->txn_count;
    bool some_is_long = false;

    for (size_t op = 0; op < h->op_count; op++) {
        writes += op_is_write(h->op_kind[op]);
        reads += op_is_read(h->op_kind[op]);
    }
    for (uint32_t txn = 0; txn < count; txn++)
        some_is_long |= is_long(h, txn);
    if (some_is_long) {
        TRY(check_memory((void **)&g->writer, h->key_count, sizeof *g->writer, 0, err));
        TRY(memory_resize((void **)&g->place, h->key_count, sizeof *g->place, err));
    }
    TRY(memory_resize((void **)&w->write_start, count + 1, sizeof *w->write_start, err));
    TRY(memory_resize((void **)&w->write_key, writes, sizeof *w->write_key, err));
    TRY(memory_resize((void **)&w->write_op, writes, sizeof *w->write_op, err));
    TRY(memory_resize((void **)&w->read_start, count + 1, sizeof *w->read_start, err));
    TRY(memory_resize((void **)&w->read_key, reads, sizeof *w->read_key, err));
    return memory_resize((void **)&w->read_op, reads, sizeof *w->read_op, err);
}

static enum status gather(struct gathering *g, struct error *err)
{
    struct weak *w = g->w;

    TRY(make_room(g, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        w->write_start[txn] = w->write_count;
        w->read_start[txn] = w->read_count;
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        if (w->places.standing[txn] != STANDING_OUT)
            TRY(pass_txn(g, txn, err));
    }
    w->write_start[w->txn_count] = w->write_count;
    w->read_start[w->txn_count] = w->read_count;
    return STATUS_OK;
}

enum status weak_gather(struct weak *w, struct error *err)
{
    struct gathering g = { .w = w };
    enum status status = gather(&g, err);

    free(g.writer);
    free(g.place);
    free(g.pairs);
    return status;
}

uint32_t weak_find_write(const struct weak *w, uint32_t txn, uint32_t key)
{
    uint32_t low = w->write_start[txn], high = w->write_start[txn + 1];

    if (high - low <= 16) {
        while (low < high && w->write_key[low] < key)
            low++;
    } else {
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;

            if (w->write_key[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
    }
    return low < w->write_start[txn + 1] && w->write_key[low] == key ? low : UINT32_MAX;
}
