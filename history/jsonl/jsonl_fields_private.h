/*
 * jsonl_fields: the fields of native text and the words in them, once for the reader, its fast path and the writer.
 *
 * The tables say which fields there are and which go with what; docs/format-jsonl.md says what they mean. FIELD() and
 * FIRST_FIELD() are a field's name as it is written, for those who compare or copy bytes.
 */
#ifndef HISTORY_JSONL_JSONL_FIELDS_PRIVATE_H
#define HISTORY_JSONL_JSONL_FIELDS_PRIVATE_H

#define NAME_HISTORY "ordeal-history"
#define NAME_WORKLOAD "workload"
#define NAME_TABLES "tables"
#define NAME_INITIAL "initial"
#define NAME_UNIQUE "unique"
#define NAME_PRODUCER "producer"
#define NAME_COLUMNS "columns"
#define NAME_KEY "key"

#define NAME_TXN "txn"
#define NAME_SESSION "session"
#define NAME_STATUS "status"
#define NAME_AT "at"
#define NAME_OPS "ops"
#define NAME_TS "ts"
#define NAME_SNAPSHOT "snapshot"
#define NAME_ORIGIN "origin"
#define NAME_VERSION_ORDER "version-order"

#define NAME_OK "ok"
#define NAME_ABORT "abort"
#define NAME_UNKNOWN "unknown"

#define NAME_V "v"
#define NAME_WHERE "where"
#define NAME_ORDER "order"
#define NAME_LIMIT "limit"
#define NAME_ROWS "rows"
#define NAME_VALUES "values"
#define NAME_LOCK "lock"
#define NAME_SET "set"
#define NAME_ERROR "error"

#define NAME_SHARE "share"
#define NAME_UPDATE_LOCK "update"

#define NAME_READ "r"
#define NAME_WRITE "w"
#define NAME_APPEND "append"
#define NAME_REMOVE "d"
#define NAME_SELECT "select"
#define NAME_INSERT "insert"
#define NAME_UPDATE "update"
#define NAME_DELETE "delete"

#define FIRST_FIELD(name) "{\"" name "\":"
#define FIELD(name) ",\"" name "\":"

/* X(field): of line 1, in the order in which they are written. */
#define JSONL_HEADER_FIELDS(X) X(HISTORY) X(WORKLOAD) X(TABLES) X(INITIAL) X(UNIQUE) X(PRODUCER)

/* X(field) */
#define JSONL_TXN_FIELDS(X) X(TXN) X(SESSION) X(STATUS) X(AT) X(OPS) X(TS) X(SNAPSHOT) X(ORIGIN)

/* X(status) */
#define JSONL_STATUSES(X) X(OK) X(ABORT) X(UNKNOWN)

/* X(field): of operations, behind the one that names the operation. */
#define JSONL_OP_FIELDS(X)                                                                         \
    X(V) X(WHERE) X(ORDER) X(LIMIT) X(ROWS) X(VALUES) X(LOCK) X(AT) X(SNAPSHOT) X(SET) X(ERROR)

/* X(operation, the fields that go with it beside those that go with all), OF() of each field. */
#define JSONL_OPS(X, OF)                                                                           \
    X(READ, OF(V) | OF(LOCK))                                                                      \
    X(WRITE, OF(V))                                                                                \
    X(APPEND, OF(V))                                                                               \
    X(REMOVE, 0)                                                                                   \
    X(SELECT, OF(WHERE) | OF(ORDER) | OF(LIMIT) | OF(ROWS) | OF(VALUES) | OF(LOCK))                \
    X(INSERT, OF(ROWS))                                                                            \
    X(UPDATE, OF(WHERE) | OF(ROWS))                                                                \
    X(DELETE, OF(WHERE) | OF(ROWS))
#define JSONL_FIELDS_OF_ALL_OPS(OF) (OF(AT) | OF(SNAPSHOT) | OF(SET) | OF(ERROR))

#endif
