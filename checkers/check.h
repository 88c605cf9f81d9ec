/*
 * check: the options of a check and its result: a verdict, and findings with their proofs.
 */
#ifndef CHECKERS_CHECK_H
#define CHECKERS_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "history/anomaly.h"
#include "history/history.h"
#include "history/level.h"
#include "history/progress.h"

struct checker;
struct profile; /* checkers/interval/profile.h */

enum verdict { VERDICT_VALID, VERDICT_INVALID, VERDICT_UNKNOWN };

enum check_flag {
    CHECK_WITNESS = 1, /* puts the witness together */
    CHECK_SLOWLY = 2,  /* leaves out every fast path: for tests that compare */
};

enum check_engine { ENGINE_NATIVE, ENGINE_Z3 };

struct check_options {
    enum level level;
    unsigned flags;                  /* enum check_flag */
    const struct progress *progress; /* may be NULL; counts transactions */
    /* May be NULL. Once it is true the check ends soon, and says unknown if it must. */
    const atomic_bool *stop;
    unsigned threads;         /* at the most; 0: one. They change no verdict */
    enum check_engine engine; /* for the checkers that have another */
    /*
     * The share of each key's version order that may be used, drawn by the seed. Less
     * than all: neither do ts, snapshot, set or at give a hint. 0/0: all.
     */
    struct ratio version_order;
    uint64_t seed;
    const struct profile *profile; /* how the database works, for interval; NULL: nobody knows */
    int64_t clock_error_ns;        /* of the clients' clocks, at the most */
    bool allows_unjudged; /* a verdict may be valid although some statements were not judged */
};

/* An anomaly that was found. */
struct check_finding {
    enum anomaly kind;
    uint32_t *txns; /* numbers in the history; of a cycle in its order */
    size_t txn_count;
    char *explanation;   /* reads like a proof; one line */
    char *drawing;       /* lines for people who look at it; empty: there is none */
    enum anomaly proven; /* as what it stands in the witness: a less telling name of the same */
    char *proof;         /* what stands beside that there, as JSON; empty: nothing does */
};

#define CHECK_FINDINGS_MAX 32 /* that are told; a history may have thousands */

struct check {
    const struct checker *checker;
    enum level level;
    enum verdict verdict;
    char reason[400];                     /* why it is unknown; else empty */
    ARRAY(struct check_finding) findings; /* none unless invalid; the most severe first */
    bool has_more_findings;               /* than these */
    enum level strongest; /* that still holds, as far as this checker sees; LEVEL_COUNT: none */
    enum level weakest_violated; /* as far as this checker sees; LEVEL_COUNT: none, or unknown */
    uint64_t unjudged_predicates; /* statements that the checker could not judge as a whole */
    uint8_t *is_unjudged;         /* by statement: these; NULL: there are no statements */
    uint64_t txn_count,
        op_count;          /* of the history: transactions; statements count as one operation */
    int64_t clock_error_ns; /* clocks off by about so much may excuse it all; 0: nobody knows */
    bool by_part;          /* of the version order alone: the witness says so */
    struct buffer premises; /* of the witness: JSON members that every proof stands upon */
    struct buffer witness; /* JSON, or empty */
};

void check_close(struct check *);

#endif
