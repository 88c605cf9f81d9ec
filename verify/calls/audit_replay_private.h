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
    struct map ids; /* of transactions, to their numbers in the log */
    uint32_t *order; /* transactions by position, from 1 */
    uint32_t *position; /* of each transaction, or 0 */
    uint32_t count;     /* of the order */
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

/* The rows that there were before all; false: not known, and why is in the result. */
bool audit_replay_start(struct audit_replay *);

/* Says no, and returns false. */
bool audit_refuse(struct audit_replay *, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
