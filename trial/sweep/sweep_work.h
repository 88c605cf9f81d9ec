/*
 * sweep_work: runs a job of a plan in a worker.
 *
 *     "17"  ──▶  run, jury, and once more by itself if that failed  ──▶  "17 {…}"
 *     "17 8=9"  ──▶  likewise, but the dimension 8 of its swarm draws from the seed 9
 *
 * A failure is reported only if a new process finds the same. If it does not, that is the failure:
 * "run - differs". If a run crashes its worker, the failure is "run - crash", under the same condition.
 * A run on a real database cannot be repeated: its history is kept instead.
 * A run that the machine failed has no verdict: its outcome says why it was not judged.
 */
#ifndef TRIAL_SWEEP_SWEEP_WORK_H
#define TRIAL_SWEEP_SWEEP_WORK_H

#include "trial/run/outcome.h"
#include "trial/sweep/plan.h"
#include "trial/sweep/workers.h"

struct sweep_work {
    const struct plan *plan; /* with its scenarios */
    bool is_sure;            /* failures are believed without running them again */
    const char *folder;      /* where histories of real databases go that failed; NULL: nowhere */
};

/* For struct workers_options; the context is a struct sweep_work. */
enum status sweep_work_do(void *context, struct text job, struct buffer *answer,
                          struct error *err);
/* The job's text (NULL: nothing is drawn from another seed than its own), and what is read from an
   answer. The outcome must be closed, whatever the status. */
void sweep_work_print_job(uint64_t job, const struct swarm_draws *, struct buffer *);
MUST_USE enum status sweep_work_read(struct text answer, uint64_t *job, struct run_outcome *,
                                     struct error *);

/* The outcome of a job without an answer: its seed, draws, and its failure or why it was not judged.
   Likewise. */
MUST_USE enum status sweep_work_of_dead(const struct sweep_work *, uint64_t job,
                                        const struct swarm_draws *, const struct work *,
                                        struct run_outcome *, struct error *);

#endif
