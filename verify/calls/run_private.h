/*
 * run: a transaction, executed by walking its formulas.
 *
 *     evaluate.c   expressions
 *     select.c     SELECT, and which rows an UPDATE or DELETE means
 *     write.c      INSERT, UPDATE, DELETE, and the constraints
 *     perform.c    the statements of PL/pgSQL
 *
 * Each statement that counts asks which state it sees. What it writes goes into the rows' `own`. Errors and
 * what is not known go out by the trap.
 */
#ifndef VERIFY_CALLS_RUN_PRIVATE_H
#define VERIFY_CALLS_RUN_PRIVATE_H

#include "verify/calls/numbering_private.h"
#include "verify/calls/row_states_private.h"

struct run {
    struct trap *trap;
    struct workbench bench; /* memory until the transaction is over */
    struct row_store *store;
    struct numbering *numbering;
    const struct catalog *catalog;

    /* Says which state statement number n sees, by setting run->view. */
    void (*see)(struct run *, uint32_t statement);
    void *context;
    bool is_locking;  /* writes find the newest rows */
    uint32_t before;  /* the state before the transaction's place */
    struct row_view view, newest; /* of the statement that runs */
    uint64_t writes;              /* that were made before it */

    const struct text *parameters; /* $1 and on; at == NULL: null */
    uint32_t parameter_count;

    uint32_t statements;    /* that counted so far */
    bool place_counts;      /* one of them was not a SELECT without locks */
    bool relied_on_order;   /* used rows in an order that SQL leaves open, where it could matter: */
    uint32_t line, open_line; /* of the step that runs; of the one that relied so; 0: of no function */
    uint64_t steps_left;
    uint32_t depth, nesting; /* calls within calls; statements within statements, in all of these */
    struct portal *portals; /* of cursors that were opened, the newest first */
    int64_t unnamed_portals; /* of them without a name */
    int64_t row_number; /* of the next row that is inserted without a primary key */
};

/* The rows of the query at hand, and of those around it. */
struct row_env {
    const struct packed *const *rows; /* by source; NULL: a row of nulls, of LEFT JOIN */
    const struct item *aggregates;
    const struct row_env *outer;
};

/* Where a formula is evaluated. */
struct place_of_work {
    struct run *run;
    struct item *variables; /* of the routine; NULL: there is none */
    const struct shape **shapes; /* of records among them */
    const struct row_env *env;
};

struct item evaluate(const struct place_of_work *, const struct formula *);
bool evaluate_truth(const struct place_of_work *, const struct formula *);
/* Counts a step, and ends what never ends. */
void run_step(struct run *, uint64_t steps);

/* How many numbers a transaction has for such rows. The first ones are the initial rows'. */
#define RUN_ROW_NUMBERS INT64_C(1000000000)

static inline struct packed run_number_row(struct run *run)
{
    return (struct packed){ .kind = ITEM_INTEGER, .as.integer = run->row_number++ };
}

/* --- Rows --- */

struct result_row {
    const struct packed **rows; /* by source; of a group: of its first row */
    struct row_entry **entries;
    const struct item *aggregates;
    struct item *keys;  /* of ORDER BY */
    struct item *cells; /* the outputs; NULL: not computed, since LIMIT cuts it off */
    uint32_t block;     /* rows of one block may stand in any order */
};

struct result {
    struct result_row **rows; /* in order, also those that LIMIT and OFFSET leave out */
    uint32_t count, width;
    uint32_t first, last; /* which are given */
};

void select_rows(const struct place_of_work *, const struct selection *, struct result *);
/* The rows that an UPDATE or DELETE means, without outputs. */
void select_targets(const struct place_of_work *, const struct selection *, struct result *);
/* Notes that another order of rows could give something else. */
void run_rely_on_order(struct run *);
/* Notes it if the order of what is given matters to whoever uses no more than so many rows. */
void result_rely_on_order(struct run *, const struct result *, uint32_t used);
/* A list without memory of its own: sorts it, stable. */
void run_sort(struct run *, void **items, uint32_t count,
              int (*compare)(void *context, const void *, const void *), void *context);

/* --- Statements --- */

struct outcome_of_statement {
    struct result result; /* RETURNING, SELECT */
    uint32_t touched;     /* rows */
};

void run_statement(const struct place_of_work *, const struct statement *,
                   struct outcome_of_statement *);

/* A row that is said to have been there at first. What it refers to may be among the rows that nobody knows. */
void write_first(const struct place_of_work *, const struct relation *, const struct packed *row);
void write_insert(const struct place_of_work *, const struct statement *,
                  struct outcome_of_statement *);
void write_update(const struct place_of_work *, const struct statement *,
                  struct outcome_of_statement *);
void write_delete(const struct place_of_work *, const struct statement *,
                  struct outcome_of_statement *);

/* --- Routines --- */

/* Arguments are of the parameters' types. */
struct item run_routine(struct run *, const struct routine *, const struct item *arguments);

#endif
