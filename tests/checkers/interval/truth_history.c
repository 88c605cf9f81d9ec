#include <inttypes.h>
#include <stdio.h>

#include "history/builder.h"
#include "tests/checkers/interval/truth.h"

static enum status add_op(struct builder *b, const struct trace_op *op, bool is_answered,
                          struct error *err)
{
    bool is_delete = op->kind == TRACE_WRITE && op->value == 0;
    enum op_kind kind = op->kind == TRACE_READ ? OP_READ : is_delete ? OP_REMOVE : OP_WRITE;
    struct value value = op->value == 0 ? value_null() : value_integer((int64_t)op->value);
    char name[32];
    uint32_t key;

    if (is_delete || !is_answered)
        value = value_none();
    snprintf(name, sizeof name, "k%" PRIu32, op->key);
    TRY(builder_key(b, text_of(name), &key, err));
    TRY(builder_add_op(b, kind, key, value, err));
    if (op->is_locking)
        builder_set_op_lock(b, OP_LOCK_UPDATE);
    return builder_set_op_at(b, op->invoked, op->completed, err);
}

static enum status add_txn(struct builder *b, const struct truth_txn *txn, struct error *err)
{
    const struct interval_trace *trace = &txn->trace;

    TRY(builder_begin_txn(b, trace->id, txn->session, (enum txn_status)trace->status, err));
    for (size_t i = 0; i < trace->op_count; i++)
        TRY(add_op(b, &trace->ops[i],
                   trace->ops[i].kind == TRACE_WRITE || trace->status == TXN_OK, err));
    return builder_set_txn_at(b, trace->invoked, trace->completed, err);
}

static enum status add_all(struct truth *t, struct builder *b, struct error *err)
{
    const struct truth_txn *txn;

    for (;;) {
        TRY(truth_next(t, &txn, err));
        if (!txn)
            return STATUS_OK;
        TRY(add_txn(b, txn, err));
    }
}

enum status truth_history(const struct truth_options *options, struct history *h,
                          struct error *err)
{
    struct builder builder;
    struct truth truth;
    enum status status;

    builder_init(&builder);
    status = truth_init(&truth, options, err);
    if (status == STATUS_OK)
        status = add_all(&truth, &builder, err);
    truth_close(&truth);
    if (status != STATUS_OK) {
        builder_close(&builder);
        return status;
    }
    return builder_finish(&builder, h, err);
}
