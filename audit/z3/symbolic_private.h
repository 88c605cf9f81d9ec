/*
 * symbolic: transactions run once for all states that they may have seen, for the engine z3.
 *
 * This is the method of "Checking Observational Correctness of Database Systems" (sections 5 and 6). A value is a
 * term (terms_private.h), which may be a constant. All ways of a function are run: what is done under a condition is
 * done with that guard, and variables are put together behind it. A cell has a value for each commit that wrote it;
 * read in a state that is to be found, it is one of them, by the state's number. Of rows that are there in some
 * states only, the same is done with whether they are there.
 *
 * What it does not know makes it stuck, with the construct's name and line. It may be wrong where the machine is
 * right: whatever Z3 makes of it is run once more by the machine (by_z3.c).
 */
#ifndef AUDIT_Z3_SYMBOLIC_PRIVATE_H
#define AUDIT_Z3_SYMBOLIC_PRIVATE_H

#include "audit/plan_private.h"
#include "audit/runner_private.h"
#include "audit/z3/terms_private.h"
#include "base/map.h"

#define SYMBOLIC_NO_ROW UINT32_MAX

/*
 * A datum, known or not yet: integers, times, digits of numerics, truths; of texts, of arrays and of numerics with
 * more than 64 bits their numbers.
 */
struct sym {
    term value, null;
    uint8_t kind, scale; /* those of a datum */
};

#define SYM_SCALE_NUMBERED UINT8_MAX /* of numerics with more than 64 bits */

/* A row as a statement sees it, or as a transaction leaves it. */
struct sym_view {
    term exists;
    const struct sym *cells;
};

struct sym_version {
    uint32_t position;
    term written; /* else there is no such version */
    struct sym_view view;
};

struct sym_row {
    uint32_t table;
    uint64_t name; /* a hash of its table and key: others that have it are taken for the same */
    const struct datum *like; /* cells with its key */
    ARRAY(struct sym_version) versions;

    /* Of the transaction that runs. */
    term own_written;
    struct sym_view own; /* without cells: it has not written the row */
};

/* A row that a statement found, if `guard`. */
struct sym_found {
    uint32_t row;
    term guard;
    const struct sym *cells;
};

typedef ARRAY(struct sym_found) sym_found_list;

/* What a query gives. */
struct sym_result {
    struct sym_found *rows; /* cells: the outputs */
    uint32_t count, width;
};

/* A state that is to be found, or with PREFIXES_IS_PRESENT for a row whether a transaction has committed. */
struct sym_event {
    uint32_t txn;
    term guard;     /* whether it counts */
    term statement; /* its number among those that name a table */
    term state;
    uint64_t row; /* the name, or 0: all rows */
};

struct sym_loop {
    struct sym_loop *outer;
    term exits, continues;
    bool sets_found;
};

struct sym_frame {
    const struct program_function *function;
    struct sym *slots;
    struct sym result;
    term returns;
    struct sym_loop *loop;
    struct sym_result rows; /* of a single statement */
};

struct symbolic {
    const struct plan *plan;
    const struct program_tree *tree;
    enum run_mode mode;
    bool by_value, uses_index, is_by_elements;

    struct arena arena; /* guarded */
    struct heap heap;
    struct terms terms;
    ARRAY(struct sym_row) rows;
    struct map row_of;            /* by name */
    ARRAY(uint32_t) * rows_of;    /* by table, in the order of their keys */
    ARRAY(struct datum) numbered; /* by number */
    struct map number_of;         /* by hash */
    struct compare compare;
    ARRAY(struct sym_event) events;
    ARRAY(uint32_t) written; /* rows of the transaction that runs */

    /* Of the transaction that runs. */
    uint32_t txn, position; /* its commit will be that */
    uint32_t low, high;     /* the states that it may see */
    term guard;             /* what is done is done if this, and nothing has failed */
    term failed;
    bool assumes; /* it has not failed */
    term lost; /* then: guards of ways that led to a failure; they stay, to be put together again */
    ARRAY(uint32_t) seen; /* rows, some of them several times */
    term here;            /* it has committed */
    term fails_as_logged; /* with the error that the log has */
    term statements;      /* that name a table, begun before the one at hand */
    term begun;           /* the guard of that */
    size_t first_event;   /* of it */
    term state;           /* of the statement or the transaction, if has_state */
    bool has_state;
    term last_state; /* at locking: that of the statement before */
    uint32_t depth, steps;
    const struct sym **sources;    /* the row at hand, by source */
    const struct sym_found *group; /* rows of the aggregates at hand */
    uint32_t group_count;
    struct sym_frame *frame;

    struct error *err;
    enum status status;
    bool is_stuck;
    char reason[300];
};

/* --- Transactions --- */

/*
 * The rows are those of state 0; they are read, not changed. `arena`, `mode` and what stands below that are set. In a
 * process apart, whose end frees it all; within arena_guarded().
 */
MUST_USE enum status symbolic_open(struct symbolic *, const struct plan *, const struct rows *,
                                   struct smt *, struct error *);

/* Where a transaction stands, and what it may see. */
struct sym_place {
    uint32_t txn, position, low, high;
};

/*
 * Runs and commits it, and asserts that its answers come out. Within arena_guarded(); whether `is_stuck` is to be
 * asked afterwards.
 */
MUST_USE enum status symbolic_run(struct symbolic *, const struct sym_place *, struct error *);
/* Commits from this position on are taken back; so many events and terms found are left. */
void symbolic_rewind(struct symbolic *, uint32_t position, size_t events, size_t found);

/* For the files of the interpreter: it goes on with anything. */
void symbolic_stick(struct symbolic *, uint32_t line, const char *what);
void symbolic_note(struct symbolic *, enum status);
void symbolic_assert(struct symbolic *, term);
/* Under the guard of what is done now. */
term symbolic_guard(struct symbolic *);
/* What is done now is done only if this is true, too. Returns the guard before, to be put back. */
term symbolic_narrow(struct symbolic *, term);
void symbolic_fail(struct symbolic *, term condition, const char *sqlstate);
struct sym symbolic_call(struct symbolic *, uint32_t function, const struct sym *arguments,
                         struct sym_result *rows);

#endif
