/*
 * Lists that are only appended to, and have no element twice: what a read shows is whose
 * append came last, and the order of all before it.
 */
#include <string.h>

#include "base/hash.h"
#include "checkers/search/polygraph/distill_private.h"

/* --- Elements --------------------------------------------------------------------- */

static struct element *seek(const struct distiller *s, uint32_t key, int64_t element)
{
    uint64_t slot = hash_number((uint64_t)element + hash_number(key)) & s->element_mask;

    for (; s->elements[slot].op != NOBODY; slot = (slot + 1) & s->element_mask)
        if (s->elements[slot].key == key && s->elements[slot].element == element)
            break;
    return &s->elements[slot];
}

/* The append of an element, OF_INITIAL, or NOBODY. */
static uint32_t find_element(const struct distiller *s, uint32_t key, int64_t element)
{
    return seek(s, key, element)->op;
}

static void add_element(struct distiller *s, uint32_t key, int64_t element, uint32_t op)
{
    struct element *at = seek(s, key, element);

    if (at->op != NOBODY)
        s->key_kind[key] = KEY_STRANGE;
    else
        *at = (struct element){ key, op, element };
}

static void add_initial(struct distiller *s, uint32_t key)
{
    const struct history *h = s->history;
    struct value value = history_initial(h, key);

    if (value.kind != VALUE_LIST && value.kind != VALUE_NULL)
        s->key_kind[key] = KEY_STRANGE;
    if (value.kind != VALUE_LIST)
        return;
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
        add_element(s, key, h->list_element[i], OF_INITIAL);
}

static enum status make_table(struct distiller *s, uint64_t count, struct error *err)
{
    uint64_t room = 16;

    while (room < 2 * count)
        room *= 2;
    s->element_mask = room - 1;
    TAKE(s->arena, s->elements, room, err);
    memset(s->elements, 0xff, room * sizeof *s->elements);
    return STATUS_OK;
}

static uint64_t count_elements(struct distiller *s)
{
    const struct history *h = s->history;
    uint64_t count = 0;

    for (uint32_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_APPEND && distill_counts_write(h, op)) {
            s->key_kind[h->op_key[op]] = KEY_LIST;
            count++;
        }
    for (uint32_t key = 0; key < h->key_count && count > 0; key++) {
        struct value value = history_initial(h, key);

        if (s->key_kind[key] == KEY_LIST && value.kind == VALUE_LIST)
            count += h->list_start[value.bits + 1] - h->list_start[value.bits];
    }
    return count;
}

/* Heads of statements have no key. */
static bool is_written(const struct history *h, uint32_t op)
{
    return distill_counts_write(h, op) && h->op_kind[op] != OP_APPEND;
}

static void add_writes(struct distiller *s, uint32_t txn)
{
    const struct history *h = s->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->op_kind[op] == OP_APPEND && distill_counts_write(h, op))
            add_element(s, h->op_key[op], h->op_value[op], op);
        else if (is_written(h, op) && s->key_kind[h->op_key[op]] == KEY_LIST)
            s->key_kind[h->op_key[op]] = KEY_STRANGE;
    }
}

/* Nobody should have read them: they are known only where no other is like them. */
static void add_aborted(struct distiller *s, uint32_t txn)
{
    const struct history *h = s->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (h->op_kind[op] == OP_APPEND && distill_counts_write(h, op)) {
            struct element *at = seek(s, h->op_key[op], h->op_value[op]);

            if (at->op == NOBODY)
                *at = (struct element){ h->op_key[op], op, h->op_value[op] };
        }
}

enum status distill_judge_keys(struct distiller *s, struct error *err)
{
    const struct history *h = s->history;
    uint64_t count;

    TAKE(s->arena, s->key_kind, h->key_count, err);
    count = count_elements(s);
    if (count == 0)
        return STATUS_OK;
    TRY(make_table(s, count, err));
    TAKE(s->arena, s->shown_by, h->op_count, err);
    for (uint32_t key = 0; key < h->key_count; key++)
        if (s->key_kind[key] == KEY_LIST)
            add_initial(s, key);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] != TXN_ABORT)
            add_writes(s, txn);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_ABORT)
            add_aborted(s, txn);
    return STATUS_OK;
}

/* --- Reads ------------------------------------------------------------------------ */

/* A list's elements; null has none; false: it is no list. */
static bool elements_of(const struct history *h, uint32_t op, const int64_t **at, uint32_t *count)
{
    struct value value = history_value(h, op);

    *at = NULL;
    *count = 0;
    if (value.kind == VALUE_LIST) {
        *at = h->list_element + h->list_start[value.bits];
        *count = (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]);
    }
    return value.kind == VALUE_LIST || value.kind == VALUE_NULL;
}

bool distill_own_elements(const struct distiller *s, uint32_t txn, uint32_t op, uint32_t *count)
{
    const struct history *h = s->history;
    const int64_t *elements;
    uint32_t length, own = 0;

    *count = 0;
    if (!elements_of(h, op, &elements, &length))
        return false;
    if (s->own[h->op_key[op]].final == NOBODY)
        return true; /* it has not appended: transactions may be long */
    for (uint32_t i = op; i-- > h->txn_op[txn];) {
        if (h->op_kind[i] != OP_APPEND || !distill_counts_write(h, i) ||
            h->op_key[i] != h->op_key[op])
            continue;
        if (own == length || elements[length - 1 - own] != h->op_value[i])
            return false;
        own++;
    }
    *count = own;
    return true;
}

static bool begins_with_initial(const struct history *h, uint32_t key, const int64_t *elements,
                                uint32_t count, uint32_t *initial)
{
    struct value value = history_initial(h, key);

    *initial = 0;
    if (value.kind != VALUE_LIST)
        return true;
    *initial = (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]);
    return *initial <= count &&
           (*initial == 0 || memcmp(elements, h->list_element + h->list_start[value.bits],
                                    *initial * sizeof *elements) == 0);
}

/* The transaction's append of the key before this one, or NOBODY. */
static uint32_t append_before(const struct history *h, uint32_t txn, uint32_t op)
{
    for (uint32_t i = op; i-- > h->txn_op[txn];)
        if (h->op_kind[i] == OP_APPEND && distill_counts_write(h, i) &&
            h->op_key[i] == h->op_key[op])
            return i;
    return NOBODY;
}

bool distill_find_list(struct distiller *s, const struct outside_read *r, uint32_t *final)
{
    const struct history *h = s->history;
    const int64_t *elements;
    uint32_t count, initial, before = NOBODY;

    *final = NOBODY;
    elements_of(h, r->op, &elements, &count);
    if (!begins_with_initial(h, r->key, elements, r->length, &initial))
        return false;
    for (uint32_t i = initial; i < r->length; i++) {
        uint32_t op = find_element(s, r->key, elements[i]), txn;
        bool is_whole = *final == NOBODY || s->finals.at[*final].op == before;

        if (op == NOBODY || op == OF_INITIAL || s->shown_by[op] == r->op + 1)
            return false; /* of nobody, or here twice */
        s->shown_by[op] = r->op + 1;
        /* What a transaction appends is seen as a whole: each behind the one before it. */
        txn = history_txn_of(h, op);
        if (append_before(h, txn, op) != (is_whole ? NOBODY : before) ||
            (is_whole && *final != NOBODY && s->finals.at[*final].txn == txn))
            return false;
        *final = txn == r->txn ? NOBODY : s->final_of_op[op];
        if (*final == NOBODY)
            return false;
        s->is_read_from[txn] = 1;
        before = op;
    }
    return *final == NOBODY || s->finals.at[*final].op == before;
}

/* --- What they show ---------------------------------------------------------------- */

struct show {
    struct distiller *s;
    const uint32_t *version_of_final;
    ARRAY(struct shown) shown;
    uint32_t *place; /* by version: where it stands in the longest list, from 1; initial: 0 */
    uint32_t *seen;  /* by version: the read, plus one, whose list it was last seen in */
};

/* The version that put the element there which stands at this place of the read's list. */
static uint32_t version_at(const struct show *w, uint32_t read, uint32_t at)
{
    const struct distilled *d = w->s->d;
    const struct history *h = w->s->history;
    uint32_t key = d->read_key[read], op;

    op =
        find_element(w->s, key, h->list_element[h->list_start[h->op_value[d->read_op[read]]] + at]);
    if (op == OF_INITIAL)
        return d->key_start[key];
    return w->version_of_final[w->s->final_of_op[op]];
}

static enum status show_longest(struct show *w, uint32_t read, struct error *err)
{
    const struct distilled *d = w->s->d;
    uint32_t key = d->read_key[read], before = d->key_start[key], place = 0;

    for (uint32_t i = 0; i < d->read_length[read]; i++) {
        uint32_t version = version_at(w, read, i);

        if (version == before)
            continue;
        TRY(array_push(&w->shown, ((struct shown){ read, before, version, true }), err));
        w->place[version] = ++place;
        before = version;
    }
    for (uint32_t version = d->key_start[key] + 1; version < d->key_start[key + 1]; version++)
        if (w->place[version] == 0 && d->version_actor[version] != d->read_actor[read])
            TRY(array_push(&w->shown, ((struct shown){ read, NOBODY, version, false }), err));
    return STATUS_OK;
}

static bool is_beginning(const struct distilled *d, uint32_t read, uint32_t longest)
{
    const struct history *h = d->history;
    uint32_t length = d->read_length[read];

    return length == 0 || memcmp(h->list_element + h->list_start[h->op_value[d->read_op[read]]],
                                 h->list_element + h->list_start[h->op_value[d->read_op[longest]]],
                                 length * sizeof *h->list_element) == 0;
}

/* Of one that is no beginning of the longest list: where it differs, they refute each other. */
static enum status show_another(struct show *w, uint32_t read, struct error *err)
{
    const struct distilled *d = w->s->d;
    uint32_t key = d->read_key[read], before = d->key_start[key];

    if (is_beginning(d, read, d->key_list[key]))
        return STATUS_OK;
    for (uint32_t i = 0; i < d->read_length[read]; i++) {
        uint32_t version = version_at(w, read, i);

        w->seen[version] = read + 1;
        if (version != before)
            TRY(array_push(&w->shown, ((struct shown){ read, before, version, false }), err));
        before = version;
    }
    for (uint32_t version = d->key_start[key] + 1; version < d->key_start[key + 1]; version++)
        if (w->place[version] > 0 && w->seen[version] != read + 1 &&
            d->version_actor[version] != d->read_actor[read])
            TRY(array_push(&w->shown, ((struct shown){ read, NOBODY, version, false }), err));
    return STATUS_OK;
}

static enum status show_all(struct show *w, struct error *err)
{
    struct distilled *d = w->s->d;
    struct arena *arena = w->s->arena;

    TAKE(arena, w->place, d->version_count, err);
    TAKE(arena, w->seen, d->version_count, err);
    d->list_place = w->place;
    for (uint32_t key = 0; key < d->key_count; key++)
        if (d->key_list[key] != NOBODY)
            TRY(show_longest(w, d->key_list[key], err));
    for (uint32_t read = 0; read < d->read_count; read++)
        if (d->key_list[d->read_key[read]] != NOBODY && d->key_list[d->read_key[read]] != read)
            TRY(show_another(w, read, err));
    TAKE(arena, d->shown, w->shown.count, err);
    if (w->shown.count > 0)
        memcpy(d->shown, w->shown.at, w->shown.count * sizeof *d->shown);
    d->shown_count = (uint32_t)w->shown.count;
    return STATUS_OK;
}

enum status distill_show_lists(struct distiller *s, const uint32_t *version_of_final,
                               struct error *err)
{
    struct show w = { .s = s, .version_of_final = version_of_final };
    enum status status = show_all(&w, err);

    array_close(&w.shown);
    return status;
}
