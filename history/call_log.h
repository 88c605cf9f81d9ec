/*
 * call_log: what clients called, and what they were answered: the input of an audit.
 *
 *     {"ordeal-log":1,"load":"load(2)"}
 *     {"txn":7,"session":3,"call":"transfer","arguments":["1","2","10"],"status":"ok",
 *      "at":[100,900],"ts":57,"answers":[{"rows":[]}]}
 *     {"txn":8,"session":4,"statements":[{"sql":"SELECT v FROM t WHERE id = $1","parameters":["5"]}],
 *      "status":"ok","answers":[{"rows":[["42"]]}]}
 *
 * The tables begin as the programs make them, with what the header says: "load", a call;
 * "rows":{"accounts":[{"id":"1","balance":"10"}]}; or "initial":"unknown".
 *
 * A log has neither reads nor writes: an UPDATE tells only that it happened. What the calls do is
 * said by the programs, which are a file of their own; nothing here knows SQL. Values are texts as
 * the database prints them, or null. docs/audit.md is the whole format; what it does not mention is
 * refused with the line and the offset.
 */
#ifndef HISTORY_CALL_LOG_H
#define HISTORY_CALL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "history/io/source.h"

/* A value as text. `at` is NULL for null. Views of the log's own memory. */
typedef ARRAY(struct text) call_log_cells;

enum call_answer_kind {
    CALL_ANSWER_ROWS,    /* what a SELECT, a RETURNING, or a call gave */
    CALL_ANSWER_COUNT,   /* how many rows a statement says that it touched */
    CALL_ANSWER_MISSING, /* null: nobody knows what was answered */
};

struct call_answer {
    enum call_answer_kind kind;
    uint32_t cell, row_count, width; /* row by row, `width` cells each; no rows: width is 0 */
    int64_t count;                   /* CALL_ANSWER_COUNT */
    int64_t completed_ns;            /* when it came, or TIME_NEVER: unknown */
};

/* One of "statements". */
struct call_statement {
    struct text sql;
    uint32_t parameter, parameter_count; /* cells, of $1 and on */
};

#define CALL_PLACES_MAX 3

struct logged_txn {
    int64_t id, session;    /* session -1: unknown */
    enum txn_status status; /* aborted ones mean nothing; unknown ones may have committed */
    int64_t invoked_ns, completed_ns; /* TIME_NEVER: unknown, or never */
    bool has_ts;
    int64_t ts[CALL_PLACES_MAX]; /* its place in the order of commits; unused ones are 0 */
    bool has_saw;
    int64_t saw[2]; /* each of its statements saw those with a ts up to the first, and none with one above the second */
    struct text function;        /* "call"; empty: it is statements */
    uint32_t argument, argument_count; /* cells */
    uint32_t statement, statement_count;
    /* One for a call, one for each statement (of those after an error, missing); 0: none is known. */
    uint32_t answer, answer_count;
    struct text sqlstate;          /* "error", or empty */
    uint64_t line;                 /* of the file */
};

enum initial_kind {
    INITIAL_EMPTY,   /* the tables as the programs make them */
    INITIAL_LOAD,    /* and then this call */
    INITIAL_ROWS,    /* these rows */
    INITIAL_UNKNOWN, /* nobody knows */
};

/* One of the rows of INITIAL_ROWS: its cells are pairs of a column's name and its value. */
struct logged_row {
    struct text table;
    uint32_t cell, column_count;
};

struct call_log {
    struct text producer;
    enum initial_kind initial;
    struct text load; /* INITIAL_LOAD: "load(2)" */
    ARRAY(struct logged_row) rows;
    bool ts_is_hint; /* "ts":"hint": clocks that drift: no proof may use them */
    ARRAY(struct logged_txn) txns; /* in the order of the file */
    ARRAY(struct call_statement) statements;
    ARRAY(struct call_answer) answers;
    call_log_cells cells;
    struct digest digest; /* of the bytes of all lines, and of what was put in the place of its rows */
    struct arena arena;   /* of all texts */
};

/* To be closed whatever the status. */
MUST_USE enum status call_log_read(struct call_log *, struct source *, struct error *);
void call_log_close(struct call_log *);

/*
 * Other initial rows than the log's own: lines of objects, {"accounts":[{"id":"1","balance":"10"}]},
 * each with rows of one table or more.
 */
MUST_USE enum status call_log_read_rows(struct call_log *, struct source *, struct error *);
/* Nobody knows the initial rows. */
void call_log_forget_rows(struct call_log *);

/*
 * When a transaction's first answer came. Where answers have no times: its completion, which one of unknown outcome
 * does not have; or TIME_NEVER.
 */
int64_t call_log_first_answer(const struct call_log *, const struct logged_txn *);

/* Whether a file that begins so is meant to be a log of calls. */
bool call_log_is_it(struct text beginning);

#endif
