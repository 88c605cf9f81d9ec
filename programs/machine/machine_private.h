/*
 * What the machine's files share.
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
struct rows {
    struct datum *cells;
    uint32_t width;
    size_t count, room; /* rows, cells */
};

static inline struct datum *rows_at(const struct rows *rows, size_t row)
{
    return rows->cells + row * rows->width;
}

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
    struct rows rows;
    size_t next;
};

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
struct statement {
    const struct query_code *query; /* NULL: none */
    bool is_true;                   /* whether what depends on no row holds */
    enum phase phase;
    size_t row;                /* of VALUES, or of `before` */
    uint32_t step;             /* which read, check or reference of the phase */
    size_t affected;           /* rows; of a select, outputs */
    int64_t limit;             /* outputs at most */
    struct rows parameters;    /* of the filter */
    struct rows values;        /* that columns are restricted to */
    struct rows inputs[SOURCES_MAX]; /* what was read, in the order of the reads */
    struct rows before, after; /* rows that are changed; before an insert, nulls */
    struct rows outputs;
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
    struct rows stack;   /* slots of all frames: width 1 */
    struct frame frames[MACHINE_CALLS_MAX];
    uint32_t frame_count;
    struct result *results;
    uint32_t result_count, result_room;
    struct statement statement;

    bool is_asking, is_answered, is_done;
    const struct datum *const *answer;
    uint32_t answer_count;
    uint32_t line;
    struct request request;
    struct row_write *writes;
    struct restriction restrictions[RESTRICTIONS_MAX];
    struct sql_error error;
};

/* machine_rows.c. Rows that are added are of nulls; those that are there may move. */
MUST_USE enum status machine_add_rows(struct machine *, struct rows *, size_t count);
MUST_USE enum status machine_add_row(struct machine *, struct rows *, struct datum **);
/* Adds a copy that outlives the answer it is from. */
MUST_USE enum status machine_keep_row(struct machine *, struct rows *, const struct datum *from);
/* Empties them, and gives back what is more than little. */
void machine_drop_rows(struct machine *, struct rows *);
/* Takes the rows away from where they are, for STEP_NEXT. */
MUST_USE enum status machine_push_result(struct machine *, struct rows *);
/* Until there are `count`. */
void machine_drop_results(struct machine *, uint32_t count);
/* Copies their texts to the heap. */
MUST_USE enum status rows_move(struct rows *, struct heap *, struct sql_error *);

/* machine.c */
MUST_USE enum status machine_spend(struct machine *, uint64_t steps);
void machine_scope(struct machine *, struct scope *);
struct datum *machine_slots(struct machine *);
void machine_ask_rows(struct machine *, uint32_t table, const struct condition *,
                      enum read_purpose, enum row_lock);
/* Lets the request point to what the machine has now. */
MUST_USE enum status machine_aim_request(struct machine *);

/* machine_step.c: to the next request, or the end. */
MUST_USE enum status machine_step(struct machine *);
MUST_USE enum status machine_push_frame(struct machine *, uint32_t function,
                                        const struct datum *arguments, uint16_t to);

/* machine_statement.c */
MUST_USE enum status statement_begin(struct machine *, const struct query_code *, bool is_true);
/* After an answer. */
MUST_USE enum status statement_go_on(struct machine *);
MUST_USE enum status statement_finish(struct machine *);
void statement_drop(struct machine *);
MUST_USE enum status statement_read(struct machine *, const struct read_code *, enum read_purpose,
                                    enum row_lock);
/* The outputs for the rows that the scope has. */
MUST_USE enum status statement_output(struct machine *, struct scope *);
/* Answers may have more rows than were asked for, and those that the condition fails for. */
MUST_USE enum status statement_match(struct machine *, const struct datum *row, bool *matches);

/* machine_select.c */
MUST_USE enum status select_begin(struct machine *);
MUST_USE enum status select_go_on(struct machine *);
/* Whether there are as many outputs as anybody wants. */
bool select_has_enough(const struct machine *);

/*
 * machine_join.c: rows of all sources that belong together, as tuples of
 * pointers by the number of the source. They hold until the next run.
 */
struct tuples {
    ARRAY(const struct datum *) at;
    uint32_t width;
    size_t count;
};

/* With tuples NULL, each is turned into outputs at once. */
MUST_USE enum status join_run(struct machine *, struct tuples *);
void join_aim(const struct machine *, struct scope *, const struct datum *const *tuple);

/* machine_group.c: aggregates, order, and then outputs. */
MUST_USE enum status group_run(struct machine *, const struct tuples *);

/* machine_write.c */
MUST_USE enum status write_begin(struct machine *);
MUST_USE enum status write_go_on(struct machine *);
/* Those of the request, from the rows before and after. */
MUST_USE enum status write_list(struct machine *, uint32_t *count);

/* machine_check.c */
uint32_t write_table(const struct machine *);
bool columns_equal(struct schema_columns, const struct datum *, const struct datum *);
/* Asks for the next rows that could be in the way of the row just made; *done: there are none. */
MUST_USE enum status check_next(struct machine *, bool *done);
MUST_USE enum status check_answer(struct machine *);
/* The same for what refers to rows that are gone, and is referred to by new ones. */
MUST_USE enum status refer_next(struct machine *, bool *done);
MUST_USE enum status refer_answer(struct machine *);
/* A key or unique of the new row is taken: by a row that was there (`taker`), or a new one (NULL). */
MUST_USE enum status write_conflict(struct machine *, uint32_t unique, const struct datum *taker);

#endif
