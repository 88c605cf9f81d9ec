#include "tests/programs/generator/anonymize.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/random.h"
#include "history/builder.h"

struct disguising {
    const struct history *h;
    const struct anonymize_options *options;
    struct builder builder;
    struct error *err;
    uint64_t mask; /* of the integers */
    uint32_t *ids, *sessions, *order;
    uint32_t *next_of_session, *slots;
    ARRAY(int64_t) elements;
};

/* --- Names ----------------------------------------------------------------------------- */

/* One to one, as each step is: a product with an odd number, and a shift added. */
static int64_t other_integer(const struct disguising *d, int64_t integer)
{
    uint64_t word = (uint64_t)integer ^ d->mask;

    word *= UINT64_C(0x9e3779b97f4a7c15);
    word ^= word >> 32;
    word *= UINT64_C(0xd6e8feb86659fd93);
    word ^= word >> 29;
    return (int64_t)word;
}

static enum status other_list(struct disguising *d, struct value *value)
{
    const struct history *h = d->h;

    d->elements.count = 0;
    for (uint64_t i = h->list_start[value->bits]; i < h->list_start[value->bits + 1]; i++)
        TRY(array_push(&d->elements, other_integer(d, h->list_element[i]), d->err));
    return builder_list(&d->builder, d->elements.at, d->elements.count, value, d->err);
}

static enum status other_value(struct disguising *d, struct value *value)
{
    switch (value->kind) {
    case VALUE_INTEGER:
        value->bits = other_integer(d, value->bits);
        return STATUS_OK;
    case VALUE_TEXT:
        return builder_text_value(&d->builder, history_text(d->h, (uint32_t)value->bits), value,
                                  d->err);
    case VALUE_LIST:
        return other_list(d, value);
    case VALUE_ROW:
        return error_set(d->err, STATUS_BAD_INPUT, "histories of rows cannot be disguised");
    default:
        return STATUS_OK;
    }
}

static enum status other_key(struct disguising *d, uint32_t key, uint32_t *other)
{
    return builder_key(&d->builder, history_key(d->h, key), other, d->err);
}

static void number_and_shuffle(struct random *random, uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    random_shuffle(random, numbers, count);
}

/*
 * Which session is next in the file is drawn; which of its transactions then is not.
 * A session's transactions are found by a list that goes through them, from the end.
 */
static void draw_order_of_sessions(struct disguising *d, struct random *random, uint32_t *later)
{
    const struct history *h = d->h;

    for (size_t s = 0; s < h->session_count; s++)
        d->next_of_session[s] = HISTORY_NONE;
    for (size_t t = h->txn_count; t-- > 0;) {
        d->slots[t] = h->txn_session[t];
        later[t] = d->next_of_session[h->txn_session[t]];
        d->next_of_session[h->txn_session[t]] = (uint32_t)t;
    }
    random_shuffle(random, d->slots, h->txn_count);
    for (size_t i = 0; i < h->txn_count; i++) {
        uint32_t txn = d->next_of_session[d->slots[i]];
        d->order[i] = txn;
        d->next_of_session[d->slots[i]] = later[txn];
    }
}

static enum status draw_names(struct disguising *d)
{
    struct random_key key = random_key_of_seed(d->options->seed);
    struct random_key fork = random_key_fork(&key, "disguise");
    size_t txns = d->h->txn_count, sessions = d->h->session_count;
    struct random random;

    TRY(memory_resize((void **)&d->ids, txns, sizeof *d->ids, d->err));
    TRY(memory_resize((void **)&d->order, txns, sizeof *d->order, d->err));
    TRY(memory_resize((void **)&d->slots, txns, sizeof *d->slots, d->err));
    TRY(memory_resize((void **)&d->sessions, sessions, sizeof *d->sessions, d->err));
    TRY(memory_resize((void **)&d->next_of_session, sessions, sizeof *d->sessions, d->err));
    random_init(&random, &fork);
    d->mask = random_next(&random);
    number_and_shuffle(&random, d->sessions, sessions);
    /* The ids are drawn after the order has used their room. */
    if (d->options->sessions)
        draw_order_of_sessions(d, &random, d->ids);
    else
        number_and_shuffle(&random, d->order, txns);
    number_and_shuffle(&random, d->ids, txns);
    return STATUS_OK;
}

/* --- The copy --------------------------------------------------------------------------- */

static int64_t id_of(const struct disguising *d, uint32_t txn)
{
    return (int64_t)d->ids[txn] + 1;
}

static enum status copy_initial(struct disguising *d)
{
    const struct history *h = d->h;
    uint32_t key;

    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { h->initial_kind[i], h->initial_value[i] };
        TRY(other_key(d, h->initial_key[i], &key));
        TRY(other_value(d, &value));
        TRY(builder_add_initial(&d->builder, key, value, d->err));
    }
    return STATUS_OK;
}

static enum status copy_op(struct disguising *d, uint32_t op)
{
    struct value value = history_value(d->h, op);
    uint32_t key;

    if (d->h->op_flags[op] & OP_ERROR)
        return STATUS_OK;
    TRY(other_key(d, d->h->op_key[op], &key));
    TRY(other_value(d, &value));
    return builder_add_op(&d->builder, (enum op_kind)d->h->op_kind[op], key, value, d->err);
}

static enum status copy_txn(struct disguising *d, uint32_t txn)
{
    const struct history *h = d->h;
    int64_t session = d->options->sessions ? d->sessions[h->txn_session[txn]] : id_of(d, txn);

    TRY(builder_begin_txn(&d->builder, id_of(d, txn), session,
                          (enum txn_status)h->txn_status[txn], d->err));
    if (d->options->times && h->txn_invoked && h->txn_completed)
        TRY(builder_set_txn_at(&d->builder, h->txn_invoked[txn], h->txn_completed[txn], d->err));
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        TRY(copy_op(d, op));
    return STATUS_OK;
}

/* By who wrote it: orders list the last write of a transaction alone. */
static enum status copy_order(struct disguising *d, size_t order)
{
    const struct history *h = d->h;
    uint32_t key;

    TRY(other_key(d, h->order_key[order], &key));
    TRY(builder_begin_order(&d->builder, key, d->err));
    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        struct version_name name = { .is_initial = h->order_version[i] == VERSION_INITIAL };
        if (!name.is_initial)
            name.txn_id = id_of(d, history_txn_of(h, h->order_version[i]));
        TRY(builder_add_version(&d->builder, name, d->err));
    }
    return STATUS_OK;
}

static enum status copy(struct disguising *d)
{
    const struct history *h = d->h;

    if (h->statement_count > 0)
        return error_set(d->err, STATUS_BAD_INPUT, "histories of statements cannot be disguised");
    TRY(draw_names(d));
    if (h->unique >= 0)
        builder_set_unique(&d->builder, h->unique);
    TRY(copy_initial(d));
    for (size_t i = 0; i < h->txn_count; i++)
        TRY(copy_txn(d, d->order[i]));
    for (size_t i = 0; d->options->version_orders && i < h->order_count; i++)
        TRY(copy_order(d, i));
    return STATUS_OK;
}

enum status anonymize_history(const struct history *h, const struct anonymize_options *options,
                              struct history *disguised, struct error *err)
{
    struct disguising d = { .h = h, .options = options, .err = err };
    enum status status;

    builder_init(&d.builder);
    status = copy(&d);
    if (status == STATUS_OK)
        status = builder_finish(&d.builder, disguised, err);
    builder_close(&d.builder);
    free(d.ids);
    free(d.sessions);
    free(d.order);
    free(d.next_of_session);
    free(d.slots);
    array_close(&d.elements);
    return status;
}
