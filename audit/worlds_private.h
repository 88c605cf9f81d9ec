/*
 * worlds: what transactions may have left behind, where that is not known.
 *
 *     place   1              2                    3
 *     T7: {x = 1}    T9: {x = 2} or {}    T12: {y = 5}        what x is at place 3: 1 or 2
 *
 * Transactions stand in the order of ts, each with its possible outcomes: sets of rows that it may have
 * written, one after another as commits of the rows. A run looks at places of that order. Where what it
 * looks at is not the same in all outcomes of a transaction, the run forks; from then on that transaction
 * has one of the outcomes in which this row looks so, for this run. It also forks over the states that a
 * statement may see, and, where rows have states of their own, over what a row may ever hold. So the runs
 * of a transaction, one for each way through the forks, are all that it can have done in any execution in
 * which everybody before it did one of its outcomes; and perhaps some more.
 *
 * Two helps where they are too many, each of which adds what is in no execution, and leaves out nothing. A place that
 * is split has outcomes for each row by itself: with {x = 1, y = 1} and {x = 2, y = 2} it has {x = 1, y = 2}, too. And
 * where runs are coarse, all rows are seen as if they had states of their own.
 *
 * A place may also be open: that transaction may have written anything to the rows that it writes in any case,
 * and to no others. What a run does that meets one of these rows is not known.
 */
#ifndef AUDIT_WORLDS_PRIVATE_H
#define AUDIT_WORLDS_PRIVATE_H

#include "audit/row_contents_private.h"
#include "audit/plan_private.h"
#include "audit/rows_private.h"

#define WORLDS_OUTCOMES_MAX 64   /* bits of a mask */
#define WORLDS_CONTENTS_MAX 1024 /* of a row at a place that is split */

enum fork_kind {
    FORK_STATE,   /* the state that a statement sees, or all statements */
    FORK_OUTCOME, /* what a transaction did */
    FORK_CONTENT, /* what is in a row */
};

struct fork {
    enum fork_kind kind;
    uint32_t state;      /* a place; of a content: a position */
    uint32_t low, high;  /* around a place, where the run would have been the same */
    uint32_t statement;
    uint32_t place;        /* of a fork over outcomes, or over what one left in a row */
    uint32_t index, count; /* of outcomes or contents that look the same: which class of how many */
    const struct stored_row *row;
};

typedef ARRAY(struct fork) fork_list;

/* A transaction of the order, and the positions of its outcomes in the rows. */
struct world_place {
    uint32_t txn;
    uint32_t first, count;
    bool writes;    /* something, in any execution */
    bool is_split;  /* each row has its own outcomes, whatever the others are: no masks */
    bool is_overfull; /* they are too many */
    bool is_open;   /* what it left in the rows of its outcomes is not known */
    uint64_t possible; /* outcomes that nobody's answers have excluded */
    uint64_t mask;  /* of these, those that the run at hand has not excluded */
    size_t fixed;   /* rows that it writes in any execution, whatever the others do: in worlds.fixed */
    uint32_t fixed_count;
    size_t always; /* of a place that is split: rows that all outcomes write: in worlds.always */
    uint32_t always_count;
};

/* How rows are seen; see the levels in docs/format-witness-audit.md. */
enum world_sight {
    SIGHT_SNAPSHOT,  /* one state */
    SIGHT_LOCKING,   /* one for each statement, the newest one for those that lock */
    SIGHT_STATEMENT, /* one for each statement */
    SIGHT_PAPER,     /* a version of each row for each statement */
    SIGHT_SERIAL,    /* a version of each row */
};

/* A place at which runs forked, and the outcomes that were left there in those of them that will do. */
struct world_excluded {
    uint32_t place;
    uint64_t left, runs; /* in so many of them */
};

struct worlds {
    const struct plan *plan;
    struct rows *rows;
    enum world_sight sight;
    uint32_t outcomes_max; /* more of a place split it */
    ARRAY(struct world_place) places; /* place k is at.[k - 1] */
    ARRAY(uint32_t) place_of;         /* by position */
    ARRAY(const struct stored_row *) fixed, always;

    /* Of the runs of a transaction. */
    uint32_t newest;         /* the state before it */
    uint32_t floor, ceiling; /* of the states that it may see */
    bool is_strict;          /* who was completed comes before who was invoked after that */
    bool is_plain;           /* at SIGHT_SERIAL: rows are seen as at `newest` only */
    bool is_coarse;          /* each row is seen as it may be in any of these states */
    uint32_t txn, own_place; /* NOBODY: it has none */
    uint32_t last;           /* at SIGHT_SERIAL: no position behind it is seen */

    /* Of a run. */
    fork_list path, forks;
    size_t taken;               /* so many of the path */
    ARRAY(uint32_t) narrowed;   /* places with a mask that is not whole, once for each fork */
    ARRAY(struct world_excluded) excluded; /* by the runs of the transaction that will do */
    uint64_t kept;                         /* so many */
    ARRAY(uint32_t) met;    /* places of which the runs of the transaction at hand have seen something */
    ARRAY(uint32_t) met_at; /* by place, when that was; now it is: */
    uint32_t met_now;
    struct row_contents contents; /* that rows have, as seen by the run */
    const struct row_look *look;
    uint32_t statement;
    bool sees_newest;
    bool met_open; /* a row of a place that is open */
};

MUST_USE enum status worlds_open(struct worlds *, const struct plan *, struct rows *,
                                 enum world_sight, struct error *);
void worlds_close(struct worlds *);

/* The next place: what is committed to the rows from now on are its outcomes. */
MUST_USE enum status worlds_begin_place(struct worlds *, uint32_t txn, struct error *);
/* What is pending in the rows is one of them, unless it is there already. If they are too many, the place is split. */
MUST_USE enum status worlds_add_outcome(struct worlds *, struct error *);
/* Whether what is pending is one of a place's. */
bool worlds_has_outcome(const struct worlds *, uint32_t place);
/* The last place writes the row in any execution. */
MUST_USE enum status worlds_add_fixed(struct worlds *, const struct stored_row *, struct error *);
/* The last place is split. */
void worlds_split_place(struct worlds *);
/* All its outcomes write the row. */
MUST_USE enum status worlds_add_always(struct worlds *, const struct stored_row *, struct error *);
/* The last place has no more outcomes. */
void worlds_end_place(struct worlds *);
/* The place is open, at whatever time that becomes known; it has an outcome. */
void worlds_open_place(struct worlds *, uint32_t place);

/* From now on other places are met. */
void worlds_forget_met(struct worlds *);

/* Before the first run, and before each. */
void worlds_begin_runs(struct worlds *);
void worlds_begin_run(struct worlds *);
/* The next way through the forks of the run that has ended; false: there is none. */
MUST_USE enum status worlds_advance(struct worlds *, bool *more, struct error *);

/* The run that has begun is one in which the transaction of the place did nothing. */
MUST_USE enum status worlds_assume_empty(struct worlds *, uint32_t place, struct error *);
/* It did something in any execution; false: it has no other outcome left. */
bool worlds_exclude_empty(struct worlds *, uint32_t place);

/* The run that has ended will do. */
MUST_USE enum status worlds_keep_run(struct worlds *, struct error *);
/*
 * These were all that will do: in an execution one of them is what happened, so that outcomes that are
 * in none of them are in no execution. Only where the window had all that can have been seen.
 */
void worlds_exclude(struct worlds *);

/* How the look sees rows. `at_place`: as the newest state has them. */
MUST_USE enum status worlds_prepare(struct worlds *, uint32_t statement, bool at_place,
                                    struct row_look *, struct error *);

/* Whether a row may be like this, or absent (NULL), at a place, in the run that has ended. */
MUST_USE enum status worlds_may_be(struct worlds *, const struct stored_row *, uint32_t place,
                                   const struct datum *cells, bool *may, struct error *);
/* How the run that has ended saw the row, which it wrote; before its own writes. */
const struct datum *worlds_seen(const struct worlds *, const struct stored_row *);

#endif
