/*
 * Finds an order of all operations on sets and counters, where there is one: the witness of a
 * valid verdict.
 *
 *     add s 1   add s 2   r s {1}   add s 3   r s {1 2 3}        1, {1}, 2 3, {1 2 3}
 *     add c 5   add c 2   r c 5     r c 7                        5, r 5, 2, r 7
 *
 * Sets are read from small to large, each with all that the one before has, and what was added
 * comes before the first read that has it, or behind them all: these are the *layers* of a key, and
 * within one any order will do. So a set has an order unless two reads each have what the other
 * lacks, or real time forbids it between two layers:
 *
 *     add 1 was over before add 2 began, and a read has 2 without 1       lost-element
 *     a read with 1 was over before add 1 began                           future-read
 *
 * (or what was over before a read is missing in it: workload_set.c). A counter's layers are by the
 * sums that were read: of what may be added before a read, what must be is taken, and what was over
 * first, until the sum is right. That finds an order whenever all additions are equal; of others
 * it may miss one, and then the verdict is unknown.
 *
 * Each operation has its moment, between its beginning and its end, and no earlier than that of the
 * one before it in the order of its key: by moments the keys' orders become one.
 */
#include "checkers/infer/workloads/workload_order_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "checkers/proof/witness.h"
#include "checkers/values/values.h"
#include "history/level.h"

#define NO_LAYER UINT32_MAX

struct item {
    int64_t begins, ends; /* INT64_MIN, INT64_MAX: whenever */
    int64_t moment;
    uint32_t key, txn, op;
    uint32_t layer, rank; /* rank: in the order of its key */
    uint64_t size;        /* of a set that was read: distinct elements */
    bool is_read, is_open;
};

struct element {
    uint32_t append; /* an operation, or HISTORY_NONE */
    uint32_t layer, reader; /* the first that has it, and its read's place among the items */
    uint32_t read_last;     /* the last operation that was seen to have it, plus one */
};

struct set_ordering {
    struct workload_judge *judge;
    const struct history *history;
    bool is_timed; /* real time is kept */
    bool has_several; /* operations in a transaction */
    bool fails;
    const char *reason;
    ARRAY(struct item) items; /* by key; those of the key at hand in their order, once it is known */
    struct map numbers;       /* of the key at hand: element to its place */
    ARRAY(struct element) elements;
    uint32_t *line, line_count;
};

static bool keeps_time(const struct workload_judge *j)
{
    return level_closing(j->options->level) == CLOSING_TIME;
}

static void give_up(struct set_ordering *o, const char *reason)
{
    if (!o->fails)
        o->reason = reason;
    o->fails = true;
}

/* --- What was done ------------------------------------------------------------------- */

static struct item item_of(const struct set_ordering *o, uint32_t txn, uint32_t op)
{
    const struct history *h = o->history;
    struct item item = { .begins = INT64_MIN,
                         .ends = INT64_MAX,
                         .key = h->op_key[op],
                         .txn = txn,
                         .op = op,
                         .layer = NO_LAYER,
                         .is_read = h->op_kind[op] == OP_READ,
                         .is_open = h->txn_status[txn] == TXN_UNKNOWN };

    if (o->is_timed && h->txn_invoked[txn] != TIME_ABSENT)
        item.begins = h->txn_invoked[txn];
    if (o->is_timed && !item.is_open && h->txn_completed[txn] != TIME_ABSENT)
        item.ends = h->txn_completed[txn];
    return item;
}

static int compare_keys(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static enum status collect(struct set_ordering *o, struct error *err)
{
    const struct history *h = o->history;

    o->items.count = 0;
    for (uint32_t t = 0; t < h->txn_count && workload_goes_on(o->judge, t); t++) {
        size_t before = o->items.count;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (workload_is_read(h, t, op) ||
                (h->op_kind[op] == OP_APPEND && history_makes_version(h, op) &&
                 h->txn_status[t] != TXN_ABORT))
                TRY(array_push(&o->items, item_of(o, t, op), err));
        o->has_several |= o->items.count > before + 1;
        if (o->has_several)
            give_up(o, "an order of transactions of several operations is not looked for");
    }
    if (o->items.count > 0)
        qsort(o->items.at, o->items.count, sizeof *o->items.at, compare_keys);
    return STATUS_OK;
}

/* Reads behind what they read; within a layer, as they began; what has no layer is last. */
static int compare_layers(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->is_read != y->is_read)
        return x->is_read - y->is_read;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* --- Moments ------------------------------------------------------------------------- */

/* The first that cannot be where it stands, and who is before it and began behind its end. */
static bool give_moments(struct item *items, size_t count, size_t *late, size_t *early)
{
    int64_t moment = INT64_MIN;

    *early = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].begins > moment) {
            moment = items[i].begins;
            *early = i;
        }
        if (items[i].ends < moment) {
            *late = i;
            return false;
        }
        items[i].moment = moment;
        items[i].rank = (uint32_t)i;
    }
    return true;
}

/* --- Sets: findings ------------------------------------------------------------------- */

static enum status element_of(struct set_ordering *o, int64_t value, struct element **element,
                              struct error *err)
{
    struct element fresh = { HISTORY_NONE, NO_LAYER, 0, 0 };
    size_t place;

    TRY(map_add(&o->numbers, (uint64_t)value, o->elements.count, &place, err));
    if (o->numbers.values.at[place] == o->elements.count)
        TRY(array_push(&o->elements, fresh, err));
    *element = &o->elements.at[o->numbers.values.at[place]];
    return STATUS_OK;
}

static struct elements list_of(const struct history *h, uint32_t op)
{
    struct elements list;

    (void)values_elements(h, history_value(h, op), &list);
    return list;
}

/* What somebody rolled back, or nobody ever added. */
static enum status tell_strange(struct set_ordering *o, const struct item *read, int64_t element,
                                struct error *err)
{
    const struct history *h = o->history;
    struct wrong_read wrong = { .txn = read->txn, .op = read->op, .key = read->key };
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t txns[2] = { read->txn, 0 }, append = HISTORY_NONE;

    o->fails = true;
    if (!workload_finds(o->judge, 1))
        return STATUS_OK;
    for (uint32_t op = 0; op < h->op_count && append == HISTORY_NONE; op++)
        if (h->op_key[op] == read->key && h->op_kind[op] == OP_APPEND &&
            history_makes_version(h, op) && h->op_value[op] == element)
            append = op;
    tell_txn(&why, h, read->txn);
    buffer_print(&why, " found in ");
    tell_key(&why, h, read->key);
    buffer_print(&why, " the element %" PRId64 ", which ", element);
    if (append == HISTORY_NONE) {
        buffer_text(&why, TEXT("nobody added"));
    } else {
        txns[1] = history_txn_of(h, append);
        tell_print(&why, h, "%T added, and rolled back", txns[1]);
        wrong.version_is_known = true;
        wrong.version = append;
    }
    proof_read(&proof, h, &wrong);
    return check_tell(o->judge->check,
                      (struct discovery){ .kind = append == HISTORY_NONE ? ANOMALY_GARBAGE_READ : ANOMALY_G1A,
                                          .txns = txns, .txn_count = append == HISTORY_NONE ? 1 : 2,
                                          .why = why, .proof = proof }, err);
}

/* An element of the one that the other lacks. */
static int64_t missing_in(const struct history *h, uint32_t op, uint32_t other)
{
    struct elements a = list_of(h, op), b = list_of(h, other);

    for (uint32_t i = 0, j; i < a.count; i++) {
        for (j = 0; j < b.count && b.at[j] != a.at[i]; j++)
            ;
        if (j == b.count)
            return a.at[i];
    }
    return 0;
}

static enum status tell_incompatible(struct set_ordering *o, const struct item *a,
                                     const struct item *b, struct error *err)
{
    const struct history *h = o->history;
    uint32_t txns[2] = { a->txn, b->txn }, ops[2] = { a->op, b->op };
    struct buffer why = { 0 }, proof = { 0 };

    give_up(o, "two reads each have what the other lacks: no order explains both, which this level "
               "does not ask for");
    if (o->has_several || !workload_asks_for_order(o->judge->options->level) ||
        !workload_finds(o->judge, 2))
        return STATUS_OK;
    for (int i = 0; i < 2; i++) {
        tell_txn(&why, h, txns[i]);
        buffer_print(&why, " found %" PRId64 " in ", missing_in(h, ops[i], ops[1 - i]));
        tell_key(&why, h, a->key);
        buffer_print(&why, " and not %" PRId64 "%s", missing_in(h, ops[1 - i], ops[i]),
                     i == 0 ? "; " : "");
    }
    proof_reads(&proof, h, txns, ops);
    return check_tell(o->judge->check,
                      (struct discovery){ .kind = ANOMALY_INCOMPATIBLE_ORDER, .txns = txns,
                                          .txn_count = 2, .why = why, .proof = proof }, err);
}

/* `late` had to come before `early`, whose layer is the lower one. */
static enum status tell_untimely(struct set_ordering *o, const struct item *items, size_t count,
                                 size_t late, size_t early, struct error *err)
{
    const struct history *h = o->history;
    const struct item *x = &items[late], *y = &items[early], *read = x;
    bool is_future = x->is_read && !y->is_read;
    struct wrong_read wrong = { .key = x->key, .version_is_known = true };
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t txns[2];

    give_up(o, "real time forbids every order");
    if (y->is_read || !keeps_time(o->judge) || !workload_finds(o->judge, is_future ? 3 : 0))
        return STATUS_OK; /* of what a read lacks workload_set.c tells */
    if (!is_future)
        for (size_t i = 0; i < count; i++)
            if (items[i].is_read && items[i].layer == y->layer)
                read = &items[i];
    wrong.txn = read->txn;
    wrong.op = read->op;
    wrong.version = is_future ? y->op : x->op;
    txns[0] = history_txn_of(h, wrong.version);
    txns[1] = read->txn;
    tell_txn(&why, h, read->txn);
    if (is_future) {
        buffer_print(&why, " found %" PRId64 " in ", h->op_value[y->op]);
        tell_print(&why, h, "%K, and was over before %T began to add it", x->key, y->txn);
    } else {
        buffer_print(&why, " found %" PRId64 " in ", h->op_value[y->op]);
        tell_key(&why, h, x->key);
        buffer_print(&why, ", and not %" PRId64 ", whose addition by ", h->op_value[x->op]);
        tell_print(&why, h, "%T was over before %T began to add the other", x->txn, y->txn);
    }
    proof_read(&proof, h, &wrong);
    return check_tell(o->judge->check,
                      (struct discovery){ .kind = is_future ? ANOMALY_FUTURE_READ : ANOMALY_LOST_ELEMENT,
                                          .txns = txns, .txn_count = 2, .why = why,
                                          .proof = proof }, err);
}

/* --- Sets: layers --------------------------------------------------------------------- */

static enum status note_appends(struct set_ordering *o, const struct item *items, size_t count,
                                struct error *err)
{
    struct value initial = history_initial(o->history, items[0].key);

    if (initial.kind != VALUE_NULL)
        give_up(o, "the set begins with elements");
    map_close(&o->numbers);
    o->elements.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct element *element;

        if (items[i].is_read)
            continue;
        TRY(element_of(o, o->history->op_value[items[i].op], &element, err));
        if (element->append != HISTORY_NONE)
            give_up(o, "an element was added more than once");
        else
            element->append = items[i].op;
    }
    return STATUS_OK;
}

/* How many different elements each read has; refuses those that nobody added. */
static enum status measure(struct set_ordering *o, struct item *items, size_t count, struct error *err)
{
    for (size_t i = 0; i < count && workload_goes_on(o->judge, (uint32_t)i); i++) {
        struct elements list;
        bool is_told = false;

        if (!items[i].is_read)
            continue;
        list = list_of(o->history, items[i].op);
        for (uint32_t e = 0; e < list.count; e++) {
            struct element *element;

            TRY(element_of(o, list.at[e], &element, err));
            items[i].size += element->read_last != items[i].op + 1;
            element->read_last = items[i].op + 1;
            if (element->append == HISTORY_NONE && !is_told) {
                TRY(tell_strange(o, &items[i], list.at[e], err));
                is_told = true;
            }
        }
    }
    return STATUS_OK;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->is_read != y->is_read)
        return y->is_read - x->is_read;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Reads from small to large: each has all that those before it have, or there is no order. */
static enum status lay_reads(struct set_ordering *o, struct item *items, size_t count, bool *is_chain,
                             struct error *err)
{
    uint32_t layer = 0;
    uint64_t so_far = 0;

    *is_chain = true;
    for (size_t i = 0; i < count && items[i].is_read; i++) {
        struct elements list = list_of(o->history, items[i].op);

        layer += i > 0 && items[i].size != items[i - 1].size;
        items[i].layer = layer;
        for (uint32_t e = 0; e < list.count; e++) {
            struct element *element;

            TRY(element_of(o, list.at[e], &element, err));
            element->read_last = items[i].op + 1;
            if (element->layer == NO_LAYER) {
                element->layer = layer;
                element->reader = (uint32_t)i;
                so_far++;
            }
        }
        if (so_far == items[i].size)
            continue;
        *is_chain = false;
        for (size_t e = 0; e < o->elements.count; e++)
            if (o->elements.at[e].layer != NO_LAYER &&
                o->elements.at[e].read_last != items[i].op + 1)
                return tell_incompatible(o, &items[o->elements.at[e].reader], &items[i], err);
    }
    return STATUS_OK;
}

/* What nobody read is behind all, or, if it may not have been added, left out. */
static enum status lay_appends(struct set_ordering *o, struct item *items, size_t count,
                               struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct element *element;

        if (items[i].is_read)
            continue;
        TRY(element_of(o, o->history->op_value[items[i].op], &element, err));
        items[i].layer = element->layer;
        items[i].is_open &= element->layer == NO_LAYER;
    }
    return STATUS_OK;
}

static enum status order_set(struct set_ordering *o, struct item *items, size_t count,
                             struct error *err)
{
    bool is_chain, had_failed = o->fails;
    size_t late = 0, early = 0;

    TRY(note_appends(o, items, count, err));
    TRY(measure(o, items, count, err));
    if (o->fails && !had_failed)
        return STATUS_OK;
    qsort(items, count, sizeof *items, compare_sizes);
    TRY(lay_reads(o, items, count, &is_chain, err));
    if (!is_chain)
        return STATUS_OK;
    TRY(lay_appends(o, items, count, err));
    qsort(items, count, sizeof *items, compare_layers);
    if (!give_moments(items, count, &late, &early))
        return tell_untimely(o, items, count, late, early, err);
    return STATUS_OK;
}

/* --- Counters ------------------------------------------------------------------------- */

/* Reads by what they read; behind them what was added, by its end. */
static int compare_counts(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->is_read != y->is_read)
        return y->is_read - x->is_read;
    if (x->is_read && (int64_t)x->size != (int64_t)y->size)
        return (int64_t)x->size < (int64_t)y->size ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends < y->ends ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* The counter of one key: reads by what they read, then what was added, by its end. */
struct element_counting {
    const struct history *history;
    struct item *items;
    size_t read_end, count;
    size_t next;    /* those before it have their layer */
    int64_t latest; /* the last beginning of what has its layer */
    int64_t sum;
};

static bool takes(struct element_counting *c, struct item *item, const struct item *read)
{
    int64_t added = c->history->op_value[item->op];

    /* What began behind the first end of this and all later reads comes behind them. */
    if (item->layer != NO_LAYER || item->begins > read->moment)
        return false;
    if (item->ends >= c->latest && c->sum + added > (int64_t)read->size)
        return false;
    item->layer = read->layer;
    item->is_open = false;
    c->sum += added;
    c->latest = item->begins > c->latest ? item->begins : c->latest;
    return true;
}

/* What must come before the reads of a layer, which were over first, and then what may. */
static bool fill_layer(struct element_counting *c, const struct item *read)
{
    for (size_t i = c->next; i < c->count; i++) {
        bool must = c->items[i].ends < c->latest;

        if (!must && c->sum >= (int64_t)read->size)
            break;
        (void)takes(c, &c->items[i], read);
    }
    while (c->next < c->count && c->items[c->next].layer != NO_LAYER)
        c->next++;
    return c->sum == (int64_t)read->size;
}

/* Whether there are only numbers, and additions above zero that no sum of can overflow. */
static bool is_plain_counter(const struct history *h, struct item *items, size_t count,
                             struct element_counting *c)
{
    struct value initial = history_initial(h, items[0].key);
    int64_t all = 0;

    *c = (struct element_counting){ .history = h, .items = items, .count = count, .latest = INT64_MIN };
    c->sum = initial.kind == VALUE_INTEGER ? initial.bits : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t number = h->op_value[items[i].op];

        if (items[i].is_read && h->op_value_kind[items[i].op] != VALUE_INTEGER)
            return false;
        if (!items[i].is_read &&
            (number <= 0 || __builtin_add_overflow(all, number, &all) || all > INT64_MAX / 4))
            return false;
        items[i].size = items[i].is_read ? (uint64_t)number : 0;
        c->read_end += items[i].is_read;
    }
    return c->sum <= INT64_MAX / 4 && c->sum >= -(INT64_MAX / 4);
}

static void order_counter(struct set_ordering *o, struct item *items, size_t count)
{
    struct element_counting c;
    size_t late, early;
    int64_t first_end = INT64_MAX;

    if (!is_plain_counter(o->history, items, count, &c)) {
        give_up(o, "each count is within its bounds; an order is looked for only where additions are "
                   "numbers above zero");
        return;
    }
    qsort(items, count, sizeof *items, compare_counts);
    for (size_t i = c.read_end; i-- > 0;) {
        first_end = items[i].ends < first_end ? items[i].ends : first_end;
        items[i].moment = first_end;
    }
    for (size_t i = 0, layer = 0, end; i < c.read_end && !o->fails; i = end, layer++) {
        for (end = i; end < c.read_end && items[end].size == items[i].size; end++) {
            items[end].layer = (uint32_t)layer;
            c.latest = items[end].begins > c.latest ? items[end].begins : c.latest;
        }
        if (!fill_layer(&c, &items[i]))
            give_up(o, "each count is within its bounds, and no order of all was found");
    }
    if (o->fails)
        return;
    qsort(items, count, sizeof *items, compare_layers);
    if (!give_moments(items, count, &late, &early))
        give_up(o, "each count is within its bounds, and no order of all was found");
}

/* --- One order of all ------------------------------------------------------------------ */

static enum status order_keys(struct set_ordering *o, enum workload_kind kind, struct error *err)
{
    size_t count = o->items.count;

    for (size_t from = 0, end = 0; from < count && !o->judge->is_stopped; from = end) {
        while (end < count && o->items.at[end].key == o->items.at[from].key)
            end++;
        if (kind == WORKLOAD_SET)
            TRY(order_set(o, o->items.at + from, end - from, err));
        else
            order_counter(o, o->items.at + from, end - from);
    }
    return STATUS_OK;
}

static int compare_moments(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->moment != y->moment)
        return x->moment < y->moment ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* All who committed, also those who did nothing that says anything. */
static enum status line_up(struct set_ordering *o, struct error *err)
{
    const struct history *h = o->history;
    size_t count = 0;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool does_something = false;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            does_something |= workload_is_read(h, t, op) ||
                              (h->op_kind[op] == OP_APPEND && history_makes_version(h, op));
        if (h->txn_status[t] == TXN_OK && !does_something) {
            struct item idle = { .txn = t, .key = HISTORY_NONE, .rank = t, .moment = INT64_MIN };

            if (o->is_timed && h->txn_invoked[t] != TIME_ABSENT)
                idle.moment = h->txn_invoked[t];
            TRY(array_push(&o->items, idle, err));
        }
    }
    if (o->items.count > 0)
        qsort(o->items.at, o->items.count, sizeof *o->items.at, compare_moments);
    TRY(memory_resize((void **)&o->line, o->items.count, sizeof *o->line, err));
    for (size_t i = 0; i < o->items.count; i++)
        if (!o->items.at[i].is_open)
            o->line[count++] = o->items.at[i].txn;
    o->line_count = (uint32_t)count;
    return STATUS_OK;
}

/* The order of the history is that of each session. */
static enum status check_sessions(struct set_ordering *o, struct error *err)
{
    uint32_t *last = NULL;

    if (level_closing(o->judge->options->level) != CLOSING_SESSION)
        return STATUS_OK;
    TRY(check_memory((void **)&last, o->history->session_count, sizeof *last, 0, err));
    for (uint32_t i = 0; i < o->line_count; i++) {
        uint32_t session = o->history->txn_session[o->line[i]];

        if (last[session] > o->line[i] + 1)
            give_up(o, "an order was found that does not keep sessions, and no other is looked for");
        last[session] = o->line[i] + 1 > last[session] ? o->line[i] + 1 : last[session];
    }
    free(last);
    return STATUS_OK;
}

static enum status find_order(struct set_ordering *o, enum workload_kind kind, struct error *err)
{
    TRY(collect(o, err));
    TRY(order_keys(o, kind, err));
    if (o->fails)
        return STATUS_OK;
    TRY(line_up(o, err));
    return check_sessions(o, err);
}

static void tell_order(const struct set_ordering *o)
{
    struct workload_judge *j = o->judge;

    if (!check_wants(j->options, CHECK_WITNESS))
        return;
    witness_order(j->check, o->history, o->line, o->line_count);
    for (uint32_t i = 0; i < o->line_count; i++)
        o->line[i] = i;
    if (level_is_snapshot(j->options->level))
        witness_snapshots(j->check, o->line, o->line_count);
}

enum status workload_find_order(struct workload_judge *j, enum workload_kind kind,
                                struct error *err)
{
    struct set_ordering o = { .judge = j, .history = j->history, .is_timed = j->is_timed };
    enum status status = find_order(&o, kind, err);

    /* Real time is no part of other levels. */
    if (status == STATUS_OK && o.fails && o.is_timed && j->check->verdict == VERDICT_VALID &&
        !keeps_time(j) && !j->is_stopped) {
        o.fails = o.is_timed = false;
        status = find_order(&o, kind, err);
    }
    if (status == STATUS_OK && o.fails && j->check->verdict == VERDICT_VALID)
        check_doubt(j->check, "%s", o.reason);
    else if (status == STATUS_OK && j->check->verdict == VERDICT_VALID)
        tell_order(&o);
    array_close(&o.items);
    map_close(&o.numbers);
    array_close(&o.elements);
    free(o.line);
    return status;
}
