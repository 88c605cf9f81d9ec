/*
 * Collects what each transaction wrote last of each key, and what it read of others, in one pass
 * over the operations. Reads of what the transaction itself had written are judged here; only
 * those of lists must wait.
 */
#include "checkers/weak/gather_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "checkers/values/writers.h"
#include "checkers/weak/weak_private.h"

/* --- Lists ----------------------------------------------------------------------- */

/*
 * Lists that are only appended to, and have no element twice.
 *
 *     T1: append a    T2: append b, c    T3: reads [a b c]    T4: reads [a]    T5: append d
 *
 *     chain       a  b  c        T3's, the longest; all others must be beginnings of it
 *     reads       T3 from T2, T4 from T1
 *     shown       T1 before T2, T2 before T5, which the longest lacks
 *
 * What a transaction appends is seen as a whole, but by itself. Its reads behind own appends
 * are of no other: they show, like all others, what stands before.
 */

struct listing {
    struct weak *w;
    uint32_t *start; /* by key, and two more while they are put there */
    uint32_t *reads; /* places in list_reads, by key; within, the longest first */
    uint32_t *stamp; /* by transaction: the list it was last seen in, from 1 */
    uint32_t *place; /* by transaction: where its elements begin there */
    uint32_t list_number;
    struct elements chain; /* of the key at hand */
    uint32_t chain_read;
    ARRAY(struct append) links; /* beside the chain */
};

/* False: it is no list. */
static bool list_of(const struct weak *w, const struct weak_list_read *r, struct elements *list)
{
    return values_elements(w->history, history_value(w->history, r->op), list);
}

static bool is_final(const struct weak *w, const struct append *e)
{
    uint32_t write = weak_find_write(w, e->txn, e->key);

    return write != UINT32_MAX && w->write_op[write] == e->op;
}

/* Whether the list can end with this element, which is the last of its transaction's. */
static bool can_end(const struct weak *w, const struct weak_list_read *r,
                    const struct append *last)
{
    if (r->own != HISTORY_NONE)
        return last && last->op == r->own;
    return !last || (last->txn != r->txn && is_final(w, last));
}

/* Walks through a list; with `links`, which become what its elements are. */
static enum status walk(struct listing *l, const struct weak_list_read *r, struct elements list,
                        bool *is_sound, struct error *err)
{
    struct weak *w = l->w;
    uint32_t key = w->history->op_key[r->op], number = ++l->list_number;
    struct elements initial = values_initial(w->history, key);
    const struct append *before = NULL;

    *is_sound = false;
    l->links.count = 0;
    if (!values_begin(list, initial))
        return STATUS_OK;
    TRY(array_reserve(&l->links, list.count, err));
    for (uint32_t i = 0; i < list.count; i++) {
        const struct append *e = appends_find(&w->appends, key, list.at[i]);

        if (e->op == HISTORY_NONE || (e->op == APPEND_INITIAL) != (i < initial.count))
            return STATUS_OK;
        l->links.at[l->links.count++] = *e;
        if (i < initial.count)
            continue;
        if (e->before != (before && !is_final(w, before) ? before->op : HISTORY_NONE) ||
            (e->before == HISTORY_NONE && l->stamp[e->txn] == number) ||
            (e->txn == r->txn && (r->own == HISTORY_NONE || e->op > r->own)))
            return STATUS_OK;
        if (e->before == HISTORY_NONE) {
            l->stamp[e->txn] = number;
            l->place[e->txn] = i;
        }
        before = e;
    }
    *is_sound = can_end(w, r, before);
    return STATUS_OK;
}

/* --- A key ------------------------------------------------------------------------ */

static enum status blame(struct weak *w, const struct weak_list_read *r, struct error *err)
{
    return weak_add_fault(w, r->txn, r->op, HISTORY_NONE,
                          r->own != HISTORY_NONE ? WEAK_NOT_OWN : WEAK_NO_WRITER, err);
}

/* A beginning of the chain: what its last element is has been found out before. */
static enum status read_beginning(struct listing *l, const struct weak_list_read *r,
                                  struct elements list, struct error *err)
{
    struct weak *w = l->w;
    uint32_t initial = values_initial(w->history, w->history->op_key[r->op]).count;
    const struct append *last = list.count > initial ? &l->links.at[list.count - 1] : NULL;
    bool has_own = l->stamp[r->txn] == l->list_number && l->place[r->txn] < list.count;

    if (list.count < initial || !can_end(w, r, last) || (has_own && r->own == HISTORY_NONE))
        return blame(w, r, err);
    if (r->read == HISTORY_NONE)
        return STATUS_OK;
    w->read_writer[r->read] = last ? last->txn : WEAK_INITIAL;
    w->reads_go_forward &= !last || last->txn < r->txn;
    return STATUS_OK;
}

/* The longest list that can be one; those longer are blamed. */
static enum status find_chain(struct listing *l, uint32_t *from, uint32_t to, struct error *err)
{
    struct weak *w = l->w;
    bool is_sound = false;

    l->chain = (struct elements){ 0 };
    l->chain_read = HISTORY_NONE;
    for (; *from < to && !is_sound; ++*from) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[*from]];

        if (list_of(w, r, &l->chain))
            TRY(walk(l, r, l->chain, &is_sound, err));
        if (!is_sound)
            TRY(blame(w, r, err));
    }
    if (!is_sound) {
        l->chain = (struct elements){ 0 };
        return STATUS_OK;
    }
    l->chain_read = l->reads[--*from];
    for (size_t i = 0; i < l->links.count; i++)
        if (l->links.at[i].op != APPEND_INITIAL)
            w->takes_part[l->links.at[i].txn] = 1;
    return STATUS_OK;
}

/* One that is no beginning: wrong by itself, or beside the chain. */
static enum status read_other(struct listing *l, const struct weak_list_read *r,
                              struct elements list, struct error *err)
{
    struct weak *w = l->w;
    bool is_sound = false;
    struct listing other = { .w = w, .stamp = NULL };
    enum status status;

    other.stamp = l->stamp;
    other.place = l->place;
    other.list_number = l->list_number;
    status = walk(&other, r, list, &is_sound, err);
    l->list_number = other.list_number;
    array_close(&other.links);
    TRY(status);
    if (!is_sound)
        return blame(w, r, err);
    return weak_add_fault(w, r->txn, r->op, w->list_reads.at[l->chain_read].op, WEAK_INCOMPATIBLE,
                          err);
}

/* What stands behind what, and who is missing. */
static enum status show(struct listing *l, uint32_t key, struct error *err)
{
    struct weak *w = l->w;
    uint32_t op, before = WEAK_INITIAL;

    if (l->chain_read == HISTORY_NONE)
        return STATUS_OK;
    op = w->list_reads.at[l->chain_read].op;
    for (size_t i = 0; i < l->links.count; i++) {
        const struct append *e = &l->links.at[i];

        if (e->op == APPEND_INITIAL || e->txn == before)
            continue;
        if (before != WEAK_INITIAL)
            TRY(weak_add_edge(&w->shown, before, e->txn, op, err));
        before = e->txn;
    }
    for (uint32_t i = w->key_start[key]; i < w->key_start[key + 1] && before != WEAK_INITIAL; i++)
        if (l->stamp[w->key_writer[i]] != l->list_number)
            TRY(weak_add_edge(&w->shown, before, w->key_writer[i], op, err));
    return STATUS_OK;
}

/* Others than the chain's beginnings need the stamps: they come last. */
static enum status read_key(struct listing *l, uint32_t key, bool shows, struct error *err)
{
    struct weak *w = l->w;
    uint32_t from = l->start[key], to = l->start[key + 1];
    struct elements list;

    TRY(find_chain(l, &from, to, err));
    if (shows)
        return show(l, key, err);
    for (uint32_t i = from; i < to; i++) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[i]];

        if (!list_of(w, r, &list))
            TRY(blame(w, r, err));
        else if (values_begin(l->chain, list))
            TRY(read_beginning(l, r, list, err));
    }
    for (uint32_t i = from; i < to; i++) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[i]];

        if (list_of(w, r, &list) && !values_begin(l->chain, list))
            TRY(read_other(l, r, list, err));
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

struct sized {
    uint64_t length;
    uint32_t read;
};

static int compare_sized(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;

    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->read > y->read) - (x->read < y->read);
}

static enum status sort_reads(struct listing *l, struct error *err)
{
    const struct weak *w = l->w;
    const struct history *h = w->history;
    struct sized *sized = NULL;
    struct elements list;

    TRY(check_memory((void **)&l->start, h->key_count + 2, sizeof *l->start, 0, err));
    TRY(memory_resize((void **)&l->reads, w->list_reads.count, sizeof *l->reads, err));
    TRY(memory_resize((void **)&sized, w->list_reads.count, sizeof *sized, err));
    for (size_t i = 0; i < w->list_reads.count; i++)
        l->start[h->op_key[w->list_reads.at[i].op] + 2]++;
    array_sum_prefixes(l->start + 1, h->key_count + 1);
    for (size_t i = 0; i < w->list_reads.count; i++) {
        uint32_t op = w->list_reads.at[i].op, at = l->start[h->op_key[op] + 1]++;

        (void)list_of(w, &w->list_reads.at[i], &list);
        sized[at] = (struct sized){ list.count, (uint32_t)i };
    }
    for (size_t k = 0; k < h->key_count; k++)
        if (l->start[k + 1] - l->start[k] > 1)
            qsort(sized + l->start[k], l->start[k + 1] - l->start[k], sizeof *sized, compare_sized);
    for (size_t i = 0; i < w->list_reads.count; i++)
        l->reads[i] = sized[i].read;
    free(sized);
    return STATUS_OK;
}

/* Twice: whoever is in no list is known only when all have been read. */
static enum status read_lists(struct listing *l, struct error *err)
{
    struct weak *w = l->w;
    size_t faults;

    TRY(sort_reads(l, err));
    TRY(check_memory((void **)&l->stamp, w->txn_count, sizeof *l->stamp, 0, err));
    TRY(memory_resize((void **)&l->place, w->txn_count, sizeof *l->place, err));
    for (uint32_t key = 0; key < w->history->key_count; key++)
        if (appends_kind(&w->appends, key) == WRITTEN_LIST && !weak_is_stopped(w))
            TRY(read_key(l, key, false, err));
    TRY(weak_index_keys(w, err));
    faults = w->faults.count;
    for (uint32_t key = 0; key < w->history->key_count; key++)
        if (appends_kind(&w->appends, key) == WRITTEN_LIST && !weak_is_stopped(w))
            TRY(read_key(l, key, true, err));
    w->faults.count = faults; /* they were found before */
    return STATUS_OK;
}

enum status weak_read_lists(struct weak *w, struct error *err)
{
    struct listing l = { .w = w };
    enum status status;

    if (w->list_reads.count == 0)
        return STATUS_OK;
    status = read_lists(&l, err);
    free(l.start);
    free(l.reads);
    free(l.stamp);
    free(l.place);
    array_close(&l.links);
    return status;
}

/* --- Sessions ------------------------------------------------------------------ */

/*
 * Sessions, and the writers of each key session by session: counting sorts.
 */

enum status weak_sort_by_session(const struct weak *w, uint32_t **start, uint32_t **txns,
                                 bool with_unknown, struct error *err)
{
    const struct history *h = w->history;
    uint32_t count = 0;

    TRY(check_memory((void **)start, (size_t)w->session_count + 2, sizeof **start, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && (with_unknown || !weak_is_unknown(w, txn))) {
            (*start)[h->txn_session[txn] + 2]++;
            count++;
        }
    for (size_t s = 2; s < (size_t)w->session_count + 2; s++)
        (*start)[s] += (*start)[s - 1];
    TRY(memory_resize((void **)txns, count, sizeof **txns, err));
    /* start[s + 1] runs through the transactions of s, and ends where those of s + 1 begin. */
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && (with_unknown || !weak_is_unknown(w, txn)))
            (*txns)[(*start)[h->txn_session[txn] + 1]++] = txn;
    return STATUS_OK;
}

enum status weak_find_sessions(struct weak *w, struct error *err)
{
    const struct history *h = w->history;
    uint32_t *seen = NULL;

    TRY(weak_sort_by_session(w, &w->session_start, &w->session_txns, false, err));
    TRY(memory_resize((void **)&w->position, w->txn_count, sizeof *w->position, err));
    TRY(check_memory((void **)&seen, w->session_count, sizeof *seen, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        uint32_t *before = &seen[h->txn_session[txn]];

        w->position[txn] = *before + 1;
        *before += w->takes_part[txn] && !weak_is_unknown(w, txn);
    }
    free(seen);
    return STATUS_OK;
}

static enum status put_by_key(struct weak *w, const uint32_t *txns, uint32_t count,
                              struct error *err)
{
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&w->key_start, keys + 2, sizeof *w->key_start, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn])
            for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
                w->key_start[w->write_key[i] + 2]++;
    array_sum_prefixes(w->key_start + 1, keys + 1);
    TRY(memory_resize((void **)&w->key_writer, w->key_start[keys + 1], sizeof *w->key_writer, err));
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++)
            w->key_writer[w->key_start[w->write_key[i] + 1]++] = txns[n];
    return STATUS_OK;
}

enum status weak_index_keys(struct weak *w, struct error *err)
{
    uint32_t *start = NULL, *txns = NULL;
    enum status status;

    if (w->key_start)
        return STATUS_OK;
    status = weak_sort_by_session(w, &start, &txns, true, err);
    if (status == STATUS_OK)
        status = put_by_key(w, txns, start[w->session_count], err);
    free(start);
    free(txns);
    return status;
}

/* --- Writers ------------------------------------------------------------------- */

#define AHEAD 16

static uint32_t op_of_writer(const void *context, uint32_t key, uint32_t txn)
{
    const struct weak *w = context;

    return w->write_op[weak_find_write(w, txn, key)];
}

static enum status fill(struct weak *w, struct writers *t, struct error *err)
{
    const struct history *h = w->history;

    TRY(writers_init(t, h, w->write_count, err));
    t->op_of = op_of_writer;
    t->context = w;
    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
            if (i + AHEAD < w->write_count)
                writers_expect(t, w->write_key[i + AHEAD], history_value(h, w->write_op[i + AHEAD]));
            if (appends_kind(&w->appends, w->write_key[i]) == WRITTEN_REGISTER)
                TRY(writers_add(t, w->write_key[i], history_value(h, w->write_op[i]), txn, NULL,
                                err));
        }
    }
    return STATUS_OK;
}

/* WEAK_OPEN: several may be meant; WEAK_INITIAL: nobody else. */
static uint32_t other_writer(const struct writers *t, uint32_t reader, uint32_t key,
                             struct value value)
{
    uint32_t other = WEAK_INITIAL;

    for (struct writer w = writers_find(t, key, value); w.number != WRITERS_NOBODY;
         w = writers_next(t, w)) {
        if (w.number == reader)
            continue;
        if (other != WEAK_INITIAL)
            return WEAK_OPEN;
        other = w.number;
    }
    return other;
}

static enum status find_writer(struct weak *w, const struct writers *t, uint32_t txn, uint32_t read,
                               struct error *err)
{
    const struct history *h = w->history;
    uint32_t op = w->read_op[read], key = w->read_key[read];
    struct value value = history_value(h, op);
    uint32_t writer = other_writer(t, txn, key, value);

    if ((value.kind != VALUE_INTEGER || h->initial_count > 0) &&
        values_same(h, history_initial(h, key), value)) {
        writer = writer == WEAK_INITIAL ? WEAK_INITIAL : WEAK_OPEN;
    } else if (writer == WEAK_INITIAL) {
        w->read_writer[read] = WEAK_OPEN;
        return weak_add_fault(w, txn, op, HISTORY_NONE, WEAK_NO_WRITER, err);
    }
    w->read_writer[read] = writer;
    if (writer == WEAK_OPEN)
        w->open_op = w->open_op == HISTORY_NONE ? op : w->open_op;
    else if (writer != WEAK_INITIAL)
        w->takes_part[writer] = 1;
    w->reads_go_forward &= writer >= WEAK_OPEN || writer < txn;
    return STATUS_OK;
}

static enum status ask(struct weak *w, const struct writers *t, struct error *err)
{
    const struct history *h = w->history;

    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
            if (i + AHEAD < w->read_count)
                writers_expect(t, w->read_key[i + AHEAD], history_value(h, w->read_op[i + AHEAD]));
            w->read_writer[i] = WEAK_OPEN;
            if (appends_kind(&w->appends, w->read_key[i]) == WRITTEN_REGISTER)
                TRY(find_writer(w, t, txn, i, err));
        }
    }
    return STATUS_OK;
}

enum status weak_find_writers(struct weak *w, struct error *err)
{
    struct writers t = { 0 };
    enum status status =
        memory_resize((void **)&w->read_writer, w->read_count, sizeof *w->read_writer, err);

    w->reads_go_forward = true;
    if (status == STATUS_OK)
        status = fill(w, &t, err);
    if (status == STATUS_OK && !w->is_stopped)
        status = ask(w, &t, err);
    writers_close(&t);
    return status;
}

/* --- The pass over the operations ---------------------------------------------- */

#define FEW 48 /* operations: looking through them is faster than a table */

struct weak_gathering {
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
static uint32_t find_own(const struct weak_gathering *g, uint32_t txn, uint32_t key)
{
    const struct weak *w = g->w;

    if (is_long(w->history, txn))
        return g->writer[key] == txn + 1 ? g->place[key] : HISTORY_NONE;
    for (uint32_t i = w->write_start[txn]; i < w->write_count; i++)
        if (w->write_key[i] == key)
            return i;
    return HISTORY_NONE;
}

static void pass_write(struct weak_gathering *g, uint32_t txn, uint32_t op)
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

static enum status note_list(struct weak_gathering *g, uint32_t txn, uint32_t op, uint32_t own,
                             struct error *err)
{
    struct weak_list_read list = { txn, op, g->w->read_count, HISTORY_NONE };

    if (own != HISTORY_NONE) {
        list.read = HISTORY_NONE;
        list.own = g->w->write_op[own];
    }
    return array_push(&g->w->list_reads, list, err);
}

static enum status pass_read(struct weak_gathering *g, uint32_t txn, uint32_t op, struct error *err)
{
    struct weak *w = g->w;
    const struct history *h = w->history;
    uint32_t key = h->op_key[op], own = find_own(g, txn, key);
    uint8_t kind = appends_kind(&w->appends, key);

    if (kind == WRITTEN_STRANGE) {
        w->strange_op = w->strange_op == HISTORY_NONE ? op : w->strange_op;
        return STATUS_OK;
    }
    if (kind == WRITTEN_LIST)
        TRY(note_list(g, txn, op, own, err));
    if (own != HISTORY_NONE) {
        if (kind == WRITTEN_LIST)
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

static enum status sort_many(struct weak_gathering *g, uint32_t from, uint32_t count, struct error *err)
{
    struct weak *w = g->w;

    if (count > g->pair_room) {
        TRY(memory_resize((void **)&g->pairs, count, sizeof *g->pairs, err));
        g->pair_room = count;
    }
    for (uint32_t i = 0; i < count; i++)
        g->pairs[i] = (uint64_t)w->write_key[from + i] << 32 | w->write_op[from + i];
    sort_wide(g->pairs, count);
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

static enum status pass_txn(struct weak_gathering *g, uint32_t txn, struct error *err)
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
static enum status make_room(struct weak_gathering *g, struct error *err)
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

static enum status gather(struct weak_gathering *g, struct error *err)
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
    struct weak_gathering g = { .w = w };
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
        BISECT(low, low, high, w->write_key[low] < key);
    }
    return low < w->write_start[txn + 1] && w->write_key[low] == key ? low : UINT32_MAX;
}
