/*
 * plan: a log made ready to be run: which functions its transactions call, in which order they are
 * taken, and which rows there are at first.
 */
#ifndef AUDIT_PLAN_PRIVATE_H
#define AUDIT_PLAN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/numbers_private.h"
#include "audit/programs/influence.h"
#include "audit/rows_private.h"
#include "base/array.h"
#include "history/call_log.h"
#include "programs/machine/program.h"

#define NOBODY UINT32_MAX

/* What a transaction runs: a call, or its statements one after another. */
struct plan_txn {
    const struct logged_txn *logged;
    uint32_t function;  /* of the first, the others follow in plan.steps */
    uint32_t step, step_count; /* of statements; step_count 0: it is a call */
    bool is_unknown;    /* whether it committed */
    bool may_write;     /* by the text of its functions */
    bool has_place;     /* it is taken as one that writes: see audit_plan_make() */
    int64_t first_answer_ns; /* when its first answer came, or TIME_NEVER */
};

struct first_rows;

struct plan {
    const struct call_log *log;
    const struct first_rows *first; /* what is taken for the rows of an unknown initial state; NULL: none */
    struct program *program;
    ARRAY(struct plan_txn) txns; /* committed, or perhaps; in the order of the log */
    ARRAY(uint32_t) steps;       /* functions */
    uint8_t *is_writing;         /* by function: whether it may write */
    bool *is_called;             /* by function: whether a transaction calls it */
    bool *is_written;            /* by table: whether any of them may write to it */
    struct influence influence;
    struct numbers *numbers;     /* what sequences gave; grows with each run */
    uint64_t judged, unjudged;   /* answers of committed transactions: known, and not known */
};

/*
 * To be closed whatever the status. Errors name the line of the log. Where others have a ts, one that
 * is known to have committed without it has most likely written nothing, and has no place.
 */
MUST_USE enum status audit_plan_make(struct plan *, const struct call_log *, struct program *,
                               struct error *);
void audit_plan_close(struct plan *);

/* The state that the log begins with. */
MUST_USE enum status audit_plan_fill(const struct plan *, struct rows *, struct error *);

/* Adds its answers, known and not known; those of a transaction of unknown outcome are never judged. */
void audit_plan_count_answers(const struct plan *, uint32_t txn, uint64_t *judged, uint64_t *unjudged);

/* Of a call: as many data as its function has parameters. */
MUST_USE enum status audit_plan_arguments(const struct plan *, const struct plan_txn *, struct heap *,
                                          struct datum *arguments, struct error *);
/* To the call, or to a statement. */
const struct call_answer *audit_plan_answer(const struct plan *, const struct plan_txn *, uint32_t step);

bool audit_plan_has_ts(const struct plan *, uint32_t txn);
/* The order of ts, below, at or above zero; 0 where one has none. */
int audit_plan_compare_ts(const struct plan *, uint32_t, uint32_t);

/* Whether the first was completed before the second was invoked. */
bool audit_plan_is_before(const struct plan *, uint32_t, uint32_t);
/* Whether the second was invoked after the first answer of the first came. */
bool audit_plan_is_after_answer(const struct plan *, uint32_t, uint32_t);

/* An order of all to try first: by ts; those without it where their times say. */
MUST_USE enum status audit_plan_order(const struct plan *, uint32_t *order, uint32_t *count,
                                struct error *);

#endif
