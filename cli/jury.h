/*
 * jury: the checkers that judge a run's history, and what each of them says.
 *
 *     [check]
 *     level = "serializable"      # or what the protocol promises
 *     checkers = ["order"]        # or all that can judge the history; [] for none
 *
 * A checker that is not asked for by name and lacks something is skipped, with the
 * reason; one that is asked for and lacks something is an error.
 */
#ifndef CLI_JURY_H
#define CLI_JURY_H

#include "checkers/checker.h"
#include "history/history.h"

#define JURY_MAX 8

struct jury_wishes {
    uint32_t level_plus_1; /* 0: what the protocol promises */
    uint32_t is_listed;    /* then only these */
    uint32_t checkers;     /* a bit for each of checkers_all() */
};

struct juror {
    struct check check;
    int64_t check_ns;
};

struct skipped_juror {
    const char *name;
    char reason[300];
};

struct jury {
    struct history history;
    bool has_history;
    enum level level;
    const struct profile *profile; /* how the store works, or NULL */
    unsigned flags; /* enum check_flag */
    struct juror jurors[JURY_MAX];
    uint32_t juror_count;
    struct skipped_juror skipped[JURY_MAX];
    uint32_t skipped_count;
};

/* Takes the history; the profile may be NULL, and flags are those of a check. Closed by jury_close(), whatever the status. */
MUST_USE enum status jury_judge(struct jury *, struct history *, const struct jury_wishes *,
                                enum level promised, const struct profile *, unsigned flags,
                                struct error *);
void jury_close(struct jury *);

/* What it judges by: the level that is wished for, or what is promised. */
enum level jury_level(const struct jury_wishes *, enum level promised);

/* Invalid if one says so; valid if one has judged everything, or nobody was to judge. */
enum verdict jury_verdict(const struct jury *, const struct jury_wishes *);

#endif
