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

#include "base/text.h"
#include "checkers/check.h"

/* What only some checkers can do. */
enum checker_ability {
    ABLE_Z3 = 1,        /* it has a second engine */
    ABLE_PARTS = 2,     /* it judges by a part of the version order, without hints, too */
    ABLE_PROFILE = 4,   /* it takes a profile and clock errors */
    ABLE_WORKLOADS = 8, /* it judges workloads whose reads and writes mean something of their own */
};

/* Which runs of the store, at a level that the checker decides, it must judge, or they stay unknown. */
enum checker_due {
    DUE_ALWAYS,
    DUE_PLACES, /* those of protocols whose transactions read at their own place: mvto, 2pl, occ */
    DUE_ITEMS,  /* those without statements: items and lists */
    DUE_UNIQUE, /* those of items whose values are unique, so that each read has one writer */
    DUE_LISTS,  /* those of lists that are only read and appended to: they show their version order */
    DUE_NEVER,
};

/* A row of the registry (checker.c). It stands in the checker's own folder. */
struct checker {
    const char *name;
    const char *summary; /* what it decides it from, in a line */
    uint64_t levels;     /* those that it decides: LEVEL_BIT() of each */
    unsigned able;       /* enum checker_ability */
    unsigned cost;       /* its rank by time: where all checkers are asked, a cheap one comes first */
    bool is_complete;    /* its valid means that the level holds, not only that it found nothing */
    enum checker_due due;
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

/*
 * The registry. To add a checker, add its name here and define checker_NAME, its row, in a folder
 * of its own. Without --checker they are asked in this order where the first verdict is enough:
 * the one that knows most of the history first, and `weak` before `infer`, which knows only a part
 * of the version order of registers.
 */
#define CHECKERS(row) row(order) row(certificate) row(blackbox) row(weak) row(infer) row(interval)

#define CHECKER_DECLARE(name) extern const struct checker checker_##name;
CHECKERS(CHECKER_DECLARE)
#undef CHECKER_DECLARE

/* "valid", "invalid", "unknown" */
const char *checker_verdict_name(enum verdict);

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

/* A check of which nothing is known yet: unknown, and with the counts of the history. */
struct check checker_begin(const struct checker *, const struct history *, enum level);

/* The check must be closed, whatever the status. */
MUST_USE enum status checker_run(const struct checker *, const struct history *,
                                 const struct check_options *, struct check *, struct error *);

#endif
