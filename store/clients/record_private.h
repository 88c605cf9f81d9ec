/*
 * record_private: what record.c keeps, for record_history.c to make a history of.
 *
 * Operations stand in the order in which they ended, of all transactions mixed;
 * each knows the next of its own transaction. Rows are numbered texts: what many
 * reads return stands here once.
 */
#ifndef STORE_CLIENTS_RECORD_PRIVATE_H
#define STORE_CLIENTS_RECORD_PRIVATE_H

#include "base/intern.h"
#include "store/clients/record.h"

#define VALUE_OF_NO_ROW INTERN_NONE

enum recorded_flag {
    RECORDED_ANSWER = 1,
    RECORDED_SNAPSHOT = 2,
    RECORDED_SET = 4,
};

struct recorded_txn {
    int64_t invoked_ns, completed_ns;
    struct stamp place, snapshot;
    uint32_t session;
    uint32_t first_op, last_op; /* plus one; 0: none */
    uint8_t status;             /* enum txn_status */
    bool is_open, is_forgotten;
    bool is_uncounted;          /* it is not the workload's */
    bool has_place;             /* the store committed it, there */
    bool is_decided;
    bool is_read_only;          /* the store committed it without a decision in a log */
    bool is_applied;            /* on some shard */
};

struct recorded_op {
    int64_t invoked_ns, completed_ns;
    union {
        int64_t element; /* of an append */
        uint64_t rows;   /* of a statement: the first of its rows */
    } as;
    uint32_t next;      /* of the transaction, plus one; 0: none */
    uint32_t key;       /* or the statement's table */
    uint32_t value;     /* read or written, or the statement's scope */
    uint32_t row_count; /* of a statement */
    uint8_t kind;       /* enum op_kind */
    uint8_t lock;       /* enum row_lock */
    uint8_t flags;      /* enum recorded_flag */
};

struct recorded_value {
    uint32_t key, value; /* of a row that is removed: VALUE_OF_NO_ROW */
};

struct recorded_snapshot {
    uint32_t op;
    struct stamp at;
};

struct recorded_set {
    uint32_t op, count;
    uint64_t start;
};

struct recorded_entry {
    uint32_t key;
    uint64_t writer; /* 0: nobody */
};

struct run_record {
    struct record_options options;
    struct record_counts counts;
    uint64_t contradictions;
    bool is_short;
    ARRAY(struct recorded_txn) txns; /* number 1 is the first */
    ARRAY(struct recorded_op) ops;
    ARRAY(struct recorded_value) rows;          /* of statements */
    ARRAY(struct recorded_value) initial;
    ARRAY(struct recorded_snapshot) snapshots;  /* by operation */
    ARRAY(struct recorded_set) sets;            /* by operation */
    ARRAY(struct recorded_entry) entries;       /* of sets */
    struct intern values;                       /* rows, as bytes */
};

/* Whether the store committed it and no client was told otherwise: its writes are versions. */
static inline bool recorded_is_committed(const struct recorded_txn *t)
{
    return !t->is_forgotten && t->has_place && t->status != TXN_ABORT;
}

#endif
