/*
 * Infers the order of a list: the longest list that a committed transaction read of a key has its
 * elements in the order of their appends, and all others were appended later.
 */
#include "checkers/infer/lists/lists.h"

#include "base/bisect.h"
#include "checkers/infer/lists/lists_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/infer/lists/list_anomalies_private.h"
#include "checkers/proof/tell.h"

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
    BISECT(low, low, high, at[low].element < element);
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
        tell_print(&why, h,
                   "%T and %T both appended %W, where the history says that all are unique",
                   txns[0], txns[1], ops[0]);
        proof_writes(&proof, h, key, ops[0], ops[1]);
        return check_tell(c->check,
                          (struct discovery){ .kind = ANOMALY_DUPLICATE_WRITE, .txns = txns,
                                              .txn_count = txns[0] == txns[1] ? 1 : 2, .why = why,
                                              .proof = proof }, err);
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
    struct elements initial = values_initial(c->history, key);

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

    for (uint32_t i = values_initial(c->history, key).count; i < list.count; i++) {
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

static enum status order_key(struct infer *c, uint32_t key, struct ordering *o, struct error *err)
{
    const struct history *h = c->history;
    struct lists *l = c->lists;
    struct elements list = { 0 }, initial;

    TRY(lists_index(c, key, err));
    TRY(check_unique(c, key, err));
    if (!values_elements(h, history_initial(h, key), &initial)) {
        c->key_kind[key] = KEY_UNJUDGED;
        infer_leave_out(c, "what was appended to %.*s, which at first is no list, has no order",
                    TEXT_PRINT(history_key(h, key)));
    }
    if (l->longest[key] != HISTORY_NONE)
        (void)values_elements(h, history_value(h, l->longest[key]), &list);
    if (l->longest[key] != HISTORY_NONE && !values_begin(list, initial))
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

enum status lists_tell_read(struct infer *c, const struct list_fault *fault, struct buffer *why,
                            struct error *err)
{
    const struct history *h = c->history;
    struct wrong_read read = { .txn = fault->txn,
                               .op = fault->op,
                               .key = h->op_key[fault->op],
                               .version_is_known = fault->version != HISTORY_NONE,
                               .version = fault->version };
    uint32_t txns[] = { fault->txn,
                        read.version_is_known ? history_txn_of(h, fault->version) : fault->txn };
    struct buffer proof = { 0 };

    proof_read(&proof, h, &read);
    return check_tell(c->check,
                      (struct discovery){ .kind = fault->kind, .txns = txns,
                                          .txn_count = txns[0] == txns[1] ? 1 : 2, .why = *why,
                                          .proof = proof }, err);
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
    map_close(&l->dirty);
    array_close(&l->suspects);
    free(l->tail_readers);
    free(l->next);
    free(l->hub);
    array_close(&l->index.at);
    free(l);
    c->lists = NULL;
}

bool infer_read_is_dirty(const struct infer *c, uint32_t op)
{
    return c->lists && c->lists->dirty.keys.count > 0 && map_find(&c->lists->dirty, op, &(uint64_t){ 0 });
}

/* --- The walk over all reads --------------------------------------------------- */

/*
 * One walk over all transactions: each read of a list against the longest one.
 *
 *     longest   1 2 3 4 5
 *     read      1 2 3        a beginning of it: of the version that 3 made
 *     read      1 2 3 6      a suspect
 *
 * Where a transaction goes on with a list, it must find what it has seen and appended.
 * A list that ends with its own appends is no read from others.
 */

#define OWN_TOLD_MAX 12

/* What is known of a key while the walk goes on. */
struct list_state {
    uint32_t slot;     /* of the next append, counted through all keys */
    uint32_t txn;      /* whom the rest is about, plus one */
    uint32_t read;     /* its last read that did not contradict it, or HISTORY_NONE */
    uint32_t own;      /* its appends so far */
    uint32_t since;    /* those since its last read */
    uint32_t shown;    /* how many numbers of the key it has been shown at the most */
    uint32_t shown_by; /* the read that did */
    bool read_is_known; /* that is a beginning of the longest list */
    bool is_broken;     /* it has contradicted itself */
};

struct list_walk {
    struct infer *infer;
    struct list_state *states; /* by key */
};

static struct list_state *state_of(struct list_walk *w, uint32_t key, uint32_t txn)
{
    struct list_state *st = &w->states[key];

    if (st->txn != txn + 1)
        *st = (struct list_state){ .slot = st->slot, .txn = txn + 1, .read = HISTORY_NONE };
    return st;
}

/* --- Against the longest ------------------------------------------------------------ */

/* Whether it is a beginning of the key's longest list; asked once of each list and key. */
static enum status is_beginning(struct infer *c, uint32_t key, uint32_t op, bool *is,
                                struct error *err)
{
    const struct history *h = c->history;
    struct lists *l = c->lists;
    int64_t longest = h->op_value[l->longest[key]], list = h->op_value[op];
    uint64_t count = h->list_start[list + 1] - h->list_start[list];
    uint64_t name = (uint64_t)list << 32 | key;
    size_t place;

    *is = list == longest || count == 0 || l->known[list] == key + 1 ||
          (l->known_too.keys.count > 0 && map_find(&l->known_too, name, &(uint64_t){ 0 }));
    if (*is)
        return STATUS_OK;
    *is = memcmp(h->list_element + h->list_start[longest], h->list_element + h->list_start[list],
                 count * sizeof *h->list_element) == 0;
    if (!*is)
        return STATUS_OK;
    if (l->known[list] == 0)
        l->known[list] = key + 1;
    else
        return map_add(&l->known_too, name, 0, &place, err);
    return STATUS_OK;
}

static enum status is_plain(struct infer *c, uint32_t key, uint32_t op, struct elements list,
                            bool *is, struct error *err)
{
    struct elements initial;

    *is = false;
    if (c->lists->flags[key])
        return STATUS_OK;
    initial = values_initial(c->history, key);
    if (list.count < initial.count)
        return STATUS_OK;
    *is = true;
    return list.count > 0 ? is_beginning(c, key, op, is, err) : STATUS_OK;
}

static enum status suspect(struct infer *c, uint32_t txn, uint32_t op, bool is_plain_read,
                           struct error *err)
{
    const struct history *h = c->history;
    bool is_list = h->op_value_kind[op] == VALUE_LIST;
    struct suspect_read read = { .key = h->op_key[op],
                                 .list = is_list ? (uint32_t)h->op_value[op] : HISTORY_NONE,
                                 .txn = txn,
                                 .op = op,
                                 .is_plain = is_plain_read };

    return array_push(&c->lists->suspects, read, err);
}

/* --- Against its own transaction ---------------------------------------------------- */

/* Whether the list ends with what the transaction appended last. */
static bool ends_with_own(const struct infer *c, const struct list_state *st, uint32_t own,
                          struct elements list)
{
    const struct history *h = c->history;

    if (list.count < own)
        return false;
    for (uint32_t i = 1; i <= own; i++) {
        uint32_t number = c->lists->number_at[st->slot - i];

        if (h->op_value[c->versions.op[number]] != list.at[list.count - i])
            return false;
    }
    return true;
}

/* Of what it had read before, both known as beginnings of one list, or to be compared. */
static bool agrees(const struct infer *c, const struct list_state *st, uint32_t op,
                   struct elements list, bool is_known)
{
    const struct history *h = c->history;
    struct elements before;

    if (st->read == HISTORY_NONE)
        return ends_with_own(c, st, st->own, list);
    (void)values_elements(h, history_value(h, st->read), &before);
    if (list.count != before.count + st->since || !ends_with_own(c, st, st->since, list))
        return false;
    if ((is_known && st->read_is_known) || before.count == 0 ||
        (st->since == 0 && h->op_value[op] == h->op_value[st->read]))
        return true;
    return memcmp(list.at, before.at, before.count * sizeof *list.at) == 0;
}

/*
 * Whether others had appended since its last read, in front of its own appends, and nothing else is
 * wrong: where nobody keeps two writers apart, that is the version that it left.
 */
static bool has_grown(const struct infer *c, const struct list_state *st, struct elements list)
{
    struct elements before;
    uint32_t own_before = st->own - st->since;

    if (st->read == HISTORY_NONE || st->own == 0 || !ends_with_own(c, st, st->own, list))
        return false;
    (void)values_elements(c->history, history_value(c->history, st->read), &before);
    if (before.count < own_before)
        return false;
    before.count -= own_before;
    return list.count - st->own > before.count && values_begin(list, before);
}

/* The last of them, as lists are told. */
static void tell_own(struct buffer *why, const struct infer *c, const struct list_state *st)
{
    uint32_t count = st->since < OWN_TOLD_MAX ? st->since : OWN_TOLD_MAX;

    buffer_text(why, count < st->since ? TEXT("..., ") : TEXT(""));
    for (uint32_t i = count; i > 0; i--) {
        uint32_t number = c->lists->number_at[st->slot - i];

        tell_value(why, c->history, history_value(c->history, c->versions.op[number]));
        buffer_text(why, i > 1 ? TEXT(", ") : TEXT(""));
    }
}

static enum status tell_internal(struct infer *c, uint32_t txn, uint32_t op,
                                 const struct list_state *st, struct error *err)
{
    const struct history *h = c->history;
    struct buffer why = { 0 };

    if (!infer_finds(c, ANOMALY_INTERNAL))
        return STATUS_OK;
    tell_print(&why, h, "%T read %R", txn, op);
    if (st->read != HISTORY_NONE) {
        tell_print(&why, h, " after it had read %V", st->read);
    }
    if (st->since > 0) {
        buffer_text(&why, st->read != HISTORY_NONE ? TEXT(" and appended ")
                                                   : TEXT(" after it had appended "));
        tell_own(&why, c, st);
    }
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_INTERNAL, txn, op, HISTORY_NONE },
                           &why, err);
}

/* Levels of visibility alone let that be. */
static enum status tell_grown(struct infer *c, uint32_t txn, uint32_t op,
                              const struct list_state *st, struct error *err)
{
    uint64_t visibility = LEVEL_BIT(LEVEL_READ_ATOMIC) | LEVEL_BIT(LEVEL_CAUSAL) |
                          LEVEL_BIT(LEVEL_PREFIX);
    uint64_t left = visibility & ~c->ruled_out;

    if (visibility & LEVEL_BIT(c->options->level))
        infer_leave_out(c, "T%" PRId64 " read %.*s, and again behind its own appends, where others "
                           "had appended meanwhile: what it saw of these is not known",
                        c->history->txn_id[txn],
                        TEXT_PRINT(history_key(c->history, c->history->op_key[op])));
    else
        TRY(tell_internal(c, txn, op, st, err));
    c->ruled_out &= ~left;
    return STATUS_OK;
}

/* --- Reads and appends -------------------------------------------------------------- */

static enum status tell_intermediate(struct infer *c, uint32_t txn, uint32_t op, uint32_t number,
                                     struct error *err)
{
    const struct history *h = c->history;
    struct buffer why = { 0 };

    if (!infer_finds(c, ANOMALY_G1B))
        return STATUS_OK;
    tell_print(&why, h, "%T read %R, which ends where %T had not appended all of its own yet", txn,
               op, c->versions.txn[number]);
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_G1B, txn, op, c->versions.op[number] },
                           &why, err);
}

/* Of a beginning of the longest list, behind its own transaction's appends, if these are there. */
static enum status take_plain(struct list_walk *w, uint32_t txn, uint32_t op, struct elements list,
                              struct list_state *st, struct error *err)
{
    struct infer *c = w->infer;
    const struct inferred_versions *v = &c->versions;
    uint32_t key = c->history->op_key[op], start = v->start[key];
    uint32_t shown = list.count - values_initial(c->history, key).count, number;

    if (shown > st->shown) { /* told of when it comes to append that */
        st->shown = shown;
        st->shown_by = op;
    }
    shown -= st->own;
    number = shown == 0 ? INFER_INITIAL : start + shown - 1;
    /* What it shows behind its own appends, the order of versions says already. */
    if (st->own == 0) {
        c->read_number[op] = number;
        c->lists->tail_readers[key] += shown == v->chained[key];
    }
    if (number == INFER_INITIAL)
        return STATUS_OK;
    if (v->txn[number] == txn)
        return suspect(c, txn, op, true, err); /* it is about to append that only now */
    /* Where reads may contradict their own transaction, the order of appends tells of such lists: G0. */
    if (st->own > 0 && !(c->rules_out[ANOMALY_INTERNAL] & LEVEL_BIT(c->options->level)))
        return STATUS_OK;
    return v->is_final[number] ? STATUS_OK : tell_intermediate(c, txn, op, number, err);
}

static enum status walk_read(struct list_walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct infer *c = w->infer;
    uint32_t key = c->history->op_key[op];
    struct list_state *st = state_of(w, key, txn);
    struct elements list;
    bool is_like = values_elements(c->history, history_value(c->history, op), &list);
    bool is_known = false, contradicts = false;

    if (is_like)
        TRY(is_plain(c, key, op, list, &is_known, err));
    if (is_like && (st->read != HISTORY_NONE || st->own > 0))
        contradicts = !agrees(c, st, op, list, is_known);
    if (contradicts && has_grown(c, st, list))
        TRY(tell_grown(c, txn, op, st, err));
    else if (contradicts)
        TRY(tell_internal(c, txn, op, st, err));
    st->is_broken |= contradicts || !is_like;
    if (is_known && !st->is_broken)
        TRY(take_plain(w, txn, op, list, st, err));
    else
        TRY(suspect(c, txn, op, false, err));
    /* One that is wrong itself says nothing of those behind it. */
    if (!is_like || contradicts)
        return STATUS_OK;
    st->read = op;
    st->read_is_known = is_known;
    st->since = 0;
    return STATUS_OK;
}

static enum status tell_future(struct infer *c, uint32_t txn, uint32_t op, uint32_t append,
                               struct error *err)
{
    const struct history *h = c->history;
    struct buffer why = { 0 };

    c->read_number[op] = INFER_NOTHING; /* no version was such a list */
    if (!infer_finds(c, ANOMALY_FUTURE_READ))
        return STATUS_OK;
    tell_print(&why, h, "%T read %R before it appended %V", txn, op, append);
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_FUTURE_READ, txn, op, append },
                           &why, err);
}

static enum status walk_append(struct list_walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct infer *c = w->infer;
    uint32_t key = c->history->op_key[op], number;
    struct list_state *st = state_of(w, key, txn);

    number = c->lists->number_at[st->slot++];
    st->own++;
    st->since++;
    if (number - c->versions.start[key] < st->shown)
        return tell_future(c, txn, st->shown_by, op, err);
    return STATUS_OK;
}

static enum status walk_txn(struct list_walk *w, uint32_t txn, struct error *err)
{
    struct infer *c = w->infer;
    const struct history *h = c->history;
    bool reads = infer_is_committed(c, txn);

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if ((kind != OP_READ && kind != OP_APPEND) || h->op_flags[op] & OP_ERROR ||
            c->key_kind[h->op_key[op]] != KEY_LIST)
            continue;
        if (kind == OP_APPEND)
            TRY(walk_append(w, txn, op, err));
        else if (reads && h->op_value_kind[op] != VALUE_NONE)
            TRY(walk_read(w, txn, op, err));
    }
    return STATUS_OK;
}

static enum status walk(struct list_walk *w, struct error *err)
{
    struct infer *c = w->infer;
    const struct history *h = c->history;

    TRY(check_memory((void **)&w->states, h->key_count, sizeof *w->states, 0, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        w->states[key].slot = c->versions.start[key];
    for (uint32_t t = 0; t < h->txn_count; t++) {
        TRY(walk_txn(w, t, err));
        if (t % INFER_STEP == 0 && !infer_goes_on(c, "what lists show", t))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status lists_walk(struct infer *c, struct error *err)
{
    struct list_walk w = { .infer = c };
    enum status status = walk(&w, err);

    free(w.states);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

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
