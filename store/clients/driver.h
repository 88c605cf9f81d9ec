/*
 * driver: what the clients of a run do, one intention at a time.
 *
 * A driver turns a workload (a builtin, a program's calls, a schedule) into reads
 * and writes of rows, and knows nothing of messages, nodes or time-outs. For each
 * transaction of each client: begin, then next and answered in turn.
 */
#ifndef STORE_CLIENTS_DRIVER_H
#define STORE_CLIENTS_DRIVER_H

#include "store/catalog_private.h"
#include "store/clients/record.h"

enum intent_kind { INTENT_READ, INTENT_WRITE, INTENT_COMMIT, INTENT_ABORT, INTENT_WAIT };

struct intent {
    enum intent_kind kind;
    /* READ: by keys, or by scope */
    const uint32_t *keys;
    uint32_t key_count;
    uint32_t scope, table;
    enum row_lock lock;
    bool for_write;
    bool first_table;
    /* WRITE */
    const struct row_change *changes;
    uint32_t change_count;
    /* WAIT: ask again then (schedules), in ns from now */
    int64_t wait_ns;
};

/*
 * How operations go into the history: the driver writes them down itself, as it knows what they
 * are.
 */
struct driver_answer {
    /* READ, own writes included: by keys one for each, in their order; by scope those that match,
       of which a store with a bug may give one twice. */
    const struct read_row *rows;
    uint32_t row_count;
    struct record_op op;         /* times, snapshot and set of the request just answered */
    struct run_record *record;
    uint64_t txn;
};

/* Where and when a listed transaction begins. */
struct driver_turn {
    int64_t at_ns; /* by the client's clock, or later */
    uint32_t node; /* that the client talks to from now on */
};

struct driver {
    void *context;
    /* Of a driver whose transactions are listed; false: the client has no more. NULL: clients rest
       as they like, and go from node to node. */
    bool (*turn)(void *context, uint32_t client, uint64_t ordinal, struct driver_turn *);
    /* How long a client has to rest before it asks to begin, or 0. NULL: it never has to. */
    int64_t (*rest_ns)(void *context, uint32_t client);
    /* The transaction `ordinal` (from 0) of a client, its `attempt` (from 0). False: the client has
       no more to do. */
    bool (*begin)(void *context, uint32_t client, uint64_t ordinal, uint32_t attempt);
    /* What it points to holds until the driver is called again for this client. The same until it
       is answered. */
    struct intent (*next)(void *context, uint32_t client);
    /* A READ or WRITE was done. COMMIT and ABORT are followed by `ended` alone. */
    void (*answered)(void *context, uint32_t client, const struct driver_answer *);
    /* The READ or WRITE at hand was not answered, or with an abort: it goes into the history
       without answer, and the attempt ends. */
    void (*unanswered)(void *context, uint32_t client, const struct driver_answer *);
    /* How the attempt ended: once for each that began. */
    void (*ended)(void *context, uint32_t client, enum txn_status, uint64_t txn);
};

#endif
