/*
 * histories: explores every history that the calls of a small scenario can have at a level (predict/explore/), and
 * asks each for the invariants of the program and the scenario, and whether it is serializable.
 *
 * Calls are those of a run with the same seed: the first ones of each session, one session after another in turn; or,
 * where the scenario lists its transactions, these. Each is tried once.
 */
#ifndef TRIAL_EXPLORE_HISTORIES_H
#define TRIAL_EXPLORE_HISTORIES_H

#include "base/array.h"
#include "base/text.h"
#include "history/history.h"
#include "predict/explore/explore.h"
#include "trial/scenario/scenario.h"

struct histories_options {
    const struct scenario *scenario;
    enum level level;
    uint32_t transactions;   /* at most EXPLORE_TXNS_MAX */
    bool wants_serializable; /* a history that is not is a violation */
    bool until_failure;
    const struct progress *progress;
    const atomic_bool *stop;
};

/* Histories that fail alike. */
struct histories_failure {
    char *what, *explanation; /* "invariant invariant_total", "unserializable" */
    uint64_t count;
    uint64_t first; /* the number of the first of them */
};

struct histories_result {
    struct explore_counts counts;
    uint32_t transactions, sessions;
    uint64_t violations; /* histories with at least one */
    ARRAY(struct histories_failure) failures;
    /* Of the first violation: */
    struct buffer story;   /* who reads what, a line for each transaction */
    struct buffer choices; /* a file of choices, for a directed run of the same calls */
    struct history history;
    bool has_history;
    char ended_why[300]; /* memory ran out: not complete; else empty */
    int64_t wall_ns;
};

/* The scenario of which a directed run makes the same calls, at the level that the store had. */
void histories_fix(struct scenario *, const struct histories_options *);

/* Why this scenario cannot be explored; NULL: it can. */
const char *histories_inability(const struct scenario *);

/* Closed by histories_close(), whatever the status. */
MUST_USE enum status histories_explore(struct histories_result *, const struct histories_options *,
                                       struct error *);
void histories_close(struct histories_result *);

#endif
