/*
 * brancher: all runs of a transaction on what others may have done.
 *
 *     brancher_begin(&b, …)
 *     while (brancher_next(&b)) run it, with brancher_see() and the brancher as context
 *
 * All runs that can differ are made: states in which all that was looked at is the same are one.
 *
 * A state need not tell what a row holds (possible_rows.c): where that is not the same in all outcomes of another
 * transaction, a run is made for each way in which the row looks, and the other transaction then has one of the
 * outcomes in which it looks so, for the rest of that run. Where each row is seen in a state of its own, a run is
 * made for each thing that the row may ever hold, whatever other rows hold. Where runs are too many, they can be made
 * so at any level: these are more than there are executions, never less.
 */
#ifndef VERIFY_CALLS_BRANCHER_PRIVATE_H
#define VERIFY_CALLS_BRANCHER_PRIVATE_H

#include "verify/calls/possible_rows_private.h"
#include "verify/calls/surely_private.h"

#define BRANCHES_MAX 256
#define CONTENT_LISTS_MAX 64

enum chooses {
    CHOOSES_NOTHING,  /* all statements see the limit */
    CHOOSES_EVER,     /* each row is seen as it was at any time, by all statements */
    CHOOSES_ONE,      /* one state for all */
    CHOOSES_EACH,     /* a state for each statement */
    CHOOSES_FORWARD,  /* which never go down, and writes find the newest rows: locking */
    CHOOSES_EACH_ROW, /* a state for each row of each statement */
};

enum branch_kind { BRANCH_STATE, BRANCH_OUTCOME, BRANCH_CONTENT };

/* What a row may hold, whatever else is known of the run. */
struct content_list {
    const struct row_entry *entry;
    uint64_t ignored;
    uint32_t *contents, count;
};

struct branch {
    enum branch_kind kind;
    bool is_new;
    struct row_entry *entry; /* not of a state */
    uint64_t ignored;
    uint32_t scope;            /* of a content: who sees it so */
    uint32_t position;         /* of outcomes; of a content: that of who is split, or 0: at any time */
    uint32_t *contents, count; /* or how many options */
    uint32_t value;            /* which of them, or the state */
    uint32_t low, began;       /* states: the first allowed; since when all is the same in this run */
    uint32_t began_in_all;     /* and in all runs with this state */
};

struct brancher_span {
    int64_t invoked, completed; /* INT64_MIN, INT64_MAX: not known */
};

struct brancher {
    struct possible_rows rows;
    enum chooses chooses;
    bool is_coarse;      /* instead: a state for each row, of each statement, or, with CHOOSES_ONE, of all of them */
    bool chooses_place;  /* the state before the transaction's place, too; up to the limit */
    uint32_t limit, low; /* states */
    /*
     * Rows that it surely writes, with CHOOSES_EVER seen as they are in the state `own`, before the transaction's
     * place.
     */
    const struct surely *sure;
    uint32_t own;
    /* strict-serializable: when the writers ran, by position, and the transaction itself; else NULL. */
    const struct brancher_span *spans;
    struct brancher_span span;

    bool is_first;
    bool is_contradictory; /* the run that was made sees a row as it cannot be */
    bool met_open;         /* a row of which nobody knows what it holds */
    struct branch branches[BRANCHES_MAX];
    struct content_list lists[CONTENT_LISTS_MAX]; /* of all runs */
    uint32_t list_count;
    uint32_t made, kept;
    uint32_t narrowed[BRANCHES_MAX], narrowed_count; /* positions of which outcomes are left out in this run */
    struct branch fixed;       /* where there is none */
    struct brancher_sight {
        struct brancher *b;
        struct run *run;
        uint32_t scope, state;
        struct branch *branch;
    } *seen, *newest; /* of the last statement */
};

/* What a transaction chooses below the serial levels. */
enum chooses brancher_chooses_at(const struct audit_witness *, enum audited_model);

void brancher_begin(struct brancher *);
bool brancher_next(struct brancher *);
/* When there is no next run, or none is wanted: no outcome is left out any more. */
void brancher_end(struct brancher *);
void brancher_see(struct run *, uint32_t statement);
/* The state of all statements, with CHOOSES_ONE; since which all that was looked at is the same. */
uint32_t brancher_state(const struct brancher *);
uint32_t brancher_began(const struct brancher *);
/*
 * Where rows have states of their own: whether the run that was made sees the row as it may be in a state. If it sees
 * it like `like`, unless that is NULL, this does not matter.
 */
bool brancher_saw(const struct brancher *, struct row_entry *, uint32_t state, const struct packed *const *like);

#endif
