/*
 * guide: decides what each run of a guided sweep draws.
 *
 *     turn    0 ......... 31 | 32 ....................... 99 | 100 ......
 *             drawn from its   fresh, or bred from the runs     bred from runs up to 67
 *             own seed         that are 32 turns or more before
 *
 * Every run has its own seed, as in a plain sweep: job n has the n-th. A *fresh* run draws everything
 * from it. A *bred* run takes some dimensions of its swarm (nemesis/swarm.h) from earlier runs: they
 * draw from the same seeds as in those runs. Some bred runs take nearly all dimensions of one parent,
 * to repeat a configuration with rare features. The others are new configurations: half of their own
 * and half of two parents.
 *
 * Parents are runs that did not fail. Of a few random candidates, the one with the most valuable
 * coverage for a goal is taken. There are two goals: what faults reach (rare paths and events of
 * nodes), and what transactions reach (shapes of conflict graphs). A feature is worth more if fewer
 * runs had it.
 *
 * What a run draws is a function of the sweep's seeds, its turn, and the outcomes of the runs
 * GUIDE_LAG turns or more before it. It depends neither on scheduling nor on whether outcomes come
 * from workers or from a journal. A run that was not judged teaches nothing, even if it is judged
 * later: what was drawn since would not follow from it. A shard of a guided sweep is guided by its own runs alone.
 */
#ifndef TRIAL_SWEEP_GUIDE_PRIVATE_H
#define TRIAL_SWEEP_GUIDE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/random.h"
#include "trial/run/outcome.h"
#include "trial/sweep/plan.h"

#define GUIDE_MEMBERS_MAX 4096 /* some 6 kB each */
#define GUIDE_LAG 32 /* so many runs can be at work at a time */

/* A run that others are bred from. */
struct guide_member {
    struct swarm_draws draws; /* of every dimension that varies */
    uint32_t *features;
    uint32_t feature_count;
};

/* Of one scenario. */
struct guide_subject {
    uint32_t dimensions; /* a bit for each that varies from seed to seed; 0: it is swept plainly */
    uint64_t runs;       /* that were taken */
    uint32_t *reached;   /* by feature: how many runs had it, or its like of a higher class */
    ARRAY(struct guide_member) members;
    uint64_t replaced; /* members, by later ones */
};

/* A run whose turn has not been taken yet. */
struct guide_turn {
    bool is_known; /* its outcome has come */
    bool has_failed;
    struct swarm_draws draws;
    ARRAY(uint32_t) features;
};

struct guide {
    const struct plan *plan;
    struct random_key key;
    struct guide_subject *subjects; /* as many as the plan has */
    struct guide_turn turns[GUIDE_LAG]; /* by turn, modulo the lag */
    uint64_t taken; /* turns, the first that many; GUIDE_LAG more are drawn */
};

/* The plan has its scenarios, and outlives it. Closed by guide_close(), whatever the status. */
MUST_USE enum status guide_init(struct guide *, const struct plan *, struct error *);
void guide_close(struct guide *);

/* Whether enough is known for this job; if not, runs before it have to end first. */
bool guide_is_ready(const struct guide *, uint64_t job);
/* What it draws otherwise than from its seed. The job is ready, and its outcome was not taken. */
const struct swarm_draws *guide_draws(const struct guide *, uint64_t job);
/* Whether its outcome was taken. */
bool guide_has(const struct guide *, uint64_t job);
/* The outcome of a job that is ready. */
MUST_USE enum status guide_take(struct guide *, uint64_t job, const struct run_outcome *,
                                struct error *);

#endif
