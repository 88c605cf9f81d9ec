#include "trial/prove/brute_private.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"

struct brute_machine {
    struct sketch_value values[SKETCH_KEYS_MAX];
};

struct brute_search {
    const struct sketch *sketch;
    uint32_t before[SKETCH_TXNS_MAX]; /* of each, those that must have run: a bit each */
    uint32_t counted;                 /* that must run */
    struct map seen;                  /* where it has been in vain */
};

static bool is_first(const struct sketch *sketch, uint32_t a, uint32_t b, enum brute_order order)
{
    const struct sketch_txn *x = &sketch->txns[a], *y = &sketch->txns[b];

    if (order == BRUTE_SESSIONS)
        return a < b && x->session == y->session;
    return order == BRUTE_TIME && x->completed != TIME_ABSENT && x->completed != TIME_NEVER &&
           y->invoked != TIME_ABSENT && x->completed < y->invoked;
}

/* Nothing is behind one of which nobody knows: it may land at any time after its beginning. */
static void order_txns(struct brute_search *search, enum brute_order order)
{
    const struct sketch *sketch = search->sketch;

    for (uint32_t b = 0; b < sketch->txn_count; b++)
        for (uint32_t a = 0; a < sketch->txn_count; a++)
            if (a != b && sketch->txns[a].status == TXN_OK && is_first(sketch, a, b, order))
                search->before[b] |= UINT32_C(1) << a;
}

static bool holds(const struct sketch *sketch, const struct sketch_op *read,
                  const struct brute_machine *machine)
{
    static const struct sketch_value nothing = { .kind = VALUE_NULL };
    const struct sketch_value *held = &machine->values[read->key];
    const struct sketch_value *value = &read->value;

    if (value->kind == VALUE_NONE)
        return true;
    if (sketch->is_of_lists[read->key] && value->kind == VALUE_LIST && value->count == 0)
        value = &nothing;
    return sketch_value_equal(value, held);
}

static bool append(struct sketch_value *list, int64_t element)
{
    if (list->kind != VALUE_LIST)
        *list = (struct sketch_value){ .kind = VALUE_LIST };
    if (list->count == SKETCH_ELEMENTS_MAX)
        return false;
    list->elements[list->count++] = element;
    return true;
}

/* Runs it on the machine; false if a read returned something else. */
static bool step(const struct sketch *sketch, const struct sketch_txn *txn,
                 struct brute_machine *machine)
{
    for (uint32_t i = 0; i < txn->op_count; i++) {
        const struct sketch_op *op = &txn->ops[i];
        if (op->kind == OP_READ) {
            if (txn->status == TXN_OK && !holds(sketch, op, machine))
                return false;
        } else if (op->kind == OP_APPEND) {
            if (!append(&machine->values[op->key], op->value.elements[0]))
                return false;
        } else if (op->kind == OP_WRITE) {
            machine->values[op->key] = op->value;
        } else {
            machine->values[op->key] = (struct sketch_value){ .kind = VALUE_NULL };
        }
    }
    return true;
}

static uint64_t identify(const struct brute_search *search, const struct brute_machine *machine, uint32_t ran)
{
    uint64_t hash = hash_number(ran);

    for (uint32_t key = 0; key < search->sketch->key_count; key++) {
        const struct sketch_value *value = &machine->values[key];
        hash = hash_number(hash ^ value->kind) +
               hash_bytes((const char *)value->elements, value->count * sizeof *value->elements);
    }
    return hash_number(hash);
}

/* Whether the rest can run from here. Where it has been before it need not look again. */
static enum status search_from(struct brute_search *search, const struct brute_machine *machine, uint32_t ran,
                               bool *found, struct error *err)
{
    const struct sketch *sketch = search->sketch;
    uint64_t here = identify(search, machine, ran), before;
    size_t place;

    *found = (ran & search->counted) == search->counted;
    if (*found || map_find(&search->seen, here, &before))
        return STATUS_OK;
    TRY(map_add(&search->seen, here, 1, &place, err));
    for (uint32_t t = 0; t < sketch->txn_count && !*found; t++) {
        struct brute_machine next;
        if ((ran >> t & 1) || sketch->txns[t].status == TXN_ABORT ||
            (search->before[t] & ~ran) != 0)
            continue;
        next = *machine;
        if (step(sketch, &sketch->txns[t], &next))
            TRY(search_from(search, &next, ran | UINT32_C(1) << t, found, err));
    }
    return STATUS_OK;
}

enum status brute_is_serializable(const struct sketch *sketch, enum brute_order order,
                                  bool *is_serializable, struct error *err)
{
    struct brute_search search = { .sketch = sketch };
    struct brute_machine machine = { { { 0 } } };
    enum status status;

    for (uint32_t key = 0; key < sketch->key_count; key++)
        machine.values[key] = sketch->initial[key];
    for (uint32_t t = 0; t < sketch->txn_count; t++)
        if (sketch->txns[t].status == TXN_OK)
            search.counted |= UINT32_C(1) << t;
    order_txns(&search, order);
    status = search_from(&search, &machine, 0, is_serializable, err);
    map_close(&search.seen);
    return status;
}
