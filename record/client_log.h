/*
 * client_log: what one client asked and was told, while a recording goes on. Each client has its
 * own, so that nobody waits.
 */
#ifndef RECORD_CLIENT_LOG_H
#define RECORD_CLIENT_LOG_H

#include "record/database.h"

struct log_op {
    struct builtin_request request;
    int64_t invoked_ns, completed_ns; /* TIME_NEVER: no answer */
    uint64_t first;                   /* rows or elements of the log */
    uint32_t count;
    bool is_there;
    bool is_untimed; /* nobody knows when, but within the transaction */
    uint32_t snapshot_length;
    uint64_t snapshot; /* where the text of its own snapshot begins, if it has one */
};

struct log_txn {
    int64_t invoked_ns, completed_ns;
    uint64_t first_op, xid;
    uint64_t snapshot, call; /* where their texts begin */
    uint32_t op_count, snapshot_length, call_length;
    uint32_t session;
    uint8_t status; /* enum txn_status */
};

struct client_log {
    ARRAY(struct log_txn) txns;
    ARRAY(struct log_op) ops;
    ARRAY(struct builtin_row) rows;
    ARRAY(int64_t) elements;
    struct buffer snapshots;
    struct buffer calls; /* fields of JSON: what a transaction called, with what, and its answer */
};

void client_log_close(struct client_log *);

MUST_USE enum status client_log_begin(struct client_log *, uint32_t session, int64_t invoked_ns,
                                      struct error *);
/* A request of the transaction begun last, and its answer, or NULL: there was none. */
MUST_USE enum status client_log_request(struct client_log *, const struct builtin_request *,
                                        const struct database_answer *,
                                        const struct database_step_answer *, int64_t invoked_ns,
                                        struct error *);
/* What the database said of the transaction so far; keeps what is not said again. */
MUST_USE enum status client_log_note(struct client_log *, const struct database_answer *,
                                     struct error *);
void client_log_end(struct client_log *, enum txn_status, int64_t completed_ns);

static inline struct text client_log_statement(const struct client_log *log,
                                               const struct log_op *op)
{
    return (struct text){ log->snapshots.at + op->snapshot, op->snapshot_length };
}

static inline struct text client_log_snapshot(const struct client_log *log,
                                              const struct log_txn *txn)
{
    return (struct text){ log->snapshots.at + txn->snapshot, txn->snapshot_length };
}

#endif
