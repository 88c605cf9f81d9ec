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
#include "checkers/weak/lists_private.h"

#include <stdlib.h>

#include "checkers/weak/gather_private.h"

/* --- Lists ------------------------------------------------------------------------ */

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
static enum status read_other(struct listing *l, const struct weak_list_read *r, struct elements list,
                              struct error *err)
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
