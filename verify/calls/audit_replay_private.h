/*
 * audit_replay: runs a logged transaction on the states that it is said to have seen, and compares its answers.
 *
 * Used where a valid witness is replayed in its order, and where executions are tried one by one.
 */
#ifndef VERIFY_CALLS_AUDIT_REPLAY_PRIVATE_H
#define VERIFY_CALLS_AUDIT_REPLAY_PRIVATE_H

#include "base/map.h"
#include "history/call_log.h"
#include "verify/calls/audit_witness_private.h"
#include "verify/calls/session_private.h"
#include "verify/verify.h"

#define NO_POSITION UINT32_MAX

struct audit_replay {
    const struct call_log *log;
    const struct audit_witness *witness;
    struct session session;
    struct verification *result;
    struct verify_exactness exactness;
    struct map ids; /* of transactions, to their numbers in the log */
    struct map numbers; /* of transactions, by id, to what sequences gave them in the witness */
    struct map owners;  /* of numbers that sequences gave */
    uint32_t *order; /* transactions by position, from 1 */
    uint32_t *position; /* of each transaction, or 0 */
    uint32_t count;     /* of the order */
    uint64_t steps_left; /* of all runs that refute */
};

enum replayed {
    REPLAYED,       /* it answers so */
    REPLAYED_WRONG, /* it does not */
    REPLAYED_UNKNOWN,
};

/* What happened to a transaction that was run. Its writes are not committed yet. */
struct replay_outcome {
    enum replayed replayed;
    uint32_t answer;   /* that is wrong */
    char reason[300];  /* how, or what is not known */
};

/* How a transaction sees: session_begin() has these. */
struct replay_sight {
    void (*see)(struct run *, uint32_t statement);
    void *context;
    uint32_t before;
    bool is_locking;
};

void audit_replay_run(struct audit_replay *, const struct logged_txn *, const struct replay_sight *,
                      struct replay_outcome *);

/* What is not known of a run that relied on an order of rows. */
void audit_say_order(const struct run *, char *reason, size_t size);

/* The rows that there were before all; false: not known, and why is in the result. */
bool audit_replay_start(struct audit_replay *);

/* --- Transactions --- */

int audit_compare_ts(const struct logged_txn *, const struct logged_txn *);
/* TIME_NEVER: it is not known, or the transaction may not have committed. */
int64_t audit_completed_at(const struct logged_txn *);
/* Whether the first was completed before the second was invoked. */
bool audit_was_before(const struct logged_txn *, const struct logged_txn *);

/* False: it writes nothing, by its program or because it failed. */
bool audit_may_write(struct audit_replay *, const struct logged_txn *);

/* What the transaction that ran last wrote, in memory that lasts. */
struct written_rows {
    struct row_entry **entries;
    const struct packed **rows;
    uint32_t count;
};

void audit_take_written(struct audit_replay *, struct written_rows *);
bool audit_same_written(const struct written_rows *, const struct written_rows *);

/* Says no, and returns false. */
bool audit_refuse(struct audit_replay *, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
