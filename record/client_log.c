#include "record/client_log.h"

#include <assert.h>

void client_log_close(struct client_log *log)
{
    array_close(&log->txns);
    array_close(&log->ops);
    array_close(&log->rows);
    array_close(&log->elements);
    buffer_close(&log->snapshots);
    buffer_close(&log->calls);
}

static struct log_txn *last_txn(struct client_log *log)
{
    assert(log->txns.count > 0);
    return &log->txns.at[log->txns.count - 1];
}

enum status client_log_begin(struct client_log *log, uint32_t session, int64_t invoked_ns,
                             struct error *err)
{
    struct log_txn txn = { .invoked_ns = invoked_ns,
                           .completed_ns = TIME_NEVER,
                           .first_op = log->ops.count,
                           .session = session,
                           .status = TXN_UNKNOWN };

    return array_push(&log->txns, txn, err);
}

/* Elements, or rows. */
static enum status keep_answer(struct client_log *log, struct log_op *op,
                               const struct database_answer *answer,
                               const struct database_step_answer *step, struct error *err)
{
    bool is_list = answer->elements.count > 0;

    op->first = is_list ? log->elements.count : log->rows.count;
    for (uint32_t i = step->first; i < step->first + step->count; i++)
        if (is_list)
            TRY(array_push(&log->elements, answer->elements.at[i], err));
        else
            TRY(array_push(&log->rows, answer->rows.at[i], err));
    return STATUS_OK;
}

enum status client_log_request(struct client_log *log, const struct builtin_request *request,
                               const struct database_answer *answer,
                               const struct database_step_answer *step, int64_t invoked_ns,
                               struct error *err)
{
    struct log_op op = { .request = *request,
                         .invoked_ns = invoked_ns,
                         .completed_ns = TIME_NEVER,
                         .is_untimed = answer->is_pipelined };

    if (step) {
        op.invoked_ns = step->invoked_ns;
        op.completed_ns = step->completed_ns;
        op.count = step->count;
        op.is_there = step->is_there;
        op.snapshot = log->snapshots.count;
        op.snapshot_length = step->snapshot_length;
        if (step->snapshot_length > 0)
            buffer_text(&log->snapshots, (struct text){ answer->snapshots.at + step->snapshot,
                                                        step->snapshot_length });
        TRY(buffer_status(&log->snapshots, err));
        TRY(keep_answer(log, &op, answer, step, err));
    }
    TRY(array_push(&log->ops, op, err));
    last_txn(log)->op_count++;
    return STATUS_OK;
}

enum status client_log_note(struct client_log *log, const struct database_answer *answer,
                            struct error *err)
{
    struct log_txn *txn = last_txn(log);

    if (answer->xid != 0)
        txn->xid = answer->xid;
    TRY(buffer_status(&answer->snapshot, err));
    if (answer->snapshot.count == 0)
        return STATUS_OK;
    txn->snapshot = log->snapshots.count;
    txn->snapshot_length = (uint32_t)answer->snapshot.count;
    buffer_append(&log->snapshots, &answer->snapshot);
    return buffer_status(&log->snapshots, err);
}

void client_log_end(struct client_log *log, enum txn_status status, int64_t completed_ns)
{
    struct log_txn *txn = last_txn(log);

    txn->status = (uint8_t)status;
    txn->completed_ns = status == TXN_UNKNOWN ? TIME_NEVER : completed_ns;
}
