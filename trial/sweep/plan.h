/*
 * plan: numbers the runs of a sweep.
 *
 *     job    0          1          2          3
 *            a seed 1   b seed 1   a seed 2   b seed 2
 *     shard  2/2        1/2        2/2        1/2
 *
 * A sweep runs every scenario of a folder with every seed, seed by seed, so that a sweep that ends
 * early has run all scenarios equally often. The number of a job is its place in this order; a shard
 * has every n-th job. The plan holds all that a report needs to know about the scenarios. It is the
 * first line of the journal, so that journals can be compared and merged without the scenarios.
 */
#ifndef TRIAL_SWEEP_PLAN_H
#define TRIAL_SWEEP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/digest.h"
#include "sim/world.h"
#include "trial/scenario/scenario.h"

#define PLAN_LABEL_SIZE 60
#define PLAN_WORD_SIZE 80

/* A scenario of the plan. */
struct subject {
    char path[SCENARIO_PATH_SIZE]; /* as it was given */
    char name[SCENARIO_NAME_SIZE];
    char digest[DIGEST_HEX_SIZE]; /* of all its settings but the seed, and of its program */
    char protocol[PLAN_WORD_SIZE]; /* empty: each seed draws its own */
    bool has_store, on_raft, has_swarm;
    bool is_real; /* it runs on a real database, and cannot be repeated */
    uint32_t nemesis_count; /* without those that its swarm draws */
    char nemeses[NEMESIS_COUNT_MAX][PLAN_LABEL_SIZE]; /* "partition halves" */
    bool has_fault[FAULT_KIND_COUNT];                 /* all the time, without a nemesis; not if drawn */
};

struct plan {
    char version[PLAN_WORD_SIZE];
    char build[DIGEST_HEX_SIZE];
    uint64_t seed_first, seed_last;
    uint64_t shard, shard_count; /* this one has the jobs that are `shard` modulo the count */
    bool until_failure;
    bool is_guided; /* runs draw what a guide says: trial/sweep/guide_private.h */
    bool has_format; /* of one that was read: that this version knows */
    ARRAY(struct subject) subjects;
    ARRAY(char *) sets;
    struct scenario *scenarios; /* as many as subjects; NULL: read from a journal */
};

/* Each must be closed, whatever the status. The plan is all zero before. */

/* A scenario, or a folder of them, with what --set says put over each. */
MUST_USE enum status plan_load(struct plan *, const char *path, const char *const *sets,
                               size_t set_count, struct error *);
/* "7", "1..100" */
MUST_USE enum status plan_take_seeds(struct plan *, const char *text, struct error *);
/* "2/4"; NULL: all of it. */
MUST_USE enum status plan_take_shard(struct plan *, const char *text, struct error *);
MUST_USE enum status plan_read(struct plan *, struct text line, struct error *);
void plan_close(struct plan *);

/* One line, without its end. */
void plan_print(const struct plan *, struct buffer *);

/* Refuses what a journal that begins with `before` cannot go on with. */
MUST_USE enum status plan_check_resume(const struct plan *before, const struct plan *,
                                       struct error *);
/* Refuses what is no shard of the same sweep. */
MUST_USE enum status plan_check_merge(const struct plan *, const struct plan *shard,
                                      struct error *);

/* Of the whole sweep. */
uint64_t plan_job_count(const struct plan *);
uint64_t plan_shard_job_count(const struct plan *);
static inline bool plan_has_job(const struct plan *plan, uint64_t job)
{
    return job % plan->shard_count == plan->shard;
}
static inline size_t plan_subject(const struct plan *plan, uint64_t job)
{
    return job % plan->subjects.count;
}
static inline uint64_t plan_seed(const struct plan *plan, uint64_t job)
{
    return plan->seed_first + job / plan->subjects.count;
}

/* "ordeal run x.toml --seed 7", and what it draws from other seeds; NULL: nothing. */
void plan_print_again(const struct plan *, uint64_t job, const struct swarm_draws *,
                      struct buffer *);
/* The file of a recording that failed, in the folder of the sweep: "postgres-rc-7.jsonl". */
void plan_print_history(const struct plan *, uint64_t job, struct buffer *);
/* "swarm.draws={ network = 9 }"; nothing if nothing is drawn from another seed. */
void plan_print_draws(const struct swarm_draws *, struct buffer *);

#endif
