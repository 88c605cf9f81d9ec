/*
 * txn_runs: all that one transaction can have done.
 *
 *     txn_runs_begin(r, txn)
 *     txn_runs_set_window(r, newest)        which states it may see
 *     txn_runs_make(r, kind, each, …)       each run of it on what others may have left behind (worlds_private.h)
 *
 * If these are too many runs they can be made coarsely: then each row is seen as it may be in any of the states,
 * whatever other rows are. That takes in more than what can have happened, and leaves out nothing.
 */
#ifndef AUDIT_TXN_RUNS_PRIVATE_H
#define AUDIT_TXN_RUNS_PRIVATE_H

#include "audit/outcomes_private.h"

/* What to do about runs that meet what is not known, or that are too many. */
enum runs_kind {
    RUNS_EXACT,         /* it is doubtful then what the transaction can have done */
    RUNS_OR_COARSE,     /* too many are made coarsely */
    RUNS_EVEN_IN_DOUBT, /* nothing: what is asked is known from any run */
};

/* Its writes are pending. */
typedef enum status on_run(void *context, struct error *);

struct txn_runs {
    const struct plan *plan;
    struct rows *rows;
    const struct outcomes_options *options;
    struct runner runner;
    struct worlds worlds;
    struct open_order open;
    bool *is_lasting; /* by table: no row ever goes */
    bool is_over;     /* no run is made any more */
    char reason[200]; /* the first that a transaction was doubtful for; or empty */
    uint32_t open_line;

    /* Of the transaction at hand. */
    uint32_t txn;
    uint64_t made; /* runs of it */
    bool writes;   /* something, in any run */
    bool locks;    /* or writes, in one of its runs: it does more than to select */
    ARRAY(const struct stored_row *) fixed; /* written in any run */
    bool found;                             /* what was looked for: no more runs are needed */
    bool is_doubtful;                       /* what it can have done is not known */
    bool is_too_much;                       /* since these are too many runs */
    uint32_t empty; /* the place at which it is taken to have done nothing, or NOBODY */
};

/* If some order of rows in the programs is open, nothing can be told of any run. */
MUST_USE enum status txn_runs_open(struct txn_runs *, const struct plan *, struct rows *,
                                   const struct outcomes_options *, struct error *);
void txn_runs_close(struct txn_runs *);

void txn_runs_begin(struct txn_runs *, uint32_t txn);
/* States up to `newest`; at strict-snapshot those that time leaves. */
void txn_runs_set_window(struct txn_runs *, uint32_t newest);
MUST_USE enum status txn_runs_make(struct txn_runs *, enum runs_kind, on_run *each, void *context,
                                   struct error *);

/* Of a run: whether its answers are right, and what it wrote does not break the rule of conflicts. */
MUST_USE enum status txn_runs_may_commit(struct txn_runs *, bool *may, struct error *);

/* NULL: there is no reason to be told. */
void txn_runs_doubt(struct txn_runs *, const char *why);
void txn_runs_give_up(struct txn_runs *, const char *why);

#endif
