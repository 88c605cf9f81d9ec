/*
 * search: which states transactions saw, in a given order of commits.
 *
 * One transaction after another is run on the newest state it may have seen, and committed if its
 * answers come out. If they do not, older states are tried. Where none will do, a few of those who made what it read
 * must have done something else (repair_private.h).
 *
 * One of unknown outcome is taken as committed first if it has a place in the order of commits, else as
 * not committed.
 *
 * A transaction that wrote nothing may stand anywhere; where it finds no state at its place, and its
 * times are not known, it is put off to the end, from where it may see all.
 */
#ifndef AUDIT_SEARCH_PRIVATE_H
#define AUDIT_SEARCH_PRIVATE_H

#include "audit/audit.h"
#include "audit/instants_private.h"
#include "audit/runner_private.h"
#include "base/timeout.h"
#include "history/progress.h"

/* One that is committed. */
struct search_frame {
    uint32_t txn;
    uint32_t ceiling;    /* the state that it saw where it has no choices */
    uint32_t statements;
    uint32_t choice_count;
    size_t choice;       /* in search.choices */
    bool is_absent;      /* of unknown outcome, and taken as not committed */
    bool is_loose;       /* it was run so: see search.is_loose */
};

struct search {
    const struct plan *plan;
    struct rows *rows;
    struct runner *runner;
    enum run_mode mode;
    bool by_value;               /* at snapshot: write conflicts, otherwise by version */
    struct instants *instants;   /* or NULL: any state may be seen */
    bool is_strict;              /* these are no help but a rule */
    bool waits;                  /* as of a runner: a help */
    bool is_loose;               /* the next run has no help but what was completed before it was invoked */
    const struct progress *progress;
    struct pace *pace;
    uint64_t runs_max;           /* of the runner */

    uint32_t *order;
    uint32_t count;
    ARRAY(struct search_frame) frames;
    choice_list choices;
    struct footprint footprint; /* of a run */
    ARRAY(uint32_t) deferrals;  /* places of the order at which one stood that is at its end now */
    uint8_t *is_deferred;
    bool was_reading;        /* a run of the transaction at hand that was of no use has written nothing */
    uint64_t repairs;        /* that were tried */
    bool is_beyond_repair;   /* the last one came to nothing */
    struct audit_wrong wrong;    /* the first one */
    bool is_repaired;            /* since all were run as they stand */
    bool is_out_of_time;
};

MUST_USE enum status search_open(struct search *, const struct plan *, struct runner *,
                                 const uint32_t *order, uint32_t count, struct error *);
void search_close(struct search *);
/* Whether all have states that explain their answers. That none was found proves nothing. */
MUST_USE enum status search_go(struct search *, bool *found, struct error *);

/* --- For repair.c: the steps of a search ---------------------------------------------------------------- */

/* A run of the next one in the order; what it has written is pending. */
MUST_USE enum status audit_search_run(struct search *, uint32_t txn, const choice_list *path, bool tracks,
                                      struct error *);
/* Whether the run that has ended has given its answers, and may be committed. */
bool audit_search_fits(const struct search *, uint32_t txn);
/* Commits what that run has written. */
MUST_USE enum status audit_search_commit(struct search *, uint32_t txn, struct error *);
/* Runs it on a path, and commits it if it fits. */
MUST_USE enum status audit_search_retrace(struct search *, uint32_t txn, const choice_list *path, bool is_loose,
                                          bool *fits, struct error *);

/* Told of each run that does not fit, while what it has written is pending. *goes_on: whether there is to be another. */
typedef enum status search_failure(void *context, uint32_t txn, bool *goes_on, struct error *);
/* Runs it on all that it may have seen until it fits: then it is committed. */
MUST_USE enum status audit_search_try(struct search *, uint32_t txn, bool is_loose, search_failure *, void *context,
                                      bool *found, struct error *);
/* One of unknown outcome does nothing. */
MUST_USE enum status audit_search_commit_absent(struct search *, uint32_t txn, struct error *);
/* What is pending is committed; frame.choice is given. */
MUST_USE enum status audit_search_push(struct search *, struct search_frame, const struct choice *, struct error *);
/* Takes back the newest; `touches`: it may be to blame for what it wrote all the same. */
MUST_USE enum status audit_search_pop(struct search *, bool touches, struct error *);
/* Whether there is no time for another run. */
bool audit_search_is_over(const struct search *);

/* The states that the next one in the order may see. */
struct run_window search_window(const struct search *, uint32_t txn);

/* Whether what is pending may be committed by one that saw states up to `high`; and by which rule. */
bool search_may_commit(const struct rows *, bool by_value, uint32_t state, uint32_t high);

/* The path to the next choice behind a run that tracked, in place; false: there is none. */
bool search_advance(enum run_mode, choice_list *, uint32_t floor);

#endif
