/*
 * driver_builtin_private: a driver of a built-in workload and its clients, for
 * store/driver_builtin*.c.
 */
#ifndef STORE_CLIENTS_DRIVER_BUILTIN_PRIVATE_H
#define STORE_CLIENTS_DRIVER_BUILTIN_PRIVATE_H

#include "programs/builtin_tally.h"
#include "programs/condition.h"
#include "store/clients/changes_private.h"
#include "store/clients/driver_builtin.h"

#define BUILTIN_TABLE 0 /* there is but one */
#define BUILTIN_COLUMNS_MAX 3

enum { KEY_COLUMN, VALUE_COLUMN, TAG_COLUMN };

/* A condition of one column: `= $0`, or `>= $0 AND <= $1`. */
enum condition_kind { CONDITION_EQUAL, CONDITION_BETWEEN, CONDITION_KIND_COUNT };

enum stage {
    STAGE_ASK,    /* what the workload asks for next */
    STAGE_WRITE,  /* the second half of what it asked for: the changes are to be written */
    STAGE_ABORT,  /* an insert met a row */
};

struct builtin_client {
    struct builtin_txn txn;
    struct builtin_request request; /* at hand */
    enum stage stage;
    bool is_running;
    uint32_t key, scope;            /* of the request; a range that means one key has no scope */
    struct changes changes;
    struct kept_op kept;            /* of the first half */
};

struct driver_builtin {
    const struct builtin *builtin;
    struct listed *recorded; /* or NULL */
    struct catalog *catalog;
    struct arena *arena;
    struct driver driver;
    struct schema schema;
    struct schema_table table;
    struct schema_column columns[BUILTIN_COLUMNS_MAX];
    enum table_shape shape;
    /* By column, key or value, and kind. */
    const struct condition *conditions[2][CONDITION_KIND_COUNT];
    struct memory memory;
    struct pool pool;
    struct heap heap;
    struct buffer text;
    struct builtin_client *clients;
    struct key_marks marks;
    VECTOR(struct builtin_row) rows;  /* of the answer at hand */
    VECTOR(struct builtin_row) final; /* of the final state */
    struct builtin_tally tally;
    struct buffer broken_sight;
    uint64_t broken_sights;
    bool is_short;
};

/* The workload's table, as if a program had declared it, and the conditions of its ranges. */
MUST_USE enum status driver_builtin_make_table(struct driver_builtin *, struct error *);

#endif
