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
#include <inttypes.h>
#include <stdlib.h>

#include "checkers/infer/lists/lists_private.h"
#include "checkers/proof/tell.h"

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
    initial = lists_initial(c, key);
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
    (void)lists_elements(h, history_value(h, st->read), &before);
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
    (void)lists_elements(c->history, history_value(c->history, st->read), &before);
    if (before.count < own_before)
        return false;
    before.count -= own_before;
    return list.count - st->own > before.count &&
           (before.count == 0 ||
            memcmp(list.at, before.at, before.count * sizeof *list.at) == 0);
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
    tell_txn(&why, h, txn);
    buffer_text(&why, TEXT(" read "));
    tell_key_value(&why, h, h->op_key[op], history_value(h, op));
    if (st->read != HISTORY_NONE) {
        buffer_text(&why, TEXT(" after it had read "));
        tell_value(&why, h, history_value(h, st->read));
    }
    if (st->since > 0) {
        buffer_text(&why, st->read != HISTORY_NONE ? TEXT(" and appended ")
                                                   : TEXT(" after it had appended "));
        tell_own(&why, c, st);
    }
    return lists_tell_read(c, ANOMALY_INTERNAL, txn, op, HISTORY_NONE, &why, err);
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
    tell_txn(&why, h, txn);
    buffer_text(&why, TEXT(" read "));
    tell_key_value(&why, h, h->op_key[op], history_value(h, op));
    buffer_text(&why, TEXT(", which ends where "));
    tell_txn(&why, h, c->versions.txn[number]);
    buffer_text(&why, TEXT(" had not appended all of its own yet"));
    return lists_tell_read(c, ANOMALY_G1B, txn, op, c->versions.op[number], &why, err);
}

/* Of a beginning of the longest list, behind its own transaction's appends, if these are there. */
static enum status take_plain(struct list_walk *w, uint32_t txn, uint32_t op, struct elements list,
                              struct list_state *st, struct error *err)
{
    struct infer *c = w->infer;
    const struct inferred_versions *v = &c->versions;
    uint32_t key = c->history->op_key[op], start = v->start[key];
    uint32_t shown = list.count - lists_initial(c, key).count, number;

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
    bool is_like = lists_elements(c->history, history_value(c->history, op), &list);
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
    tell_txn(&why, h, txn);
    buffer_text(&why, TEXT(" read "));
    tell_key_value(&why, h, h->op_key[op], history_value(h, op));
    buffer_text(&why, TEXT(" before it appended "));
    tell_value(&why, h, history_value(h, append));
    return lists_tell_read(c, ANOMALY_FUTURE_READ, txn, op, append, &why, err);
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

enum status lists_walk(struct infer *c, struct error *err)
{
    struct list_walk w = { .infer = c };
    enum status status = walk(&w, err);

    free(w.states);
    return status;
}
