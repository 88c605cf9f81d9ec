/*
 * outcomes: proves that a log has no execution, transaction by transaction.
 *
 * Transactions that may write are taken in the order of ts. Of each, all runs are made that the level
 * allows on what those before it may have left behind (worlds_private.h): runs whose answers are wrong, or that
 * break the rule of write conflicts, are dropped; the sets of rows that the others write are its outcomes. So they
 * are a superset of what it can have written in any execution. If one that is known to have committed has none,
 * nothing explains its answers, and the log is invalid. The same is asked of those that only read.
 *
 * Why that holds: take an execution, and in it the first transaction that does something which is none of its
 * outcomes. All before it did one of theirs, so that it ran on one of the worlds on which it was run here.
 *
 * What makes it no proof is left out or ends it:
 *  - at the snapshot levels and at read-committed, one that writes nothing may see states behind its
 *    place. Unless it writes something in any run (influence_certain(), or its answers say so), to do nothing is
 *    one of its outcomes.
 *  - at the serial levels, rows are seen as any transaction may have left them, also those with a later ts. So when
 *    all have their outcomes, all are run again: each must have come to the same ones.
 *  - a transaction that may write and has no ts; more contents of a row than can be kept; too many runs.
 *
 * More outcomes than a mask has bits, and too many runs on states, are taken together to more than what can have
 * happened first: worlds_private.h.
 */
#ifndef AUDIT_OUTCOMES_PRIVATE_H
#define AUDIT_OUTCOMES_PRIVATE_H

#include "audit/audit.h"
#include "audit/runner_private.h"
#include "base/array.h"
#include "base/timeout.h"
#include "history/level.h"

struct outcomes_options {
    enum level level;
    enum run_mode mode;
    const uint32_t *order; /* of all transactions, by ts */
    uint32_t count;
    uint64_t runs_max;
    uint32_t whole_outcomes_max, exact_runs_max; /* as in audit.h */
    struct pace *pace;
};

struct outcomes_result {
    bool is_refuted;
    struct audit_wrong wrong; /* if it is; to be closed */
    ARRAY(uint32_t) core;     /* transactions that the proof needs; empty: all. To be closed */
    char reason[200];         /* why not; empty: nothing is refuted */
    uint32_t open_line;       /* as those of a runner */
    char limit[200];
    uint64_t runs;
};

/* The rows are as the log begins; nothing may be committed. */
MUST_USE enum status outcomes_refute(const struct plan *, struct rows *,
                                     const struct outcomes_options *, struct outcomes_result *,
                                     struct error *);

#endif
