/*
 * tiny: logs of a few transactions on three rows, in a language of their own that prints as SQL.
 *
 *     t(id bigint PRIMARY KEY, v bigint NOT NULL), rows 1 to 3
 *
 * What statements do is said here once more, in some hundred lines that know nothing but this table, so that
 * every execution of a tiny log can be tried (tiny_oracle.h).
 */
#ifndef TESTS_AUDIT_TINY_H
#define TESTS_AUDIT_TINY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define TINY_ROWS 3
#define TINY_TXNS_MAX 5
#define TINY_STATEMENTS_MAX 3

struct tiny_row {
    bool is_there;
    int v;
};

struct tiny_state {
    struct tiny_row rows[TINY_ROWS];
};

enum tiny_kind {
    TINY_READ,            /* SELECT v WHERE id = k */
    TINY_READ_FOR_UPDATE, /* the same, FOR UPDATE */
    TINY_LOCK_FROM,       /* SELECT id, v WHERE v >= c FOR UPDATE */
    TINY_SUM,             /* SELECT sum(v) */
    TINY_COUNT_FROM,      /* SELECT count(*) WHERE v >= c */
    TINY_ALL,             /* SELECT id, v ORDER BY v */
    TINY_FIRST,           /* SELECT id, v ORDER BY v LIMIT 1 */
    TINY_SET,             /* UPDATE SET v = c WHERE id = k */
    TINY_ADD,             /* UPDATE SET v = v + c WHERE id = k */
    TINY_ADD_IF,          /* UPDATE SET v = v + c WHERE id = k AND v >= d */
    TINY_ADD_FROM,        /* UPDATE SET v = v + c WHERE v >= d */
    TINY_ADD_RETURNING,   /* UPDATE SET v = v + c WHERE id = k RETURNING v */
    TINY_INSERT,          /* INSERT VALUES (k, c) */
    TINY_INSERT_QUIETLY,  /* the same, ON CONFLICT DO NOTHING */
    TINY_UPSERT,          /* the same, ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v */
    TINY_DELETE,          /* DELETE WHERE id = k */
    TINY_DELETE_FROM,     /* DELETE WHERE v >= c */
    TINY_KIND_COUNT,
};

struct tiny_statement {
    enum tiny_kind kind;
    int k, c, d; /* k from 1 */
};

/* Functions of the program, with integers as arguments. */
enum tiny_call {
    TINY_STATEMENTS, /* none: the transaction is statements */
    TINY_RMW,        /* rmw(k, c): reads v, writes v + c, returns what it read */
    TINY_SKEW,       /* skew(k, l, c): takes c from k if both have as much together; whether it did */
    TINY_QUIET,      /* quiet(k, c): adds, returns nothing */
    TINY_COPY,       /* copy(k, l): l becomes what was read of k, nothing if there is none */
    TINY_TWICE,      /* twice(k): reads v two times, returns both as one number */
    TINY_TAKE,       /* take(): deletes the row with the least id, returns that */
    TINY_LAST,       /* last(c): the greatest id of the rows in which v is c */
    TINY_CALL_COUNT,
};

#define TINY_NULL (-1000000)

/* Counts, or rows: `count` of them, `width` numbers each. */
struct tiny_answer {
    bool is_missing, is_rows;
    int count, width;
    int cells[2 * TINY_ROWS];
};

enum tiny_status { TINY_OK, TINY_ABORT, TINY_UNKNOWN };

struct tiny_txn {
    enum tiny_call call;
    int arguments[3];
    struct tiny_statement statements[TINY_STATEMENTS_MAX];
    int statement_count;
    enum tiny_status status;
    struct tiny_answer answers[TINY_STATEMENTS_MAX]; /* one for a call */
    bool has_ts, has_times;
    int ts, invoked, completed;
};

/* Transactions are numbered from 1 in their log. */
struct tiny_log {
    struct tiny_state initial;
    struct tiny_txn txns[TINY_TXNS_MAX];
    int count;
    bool ts_is_hint;
};

/* The table, and the functions that the log calls; NULL: all of them. */
void tiny_print_program(const struct tiny_log *, struct buffer *);

/* The log as JSON lines. */
void tiny_print(const struct tiny_log *, struct buffer *);

/* --- Running --- */

/* How a transaction sees rows. */
struct tiny_sight {
    /* A row that the statement at hand sees, but for what the transaction has written. */
    struct tiny_row (*see)(void *context, int row);
    void (*next_statement)(void *context);
    void *context;
    bool is_locking;
    const struct tiny_state *newest; /* before the transaction's place */
};

struct tiny_run {
    bool is_wrong;           /* some answer is not the log's, or it failed */
    bool place_counts;       /* it did more than to select */
    bool writes[TINY_ROWS];
    struct tiny_state after; /* of the rows that it writes */
    struct tiny_answer answers[TINY_STATEMENTS_MAX];
};

/* Stops at the first answer that is wrong, if it is to compare. */
void tiny_run_txn(const struct tiny_txn *, const struct tiny_sight *, bool compares, struct tiny_run *);

#endif
