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
#include <string.h>

#include "base/hash.h"
#include "checkers/weak/gather_private.h"

#define OF_INITIAL (HISTORY_NONE - 1)

struct weak_element {
    int64_t element;
    uint32_t key;
    uint32_t op; /* the append; HISTORY_NONE: free; or OF_INITIAL */
    uint32_t txn;
    uint32_t before; /* the transaction's append of the key before it, or HISTORY_NONE */
};

/* --- Elements --------------------------------------------------------------------- */

static struct weak_element *seek(const struct weak *w, uint32_t key, int64_t element)
{
    uint64_t at = hash_number((uint64_t)element + hash_number(key)) & w->element_mask;

    for (; w->elements[at].op != HISTORY_NONE; at = (at + 1) & w->element_mask)
        if (w->elements[at].key == key && w->elements[at].element == element)
            break;
    return &w->elements[at];
}

static void add_element(struct weak *w, struct weak_element element)
{
    struct weak_element *at = seek(w, element.key, element.element);

    if (at->op != HISTORY_NONE)
        w->key_kind[element.key] = WEAK_STRANGE;
    else
        *at = element;
}

static bool is_counted_append(const struct weak *w, uint32_t op)
{
    return w->history->op_kind[op] == OP_APPEND && weak_counts(w->history, op);
}

static uint64_t mark_lists(struct weak *w)
{
    const struct history *h = w->history;
    uint64_t count = 0;

    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn];
             op < h->txn_op[txn + 1] && w->places.standing[txn] != STANDING_OUT; op++)
            if (is_counted_append(w, op)) {
                w->key_kind[h->op_key[op]] = WEAK_LIST;
                count++;
            }
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value value = history_initial(h, key);

        if (w->key_kind[key] == WEAK_LIST && value.kind == VALUE_LIST)
            count += h->list_start[value.bits + 1] - h->list_start[value.bits];
    }
    return count;
}

static void add_initial(struct weak *w, uint32_t key)
{
    const struct history *h = w->history;
    struct value value = history_initial(h, key);

    if (value.kind != VALUE_LIST && value.kind != VALUE_NULL)
        w->key_kind[key] = WEAK_STRANGE;
    if (value.kind != VALUE_LIST)
        return;
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
        add_element(w, (struct weak_element){ h->list_element[i], key, OF_INITIAL, HISTORY_NONE,
                                              HISTORY_NONE });
}

/* `last` by key: the append seen last. */
static void add_writes(struct weak *w, uint32_t txn, uint32_t *last)
{
    const struct history *h = w->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op], before;

        if (!op_is_write(h->op_kind[op]) || !weak_counts(h, op))
            continue;
        if (!is_counted_append(w, op)) {
            w->key_kind[key] = w->key_kind[key] == WEAK_REGISTER ? WEAK_REGISTER : WEAK_STRANGE;
            continue;
        }
        before =
            last[key] != HISTORY_NONE && last[key] >= h->txn_op[txn] ? last[key] : HISTORY_NONE;
        last[key] = op;
        add_element(w, (struct weak_element){ h->op_value[op], key, op, txn, before });
    }
}

enum status weak_judge_keys(struct weak *w, struct error *err)
{
    const struct history *h = w->history;
    uint64_t count, room = 16;
    uint32_t *last = NULL;

    if (h->op_count == 0 || !memchr(h->op_kind, OP_APPEND, h->op_count))
        return STATUS_OK;
    TRY(check_memory((void **)&w->key_kind, h->key_count, 1, WEAK_REGISTER, err));
    count = mark_lists(w);
    while (room < 2 * count)
        room *= 2;
    w->element_mask = room - 1;
    TRY(check_memory((void **)&w->elements, room, sizeof *w->elements, 0xff, err));
    TRY(check_memory((void **)&last, h->key_count, sizeof *last, 0xff, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        if (w->key_kind[key] == WEAK_LIST)
            add_initial(w, key);
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->places.standing[txn] != STANDING_OUT)
            add_writes(w, txn, last);
    free(last);
    return STATUS_OK;
}

/* --- Lists ------------------------------------------------------------------------ */

struct list {
    const int64_t *at;
    uint32_t count;
};

struct listing {
    struct weak *w;
    uint32_t *start; /* by key, and two more while they are put there */
    uint32_t *reads; /* places in list_reads, by key; within, the longest first */
    uint32_t *stamp; /* by transaction: the list it was last seen in, from 1 */
    uint32_t *place; /* by transaction: where its elements begin there */
    uint32_t list_number;
    struct list chain; /* of the key at hand */
    uint32_t chain_read;
    ARRAY(struct weak_element) links; /* beside the chain */
};

/* False: it is no list. */
static bool list_of(const struct history *h, uint32_t op, struct list *list)
{
    struct value value = history_value(h, op);

    *list = (struct list){ 0 };
    if (value.kind == VALUE_LIST)
        *list =
            (struct list){ h->list_element + h->list_start[value.bits],
                           (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]) };
    return value.kind == VALUE_LIST || value.kind == VALUE_NULL;
}

static bool begins_with(struct list list, struct list beginning)
{
    return beginning.count <= list.count &&
           (beginning.count == 0 ||
            memcmp(list.at, beginning.at, beginning.count * sizeof *list.at) == 0);
}

static struct list initial_list(const struct history *h, uint32_t key)
{
    struct value value = history_initial(h, key);

    if (value.kind != VALUE_LIST)
        return (struct list){ 0 };
    return (struct list){ h->list_element + h->list_start[value.bits],
                          (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]) };
}

static bool is_final(const struct weak *w, const struct weak_element *e)
{
    uint32_t write = weak_find_write(w, e->txn, e->key);

    return write != UINT32_MAX && w->write_op[write] == e->op;
}

/* Whether the list can end with this element, which is the last of its transaction's. */
static bool can_end(const struct weak *w, const struct weak_list_read *r,
                    const struct weak_element *last)
{
    if (r->own != HISTORY_NONE)
        return last && last->op == r->own;
    return !last || (last->txn != r->txn && is_final(w, last));
}

/* Walks through a list; with `links`, which become what its elements are. */
static enum status walk(struct listing *l, const struct weak_list_read *r, struct list list,
                        bool *is_sound, struct error *err)
{
    struct weak *w = l->w;
    uint32_t key = w->history->op_key[r->op], number = ++l->list_number;
    struct list initial = initial_list(w->history, key);
    const struct weak_element *before = NULL;

    *is_sound = false;
    l->links.count = 0;
    if (!begins_with(list, initial))
        return STATUS_OK;
    TRY(array_reserve(&l->links, list.count, err));
    for (uint32_t i = 0; i < list.count; i++) {
        const struct weak_element *e = seek(w, key, list.at[i]);

        if (e->op == HISTORY_NONE || (e->op == OF_INITIAL) != (i < initial.count))
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
                                  struct list list, struct error *err)
{
    struct weak *w = l->w;
    uint32_t initial = initial_list(w->history, w->history->op_key[r->op]).count;
    const struct weak_element *last = list.count > initial ? &l->links.at[list.count - 1] : NULL;
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

    l->chain = (struct list){ 0 };
    l->chain_read = HISTORY_NONE;
    for (; *from < to && !is_sound; ++*from) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[*from]];

        if (list_of(w->history, r->op, &l->chain))
            TRY(walk(l, r, l->chain, &is_sound, err));
        if (!is_sound)
            TRY(blame(w, r, err));
    }
    if (!is_sound) {
        l->chain = (struct list){ 0 };
        return STATUS_OK;
    }
    l->chain_read = l->reads[--*from];
    for (size_t i = 0; i < l->links.count; i++)
        if (l->links.at[i].op != OF_INITIAL)
            w->takes_part[l->links.at[i].txn] = 1;
    return STATUS_OK;
}

/* One that is no beginning: wrong by itself, or beside the chain. */
static enum status read_other(struct listing *l, const struct weak_list_read *r, struct list list,
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
        const struct weak_element *e = &l->links.at[i];

        if (e->op == OF_INITIAL || e->txn == before)
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
    struct list list;

    TRY(find_chain(l, &from, to, err));
    if (shows)
        return show(l, key, err);
    for (uint32_t i = from; i < to; i++) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[i]];

        if (!list_of(w->history, r->op, &list))
            TRY(blame(w, r, err));
        else if (begins_with(l->chain, list))
            TRY(read_beginning(l, r, list, err));
    }
    for (uint32_t i = from; i < to; i++) {
        const struct weak_list_read *r = &w->list_reads.at[l->reads[i]];

        if (list_of(w->history, r->op, &list) && !begins_with(l->chain, list))
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
    struct list list;

    TRY(check_memory((void **)&l->start, h->key_count + 2, sizeof *l->start, 0, err));
    TRY(memory_resize((void **)&l->reads, w->list_reads.count, sizeof *l->reads, err));
    TRY(memory_resize((void **)&sized, w->list_reads.count, sizeof *sized, err));
    for (size_t i = 0; i < w->list_reads.count; i++)
        l->start[h->op_key[w->list_reads.at[i].op] + 2]++;
    array_sum_prefixes(l->start + 1, h->key_count + 1);
    for (size_t i = 0; i < w->list_reads.count; i++) {
        uint32_t op = w->list_reads.at[i].op, at = l->start[h->op_key[op] + 1]++;

        (void)list_of(h, op, &list);
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
        if (w->key_kind[key] == WEAK_LIST && !weak_is_stopped(w))
            TRY(read_key(l, key, false, err));
    TRY(weak_index_keys(w, err));
    faults = w->faults.count;
    for (uint32_t key = 0; key < w->history->key_count; key++)
        if (w->key_kind[key] == WEAK_LIST && !weak_is_stopped(w))
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
