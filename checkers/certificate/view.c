/*
 * Which version an operation sees of a key: docs/format-jsonl.md, Versions.
 */
#include <inttypes.h>

#include "checkers/certificate/certificate_private.h"
#include "checkers/proof/tell.h"

#define SET_SCANNED_MAX 8 /* entries: more are remembered by key */

size_t certificate_find_set(const struct history *h, uint32_t op)
{
    size_t low = 0, high = h->set_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (h->set_op[middle] < op)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->set_count && h->set_op[low] == op ? low : h->set_count;
}

enum status certificate_view(const struct certificate *c, uint32_t txn, uint32_t op,
                             struct certified_view *view, struct error *err)
{
    const struct history *h = c->history;
    struct place place;

    *view = (struct certified_view){ .seen = c->txn_seen[txn] };
    if (h->set_count > 0) {
        view->set = certificate_find_set(h, op);
        view->is_set = view->set < h->set_count;
        if (view->is_set)
            return STATUS_OK;
    }
    if (h->op_snapshot) {
        place = history_op_snapshot(h, txn, op);
        if (place.parts > 0)
            view->seen = places_up_to(&c->places, place, c->places.position[txn]);
    }
    if (view->seen == HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the certificate is not full: operation %" PRIu32
                         " of transaction %" PRId64 " has no version set, neither by a \"set\" or "
                         "\"snapshot\" of its own, nor by a \"snapshot\" or \"ts\" of its "
                         "transaction",
                         tell_op_number(h, txn, op), h->txn_id[txn]);
    if (c->versions.unplaced != HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the certificate is not full: transaction %" PRId64
                         " reads by place, and transaction %" PRId64 ", which wrote, has no \"ts\"",
                         h->txn_id[txn], h->txn_id[c->versions.unplaced]);
    return STATUS_OK;
}

/* Where the entries of a large set stand by key. */
static void remember_set(struct certificate *c, uint64_t set)
{
    const struct history *h = c->history;

    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        c->set_of_key[h->set_key[i]] = (uint32_t)set + 1;
        c->entry_of_key[h->set_key[i]] = (uint32_t)(i - h->set_start[set]);
    }
    c->remembered_set = (uint32_t)set + 1;
}

/* The place of the key's entry; the set's end: it has none. */
static uint64_t find_entry(struct certificate *c, uint64_t set, uint32_t key)
{
    const struct history *h = c->history;
    uint64_t i = h->set_start[set], end = h->set_start[set + 1];

    if (end - i <= SET_SCANNED_MAX) {
        while (i < end && h->set_key[i] != key)
            i++;
        return i;
    }
    if (c->remembered_set != set + 1)
        remember_set(c, set);
    return c->set_of_key[key] == set + 1 ? i + c->entry_of_key[key] : end;
}

static void look_in_set(struct certificate *c, uint64_t set, struct sight *s)
{
    const struct history *h = c->history;
    uint64_t entry = find_entry(c, set, s->key);

    s->number = VERSION_FIRST; /* what a set leaves out */
    if (entry == h->set_start[set + 1] || h->set_version[entry] == VERSION_INITIAL)
        return;
    s->unreal = h->set_version[entry];
    s->number = c->versions.number[s->unreal];
    s->is_unreal = s->number == HISTORY_NONE || certificate_writer(c, s->number) == s->txn;
}

/* The last of the key's versions, by place, that are among the first `seen`. */
static uint32_t look_by_place(const struct certificate *c, const struct sight *s, uint32_t seen)
{
    const struct certified_versions *v = &c->versions;
    uint32_t from = v->start[s->key], low = from, high = v->start[s->key + 1];
    const uint32_t *by_place = v->is_sorted[s->key] ? NULL : v->by_place;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t number = by_place ? by_place[middle] : middle;

        if (v->rank[number] < seen)
            low = middle + 1;
        else
            high = middle;
    }
    /* Its own is there by its own rules only. */
    if (low > from && certificate_writer(c, by_place ? by_place[low - 1] : low - 1) == s->txn)
        low--;
    if (low == from)
        return VERSION_FIRST;
    return by_place ? by_place[low - 1] : low - 1;
}

/* The same, from where the walk is: most look there, or a little way back. */
static uint32_t look_around(const struct certificate *c, const struct sight *s, uint32_t seen)
{
    const struct certified_versions *v = &c->versions;
    uint32_t number = c->walked[s->key].latest;

    if (seen == c->places.position[s->txn])
        return number;
    if (seen > c->places.position[s->txn] || !v->is_sorted[s->key])
        return look_by_place(c, s, seen);
    for (unsigned tries = 0; tries < 16; tries++) {
        if (number == VERSION_FIRST || v->rank[number] < seen)
            return number;
        number = number == v->start[s->key] ? VERSION_FIRST : number - 1;
    }
    return look_by_place(c, s, seen);
}

struct sight certificate_look(struct certificate *c, const struct certified_view *view,
                              uint32_t txn, uint32_t op, uint32_t key)
{
    const struct history *h = c->history;
    struct sight s = { .txn = txn, .op = op, .key = key };
    uint32_t own = c->walked[key].own;

    s.is_own = own >= h->txn_op[txn] && own < op && own != HISTORY_NONE;
    if (s.is_own)
        return s;
    if (view->is_set)
        look_in_set(c, view->set, &s);
    else if (c->places.position[txn] == HISTORY_NONE)
        s.number = look_by_place(c, &s, view->seen);
    else
        s.number = look_around(c, &s, view->seen);
    return s;
}

/* --- What is there ---------------------------------------------------------------- */

/*
 * What comes behind each write of the transaction, gathered from the last to the
 * first when one of its own writes is looked at.
 */
static enum status note_own_writes(struct certificate *c, uint32_t txn, struct error *err)
{
    const struct history *h = c->history;
    uint32_t first = h->txn_op[txn], count = h->txn_op[txn + 1] - first;

    if (c->own_writes.count > 0 && c->own_writes_txn == txn)
        return STATUS_OK;
    if (!c->own_last)
        TRY(check_memory((void **)&c->own_last, h->key_count, sizeof *c->own_last, 0xff, err));
    c->own_writes.count = 0;
    TRY(array_reserve(&c->own_writes, count, err));
    for (uint32_t op = first + count; op-- > first;) {
        struct own_write *last, *here = &c->own_writes.at[op - first];

        if (!history_makes_version(h, op))
            continue;
        last = &c->own_last[h->op_key[op]];
        *here =
            last->txn == txn ? *last : (struct own_write){ txn, c->versions.number[op], 0, true };
        *last = *here;
        last->later++;
        last->only_appends &= h->op_kind[op] == OP_APPEND;
    }
    for (uint32_t op = first; op < first + count; op++) /* for the next time it is asked */
        if (history_makes_version(h, op))
            c->own_last[h->op_key[op]].txn = HISTORY_NONE;
    c->own_writes.count = count;
    c->own_writes_txn = txn;
    return STATUS_OK;
}

/*
 * What the transaction made of the key so far, upon the version before its own. If
 * all it does from now on is appending, that is where its own version begins with.
 */
static enum status hold_own(struct certificate *c, const struct sight *s, struct held *held,
                            struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    uint32_t last = c->walked[s->key].own;
    struct own_write own;

    held->version = last;
    if (h->op_kind[last] != OP_APPEND)
        return contents_write(&c->contents, (struct content){ .kind = VALUE_NULL }, last,
                              &held->content, err);
    TRY(note_own_writes(c, s->txn, err));
    own = c->own_writes.at[last - h->txn_op[s->txn]];
    if (own.only_appends && v->content[own.number].kind == CONTENT_GROWN) {
        held->content = v->content[own.number];
        held->content.length -= own.later;
        return STATUS_OK;
    }
    held->content = certificate_content(
        c, s->key, own.number == v->start[s->key] ? VERSION_FIRST : own.number - 1);
    for (uint32_t op = h->txn_op[s->txn]; op <= last; op++)
        if (history_makes_version(h, op) && h->op_key[op] == s->key)
            TRY(contents_write(&c->contents, held->content, op, &held->content, err));
    return STATUS_OK;
}

enum status certificate_hold(struct certificate *c, const struct sight *s, struct held *held,
                             struct error *err)
{
    if (s->is_own)
        return hold_own(c, s, held, err);
    if (s->is_unreal) {
        *held = (struct held){ { .kind = VALUE_NONE }, s->unreal };
        return STATUS_OK;
    }
    *held = (struct held){ certificate_content(c, s->key, s->number),
                           certificate_version_op(c, s->number) };
    return STATUS_OK;
}
