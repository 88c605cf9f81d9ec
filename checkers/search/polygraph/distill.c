#include "checkers/search/polygraph/distill.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/values/values.h"

enum key_kind {
    KEY_REGISTER,
    KEY_LIST,    /* only appended to, and no element twice */
    KEY_STRANGE, /* appended to and written, or elements repeat: its reads are not judged */
};

/* The last write of a key by one transaction, which may yet turn out not to matter. */
struct final {
    uint32_t txn, key, op;
    uint32_t same; /* the next with the same key and value, or NOBODY */
};

struct outside_read {
    uint32_t txn, key, op;
    uint32_t length, own_count;                /* of a list: elements of others, and of its own */
    uint32_t candidate_start, candidate_count; /* finals, in `candidates`; NOBODY: initial */
};

/* What the transaction at hand has done with a key. */
struct own {
    uint32_t stamp; /* the transaction, plus one */
    uint32_t final, read;
};

struct distiller {
    struct distilled *d;
    const struct history *history;
    const struct places *places;
    struct arena *arena;
    const atomic_bool *stop;
    bool knows_whole_order; /* what version-order lines leave out did not commit */
    uint8_t *key_kind;
    ARRAY(struct final) finals;
    ARRAY(struct outside_read) reads;
    ARRAY(uint32_t) candidates;
    struct own *own;
    uint32_t *final_of_op; /* by write: its transaction's final of the key; or NOBODY: aborted */
    uint8_t *is_read_from; /* by transaction: of unknown ones */
    uint32_t *slots;       /* of the table of values: a final plus one, or 0 */
    uint64_t slot_mask;
    struct list_element *elements; /* of the table of elements */
    uint64_t element_mask;
    uint32_t *shown_by; /* by append: the read that has it, plus one */
};

/* An element of a list, and the append that put it there. */
struct list_element {
    uint32_t key, op; /* op NOBODY: free; op VERSION_INITIAL - 1: of the initial list */
    int64_t element;
};

#define OF_INITIAL (NOBODY - 1)

static inline bool distill_counts_write(const struct history *h, uint32_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

/* The final that a version of a version order is; NOBODY: none, or the initial one. */
static inline uint32_t distill_final_at(const struct distiller *s, uint32_t op)
{
    uint32_t final = op == VERSION_INITIAL ? NOBODY : s->final_of_op[op];

    return final != NOBODY && s->finals.at[final].op == op ? final : NOBODY;
}

/* --- Values -------------------------------------------------------------------- */

/*
 * Which final writes hold a value: a table over (key, value), where equal ones are linked.
 */

static uint64_t slot_of(const struct distiller *s, uint32_t key, struct value value)
{
    return hash_number(values_hash(s->history, value) + hash_number(key)) & s->slot_mask;
}

/* The slot of the key's value, or the free one where it would stand. */
static uint32_t *seek(const struct distiller *s, uint32_t key, struct value value)
{
    uint64_t slot = slot_of(s, key, value);

    for (; s->slots[slot] != 0; slot = (slot + 1) & s->slot_mask) {
        const struct final *f = &s->finals.at[s->slots[slot] - 1];

        if (f->key == key &&
            values_same(s->history, history_value(s->history, f->op), value))
            break;
    }
    return &s->slots[slot];
}

static enum status distill_index_values(struct distiller *s, struct error *err)
{
    uint64_t room = 16;

    while (room < 2 * (uint64_t)s->finals.count)
        room *= 2;
    s->slot_mask = room - 1;
    TAKE(s->arena, s->slots, room, err);
    /* From behind, so that equal ones are found in the order of the history. */
    for (size_t i = s->finals.count; i-- > 0;) {
        struct final *f = &s->finals.at[i];
        uint32_t *slot;

        if (s->key_kind[f->key] != KEY_REGISTER)
            continue;
        slot = seek(s, f->key, history_value(s->history, f->op));
        f->same = *slot == 0 ? NOBODY : *slot - 1;
        *slot = (uint32_t)i + 1;
    }
    return STATUS_OK;
}

/* The first final of the key with this value, or NOBODY. */
static uint32_t distill_find_value(struct distiller *s, uint32_t key, struct value value)
{
    uint32_t slot = *seek(s, key, value);

    return slot == 0 ? NOBODY : slot - 1;
}

/* --- Version order ------------------------------------------------------------- */

/*
 * What is given of the version order: pairs of versions next to each other, all or a share.
 */

struct sampling {
    struct ratio share;
    struct random_key key;
    uint64_t ordinal;
    bool takes_all;
};

static bool is_drawn(struct sampling *sampling)
{
    uint64_t word = random_draw_at(&sampling->key, sampling->ordinal++);

    return sampling->takes_all || random_word_below(word, sampling->share);
}

static void add_line(struct distiller *s, size_t line, struct sampling *sampling,
                     const uint32_t *version_of_final)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    uint32_t key = h->order_key[line], before = NOBODY, count = 0, kept = 0;

    for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
        uint32_t final = distill_final_at(s, h->order_version[i]);
        uint32_t version = final == NOBODY ? NOBODY : version_of_final[final];

        if (version == NOBODY)
            continue;
        if (before != NOBODY && is_drawn(sampling)) {
            d->pair_first[d->pair_count] = before;
            d->pair_second[d->pair_count++] = version;
            kept++;
        }
        before = version;
        count++;
    }
    d->key_is_ordered[key] =
        kept + 1 == count && count + 1 == d->key_start[key + 1] - d->key_start[key];
}

static enum status distill_version_order(struct distiller *s, const struct distill_options *options,
                                         const uint32_t *version_of_final, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    struct random_key root = random_key_of_seed(options->seed);
    struct sampling sampling = { .share = options->version_order };

    sampling.key = random_key_fork(&root, "blackbox/version-order");
    sampling.takes_all = options->version_order.numerator == options->version_order.denominator;
    TAKE(s->arena, d->key_is_ordered, d->key_count, err);
    TAKE(s->arena, d->pair_first, h->order_version_count, err);
    TAKE(s->arena, d->pair_second, h->order_version_count, err);
    /* Drawn one after the other: without any to draw there is nothing to do. */
    for (size_t line = 0;
         line < h->order_count && (sampling.takes_all || sampling.share.numerator > 0); line++)
        add_line(s, line, &sampling, version_of_final);
    return STATUS_OK;
}

/* --- Lists --------------------------------------------------------------------- */

/*
 * Lists that are only appended to, and have no element twice: what a read shows is whose
 * append came last, and the order of all before it.
 */

/* --- Elements --------------------------------------------------------------------- */

static struct list_element *seek_element(const struct distiller *s, uint32_t key, int64_t element)
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
    return seek_element(s, key, element)->op;
}

static void add_element(struct distiller *s, uint32_t key, int64_t element, uint32_t op)
{
    struct list_element *at = seek_element(s, key, element);

    if (at->op != NOBODY)
        s->key_kind[key] = KEY_STRANGE;
    else
        *at = (struct list_element){ key, op, element };
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
            struct list_element *at = seek_element(s, h->op_key[op], h->op_value[op]);

            if (at->op == NOBODY)
                *at = (struct list_element){ h->op_key[op], op, h->op_value[op] };
        }
}

static enum status distill_judge_keys(struct distiller *s, struct error *err)
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

/* How many of the read's elements are the transaction's own, for the one that is passed through;
 * false: they contradict it. */
static bool distill_own_elements(const struct distiller *s, uint32_t txn, uint32_t op, uint32_t *count)
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

/* The final that the list ends with, as candidate; false: there is none. */
static bool distill_find_list(struct distiller *s, const struct outside_read *r, uint32_t *final)
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

/* What lists show, once versions and reads are numbered. */
static enum status distill_show_lists(struct distiller *s, const uint32_t *version_of_final,
                                      struct error *err)
{
    struct show w = { .s = s, .version_of_final = version_of_final };
    enum status status = show_all(&w, err);

    array_close(&w.shown);
    return status;
}

/* --- Distilling ---------------------------------------------------------------- */

#define CANDIDATES_MAX ((size_t)1 << 28) /* 1 GiB: beyond that nobody has the memory */

enum status distill_take(struct arena *arena, void **at, size_t count, size_t size,
                         struct error *err)
{
    void *taken = arena_push(arena, count, size);

    if (!taken)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu elements of %zu bytes", count,
                         size);
    /* Copied as bytes, because the caller's pointer has a type of its own. */
    memcpy(at, &taken, sizeof taken);
    return STATUS_OK;
}

void distill_close(struct distilled *d)
{
    array_close(&d->faults);
}

/* --- Within transactions ---------------------------------------------------------- */

static enum status add_fault(struct distiller *s, uint32_t txn, uint32_t op, enum fault_kind kind,
                             struct error *err)
{
    struct fault fault = { txn, op, (uint8_t)kind,
                           s->key_kind[s->history->op_key[op]] == KEY_LIST,
                           s->history->op_key[op] };

    return array_push(&s->d->faults, fault, err);
}

static struct own *own_of(struct distiller *s, uint32_t txn, uint32_t key)
{
    struct own *own = &s->own[key];

    if (own->stamp != txn + 1)
        *own = (struct own){ txn + 1, NOBODY, NOBODY };
    return own;
}

static enum status pass_write(struct distiller *s, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = s->history->op_key[op];
    struct own *own = own_of(s, txn, key);

    if (own->final != NOBODY) {
        s->finals.at[own->final].op = op;
        s->final_of_op[op] = own->final;
        return STATUS_OK;
    }
    own->final = s->final_of_op[op] = (uint32_t)s->finals.count;
    return array_push(&s->finals, ((struct final){ txn, key, op, NOBODY }), err);
}

static bool agrees_with_earlier(const struct distiller *s, const struct own *own, uint32_t op,
                                uint32_t length)
{
    const struct history *h = s->history;
    const struct outside_read *r = &s->reads.at[own->read];

    if (s->key_kind[h->op_key[op]] == KEY_REGISTER)
        return values_same(h, history_value(h, r->op), history_value(h, op));
    return r->length == length &&
           (length == 0 || memcmp(h->list_element + h->list_start[h->op_value[r->op]],
                                  h->list_element + h->list_start[h->op_value[op]],
                                  length * sizeof *h->list_element) == 0);
}

static enum status pass_read(struct distiller *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->history;
    uint32_t key = h->op_key[op], own_count = 0, length = 0;
    struct own *own = own_of(s, txn, key);
    struct outside_read read = { .txn = txn, .key = key, .op = op };

    if (s->key_kind[key] == KEY_STRANGE) {
        s->d->strange_key = key;
        return STATUS_OK;
    }
    if (s->key_kind[key] == KEY_REGISTER && own->final != NOBODY) {
        bool is_own = values_same(h, history_value(h, s->finals.at[own->final].op),
                                         history_value(h, op));

        return is_own ? STATUS_OK : add_fault(s, txn, op, FAULT_OF_ITS_OWN, err);
    }
    if (s->key_kind[key] == KEY_LIST) {
        if (!distill_own_elements(s, txn, op, &own_count))
            return add_fault(s, txn, op, own->final != NOBODY ? FAULT_OF_ITS_OWN : FAULT_NO_WRITER,
                             err);
        if (h->op_value_kind[op] == VALUE_LIST)
            length =
                (uint32_t)(h->list_start[h->op_value[op] + 1] - h->list_start[h->op_value[op]]) -
                own_count;
    }
    if (own->read != NOBODY && s->reads.at[own->read].own_count == own_count) {
        if (agrees_with_earlier(s, own, op, length))
            return STATUS_OK;
        /* Behind appends of its own, two reads are two reads of what others appended. */
        if (own_count == 0)
            return add_fault(s, txn, op, FAULT_OF_ITS_OWN, err);
    }
    own->read = (uint32_t)s->reads.count;
    read.length = length;
    read.own_count = own_count;
    return array_push(&s->reads, read, err);
}

static enum status pass_txn(struct distiller *s, uint32_t txn, struct error *err)
{
    const struct history *h = s->history;
    bool is_judged = h->txn_status[txn] == TXN_OK;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->op_flags[op] & OP_ERROR)
            continue;
        if (op_is_write(h->op_kind[op]))
            TRY(pass_write(s, txn, op, err));
        else if (is_judged && op_is_read(h->op_kind[op]) && h->op_value_kind[op] != VALUE_NONE)
            TRY(pass_read(s, txn, op, err));
    }
    return STATUS_OK;
}

static bool is_stopped(struct distiller *s, size_t step)
{
    if (step % 4096 == 0 && s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
        s->d->is_stopped = true;
    return s->d->is_stopped;
}

/* Only a whole version order can leave somebody out. */
static bool may_have_committed(const struct distiller *s, uint32_t txn)
{
    return s->knows_whole_order ? s->places->standing[txn] != STANDING_OUT
                                : s->history->txn_status[txn] != TXN_ABORT;
}

static enum status pass(struct distiller *s, struct error *err)
{
    const struct history *h = s->history;

    TAKE(s->arena, s->own, h->key_count, err);
    TAKE(s->arena, s->final_of_op, h->op_count, err);
    memset(s->final_of_op, 0xff, h->op_count * sizeof *s->final_of_op);
    for (uint32_t txn = 0; txn < h->txn_count && !is_stopped(s, txn); txn++)
        if (may_have_committed(s, txn))
            TRY(pass_txn(s, txn, err));
    return STATUS_OK;
}

/* --- Candidates ------------------------------------------------------------------- */

static enum status find_candidates(struct distiller *s, struct outside_read *r, struct error *err)
{
    const struct history *h = s->history;
    struct value value = history_value(h, r->op);
    uint32_t final;

    r->candidate_start = (uint32_t)s->candidates.count;
    if (s->key_kind[r->key] == KEY_LIST) {
        if (distill_find_list(s, r, &final))
            TRY(array_push(&s->candidates, final, err));
    } else {
        if (values_same(h, history_initial(h, r->key), value))
            TRY(array_push(&s->candidates, NOBODY, err));
        for (final = distill_find_value(s, r->key, value); final != NOBODY;
             final = s->finals.at[final].same) {
            uint32_t txn = s->finals.at[final].txn;

            if (txn == r->txn)
                continue;
            s->is_read_from[txn] = 1;
            if (s->candidates.count == CANDIDATES_MAX) {
                s->d->is_too_large = true;
                return STATUS_OK;
            }
            TRY(array_push(&s->candidates, final, err));
        }
    }
    r->candidate_count = (uint32_t)s->candidates.count - r->candidate_start;
    return r->candidate_count > 0 ? STATUS_OK : add_fault(s, r->txn, r->op, FAULT_NO_WRITER, err);
}

/* --- The whole -------------------------------------------------------------------- */

/* What a version order lists has committed, and stands where it stands. */
static void note_listed(struct distiller *s)
{
    const struct history *h = s->history;

    for (size_t i = 0; i < h->order_version_count; i++) {
        uint32_t final = distill_final_at(s, h->order_version[i]);

        if (final != NOBODY)
            s->is_read_from[s->finals.at[final].txn] = 1;
    }
}

/* Whatever an unknown transaction left of a row, some statement may have seen. */
static void note_writers_of_rows(struct distiller *s)
{
    for (size_t i = 0; i < s->finals.count; i++)
        if (s->key_kind[s->finals.at[i].key] == KEY_REGISTER)
            s->is_read_from[s->finals.at[i].txn] = 1;
}

static enum status number_actors(struct distiller *s, uint32_t **actor_of, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;

    TAKE(s->arena, *actor_of, h->txn_count, err);
    TAKE(s->arena, d->actor_txn, h->txn_count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        bool acts =
            h->txn_status[txn] == TXN_OK || (may_have_committed(s, txn) && s->is_read_from[txn]);

        (*actor_of)[txn] = acts ? d->actor_count : NOBODY;
        if (acts)
            d->actor_txn[d->actor_count++] = txn;
    }
    return STATUS_OK;
}

static enum status lay_out_versions(struct distiller *s, const uint32_t *actor_of,
                                    uint32_t *version_of_final, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    uint32_t *next = NULL;

    d->key_count = (uint32_t)h->key_count;
    TAKE(s->arena, d->key_name, d->key_count, err);
    TAKE(s->arena, d->key_start, (size_t)d->key_count + 1, err);
    TAKE(s->arena, next, d->key_count, err);
    for (size_t i = 0; i < s->finals.count; i++)
        d->key_start[s->finals.at[i].key + 1] += actor_of[s->finals.at[i].txn] != NOBODY;
    for (uint32_t key = 0; key < d->key_count; key++) {
        d->key_name[key] = key;
        d->key_start[key + 1] += d->key_start[key] + 1;
        next[key] = d->key_start[key] + 1;
    }
    d->version_count = d->key_start[d->key_count];
    TAKE(s->arena, d->version_actor, d->version_count, err);
    TAKE(s->arena, d->version_op, d->version_count, err);
    TAKE(s->arena, d->version_key, d->version_count, err);
    for (uint32_t key = 0; key < d->key_count; key++) {
        d->version_actor[d->key_start[key]] = NOBODY;
        d->version_op[d->key_start[key]] = VERSION_INITIAL;
        d->version_key[d->key_start[key]] = key;
    }
    for (size_t i = 0; i < s->finals.count; i++) {
        const struct final *f = &s->finals.at[i];

        version_of_final[i] = NOBODY;
        if (actor_of[f->txn] == NOBODY)
            continue;
        version_of_final[i] = next[f->key]++;
        d->version_actor[version_of_final[i]] = actor_of[f->txn];
        d->version_op[version_of_final[i]] = f->op;
        d->version_key[version_of_final[i]] = f->key;
    }
    return STATUS_OK;
}

static enum status take_reads(struct distilled *d, size_t count, size_t candidate_count,
                              struct arena *arena, struct error *err)
{
    TAKE(arena, d->read_actor, count, err);
    TAKE(arena, d->read_op, count, err);
    TAKE(arena, d->read_key, count, err);
    TAKE(arena, d->read_length, count, err);
    TAKE(arena, d->read_source, count, err);
    TAKE(arena, d->candidate_start, count + 1, err);
    TAKE(arena, d->candidates, candidate_count, err);
    TAKE(arena, d->key_list, d->key_count, err);
    memset(d->key_list, 0xff, d->key_count * sizeof *d->key_list);
    return STATUS_OK;
}

static void note_list(struct distilled *d, uint32_t read)
{
    uint32_t *longest = &d->key_list[d->read_key[read]];

    if (*longest == NOBODY || d->read_length[read] > d->read_length[*longest])
        *longest = read;
}

static enum status lay_out_reads(struct distiller *s, const uint32_t *actor_of,
                                 const uint32_t *version_of_final, struct error *err)
{
    struct distilled *d = s->d;
    uint32_t used = 0;

    TRY(take_reads(d, s->reads.count, s->candidates.count, s->arena, err));
    for (size_t i = 0; i < s->reads.count; i++) {
        const struct outside_read *r = &s->reads.at[i];
        uint32_t read = d->read_count, first = d->key_start[r->key];

        if (r->candidate_count == 0)
            continue;
        d->read_actor[read] = actor_of[r->txn];
        d->read_op[read] = r->op;
        d->read_key[read] = r->key;
        d->read_length[read] = r->length;
        d->read_source[read] = NOBODY;
        d->candidate_start[read] = used;
        for (uint32_t c = r->candidate_start; c < r->candidate_start + r->candidate_count; c++) {
            uint32_t final = s->candidates.at[c];

            d->candidates[used++] = final == NOBODY ? first : version_of_final[final];
        }
        if (r->candidate_count == 1)
            d->read_source[read] = d->candidates[--used];
        d->candidate_start[++d->read_count] = used;
        if (s->key_kind[r->key] == KEY_LIST)
            note_list(d, read);
    }
    return STATUS_OK;
}

static enum status lay_out(struct distiller *s, const struct distill_options *options,
                           struct error *err)
{
    uint32_t *actor_of = NULL, *version_of_final = NULL;

    TRY(number_actors(s, &actor_of, err));
    TAKE(s->arena, version_of_final, s->finals.count, err);
    TRY(lay_out_versions(s, actor_of, version_of_final, err));
    TRY(lay_out_reads(s, actor_of, version_of_final, err));
    TRY(distill_show_lists(s, version_of_final, err));
    return distill_version_order(s, options, version_of_final, err);
}

static enum status distill_all(struct distiller *s, const struct distill_options *options,
                               struct error *err)
{
    const struct history *h = s->history;

    TRY(distill_judge_keys(s, err));
    TRY(pass(s, err));
    if (s->d->is_stopped)
        return STATUS_OK;
    TRY(distill_index_values(s, err));
    TAKE(s->arena, s->is_read_from, h->txn_count, err);
    note_listed(s);
    if (options->takes_statements)
        note_writers_of_rows(s);
    /* One read may have as many candidates as there are transactions: stopped at each. */
    for (size_t i = 0; i < s->reads.count && !s->d->is_too_large && !is_stopped(s, 0); i++)
        TRY(find_candidates(s, &s->reads.at[i], err));
    return s->d->is_stopped || s->d->is_too_large ? STATUS_OK : lay_out(s, options, err);
}

enum status distill(struct distilled *d, const struct history *h, const struct places *places,
                    const struct distill_options *options, struct arena *arena, struct error *err)
{
    struct distiller s = { .d = d, .history = h, .places = places, .arena = arena };
    enum status status;

    s.stop = options->stop;
    s.knows_whole_order = options->keeps_standing ||
                          options->version_order.numerator == options->version_order.denominator;
    *d = (struct distilled){ .history = h, .strange_key = HISTORY_NONE };
    status = distill_all(&s, options, err);
    array_close(&s.finals);
    array_close(&s.reads);
    array_close(&s.candidates);
    return status;
}
