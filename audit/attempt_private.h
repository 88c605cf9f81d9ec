/*
 * attempt: one way of looking for an execution, or for the proof that there is none.
 *
 * An audit is a list of attempts, of which the first that decides counts (attempts_private.h). Each has rows, numbers
 * of sequences and a verdict of its own, and what it comes to does not depend on the others: so they can be made one
 * after another, or at the same time.
 */
#ifndef AUDIT_ATTEMPT_PRIVATE_H
#define AUDIT_ATTEMPT_PRIVATE_H

#include <stdatomic.h>

#include "audit/audit.h"
#include "audit/first_rows_private.h"
#include "audit/search_private.h"
#include "audit/settle_private.h"
#include "audit/witness_private.h"

enum way_kind {
    WAY_ORDER,     /* all one after another, in the order of commits */
    WAY_SNAPSHOTS, /* as snapshots first; then in an order that those have */
    WAY_STATES,    /* in the order of commits: which states were seen */
    WAY_OUTCOMES,  /* the proof that there is none (outcomes_private.h) */
    WAY_ALL,       /* all executions of a short log */
    WAY_Z3,        /* in the order of commits, by Z3 */
};

struct way {
    enum way_kind kind;
    enum run_mode mode;
    bool by_value;
    bool uses_times; /* the bounds of client times, which are only a help unless the level is strict */
    bool refutes;    /* of WAY_ALL: if it finds none, there is none at the level */
};

/* What all attempts have in common, and none changes. */
struct audit {
    const struct audit_options *options;
    struct plan plan;
    uint32_t *order; /* to be tried first */
    uint32_t count;
    struct first_rows first; /* if the log does not say what there was */
    struct pace pace;
    uint64_t runs; /* for these rows */
};

struct attempt {
    struct way way;
    const struct audit *audit;
    atomic_bool is_cancelled;

    struct plan plan; /* the audit's, but for the numbers */
    struct numbers numbers;
    struct rows *rows;
    struct pace pace;
    const struct progress *progress; /* or NULL */
    uint8_t *is_absent; /* by transaction: of unknown outcome, and left out */

    /* What it came to. */
    bool is_run;
    bool is_decided;
    bool is_refuted; /* all was tried, of WAY_ALL, or Z3 has found it impossible */
    struct audit_verdict verdict;
    struct settle settle; /* what was found, if it is to be settled */
    uint32_t open_line;   /* of a query whose rows came in one of several orders, or 0 */
    char no_proof[200];   /* why outcomes refute nothing */
    char limit[200];      /* which transaction took more steps or memory than a program may */
    enum status status;
    struct error err;
};

bool audit_is_strict(const struct audit *);
bool audit_is_serial(const struct audit *);
/* Whether anything is known of what was done at the same time: times, sessions, or what was seen. */
bool audit_has_help(const struct audit *);
/* Whether at a strict level nobody stands before who was completed before he was invoked. */
bool audit_respects_time(const struct audit *, const uint32_t *order);

/* It is zeroed, but for its way, the audit and the progress. To be closed. */
void audit_attempt_run(struct attempt *);
void audit_attempt_close(struct attempt *);
/* verdict.wrong is to be the answer that is shown. Where it could not be a proof, verdict.reason says why. */
MUST_USE enum status audit_attempt_say_invalid(struct attempt *, const struct witness_core *, struct error *);

#endif
