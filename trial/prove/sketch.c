#include "trial/prove/sketch_private.h"

#include <stdio.h>
#include <string.h>

#include "history/builder.h"

bool sketch_value_equal(const struct sketch_value *a, const struct sketch_value *b)
{
    return a->kind == b->kind && a->count == b->count &&
           memcmp(a->elements, b->elements, a->count * sizeof *a->elements) == 0;
}

/* --- Taking apart ----------------------------------------------------------------------------- */

static bool take_value(const struct history *h, struct value value, struct sketch_value *to)
{
    *to = (struct sketch_value){ .kind = value.kind };
    if (value.kind == VALUE_INTEGER) {
        to->elements[to->count++] = value.bits;
        return true;
    }
    if (value.kind == VALUE_LIST) {
        uint64_t from = h->list_start[value.bits], end = h->list_start[value.bits + 1];
        if (end - from > SKETCH_ELEMENTS_MAX)
            return false;
        for (uint64_t i = from; i < end; i++)
            to->elements[to->count++] = h->list_element[i];
        if (to->count == 0)
            to->kind = VALUE_NULL;
        return true;
    }
    return value.kind == VALUE_NONE || value.kind == VALUE_NULL;
}

/* What was refused had no effect, and its answer means nothing. */
static bool take_op(struct sketch *sketch, struct sketch_txn *txn, const struct history *h,
                    uint32_t op)
{
    struct sketch_op *to = &txn->ops[txn->op_count];

    if (h->op_kind[op] > OP_REMOVE || txn->op_count == SKETCH_OPS_MAX)
        return false;
    if (h->op_flags[op] & OP_ERROR)
        return true;
    *to = (struct sketch_op){ .kind = (enum op_kind)h->op_kind[op], .key = h->op_key[op] };
    txn->op_count++;
    if (to->kind == OP_APPEND)
        sketch->is_of_lists[to->key] = true;
    return take_value(h, history_value(h, op), &to->value);
}

static bool take_txn(struct sketch *sketch, const struct history *h, uint32_t txn)
{
    struct sketch_txn *to = &sketch->txns[txn];

    *to = (struct sketch_txn){
        .id = h->txn_id[txn],
        .session = h->session_id[h->txn_session[txn]],
        .status = (enum txn_status)h->txn_status[txn],
        .invoked = h->txn_invoked ? h->txn_invoked[txn] : TIME_ABSENT,
        .completed = h->txn_completed ? h->txn_completed[txn] : TIME_ABSENT,
        .ts = history_ts(h, txn),
        .snapshot = history_txn_snapshot(h, txn),
    };
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (!take_op(sketch, to, h, op))
            return false;
    return true;
}

static bool take_order(struct sketch *sketch, const struct history *h, size_t order)
{
    uint32_t key = h->order_key[order];

    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        if (h->order_version[i] == VERSION_INITIAL)
            continue;
        if (sketch->order_count[key] == SKETCH_TXNS_MAX)
            return false;
        sketch->order[key][sketch->order_count[key]++] = history_txn_of(h, h->order_version[i]);
    }
    return true;
}

static bool take_keys(struct sketch *sketch, const struct history *h)
{
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct text name = history_key(h, key);
        if (name.length >= sizeof sketch->keys[key])
            return false;
        memcpy(sketch->keys[key], name.at, name.length);
        if (!take_value(h, history_initial(h, key), &sketch->initial[key]))
            return false;
    }
    sketch->key_count = (uint32_t)h->key_count;
    return true;
}

bool sketch_take(struct sketch *sketch, const struct history *h)
{
    memset(sketch, 0, sizeof *sketch);
    if (h->txn_count > SKETCH_TXNS_MAX || h->key_count > SKETCH_KEYS_MAX ||
        h->statement_count > 0 || h->set_count > 0 || h->op_snapshot_parts || !take_keys(sketch, h))
        return false;
    sketch->txn_count = (uint32_t)h->txn_count;
    for (uint32_t txn = 0; txn < sketch->txn_count; txn++)
        if (!take_txn(sketch, h, txn))
            return false;
    for (size_t i = 0; i < h->order_count; i++)
        if (!take_order(sketch, h, i))
            return false;
    return true;
}

static bool writes(const struct sketch_txn *txn, uint32_t key)
{
    for (uint32_t i = 0; i < txn->op_count; i++)
        if (txn->ops[i].kind != OP_READ && txn->ops[i].key == key)
            return true;
    return false;
}

void sketch_mend_orders(struct sketch *sketch)
{
    for (uint32_t key = 0; key < sketch->key_count; key++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < sketch->order_count[key]; i++) {
            uint32_t txn = sketch->order[key][i];
            if (sketch->txns[txn].status != TXN_ABORT && writes(&sketch->txns[txn], key))
                sketch->order[key][kept++] = txn;
        }
        sketch->order_count[key] = kept;
    }
}

/* --- Putting together ------------------------------------------------------------------------- */

static enum status build_value(struct builder *b, const struct sketch_value *from,
                               struct value *value, struct error *err)
{
    *value = (struct value){ from->kind, from->kind == VALUE_INTEGER ? from->elements[0] : 0 };
    if (from->kind == VALUE_LIST)
        return builder_list(b, from->elements, from->count, value, err);
    return STATUS_OK;
}

static enum status build_op(struct builder *b, const struct sketch_op *op, const uint32_t *keys,
                            struct error *err)
{
    struct value value;

    TRY(build_value(b, &op->value, &value, err));
    return builder_add_op(b, op->kind, keys[op->key], value, err);
}

static enum status build_txn(struct builder *b, const struct sketch_txn *txn,
                             const uint32_t *keys, bool with_certificate, struct error *err)
{
    TRY(builder_begin_txn(b, txn->id, txn->session, txn->status, err));
    if (txn->invoked != TIME_ABSENT)
        TRY(builder_set_txn_at(b, txn->invoked, txn->completed, err));
    if (with_certificate && txn->ts.parts > 0)
        TRY(builder_set_ts(b, txn->ts, err));
    if (with_certificate && txn->snapshot.parts > 0)
        TRY(builder_set_snapshot(b, txn->snapshot, err));
    for (uint32_t i = 0; i < txn->op_count; i++)
        TRY(build_op(b, &txn->ops[i], keys, err));
    return STATUS_OK;
}

static enum status build_order(struct builder *b, const struct sketch *sketch, uint32_t key,
                               uint32_t number, struct error *err)
{
    if (sketch->order_count[key] == 0)
        return STATUS_OK;
    TRY(builder_begin_order(b, number, err));
    for (uint32_t i = 0; i < sketch->order_count[key]; i++)
        TRY(builder_add_version(
            b, (struct version_name){ .txn_id = sketch->txns[sketch->order[key][i]].id }, err));
    return STATUS_OK;
}

static enum status build_all(struct builder *b, const struct sketch *sketch,
                             bool with_certificate, struct error *err)
{
    uint32_t keys[SKETCH_KEYS_MAX];
    struct value value;

    for (uint32_t key = 0; key < sketch->key_count; key++)
        TRY(builder_key(b, text_of(sketch->keys[key]), &keys[key], err));
    for (uint32_t key = 0; key < sketch->key_count; key++) {
        if (sketch->initial[key].kind == VALUE_NULL)
            continue;
        TRY(build_value(b, &sketch->initial[key], &value, err));
        TRY(builder_add_initial(b, keys[key], value, err));
    }
    for (uint32_t txn = 0; txn < sketch->txn_count; txn++)
        TRY(build_txn(b, &sketch->txns[txn], keys, with_certificate, err));
    for (uint32_t key = 0; with_certificate && key < sketch->key_count; key++)
        TRY(build_order(b, sketch, key, keys[key], err));
    return STATUS_OK;
}

enum status sketch_build(const struct sketch *sketch, bool with_certificate,
                         struct history *history, struct error *err)
{
    struct builder builder;
    enum status status;

    builder_init(&builder);
    status = build_all(&builder, sketch, with_certificate, err);
    if (status == STATUS_OK)
        status = builder_finish(&builder, history, err);
    builder_close(&builder);
    return status;
}
