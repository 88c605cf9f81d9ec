#include "record/log.h"

#include <assert.h>

void log_close(struct log *log)
{
    array_close(&log->txns);
    array_close(&log->ops);
    array_close(&log->rows);
    array_close(&log->elements);
    buffer_close(&log->snapshots);
}

static struct log_txn *last_txn(struct log *log)
{
    assert(log->txns.count > 0);
    return &log->txns.at[log->txns.count - 1];
}

enum status log_begin(struct log *log, uint32_t session, int64_t invoked_ns, struct error *err)
{
    struct log_txn txn = { .invoked_ns = invoked_ns,
                           .completed_ns = TIME_NEVER,
                           .first_op = log->ops.count,
                           .session = session,
                           .status = TXN_UNKNOWN };

    return array_push(&log->txns, txn, err);
}

static enum status keep_rows(struct log *log, struct log_op *op, const struct steps_answer *answer,
                             const struct step_answer *step, struct error *err)
{
    op->first = log->rows.count;
    for (uint32_t i = 0; i < step->count; i++)
        TRY(array_push(&log->rows, answer->rows.at[step->first + i], err));
    return STATUS_OK;
}

static enum status keep_elements(struct log *log, struct log_op *op, const struct steps_answer *answer,
                                 const struct step_answer *step, struct error *err)
{
    op->first = log->elements.count;
    for (uint32_t i = 0; i < step->count; i++)
        TRY(array_push(&log->elements, answer->elements.at[step->first + i], err));
    return STATUS_OK;
}

enum status log_request(struct log *log, const struct builtin_request *request, const struct steps_answer *answer,
                        const struct step_answer *step, int64_t invoked_ns, struct error *err)
{
    struct log_op op = { .request = *request, .invoked_ns = invoked_ns, .completed_ns = TIME_NEVER };

    if (step) {
        op.invoked_ns = step->invoked_ns;
        op.completed_ns = step->completed_ns;
        op.count = step->count;
        op.is_there = step->is_there;
        TRY(answer->elements.count > 0 ? keep_elements(log, &op, answer, step, err)
                                       : keep_rows(log, &op, answer, step, err));
    }
    TRY(array_push(&log->ops, op, err));
    last_txn(log)->op_count++;
    return STATUS_OK;
}

enum status log_note(struct log *log, const struct steps_answer *answer, struct error *err)
{
    struct log_txn *txn = last_txn(log);

    if (answer->xid != 0)
        txn->xid = answer->xid;
    if (answer->snapshot.count == 0)
        return STATUS_OK;
    txn->snapshot = log->snapshots.count;
    txn->snapshot_length = (uint32_t)answer->snapshot.count;
    buffer_append(&log->snapshots, &answer->snapshot);
    return buffer_status(&log->snapshots, err);
}

void log_end(struct log *log, enum txn_status status, int64_t completed_ns)
{
    struct log_txn *txn = last_txn(log);

    txn->status = (uint8_t)status;
    txn->completed_ns = status == TXN_UNKNOWN ? TIME_NEVER : completed_ns;
}
