/*
 * machine: one call of a function, run as far as its next request.
 *
 *     machine_start(&m, function, arguments)
 *     while ((request = machine_run(&m))->kind is READ, WRITE or NUMBER)
 *         ... somebody does what it asks, now or much later ...
 *         machine_answer_rows(&m, rows, count), machine_answer_written(&m)
 *         or machine_answer_number(&m, number)
 *     request->kind is RETURNED or FAILED
 *
 * The machine never calls a store: it stops at every request and is resumed
 * with the answer. Its state is a stack of frames, a heap for texts and arrays,
 * and one statement that is half done; a simulator holds thousands, copies them
 * and throws them away. Budgets are steps (a request counts as many, and so do
 * the bytes of rows that are written) and bytes: a program without end
 * fails, it does not hang.
 *
 * One statement makes these requests, in this order:
 *     select    a READ of each source, in the order that pins most of their
 *               keys first. A source joined by equality to one already read is
 *               read by `column IN (...)` of the values seen there; when there
 *               are none it is not read at all. The machine joins, filters,
 *               orders and aggregates. What an outer join may leave out is read
 *               after what its condition compares it with.
 *     update    a READ for UPDATE; for each row whose key or whose unique columns
 *     delete    change, a READ of who has them already; one WRITE of all rows.
 *     insert    for each row a READ of its key and one of each unique; one WRITE.
 *     subqueries  what depends on no row of the statement is done before all of
 *               this, as selects; of a correlated one, a READ of each source after
 *               those of the statement, by the values found there. They are
 *               computed from these rows. A UNION is one select after the other.
 * After the WRITE, and expected to see it, comes a READ of each row that the new
 * ones refer to, and of those that may still refer to what is gone.
 *
 * Rows that are read may be more than the filter asks for, never less, and a
 * read in the transaction sees what it wrote. Rows are used in the order in
 * which they are given; where PostgreSQL leaves an order open (no ORDER BY,
 * groups, an UPDATE whose rows collide with each other) it is that one, and
 * groups come in the order of their first rows.
 */
#ifndef PROGRAMS_MACHINE_MACHINE_H
#define PROGRAMS_MACHINE_MACHINE_H

#include "programs/machine/condition.h"
#include "programs/machine/program.h"
#include "programs/machine/row_index.h"

#define MACHINE_STEPS_MAX UINT64_C(100000000)
#define MACHINE_BYTES_MAX ((size_t)64 << 20)
#define MACHINE_CALLS_MAX 100 /* within each other */

enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_NUMBER, REQUEST_RETURNED, REQUEST_FAILED };

/* Why rows are read: for histories, and for who must lock what. */
enum read_purpose {
    READ_SELECT,
    READ_UPDATE,    /* of an update: those that match are written next */
    READ_DELETE,
    READ_INSERT,    /* whether the key, or what ON CONFLICT names, is free */
    READ_UNIQUE,    /* whether another row has these values */
    READ_REFERENCE, /* whether the row that is referred to is there, or none refers any more */
};

#define REQUEST_NO_SOURCE UINT16_MAX

/* One row of a write. A write names every key once. */
struct row_write {
    const struct datum *row;   /* whole, also where it is removed: its key names it */
    bool is_removed;
    bool is_insert;            /* the row must not be there */
};

struct request {
    enum request_kind kind;
    uint32_t line;
    uint32_t table;

    /* READ */
    enum read_purpose purpose;
    enum row_lock lock;
    struct filter filter; /* which rows */
    /* Not 0: of the rows that match, the first so many by `order` are enough. */
    uint64_t wanted;
    const struct row_order *order;
    uint16_t source;      /* of the query or a subquery in it, or REQUEST_NO_SOURCE: keys, uniques, references */

    /* READ, WRITE */
    const struct query *query;
    /*
     * Of the statement among those that name a table, in the order they began, from 0. What a subquery
     * reads is read by the statement around it, be that an expression of PL/pgSQL.
     */
    uint32_t ordinal;

    /* WRITE */
    const struct row_write *writes;
    uint32_t write_count;
    enum query_kind statement; /* what makes the write: QUERY_INSERT, _UPDATE, _DELETE */

    /* NUMBER: of a sequence, or setval(). Not of the current one that the machine knows itself. */
    enum number_kind number;
    uint32_t sequence; /* UINT32_MAX of NUMBER_LAST */
    bool is_called;    /* of NUMBER_SET, which sets it to `value` */

    /* RETURNED */
    struct datum value;
    const struct datum *rows; /* of a single statement: one after another */
    uint32_t row_count, row_width;
    uint64_t affected; /* rows, by the last statement */
    int64_t limit, offset; /* after machine_tell_ties(): how many of the rows are wanted, from where on */
    const uint32_t *ties; /* likewise, by row: those of one number are equal by ORDER BY; or NULL: all are */

    /* FAILED: the transaction must be aborted */
    const char *sqlstate;
    const char *message;
};

struct machine;

/* Costs little before it is started; keeps its memory from call to call. */
MUST_USE enum status machine_open(struct machine **, const struct program *, uint64_t steps_max,
                                  size_t bytes_max, struct error *);
void machine_close(struct machine *);

/* Arguments are of the parameters' types, and copied. What was going on is forgotten. */
void machine_start(struct machine *, uint32_t function, const struct datum *arguments);

/* Runs to the next request, which holds until the machine is touched again. */
const struct request *machine_run(struct machine *);
/* The request that it stands at. */
const struct request *machine_request(const struct machine *);

/*
 * The rows that INSERT makes in tables without a primary key are numbered from here on, whatever is started; a new
 * machine begins with 1.
 */
void machine_number_rows(struct machine *, int64_t first);

/* Rows are cells in the order of the columns. They must stay until machine_run() has returned. */
void machine_answer_rows(struct machine *, const struct datum *const *rows, uint32_t count);
void machine_answer_written(struct machine *);
/* Of setval() it is the number that was set. */
void machine_answer_number(struct machine *, int64_t);
/* The sequence has none left. */
void machine_refuse_number(struct machine *);

/*
 * What nextval() gave is known to currval() until now: from here on it is asked for, since nobody knows what the
 * session did before.
 */
void machine_forget_numbers(struct machine *);

/* What finding an answer took elsewhere counts among the machine's steps. */
void machine_charge(struct machine *, uint64_t steps);

/* Another machine that stands where this one does, with the same request; answers apart. */
MUST_USE enum status machine_copy(struct machine **, const struct machine *, struct error *);

/*
 * From now on, single statements return all rows, whatever their LIMIT and OFFSET, and tell which of them are
 * equal by ORDER BY: for who has to know what else would have been right.
 */
void machine_tell_ties(struct machine *);

/* How many statements that name a table have begun. */
uint32_t machine_statements(const struct machine *);

/* Bytes it holds. */
size_t machine_bytes(const struct machine *);

#endif
