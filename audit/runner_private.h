/*
 * runner: one transaction, run on one choice of states.
 *
 *     runner_run(r, txn, path)     choices made so far, the newest state wherever there is none
 *         r->end                   its answers came out, or not
 *         r->choices               what was chosen, one for each statement (or row), with the
 *                                  interval of states in which all would have been the same
 *
 * It drives the machine request by request: reads are looks at the rows, writes go over them. A run
 * stands for all choices within the intervals, so the next one to try is just below the lowest state
 * of one of them. What the run has written is pending in the rows until it is committed or dropped.
 */
#ifndef AUDIT_RUNNER_PRIVATE_H
#define AUDIT_RUNNER_PRIVATE_H

#include "audit/compare_private.h"
#include "audit/plan_private.h"
#include "audit/programs/open_order.h"
#include "audit/rows_private.h"
#include "audit/worlds_private.h"

enum run_mode {
    RUN_AT_PLACE,  /* every statement sees the newest state */
    RUN_SNAPSHOT,  /* all statements see one */
    RUN_LOCKING,   /* read-committed, as audit.h says */
    RUN_STATEMENT,
    RUN_PAPER,
};

enum run_end {
    RUN_RIGHT,
    RUN_WRONG,  /* another answer came out */
    RUN_FAILED, /* the program failed, or did not where it should have */
};

struct choice {
    uint32_t state;
    uint32_t low, high;      /* if the run tracks: where it would have been the same */
    uint32_t floor;          /* none is below */
    uint32_t statement;
    uint32_t query;          /* its number in the plan's influence */
    struct stored_row *row;  /* of RUN_PAPER */
};

typedef ARRAY(struct choice) choice_list;

/* The states that may be chosen. */
struct run_window {
    uint32_t floor, ceiling;
};

typedef void runner_listener(void *context, uint32_t step, enum type_kind, const struct request *);
/* A write is done; of the rows written so far, those from `first` on are new. */
typedef void runner_write_listener(void *context, const struct query *, size_t first);

/* The state of a choice, which has the newest one. */
typedef uint32_t runner_chooser(void *context, const struct choice *);

/* A read is answered. */
typedef enum status runner_read_listener(void *context, const struct request *, const struct datum *const *rows,
                                         uint32_t count, struct error *);

struct runner {
    const struct plan *plan;
    struct rows *rows;
    struct machine *machine;
    struct compare compare;
    struct heap arguments;
    enum run_mode mode;
    uint64_t runs;

    /* Of the run. */
    uint32_t txn;
    struct run_window window;
    bool tracks;
    bool waits;                 /* at RUN_LOCKING: a statement sees those who had locked what was locked before it */
    uint32_t least;             /* the newest of these, as a state */
    bool explains;              /* what came out is printed to `told` if it is wrong */
    struct footprint *footprint; /* or NULL; the run adds to it */
    const struct choice *path;
    uint32_t path_count;
    runner_chooser *chooser;    /* of choices behind the path, or NULL */
    choice_list choices;
    enum run_end end;
    uint32_t step;              /* the answer that is wrong */
    uint32_t statements;        /* that name a table, begun */
    uint32_t statement_base;    /* those of the steps before */
    bool only_reads;            /* nothing but SELECT without a lock */
    bool is_whole;              /* the program was run to its end */
    bool missed_update;         /* an UPDATE found no row */
    const struct open_order *open; /* or NULL: nobody wants to know whether runs use one */
    uint32_t open_line;         /* the query of a run that did, or 0 */
    char limit[200];            /* a run took more steps or memory than a program may: nothing is known of it; or empty */
    uint32_t query;             /* of the request at hand, its number */
    ARRAY(int64_t) asked;       /* numbers of sequences */
    uint32_t learned;           /* so many of them the log has told in this run */
    struct buffer told;

    struct worlds *worlds; /* or NULL: it says what is seen, not the choices */

    /* Told of each answer as it comes out, of each write and of each read; or NULL. */
    runner_listener *listener;
    runner_write_listener *write_listener;
    runner_read_listener *read_listener;
    void *context; /* also of the chooser */

    /* By query and source: which columns it makes use of. */
    ARRAY(struct used_columns) used;
};

struct used_columns {
    const struct query *query;
    uint16_t source;
    uint64_t columns;
};

MUST_USE enum status runner_open(struct runner *, const struct plan *, struct rows *,
                                 enum run_mode, struct error *);
void runner_close(struct runner *);

/* The options of the run are the fields above. Nothing may be pending. */
MUST_USE enum status runner_run(struct runner *, uint32_t txn, struct error *);

MUST_USE enum status runner_add_choices(choice_list *to, const struct choice *, size_t count, struct error *);
/* The choices of the last run, in the place of what was in the path. */
MUST_USE enum status runner_keep_choices(const struct runner *, choice_list *path, struct error *);
/* States of the last run as the witness has them: within the intervals, and at locking never falling. */
void runner_settle_choices(const struct runner *, bool by_value, struct choice *, uint32_t count);

#endif
