/*
 * jury: asks the checkers about one history, and merges their verdicts.
 *
 * A checker that is not named and lacks something is skipped, with the reason. One that is named and
 * lacks something is an error, unless it may lack it. There are two rules for the verdict of all together:
 *
 *     JURY_COMPLETE   for a history from anywhere. The cheapest checker is asked first. The history is valid if a
 *                     checker that is complete (checkers/checker.h), or the one that was named, judged all of it. Once
 *                     the verdict is certain, the others have JURY_REST_NS together to contradict it, unless there is
 *                     a limit anyway. If no transaction committed, the verdict is unknown.
 *     JURY_DUE        for a run, where it is known which checkers must judge it. The run is valid if all of those
 *                     judged everything and at least one checker judged, or if none was to judge.
 *
 * By both rules a single violation makes it invalid, and otherwise it is unknown.
 */
#ifndef TRIAL_RUN_JURY_H
#define TRIAL_RUN_JURY_H

#include "checkers/checker.h"
#include "history/history.h"

#define JURY_MAX 8
#define JURY_REST_NS INT64_C(10000000000)

enum jury_rule { JURY_COMPLETE, JURY_DUE };

struct jury;
struct store_protocol_facts;

struct jury_options {
    struct check_options check; /* its `progress` is set here, and with a limit its `stop` */
    enum jury_rule rule;
    bool is_named;
    bool may_lack; /* one that is named and lacks something is skipped: what is judged was drawn */
    uint32_t named; /* a bit for each of checkers_all(): if some are named, only these are asked */
    uint32_t due;   /* likewise: those that ought to judge */
    uint32_t spared; /* likewise: those that are not asked */
    /* How the database works, for those that take it, at its own level; the one in `check` is demanded of all. */
    const struct profile *profile;
    bool is_promised;       /* that level is promised too: it is judged, if it implies the one in `check` */
    bool stops_first;       /* ends with the first that settles the verdict */
    int64_t limit_ns;       /* for all of them; 0: none */
    const char *unfinished; /* with a limit or `check.stop`: the reason of one that has not answered then */
    const char *memory;     /* what a reason calls the limit of memory: "--memory 4G"; or NULL */
    const struct progress *progress;
    /* Told what is known whenever a checker is asked, as if that one did not answer; or NULL. */
    void (*tell)(void *context, const struct jury *so_far);
    void *context;
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
    enum level level;
    struct juror jurors[JURY_MAX];
    uint32_t juror_count;
    struct skipped_juror skipped[JURY_MAX];
    uint32_t skipped_count;

    /* Together. */
    enum verdict verdict;
    const struct juror *decisive; /* whose verdict it is; NULL: it is unknown, or that of all who were due */
    enum level strongest, weakest_violated; /* as in struct check; by JURY_COMPLETE */
    char reason[480];                       /* why it is unknown; else empty; by JURY_COMPLETE */
};

/*
 * Refuses where one that was named cannot judge the history or, by JURY_COMPLETE, nobody can: then the
 * error says what each lacks. Closed by jury_close(), also after a failure.
 */
MUST_USE enum status jury_judge(struct jury *, const struct history *, const struct jury_options *,
                                struct error *);
void jury_close(struct jury *);

/* What there is to tell before the history has been read. */
struct jury jury_unread(const struct jury_options *);

/* As in `named` and `due`. */
uint32_t jury_bit(const struct checker *);
/*
 * Which checkers must judge a run of this protocol, by its level and its history: each at the levels
 * that it decides, as its row says (checkers/checker.h). The verdict of any other checker counts, too,
 * but is not required.
 */
uint32_t jury_due(const struct store_protocol_facts *, const struct history *, enum level);
/* How long all checks took. */
int64_t jury_ns(const struct jury *);

/* Whether it was due: among those that were asked. */
bool jury_is_due(const struct jury *, const struct checker *);

/* A checker that was due and did not judge, in the order of checkers_all(). */
struct jury_gap {
    const char *checker, *reason;
};

/* The number `index` of them; false: there are no more. */
bool jury_gap(const struct jury *, uint32_t index, struct jury_gap *);

#endif
