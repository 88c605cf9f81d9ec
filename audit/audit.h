/*
 * audit: were the answers right? The door to the room.
 *
 *     struct audit_options options = { .level = LEVEL_SNAPSHOT, .wants_witness = true };
 *     struct audit_verdict verdict;
 *
 *     TRY(audit_run(&log, &program, &options, &verdict, err));
 *     ... verdict.verdict, verdict.witness, verdict.wrong ...
 *     audit_verdict_close(&verdict);
 *
 * A log has calls and what was answered, neither reads nor writes. An audit asks whether there is an
 * execution, right in SQL and at the level, that gives exactly these answers (docs/audit.md has the
 * definition). It runs the programs on states of which it keeps all versions; which state a
 * transaction saw is a choice, made late and taken back where it leads to a wrong answer.
 *
 * valid      there is one; the witness says which (docs/format-witness-audit.md)
 * invalid    there is none: every choice that could change the wrong answer was tried
 * unknown    neither is known, and the reason says why
 *
 * What it says is a function of the log, the program and the options; the time that is given
 * can only make it unknown.
 */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/text.h"
#include "checkers/check.h"
#include "history/call_log.h"
#include "history/level.h"
#include "history/progress.h"
#include "programs/machine/program.h"

/* Of read-committed, the strongest first; each implies those after it. */
enum audit_model { AUDIT_RC_LOCKING, AUDIT_RC_STATEMENT, AUDIT_RC_PAPER, AUDIT_MODEL_COUNT };

const char *audit_model_name(enum audit_model);
bool audit_model_of_text(struct text, enum audit_model *);

/* The levels that an audit decides: LEVEL_BIT of each. */
uint64_t audit_levels(void);

struct audit_options {
    enum level level;
    enum audit_model model;          /* at read-committed: the weakest that will do */
    bool wants_witness;
    const atomic_bool *stop;         /* may be NULL; once it is true, the audit ends with what it has */
    const struct progress *progress; /* may be NULL; counts transactions */
    uint64_t runs_max;               /* of transactions, in all; 0: no limit */
};

/* One of the states that a refuted transaction could have seen, and what it would have answered. */
struct audit_candidate {
    int64_t after;  /* the state after this transaction, -1: the first */
    char *expected; /* what it answers there, or the error, or why it may not see that state */
};

/* The answer that nothing explains. */
struct audit_wrong {
    bool is_there;
    int64_t txn;        /* its id */
    uint32_t statement; /* counted from 0, as in "answers" */
    char *answered;     /* as the log has it */
    ARRAY(struct audit_candidate) candidates;
    bool has_more_candidates;
};

struct audit_counts {
    uint64_t txns;      /* that were judged */
    uint64_t runs;      /* of transactions, all tries included */
    uint64_t displaced; /* transactions that do not stand in the order of commits, at serializable */
    uint64_t jumps;     /* back to an earlier transaction */
    uint64_t unjudged;  /* answers that the log does not have */
};

struct audit_verdict {
    enum verdict verdict;
    char reason[400];       /* why it is unknown; else empty */
    enum audit_model model; /* at read-committed, where it is valid: which held */
    bool is_by_version;     /* at the snapshot levels, where it is valid: else by value */
    struct audit_wrong wrong;
    struct audit_counts counts;
    struct buffer witness; /* JSON, or empty */
};

void audit_verdict_close(struct audit_verdict *);

/*
 * To be closed whatever the status. An error is that of the log or the program (a function that is
 * not there), or of the memory. The program gets the log's statements added.
 */
MUST_USE enum status audit_run(const struct call_log *, struct program *,
                               const struct audit_options *, struct audit_verdict *,
                               struct error *);

#endif
