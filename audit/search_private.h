/*
 * search: which states transactions saw, in a given order of commits.
 *
 * One transaction after another is run on the newest state it may have seen, and committed if its
 * answers come out. If they do not, older states are tried. Where none will do, one of those who wrote
 * what it read (or wrote there in some other try) must have done something else: the newest of
 * them is taken back, with all since, and goes on with its next choice. What it is blamed for is
 * remembered with it, so that the blame ends with one who has no choice left, and who
 * is not to blame is never tried again (conflict-directed backjumping).
 *
 * One of unknown outcome is taken as committed first if it has a place in the order of commits, else as
 * not committed; the other is its last choice.
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

enum search_end {
    SEARCH_FOUND,
    SEARCH_REFUTED, /* no choice is left of all that seemed to matter */
    SEARCH_GAVE_UP, /* too many runs, or no more time */
};

/* One that is committed. */
struct search_frame {
    uint32_t txn;
    uint32_t ceiling;    /* the state that it saw where it has no choices */
    uint32_t statements;
    uint32_t choice_count;
    size_t choice;       /* in search.choices */
    uint32_t conflict;   /* number of its conflict, or NOBODY */
    bool is_absent;      /* of unknown outcome, and taken as not committed */
    bool is_loose;       /* it was run so: see search.is_loose */
};

/*
 * The rows at which all tries of a transaction looked: whoever wrote them, in this try of his own or in
 * another, may be to blame.
 */
struct conflict {
    struct footprint rows;
    size_t sorted; /* so many of them are in order, each once */
    ARRAY(struct tried) tried;
};

/* What a transaction made of the rows that were blamed, in a try that came to nothing. */
struct tried {
    uint64_t blamed, written; /* hashes: of which rows, of what was written there */
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
    ARRAY(struct conflict) conflicts;
    ARRAY(uint32_t) free_conflicts;
    struct footprint footprint; /* of a run */
    query_set *writers, *reached; /* of what is blamed: see influence_add_writers() */
    query_set *relevant;         /* what had a say in all tries so far of the transaction at hand */
    bool all_relevant;
    ARRAY(struct deferral) deferrals;
    uint32_t *place_of;          /* by transaction: in frames, plus one; 0: not there */
    uint32_t *deferred_conflict; /* by transaction, or NOBODY; NULL until one is deferred */
    uint8_t *is_deferred;
    uint64_t jumps;
    uint64_t repair_from, repair_pause; /* none before so many jumps; and so many more after one that came to nothing */
    uint32_t refuted;            /* the last one that had no choice left */
    struct audit_wrong wrong;    /* the first one */
    bool is_repaired;            /* since all were run as they stand */
    bool is_out_of_time;
};

/* At this place of the order stood a transaction that is at its end now. */
struct deferral {
    uint32_t place, txn;
};

MUST_USE enum status search_open(struct search *, const struct plan *, struct runner *,
                                 const uint32_t *order, uint32_t count, struct error *);
void search_close(struct search *);
MUST_USE enum status search_go(struct search *, enum search_end *, struct error *);
/* Everything is taken back; the rows are as at first. */
MUST_USE enum status search_rewind(struct search *, struct error *);

/* --- For repair.c: the steps of a search ---------------------------------------------------------------- */

/* A run of the next one in the order; what it has written is pending. */
MUST_USE enum status audit_search_run(struct search *, uint32_t txn, const choice_list *path, bool tracks,
                                      struct error *);
/* Whether the run that has ended, with answers that are right, may be committed. */
bool audit_search_may_commit(const struct search *, uint32_t txn);
const struct influence *audit_search_influence(const struct search *);
MUST_USE enum status audit_search_commit(struct search *, uint32_t txn, uint32_t conflict, struct error *);
/* One of unknown outcome does nothing. */
MUST_USE enum status audit_search_commit_absent(struct search *, uint32_t txn, uint32_t conflict, struct error *);
MUST_USE enum status audit_search_push(struct search *, struct search_frame, struct error *);
/* Takes back the newest; `touches`: it may be to blame for what it wrote all the same. */
MUST_USE enum status audit_search_pop(struct search *, bool touches, struct error *);
/* Whether there is no time for another run. */
bool audit_search_is_over(const struct search *);

/* The states that the next one in the order may see. */
struct run_window search_window(const struct search *, uint32_t txn);

/* Whether what is pending may be committed by one that saw states up to `high`; and by which rule. */
bool search_may_commit(const struct rows *, bool by_value, uint32_t state, uint32_t high);

/*
 * The path to the next choice behind a run that tracked, in place; false: there is none. Statements
 * that are not relevant are not given another state; NULL: all are.
 */
struct search_relevance {
    const query_set *set;
    bool *is_all; /* set, where a choice that is relevant was bounded by others */
};
bool search_advance(enum run_mode, choice_list *, uint32_t floor, const struct search_relevance *);

#endif
