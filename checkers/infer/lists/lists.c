/*
 * Orders of lists: the longest list that a committed transaction read of a key has its
 * elements as they were appended; all that it does not have came later.
 */
#include "checkers/infer/lists/lists_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/proof/tell.h"

bool lists_elements(const struct history *h, struct value value, struct elements *elements)
{
    *elements = (struct elements){ 0 };
    if (value.kind == VALUE_LIST) {
        uint64_t from = h->list_start[value.bits];

        elements->at = h->list_element + from;
        elements->count = (uint32_t)(h->list_start[value.bits + 1] - from);
    }
    return value.kind == VALUE_LIST || value.kind == VALUE_NULL;
}

struct elements lists_initial(const struct infer *c, uint32_t key)
{
    struct elements initial = { 0 };

    if (c->history->key_initial && c->history->key_initial[key] != HISTORY_NONE)
        (void)lists_elements(c->history, history_initial(c->history, key), &initial);
    return initial;
}

/* --- Who appended what -------------------------------------------------------------- */

static int compare_elements(const void *a, const void *b)
{
    const struct listed_element *x = a, *y = b;

    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

enum status lists_index(struct infer *c, uint32_t key, struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    struct list_index *index = &c->lists->index;
    uint32_t count = v->start[key + 1] - v->start[key];
    bool is_sorted = true;

    index->at.count = 0;
    index->finger = 0;
    TRY(array_reserve(&index->at, count, err));
    for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++) {
        size_t i = index->at.count++;

        index->at.at[i] = (struct listed_element){ c->history->op_value[v->op[n]], n };
        is_sorted &= i == 0 || index->at.at[i - 1].element <= index->at.at[i].element;
    }
    /* Who appends mostly counts. */
    if (!is_sorted)
        qsort(index->at.at, count, sizeof *index->at.at, compare_elements);
    return STATUS_OK;
}

/* From where the last one was found: lists mostly go as their elements do. */
uint32_t lists_find(struct list_index *index, int64_t element)
{
    const struct listed_element *at = index->at.at;
    size_t low = 0, high = index->at.count;

    for (size_t step = 1, finger = index->finger; finger < high; step *= 2) {
        if (at[finger].element == element) {
            index->finger = finger + 1;
            return at[finger].number;
        }
        if (at[finger].element > element) {
            high = finger;
            break;
        }
        low = finger + 1;
        finger += step;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (at[middle].element < element)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->at.count || at[low].element != element)
        return HISTORY_NONE;
    index->finger = low + 1;
    return at[low].number;
}

/* --- What breaks the assumptions ---------------------------------------------------- */

static enum status tell_twice(struct infer *c, uint32_t key, uint32_t first, uint32_t second,
                              struct error *err)
{
    const struct history *h = c->history;
    uint32_t txns[] = { c->versions.txn[first], c->versions.txn[second] };
    uint32_t ops[] = { c->versions.op[first], c->versions.op[second] };
    struct buffer why = { 0 }, proof = { 0 };

    c->key_kind[key] = KEY_UNJUDGED;
    c->leaves_out = true;
    if (h->unique == 1 && infer_is_committed(c, txns[0]) && infer_is_committed(c, txns[1])) {
        if (!infer_finds(c, ANOMALY_DUPLICATE_WRITE))
            return STATUS_OK;
        tell_txn(&why, h, txns[0]);
        buffer_text(&why, TEXT(" and "));
        tell_txn(&why, h, txns[1]);
        buffer_text(&why, TEXT(" both appended "));
        tell_write(&why, h, ops[0]);
        buffer_text(&why, TEXT(", where the history says that all are unique"));
        proof_writes(&proof, h, key, ops[0], ops[1]);
        return infer_tell(c, ANOMALY_DUPLICATE_WRITE, txns, txns[0] == txns[1] ? 1 : 2, &why,
                          &proof, err);
    }
    infer_leave_out(c,
                "T%" PRId64 " and T%" PRId64 " both appended %" PRId64
                " to %.*s: its order can be inferred only where each element is appended once",
                h->txn_id[txns[0]], h->txn_id[txns[1]], h->op_value[ops[0]],
                TEXT_PRINT(history_key(h, key)));
    return STATUS_OK;
}

/* An element of two appends, or of an append and the initial value. */
static enum status check_unique(struct infer *c, uint32_t key, struct error *err)
{
    const struct listed_element *at = c->lists->index.at.at;
    struct elements initial = lists_initial(c, key);

    for (size_t i = 1; i < c->lists->index.at.count; i++)
        if (at[i - 1].element == at[i].element)
            return tell_twice(c, key, at[i - 1].number, at[i].number, err);
    for (uint32_t i = 0; i < initial.count; i++) {
        uint32_t number = lists_find(&c->lists->index, initial.at[i]);

        if (number == HISTORY_NONE)
            continue;
        c->key_kind[key] = KEY_UNJUDGED;
        infer_leave_out(c,
                    "T%" PRId64 " appended %" PRId64
                    " to %.*s, which has it at first: its order can be inferred only where each "
                    "element is appended once",
                    c->history->txn_id[c->versions.txn[number]], initial.at[i],
                    TEXT_PRINT(history_key(c->history, key)));
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* --- Orders ------------------------------------------------------------------------- */

static void find_longest(struct infer *c)
{
    const struct history *h = c->history;
    struct lists *l = c->lists;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (!infer_is_committed(c, t))
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t key = h->op_key[op];
            uint64_t length;

            if (h->op_kind[op] != OP_READ || h->op_value_kind[op] != VALUE_LIST ||
                h->op_flags[op] & OP_ERROR)
                continue;
            length = h->list_start[h->op_value[op] + 1] - h->list_start[h->op_value[op]];
            if (l->longest[key] != HISTORY_NONE && length <= l->length[key])
                continue;
            l->longest[key] = op;
            l->length[key] = (uint32_t)length;
        }
    }
}

/* Scratch of one key's versions. */
struct ordering {
    ARRAY(uint32_t) op;
    ARRAY(uint32_t) txn;
    ARRAY(bool) is_final;
};

/* Gives numbers to slots: those in the list as they stand there. How many of them there are. */
static uint32_t chain(struct infer *c, uint32_t key, struct elements list)
{
    struct lists *l = c->lists;
    const struct inferred_versions *v = &c->versions;
    uint32_t *number_at = l->number_at, number = v->start[key];

    for (uint32_t i = lists_initial(c, key).count; i < list.count; i++) {
        uint32_t slot = lists_find(&l->index, list.at[i]);

        if (slot == HISTORY_NONE || number_at[slot] != HISTORY_NONE) {
            l->flags[key] |= LIST_DEFECTIVE; /* nobody's, or there twice */
            continue;
        }
        number_at[slot] = number++;
        infer_note_read_from(c, v->txn[slot]);
        if (!infer_is_in(c, v->txn[slot]))
            l->flags[key] |= LIST_DEFECTIVE;
    }
    return number - v->start[key];
}

/* Puts versions where their numbers are. */
static enum status reorder(struct infer *c, uint32_t key, struct ordering *o, struct error *err)
{
    struct inferred_versions *v = &c->versions;
    uint32_t *number_at = c->lists->number_at, start = v->start[key], end = v->start[key + 1];
    uint32_t number = start + v->chained[key];
    bool moves = false;

    for (uint32_t slot = start; slot < end; slot++) {
        if (number_at[slot] == HISTORY_NONE)
            number_at[slot] = number++;
        moves |= number_at[slot] != slot;
    }
    if (!moves)
        return STATUS_OK;
    TRY(array_reserve(&o->op, end - start, err));
    TRY(array_reserve(&o->txn, end - start, err));
    TRY(array_reserve(&o->is_final, end - start, err));
    for (uint32_t slot = start; slot < end; slot++) {
        uint32_t place = number_at[slot] - start;

        o->op.at[place] = v->op[slot];
        o->txn.at[place] = v->txn[slot];
        o->is_final.at[place] = v->is_final[slot];
    }
    for (uint32_t i = 0; i < end - start; i++) {
        v->op[start + i] = o->op.at[i];
        v->txn[start + i] = o->txn.at[i];
        v->is_final[start + i] = o->is_final.at[i];
    }
    return STATUS_OK;
}

/*
 * Who appends 3 and then 4 shows nobody a list with 4 and without 3 before it. If somebody saw
 * that, his list is wrong, and where the 3 belongs, nobody knows.
 */
static enum status find_skipped(struct infer *c, uint32_t key, struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    struct lists *l = c->lists;
    uint32_t end = v->start[key] + v->chained[key]; /* of the chain */
    uint32_t txn = HISTORY_NONE, next = HISTORY_NONE;

    for (uint32_t slot = v->start[key + 1]; slot-- > v->start[key];) {
        uint32_t number = l->number_at[slot];

        if (v->txn[number] != txn)
            next = HISTORY_NONE;
        txn = v->txn[number];
        /* Those that were not read have numbers as they were appended. */
        if (next != HISTORY_NONE && number > next && next < end) {
            l->flags[key] |= LIST_DEFECTIVE;
            if (number >= end && !l->is_skipped)
                TRY(check_memory((void **)&l->is_skipped, v->count, sizeof *l->is_skipped, false,
                                 err));
            if (number >= end)
                l->is_skipped[number] = true;
        }
        next = number < next ? number : next;
    }
    return STATUS_OK;
}

static bool begins_with(struct elements list, struct elements beginning)
{
    return list.count >= beginning.count &&
           (beginning.count == 0 ||
            memcmp(list.at, beginning.at, beginning.count * sizeof *list.at) == 0);
}

static enum status order_key(struct infer *c, uint32_t key, struct ordering *o, struct error *err)
{
    const struct history *h = c->history;
    struct lists *l = c->lists;
    struct elements list = { 0 }, initial;

    TRY(lists_index(c, key, err));
    TRY(check_unique(c, key, err));
    if (!lists_elements(h, history_initial(h, key), &initial)) {
        c->key_kind[key] = KEY_UNJUDGED;
        infer_leave_out(c, "what was appended to %.*s, which at first is no list, has no order",
                    TEXT_PRINT(history_key(h, key)));
    }
    if (l->longest[key] != HISTORY_NONE)
        (void)lists_elements(h, history_value(h, l->longest[key]), &list);
    if (l->longest[key] != HISTORY_NONE && !begins_with(list, initial))
        l->flags[key] |= LIST_INCOMPATIBLE;
    if (c->key_kind[key] == KEY_LIST && !(l->flags[key] & LIST_INCOMPATIBLE))
        c->versions.chained[key] = chain(c, key, list);
    TRY(reorder(c, key, o, err));
    return find_skipped(c, key, err);
}

static enum status order_keys(struct infer *c, struct error *err)
{
    struct ordering o = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t key = 0; key < c->history->key_count && status == STATUS_OK; key++)
        if (c->key_kind[key] == KEY_LIST)
            status = order_key(c, key, &o, err);
    array_close(&o.op);
    array_close(&o.txn);
    array_close(&o.is_final);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

enum status lists_tell_read(struct infer *c, enum anomaly kind, uint32_t txn, uint32_t op,
                            uint32_t version, struct buffer *why, struct error *err)
{
    const struct history *h = c->history;
    struct wrong_read read = { .txn = txn,
                               .op = op,
                               .key = h->op_key[op],
                               .version_is_known = version != HISTORY_NONE,
                               .version = version };
    uint32_t txns[] = { txn, read.version_is_known ? history_txn_of(h, version) : txn };
    struct buffer proof = { 0 };

    proof_read(&proof, h, &read);
    return infer_tell(c, kind, txns, txns[0] == txns[1] ? 1 : 2, why, &proof, err);
}

static bool has_lists(const struct infer *c)
{
    for (uint32_t key = 0; key < c->history->key_count; key++)
        if (c->key_kind[key] == KEY_LIST)
            return true;
    return false;
}

static enum status open_lists(struct infer *c, struct error *err)
{
    const struct history *h = c->history;
    struct lists *l = NULL;
    size_t keys = h->key_count;

    TRY(check_memory((void **)&l, 1, sizeof *l, 0, err));
    c->lists = l;
    TRY(check_memory((void **)&l->longest, keys, sizeof *l->longest, 0xff, err));
    TRY(check_memory((void **)&l->length, keys, sizeof *l->length, 0, err));
    TRY(check_memory((void **)&l->flags, keys, 1, 0, err));
    TRY(check_memory((void **)&l->tail_readers, keys, sizeof *l->tail_readers, 0, err));
    TRY(check_memory((void **)&l->known, h->list_count, sizeof *l->known, 0, err));
    return check_memory((void **)&l->number_at, c->versions.count, sizeof *l->number_at, 0xff,
                        err);
}

void infer_close_lists(struct infer *c)
{
    struct lists *l = c->lists;

    if (!l)
        return;
    free(l->longest);
    free(l->length);
    free(l->number_at);
    free(l->is_skipped);
    free(l->flags);
    free(l->known);
    map_close(&l->known_too);
    array_close(&l->suspects);
    free(l->tail_readers);
    free(l->next);
    free(l->hub);
    array_close(&l->index.at);
    free(l);
    c->lists = NULL;
}

enum status infer_read_lists(struct infer *c, struct error *err)
{
    if (!has_lists(c))
        return STATUS_OK;
    TRY(open_lists(c, err));
    find_longest(c);
    TRY(order_keys(c, err));
    TRY(lists_walk(c, err));
    return c->is_stopped ? STATUS_OK : lists_judge_suspects(c, err);
}
