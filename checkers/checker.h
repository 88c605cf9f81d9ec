/*
 * checker: a history and options in, a check out: the one door to all checkers.
 *
 *     const struct checker *checker = checker_find(TEXT("certificate"));
 *     struct check check;
 *
 *     TRY(checker_run(checker, &history, &options, &check, err));
 *     ... check.verdict, check.findings.at[i].explanation, check.witness ...
 *     check_close(&check);
 *
 * A checker declares which levels it decides and what it needs of a history;
 * asked for another level, or without what it needs, it refuses with what is
 * missing: that is an error, never a verdict. An anomaly found is a verdict, never
 * an error, and so is unknown: nobody rounds it up. A checker that could not judge some
 * statements says unknown, unless it found a violation or the options allow that.
 *
 * What a check says is a function of history and options alone. A valid or
 * invalid verdict carries a witness (docs/format-witness.md), if one is wanted.
 */
#ifndef CHECKERS_CHECKER_H
#define CHECKERS_CHECKER_H

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

/* What only some checkers can do. */
enum checker_ability {
    ABLE_Z3 = 1,        /* it has a second engine */
    ABLE_PARTS = 2,     /* it judges by a part of the version order, without hints, too */
    ABLE_PROFILE = 4,   /* it takes a profile and clock errors */
    ABLE_WORKLOADS = 8, /* it judges workloads whose reads and writes mean something of their own */
};

/* A row of the registry (checker.c). It stands in the checker's own folder. */
struct checker {
    const char *name;
    const char *summary; /* what it decides it from, in a line */
    uint64_t levels;     /* those that it decides: LEVEL_BIT() of each */
    unsigned able;       /* enum checker_ability */
    unsigned cost;       /* its rank by time: where all checkers are asked, a cheap one comes first */
    bool is_complete;    /* its valid means that the level holds, not only that it found nothing */
    const char *unjudged_why; /* why a statement may go unjudged */
    /* Refuses a history that lacks what the checker needs, and says what. NULL: any will do. */
    enum status (*needs)(const struct history *, struct error *);
    enum status (*judge)(const struct history *, const struct check_options *, struct check *,
                         struct error *);
};

static inline bool checker_decides(const struct checker *checker, enum level level)
{
    return checker->levels & LEVEL_BIT(level);
}

static inline bool checker_can(const struct checker *checker, enum checker_ability ability)
{
    return checker->able & ability;
}

/* All there are, ending in NULL. */
const struct checker *const *checkers_all(void);
/* Their names, ending in NULL. */
const char *const *checker_names(void);
/* NULL: there is none of that name. */
const struct checker *checker_find(struct text name);
/* The first one that can; NULL: there is none. */
const struct checker *checker_find_able(enum checker_ability);

/* Why the checker cannot take these options: "takes no profile". NULL: it can. */
const char *checker_inability(const struct checker *, const struct check_options *);

/*
 * Whether the checker can judge this history at this level: if not, an error that
 * says what is missing. One look at each operation at the most, so that a mistake
 * deeper within may still make checker_run() refuse.
 */
MUST_USE enum status checker_examine(const struct checker *, const struct history *, enum level,
                                     struct error *);

/* The check must be closed, whatever the status. */
MUST_USE enum status checker_run(const struct checker *, const struct history *,
                                 const struct check_options *, struct check *, struct error *);

#endif
