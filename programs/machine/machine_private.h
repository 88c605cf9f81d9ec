/*
 * machine_private: the data that the machine's files share.
 *
 * Everything a machine remembers from one run to the next is in rows of datums
 * and plain numbers, and every text in them is in its heap, in the program or
 * in the rows of an answer it is still working on. So a copy is a walk over the
 * rows, and a full heap is emptied by copying what is still reachable.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_PRIVATE_H

#include "base/array.h"
#include "programs/machine/code_private.h"
#include "programs/machine/machine.h"

/* Rows of `width` datums each, one after another. */
struct machine_rows {
    struct datum *cells;
    uint32_t width;
    size_t count, room; /* rows, cells */
};

/* Rows without columns, as the keys of a group that has none, are nowhere. */
static inline struct datum *rows_at(const struct machine_rows *rows, size_t row)
{
    return rows->cells ? rows->cells + row * rows->width : NULL;
}

/* What currval() says of a sequence. */
struct known_number {
    bool is_known;
    int64_t value;
};

#define RESTRICTIONS_MAX 16 /* columns of one source; more joins only filter */

struct frame {
    uint32_t function;
    uint32_t at;           /* the next step */
    uint32_t slot;         /* of the stack, where its slots begin */
    uint32_t result_count; /* results that were there before it */
    uint16_t to;           /* the caller's slot for what it returns */
};

/* What FOR goes through. */
struct result {
    struct machine_rows rows;
    size_t next;
    bool has_null; /* of a set, which has no null among its rows */
};

/* What FETCH goes through. */
struct cursor {
    int64_t number;
    uint32_t frame; /* of whoever opened it, from 1; 0: that is over */
    struct result result;
};

struct join;

enum phase {
    PHASE_READ,  /* the statement's own reads */
    PHASE_ROW,   /* about to make the next row */
    PHASE_CHECK, /* whether the row that is made may be */
    PHASE_WRITE,
    PHASE_REFER, /* whether references hold */
};

/* The values that a column of the next source is restricted to: some of `values`. */
struct restricted {
    uint16_t column;
    size_t first, count;
};

/* What is half done; all rows are empty between statements. */
struct machine_statement {
    const struct query_code *query; /* NULL: none */
    const struct query_code *whole; /* the UNION that it is an arm of, or NULL */
    uint32_t arm;
    uint32_t first_set;        /* of its sets the first is this result */
    bool has_last;             /* the answer at hand is that of the last read */
    bool is_true;                   /* whether what depends on no row holds */
    enum phase phase;
    size_t row;                /* of VALUES, or of `before` */
    uint32_t step;             /* which read, check or reference of the phase */
    size_t affected;           /* rows; of a select, outputs */
    int64_t limit, offset;     /* outputs at most, and how many are yet to be left out before them */
    struct machine_rows parameters;    /* of the filter */
    struct machine_rows values;        /* that columns are restricted to */
    struct machine_rows inputs[SOURCES_MAX]; /* what was read, in the order of the reads */
    struct machine_rows before, after; /* rows that are changed; before an insert, nulls */
    struct machine_rows assigned;      /* of those before, what they are set to, if that is known early */
    struct machine_rows outputs;
    struct restricted restricted[RESTRICTIONS_MAX];
    uint32_t restricted_count;
};

struct machine {
    const struct program *program;
    uint64_t steps_left, steps_max;
    size_t bytes_max, row_bytes; /* of all rows */
    size_t collect_bytes;        /* from which size of the heap on it is worth a try */

    struct heap heap;
    struct heap scratch; /* for filters */
    uint64_t work_spent; /* of both, what has been counted among the steps */
    struct machine_rows stack;   /* slots of all frames: width 1 */
    struct frame frames[MACHINE_CALLS_MAX];
    uint32_t frame_count;
    struct result *results;
    uint32_t result_count, result_room;
    struct cursor *cursors; /* that are open */
    uint32_t cursor_count, cursor_room;
    int64_t unnamed_cursors; /* opened so far */
    struct machine_statement statement;

    uint32_t statement_count; /* begun, of those that name a table */
    uint64_t affected;        /* by the last statement */
    int64_t row_number; /* of the next row without a primary key */
    struct known_number *numbers; /* by sequence */
    uint32_t number_count;
    uint32_t last_sequence; /* of the last nextval(), or UINT32_MAX */
    uint32_t number_slot;   /* in the frame at hand, for the number that is asked for */
    bool is_number_refused, asks_current;
    bool tells_ties;
    int64_t told_limit, told_offset;
    ARRAY(uint32_t) ties; /* of the last statement; none: it has no order */

    bool is_asking, is_answered, is_done;
    const struct datum *const *answer;
    uint32_t answer_count;
    uint32_t line;
    const struct join *join; /* of what has been read, while subqueries may be asked for */
    struct request request;
    struct row_write *writes;
    struct restriction restrictions[RESTRICTIONS_MAX];
    struct sql_error error;
};

/* machine.c */
MUST_USE enum status machine_spend(struct machine *, uint64_t steps);
void machine_scope(struct machine *, struct scope *);
struct datum *machine_slots(struct machine *);
void machine_ask_rows(struct machine *, uint32_t table, const struct condition *,
                      enum read_purpose, enum row_lock);

#endif
