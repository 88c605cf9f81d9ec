/*
 * outcome: the result of a trial as data, for pipes and journals.
 *
 *     {"seed":17,"verdict":"invalid","trace":"6f1c…","simulated_ns":…,"events":…,
 *      "committed":…,"aborted":…,"unknown":…,"faults":[["partition",3,1],["loss",9,0]],
 *      "nemeses":[3,0],"drawn":1,"sometimes":[0,4,…],"checks":[["order","valid"]],"audit":"valid",
 *      "failures":[["certificate serializable G-single rw wr","T12 …"]],"draws":{"network":9},
 *      "features":[7,12,…]}
 *
 * An outcome is a function of the scenario and its seed; it has no wall time. (One that was "not_judged"
 * because the machine failed says nothing but that.) It is printed as one
 * line that reads back as the same. Two outcomes are equal if their lines are.
 */
#ifndef TRIAL_RUN_OUTCOME_H
#define TRIAL_RUN_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/digest.h"
#include "base/text.h"
#include "checkers/checker.h"
#include "trial/run/record_trial.h"
#include "trial/run/run.h"

struct failure {
    char *signature;
    char *explanation;
};

struct run_outcome {
    uint64_t seed;
    enum verdict verdict;
    char trace[DIGEST_HEX_SIZE]; /* empty: it did not get that far */
    int64_t simulated_ns;
    uint64_t events;
    uint64_t committed, aborted, unknown; /* transactions */
    bool has_store;
    bool expects[FAULT_KIND_COUNT];   /* the scenario asks for them, or its swarm drew them */
    uint64_t faults[FAULT_KIND_COUNT]; /* that took effect */
    uint32_t nemesis_count, drawn_count; /* all of them; the last of these were drawn */
    uint64_t felt[NEMESIS_COUNT_MAX];    /* strikes that took effect */
    uint64_t sometimes[SOMETIMES_COUNT];
    uint8_t checks[JURY_MAX]; /* as checkers_all(): 0: it did not judge; else 1 and its verdict */
    uint8_t audit; /* likewise */
    bool is_too_long; /* a budget of the run was over; `undecided` says which */
    char *undecided; /* why a run in which something committed is unknown; NULL: it is not */
    char *not_judged; /* how the machine failed it, so that nothing is known; NULL: it is judged */
    ARRAY(struct failure) failures;
    struct swarm_draws draws; /* what was drawn from other seeds than the run's, in a guided sweep */
    ARRAY(uint32_t) features; /* of a guided sweep's run: what it reached; rising */
};

/* Each must be closed, whatever the status. */
MUST_USE enum status outcome_of_trial(struct run_outcome *, const struct trial *, struct error *);
/* Of a real database: it has no trace, and no simulated time. */
MUST_USE enum status outcome_of_recording(struct run_outcome *, const struct record_trial *,
                                          struct error *);
MUST_USE enum status outcome_read(struct run_outcome *, struct text line, struct error *);
void outcome_close(struct run_outcome *);

/* Without the end of the line. */
void outcome_print(const struct run_outcome *, struct buffer *);

/* What the run reached, which only guided sweeps ask for. */
MUST_USE enum status outcome_take_coverage(struct run_outcome *, const struct coverage *,
                                           struct error *);

/* Nothing is known about the run, for this reason. */
MUST_USE enum status outcome_not_judged(struct run_outcome *, const char *why, struct error *);

/* Takes copies. */
MUST_USE enum status outcome_add_failure(struct run_outcome *, const char *signature,
                                         const char *explanation, struct error *);

#endif
