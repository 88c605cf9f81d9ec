/*
 * history: what the clients of a store saw, and what the store says of its own
 * order; the one structure that every checker reads.
 *
 * Everything is a column. Transactions are numbered in the order of the file,
 * which is also the order within each session; each is a range of operations in
 * program order. Keys, sessions and texts are numbered as they first come.
 *
 *     txn_op        0     2        5  6
 *                   |     |        |  |
 *     op_kind       r  w  r  sel row  w      15 bytes an item operation:
 *     op_key        x  y  x  #0  t/7  y      kind, flags, kind of value, key, value
 *     op_value      1  2  1  -   row0 3
 *
 * A version is the number of the operation that wrote it. A column that no
 * transaction or operation of the history uses is NULL. Statements over a
 * predicate are one operation, the head (op_key is the statement's number),
 * followed by one operation for each of their rows, which carry their head's
 * flags, but have neither times, snapshot, version set nor refusal of their own.
 *
 * A history is immutable. It comes from builder_finish() or from a file, has
 * passed history_check(), and is released by history_close().
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"

#define HISTORY_NONE UINT32_MAX     /* no key, text, version, index */
#define VERSION_INITIAL HISTORY_NONE /* as a version: the one before all writes */
#define TIME_ABSENT INT64_MIN       /* nobody wrote the time down */
#define TIME_NEVER INT64_MAX        /* no completion was seen */
#define PLACE_PARTS_MAX 3

enum txn_status {
    TXN_OK,
    TXN_ABORT,   /* its writes count for aborted reads, its reads are not judged */
    TXN_UNKNOWN, /* its reads mean nothing, its writes may land at any time */
    TXN_STATUS_COUNT
};

enum op_kind {
    OP_READ,
    OP_WRITE,
    OP_APPEND,
    OP_REMOVE, /* an item delete */
    /* Heads of statements; op_key is the statement. */
    OP_SELECT,
    OP_INSERT,
    OP_UPDATE,
    OP_DELETE,
    /* Rows of the head before them. Rows of an update or delete were matched, then written. */
    OP_ROW_READ,
    OP_ROW_WRITE,
    OP_ROW_REMOVE,
    OP_KIND_COUNT
};

enum op_flag {
    OP_ERROR = 1, /* refused: it had no effect, and its answer means nothing */
    OP_LOCK_SHARE = 2,
    OP_LOCK_UPDATE = 4,
};

enum value_kind {
    VALUE_NONE, /* no answer, or an operation that has no value */
    VALUE_NULL,
    VALUE_INTEGER,
    VALUE_BOOLEAN,
    VALUE_TEXT, /* bits: the text's number; equal texts have equal numbers */
    VALUE_LIST, /* bits: the list's number; of equal ones usually, but not surely, the same */
    VALUE_ROW,  /* bits: the row's number; likewise */
    VALUE_KIND_COUNT
};

struct value {
    enum value_kind kind;
    int64_t bits;
};

/* Compared left to right; a missing part comes before any other. No parts: no place. */
struct place {
    unsigned parts;
    int64_t part[PLACE_PARTS_MAX];
};

enum statement_flag {
    STATEMENT_ORDERED = 1,  /* its rows came in an order that matters */
    STATEMENT_ANSWERED = 2, /* rows or values came back, if only none */
    STATEMENT_AGGREGATES = 4,
};

/* Kinds of table columns, by what their values are. */
enum column_kind { COLUMN_INTEGER, COLUMN_BOOLEAN, COLUMN_TEXT, COLUMN_LIST };

/*
 * X(group, element type, name, extra elements, optional)
 *
 * The columns of a group have the group's count of elements, or `extra` more.
 * A column named *_start or txn_op gives where each element's part of another
 * group begins; its extra element is where the last one's ends.
 */
#define HISTORY_COLUMNS(X)                                                                         \
    X(txn, int64_t, txn_id, 0, 0)                                                                  \
    X(txn, uint32_t, txn_session, 0, 0)                                                            \
    X(txn, uint8_t, txn_status, 0, 0)                                                              \
    X(txn, uint32_t, txn_op, 1, 0)                                                                 \
    X(txn, int64_t, txn_invoked, 0, 1)                                                             \
    X(txn, int64_t, txn_completed, 0, 1)                                                           \
    X(txn, uint8_t, txn_ts_parts, 0, 1) /* NULL beside txn_ts: every transaction has one part */   \
    X(txn, int64_t, txn_ts, 0, 1)                                                                  \
    X(txn, int64_t, txn_ts_second, 0, 1)                                                           \
    X(txn, int64_t, txn_ts_third, 0, 1)                                                            \
    X(txn, uint8_t, txn_snapshot_parts, 0, 1)                                                      \
    X(txn, int64_t, txn_snapshot, 0, 1)                                                            \
    X(txn, int64_t, txn_snapshot_second, 0, 1)                                                     \
    X(txn, int64_t, txn_snapshot_third, 0, 1)                                                      \
    X(txn, uint8_t, txn_origin_parts, 0, 1)                                                        \
    X(txn, int64_t, txn_origin, 0, 1)                                                              \
    X(txn, int64_t, txn_origin_process, 0, 1)                                                      \
    X(op, uint8_t, op_kind, 0, 0)                                                                  \
    X(op, uint8_t, op_flags, 0, 0)                                                                 \
    X(op, uint8_t, op_value_kind, 0, 0)                                                            \
    X(op, uint32_t, op_key, 0, 0)                                                                  \
    X(op, int64_t, op_value, 0, 0)                                                                 \
    X(op, int64_t, op_invoked, 0, 1)                                                               \
    X(op, int64_t, op_completed, 0, 1)                                                             \
    X(op, uint8_t, op_snapshot_parts, 0, 1)                                                        \
    X(op, int64_t, op_snapshot, 0, 1)                                                              \
    X(op, int64_t, op_snapshot_second, 0, 1)                                                       \
    X(op, int64_t, op_snapshot_third, 0, 1)                                                        \
    X(set, uint32_t, set_op, 0, 0) /* rising: operations that have a version set of their own */   \
    X(set, uint64_t, set_start, 1, 0)                                                              \
    X(set_entry, uint32_t, set_key, 0, 0)                                                          \
    X(set_entry, uint32_t, set_version, 0, 0)                                                      \
    X(refusal, uint32_t, refusal_op, 0, 0) /* rising: those with OP_ERROR that are no rows */      \
    X(refusal, uint32_t, refusal_text, 0, 0)                                                       \
    X(statement, uint32_t, statement_op, 0, 0) /* rising: the heads */                             \
    X(statement, uint32_t, statement_row_count, 0, 0)                                              \
    X(statement, uint32_t, statement_table, 0, 0)                                                  \
    X(statement, uint32_t, statement_where, 0, 0) /* text, or none: every row */                   \
    X(statement, uint32_t, statement_order, 0, 0) /* text, or none */                              \
    X(statement, int64_t, statement_limit, 0, 0)  /* or -1 */                                      \
    X(statement, uint8_t, statement_flags, 0, 0)                                                   \
    X(statement, uint32_t, statement_aggregate_start, 1, 0)                                        \
    X(aggregate, uint32_t, aggregate_name, 0, 0) /* text: "min(v)" */                              \
    X(aggregate, uint8_t, aggregate_kind, 0, 0)                                                    \
    X(aggregate, int64_t, aggregate_value, 0, 0)                                                   \
    X(list, uint64_t, list_start, 1, 0)                                                            \
    X(element, int64_t, list_element, 0, 0)                                                        \
    X(row, uint32_t, row_shape, 0, 0)                                                              \
    X(row, uint64_t, row_start, 1, 0)                                                              \
    X(cell, uint8_t, cell_kind, 0, 0)                                                              \
    X(cell, int64_t, cell_value, 0, 0)                                                             \
    X(shape, uint32_t, shape_start, 1, 0)                                                          \
    X(shape_column, uint32_t, shape_column_name, 0, 0) /* text */                                  \
    X(table, uint32_t, table_name, 0, 0)               /* text */                                  \
    X(table, uint32_t, table_column_start, 1, 0)                                                   \
    X(table, uint32_t, table_key_start, 1, 0)                                                      \
    X(table, uint32_t, table_shape, 0, 0) /* of its whole rows */                                  \
    X(table_column, uint32_t, table_column_name, 0, 0)                                             \
    X(table_column, uint32_t, table_column_type, 0, 0) /* text: "numeric(10,2)" */                 \
    X(table_column, uint8_t, table_column_kind, 0, 0)                                              \
    X(table_key, uint32_t, table_key_column, 0, 0) /* counted within the table */                  \
    X(initial, uint32_t, initial_key, 0, 0)                                                        \
    X(initial, uint8_t, initial_kind, 0, 0)                                                        \
    X(initial, int64_t, initial_value, 0, 0)                                                       \
    X(order, uint32_t, order_key, 0, 0)                                                            \
    X(order, uint64_t, order_start, 1, 0)                                                          \
    X(order_version, uint32_t, order_version, 0, 0)                                                \
    X(session, int64_t, session_id, 0, 0)                                                          \
    X(key, uint64_t, key_start, 1, 0)                                                              \
    X(key_byte, char, key_bytes, 0, 0)                                                             \
    X(text, uint64_t, text_start, 1, 0)                                                            \
    X(text_byte, char, text_bytes, 0, 0)

#define HISTORY_GROUPS(X)                                                                          \
    X(txn) X(op) X(set) X(set_entry) X(refusal) X(statement) X(aggregate) X(list) X(element)       \
    X(row) X(cell) X(shape) X(shape_column) X(table) X(table_column) X(table_key) X(initial)       \
    X(order) X(order_version) X(session) X(key) X(key_byte) X(text) X(text_byte)

struct history {
#define HISTORY_COUNT(group) size_t group##_count;
    HISTORY_GROUPS(HISTORY_COUNT)
#undef HISTORY_COUNT
#define HISTORY_COLUMN(group, type, name, extra, optional) const type *name;
    HISTORY_COLUMNS(HISTORY_COLUMN)
#undef HISTORY_COLUMN

    uint32_t workload, producer; /* texts, or none */
    int8_t unique;               /* whether no two writes of a key are equal: 1, 0, -1: unsaid */

    /* Derived when the history is made, by key: its place in initial_key and order_key. */
    const uint32_t *key_initial, *key_order;
    /* Beside shape_column_name: each shape's columns in the order of their names' numbers. */
    const uint32_t *shape_sorted;

    struct history_memory *memory; /* owns the columns */
};

void history_close(struct history *);

/*
 * Whether every number in every column points where it may, starts rise, kinds
 * go with flags, texts are UTF-8: after it, no reader needs to look again. For
 * what comes from outside; names the column and element that is wrong.
 */
MUST_USE enum status history_check(const struct history *, struct error *);

struct text history_key(const struct history *, uint32_t key);
struct text history_text(const struct history *, uint32_t text);
/* The key's number, or HISTORY_NONE; a search through all keys. */
uint32_t history_find_key(const struct history *, struct text key);
/* The transaction of an operation, by bisection. */
uint32_t history_txn_of(const struct history *, uint32_t op);

struct value history_value(const struct history *, size_t op);
struct value history_initial(const struct history *, uint32_t key); /* VALUE_NULL if unsaid */
/* Deep: lists by elements, rows by columns whatever their shapes' order. */
bool history_values_equal(const struct history *, struct value, struct value);

struct place history_ts(const struct history *, size_t txn);
/* The transaction's own; and what holds for an operation: its own, else its transaction's. */
struct place history_txn_snapshot(const struct history *, size_t txn);
struct place history_op_snapshot(const struct history *, size_t txn, size_t op);
int history_compare_places(struct place, struct place);

/*
 * What the file that the transaction was converted from calls it: the index of its first event, and
 * its process. No parts: nobody says; one: it has no process. It says nothing of what happened.
 */
#define ORIGIN_PARTS_MAX 2
struct place history_origin(const struct history *, size_t txn);

/* Statement of a head. */
static inline bool op_is_head(uint8_t kind)
{
    return kind >= OP_SELECT && kind <= OP_DELETE;
}

/* Whether the operation makes a version of its key (if it is not refused). */
static inline bool op_is_write(uint8_t kind)
{
    return (kind >= OP_WRITE && kind <= OP_REMOVE) || kind == OP_ROW_WRITE || kind == OP_ROW_REMOVE;
}

/* A write that was not refused. */
static inline bool history_makes_version(const struct history *h, size_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

static inline bool op_is_read(uint8_t kind)
{
    return kind == OP_READ || kind == OP_ROW_READ;
}

static inline bool op_is_row(uint8_t kind)
{
    return kind >= OP_ROW_READ;
}

/* What the rows of a head of this kind are. */
static inline uint8_t op_kind_of_rows(uint8_t head_kind)
{
    switch (head_kind) {
    case OP_SELECT:
        return OP_ROW_READ;
    case OP_DELETE:
        return OP_ROW_REMOVE;
    default:
        return OP_ROW_WRITE;
    }
}

/* Whether an operation of this kind may have a value of that kind. */
static inline bool op_may_have_value(uint8_t kind, uint8_t value_kind)
{
    switch (kind) {
    case OP_READ:
        return value_kind <= VALUE_ROW;
    case OP_WRITE:
        return value_kind >= VALUE_NULL && value_kind <= VALUE_ROW;
    case OP_APPEND:
        return value_kind == VALUE_INTEGER;
    case OP_ROW_READ:
    case OP_ROW_WRITE:
        return value_kind == VALUE_ROW;
    default:
        return value_kind == VALUE_NONE;
    }
}

/* BLAKE2b-256 over the columns: the same whatever file the history came from. */
struct digest history_digest(const struct history *);

/* Bytes of all columns, for reports. */
size_t history_bytes(const struct history *);

#endif
