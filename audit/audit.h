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

/* How an execution is looked for; docs/audit.md, "The engine z3". */
enum audit_engine { AUDIT_NATIVE, AUDIT_Z3 };

struct audit_z3_options {
    unsigned heuristics;     /* the paper's H1 to H4 as bits 0 to 3 */
    bool is_by_elements;     /* its baseline: a variable for each cell after each commit */
    bool proves_nothing;     /* what Z3 calls impossible is not looked at by the native engine */
    unsigned rlimit;         /* Z3's steps each time that it is asked; 0: those of AUDIT_Z3_RLIMIT */
};

#define AUDIT_Z3_HEURISTICS 15u /* all */
#define AUDIT_Z3_RLIMIT 500000000u

enum audit_z3_answer { AUDIT_Z3_NOT_ASKED, AUDIT_Z3_HOLDS, AUDIT_Z3_IMPOSSIBLE, AUDIT_Z3_UNDECIDED };

/* What the engine z3 came to, by the last rule that it tried. */
struct audit_z3_result {
    enum audit_z3_answer answer;
    uint64_t solved; /* transactions, from the first on, for which Z3 has found an execution */
    uint64_t checks; /* how often it was asked */
};

/* The levels that an audit decides: LEVEL_BIT of each. */
uint64_t audit_levels(void);

struct audit_options {
    enum level level;
    enum audit_model model;          /* at read-committed: the weakest that will do */
    bool allows_unjudged;            /* a log may be valid although some answers are missing */
    bool wants_witness;
    const atomic_bool *stop;         /* may be NULL; once it is true, the audit ends with what it has */
    const struct progress *progress; /* may be NULL; counts transactions */
    uint64_t runs_max;               /* of transactions, of each way of looking; 0: no limit of its own */
    unsigned threads;                /* so many ways of looking are tried at once; 0 is 1 */
    /*
     * Prove *invalid* by outcomes alone, before anything else is tried, also of a log that is short enough for
     * all executions to be tried: to compare the two.
     */
    bool by_outcomes;
    /*
     * How exact that proof is before it takes in more than what can have happened (audit/worlds_private.h): so many
     * outcomes of a transaction as a whole, so many runs of it on states. 0: as many as is good; 1: none.
     */
    uint32_t whole_outcomes_max, exact_runs_max;
    enum audit_engine engine;
    struct audit_z3_options z3; /* of that engine */

    /* For audit/follow.h, of a log that goes on where another ended. */
    bool settles;
    uint32_t keep;           /* so many transactions at the end of the execution are not settled */
    uint64_t settled_before; /* transactions in front of this log's first */
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
    uint64_t jumps;     /* back to earlier transactions, to explain an answer */
    uint64_t answers;   /* that were judged */
    uint64_t unjudged;  /* answers that the log does not have */
    uint64_t first_rows; /* that were taken for an unknown initial state */
};

/* An execution as its witness has it: the elements of four arrays, and rows. */
struct witness_parts {
    struct buffer order, states, absent, numbers;
    struct buffer initial; /* rows that were taken for an unknown initial state: an object, or empty */
};

/* The beginning of the execution that was found, on top of which another log can be audited. */
struct audit_settled {
    ARRAY(int64_t) txns; /* ids */
    struct witness_parts parts;
    struct buffer rows;  /* what they leave: "rows" of a log; empty if nothing was to be kept */
    bool has_ts;
    int64_t ts[CALL_PLACES_MAX]; /* the greatest */
    int64_t invoked_ns;          /* the latest, or INT64_MIN */
    uint64_t judged, unjudged; /* answers */
};

struct audit_verdict {
    enum verdict verdict;
    char reason[400];       /* why it is unknown; else empty */
    enum audit_model model; /* at read-committed, where it is valid: which held */
    bool is_by_version;     /* at the snapshot levels, where it is valid: else by value */
    struct audit_wrong wrong;
    struct audit_counts counts;
    struct audit_z3_result z3;
    struct buffer witness; /* JSON, or empty */
    struct audit_settled settled; /* if valid, and asked for */
};

void audit_verdict_close(struct audit_verdict *);

/* What was not judged may be wrong: where the counts have such answers, valid becomes unknown. */
void audit_doubt_unjudged(struct audit_verdict *);

/*
 * To be closed whatever the status. An error is that of the log or the program (a function that is
 * not there), or of the memory. The program gets the log's statements added.
 */
MUST_USE enum status audit_run(const struct call_log *, struct program *,
                               const struct audit_options *, struct audit_verdict *,
                               struct error *);

#endif
