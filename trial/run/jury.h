/*
 * jury: the checkers that judge a run's history, and what each of them says.
 *
 *     [check]
 *     level = "serializable"      # or what the protocol promises
 *     checkers = ["order"]        # or all that can judge the history; [] for none
 *
 * A checker that is not asked for by name and lacks something is skipped, with the
 * reason; one that is asked for and lacks something is an error. Whoever is due
 * (trial/run/due.h) must judge: if one did not, nobody calls the run valid.
 */
#ifndef TRIAL_RUN_JURY_H
#define TRIAL_RUN_JURY_H

#include "checkers/checker.h"
#include "history/history.h"
#include "store/store.h"
#include "trial/scenario/scenario.h"

#define JURY_MAX 8

/* How the run was made. */
struct jury_case {
    struct store_protocol_facts protocol;
    const struct profile *profile; /* how the store works, or NULL */
    unsigned flags;                /* enum check_flag */
};

struct juror {
    struct check check;
    int64_t check_ns;
    bool is_due;
};

struct skipped_juror {
    const char *name;
    bool is_due;
    char reason[300];
};

struct jury {
    struct history history;
    bool has_history;
    enum level level;
    struct jury_case of;
    struct juror jurors[JURY_MAX];
    uint32_t juror_count;
    struct skipped_juror skipped[JURY_MAX];
    uint32_t skipped_count;
};

/* Takes the history. Closed by jury_close(), whatever the status. */
MUST_USE enum status jury_judge(struct jury *, struct history *, const struct jury_wishes *,
                                const struct jury_case *, struct error *);
void jury_close(struct jury *);

/* What it judges by: the level that is wished for, or what is promised. */
enum level jury_level(const struct jury_wishes *, enum level promised);

/* Whether it was due: among those that were asked. */
bool jury_is_due(const struct jury *, const struct checker *);

/* A checker that was due and did not judge, in the order of checkers_all(). */
struct jury_gap {
    const char *checker, *reason;
};

/* The number `index` of them; false: there are no more. */
bool jury_gap(const struct jury *, uint32_t index, struct jury_gap *);

/*
 * Invalid if one says so; valid if all that were due have judged everything, and somebody has, or
 * nobody was to judge.
 */
enum verdict jury_verdict(const struct jury *, const struct jury_wishes *);

#endif
